/**
 * The calls of a plan: which, how often at least and at most, and after which round each has ended.
 */
import type { Route, RouteSet } from '../v0/routes.ts';
import { NONE, plus, product, type Count } from './count.ts';

/** What one route will be called for. */
export interface RoutePlan extends Count {
  readonly method: string;
  readonly route: string;
  /** Paths of the fields that cause the calls. */
  readonly fields: readonly string[];
}

/** What a field calls. */
export interface FieldCall {
  readonly route: Route;
  /** The path of the field. */
  readonly field: string;
  /** The round after which it can begin. */
  readonly at: number;
  /** Whether it is made whatever the backend holds, if it has only one key. */
  readonly isCertain: boolean;
  /** How many keys it is made for at most. */
  readonly most: number;
}

/** What a field reads of a list. */
export interface PageRead {
  /** How many pages that wait for each other; `Infinity` when nobody knows. */
  readonly pages: number;
  /** Items of the first page. */
  readonly limit: number;
  /** Reads of one list that begin together share the largest of their calls. */
  readonly together: object;
}

interface Counted {
  most: number;
  isCertain: boolean;
  /** For a list: the limit of each group of reads that begin together. */
  readonly limits: Map<object, number>;
}

export class PlannedCalls {
  readonly #routeSet: RouteSet;
  /** Rounds after which calls end; kept between passes, because they only shrink. */
  readonly #ends = new Map<string, number>();
  #primed = new Map<string, number>();
  #counted = new Map<string, Counted>();
  #routes = new Map<Route, Map<string, Count>>();
  #epoch = 0;
  #isLearnt = false;
  #rounds = 0;
  #least = 0;

  constructor(routeSet: RouteSet) {
    this.#routeSet = routeSet;
  }

  /** Whether the last pass found a call to end earlier than it had first been counted. */
  get isLearnt(): boolean {
    return this.#isLearnt;
  }

  /** The last round so far. */
  get rounds(): number {
    return this.#rounds;
  }

  /** How many calls there are at least so far. */
  get least(): number {
    return this.#least;
  }

  begin(): void {
    this.#primed = new Map();
    this.#counted = new Map();
    this.#routes = new Map();
    this.#epoch = 0;
    this.#isLearnt = false;
    this.#rounds = 0;
    this.#least = 0;
  }

  /** After a write: nothing read before it answers for what comes after. */
  forget(): void {
    this.#epoch++;
    this.#primed = new Map();
    this.#counted = new Map();
  }

  serves(route: Route): boolean {
    return route.set === 'document' || this.#routeSet === 'extended';
  }

  /** An object that is there after a round: whoever asks for it then gets it for nothing. */
  prime(id: string, ready: number): void {
    this.#primed.set(id, Math.min(ready, this.#primed.get(id) ?? Infinity));
  }

  isPrimed(id: string, at: number): boolean {
    return (this.#primed.get(id) ?? Infinity) <= at;
  }

  /**
   * Counts a call unless an equal one was counted.
   *
   * @param id equal calls have equal ids.
   * @returns the round after which it has ended.
   */
  add(id: string, { route, field, at, isCertain, most }: FieldCall, page?: PageRead): number {
    if (!this.serves(route)) return at;
    const epochal = `${this.#epoch} ${route.path} ${id}`;
    const known = this.#ends.get(epochal);
    const rounds = page && page.pages !== Infinity ? page.pages : 1;
    const end = Math.min(at + rounds, known ?? Infinity);
    if (known !== undefined && end < known) this.#isLearnt = true;
    this.#ends.set(epochal, end);
    this.#rounds = Math.max(this.#rounds, end);

    let counted = this.#counted.get(epochal);
    if (!counted) {
      counted = { most: 0, isCertain: false, limits: new Map() };
      this.#counted.set(epochal, counted);
    }
    const calls = page ? product(page.pages, differentLimits(counted.limits, page)) : 1;
    const grown = Math.max(counted.most, product(most, calls));
    this.#attribute(route, field, {
      least: isCertain && !counted.isCertain ? 1 : 0,
      most: grown === counted.most ? 0 : grown - counted.most,
    });
    counted.most = grown;
    counted.isCertain ||= isCertain;
    return end;
  }

  /** Adds to what a field costs. */
  #attribute(route: Route, field: string, count: Count): void {
    if (count.least === 0 && count.most === 0) return;
    this.#least += count.least;
    let fields = this.#routes.get(route);
    if (!fields) this.#routes.set(route, (fields = new Map()));
    fields.set(field, plus(fields.get(field) ?? NONE, count));
  }

  total(): Count {
    return this.routes().reduce<Count>(plus, NONE);
  }

  routes(): RoutePlan[] {
    return [...this.#routes].map(([{ method, path }, fields]) => ({
      method,
      route: path,
      ...[...fields.values()].reduce(plus),
      fields: [...fields.keys()],
    }));
  }

  /** The field that costs most at least, for whoever has to cut something. */
  dearest(): string | null {
    let dearest: string | null = null;
    let most = -1;
    for (const fields of this.#routes.values()) {
      for (const [field, { least }] of fields) {
        if (least > most) [dearest, most] = [field, least];
      }
    }
    return dearest;
  }
}

/**
 * How many calls a list may take because its reads want pages of different sizes: a page that was
 * called for serves who wants no more of it, but is not called for anew while it is under way.
 */
function differentLimits(limits: Map<object, number>, { together, limit }: PageRead): number {
  limits.set(together, Math.max(limit, limits.get(together) ?? 0));
  return limits.size === 1 ? 1 : new Set(limits.values()).size;
}
