/**
 * The calls of a plan: which, how often at least and at most, and after which round each has ended.
 */
import type { AnyEntity } from '../graph/entity/entity.ts';
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
  /** Whether it is made whatever the backend holds. */
  readonly isCertain: boolean;
  /** For how many keys it is made at most. */
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

/** A call, or as many calls as there are keys of which nothing is known. */
interface Call {
  /** The round after which it has ended; kept between passes, because it only shrinks. */
  end: number;
  /** The pass in which it was last counted. */
  pass: number;
  most: number;
  isCertain: boolean;
  /** For a list: the limit of each group of reads that begin together. */
  limits: Map<object, number> | undefined;
}

export class PlannedCalls {
  readonly #routeSet: RouteSet;
  /** Calls by route and id, between one write and the next. */
  readonly #epochs: Map<Route, Map<string, Call>>[] = [];
  #primed = new Map<AnyEntity, Map<string, number>>();
  #fields = new Map<Route, Map<string, Count>>();
  #epoch = 0;
  #pass = 0;
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
    this.#fields = new Map();
    this.#epoch = 0;
    this.#pass += 1;
    this.#isLearnt = false;
    this.#rounds = 0;
    this.#least = 0;
  }

  /** After a write: nothing read before it answers for what comes after. */
  forget(): void {
    this.#epoch += 1;
    this.#primed = new Map();
  }

  serves(route: Route): boolean {
    return route.set === 'document' || this.#routeSet === 'extended';
  }

  /** An object that is there after a round: whoever asks for it then gets it for nothing. */
  prime(entity: AnyEntity, id: string, ready: number): void {
    let primed = this.#primed.get(entity);
    if (!primed) this.#primed.set(entity, (primed = new Map()));
    primed.set(id, Math.min(ready, primed.get(id) ?? Infinity));
  }

  isPrimed(entity: AnyEntity, id: string, at: number): boolean {
    return (this.#primed.get(entity)?.get(id) ?? Infinity) <= at;
  }

  /**
   * Counts a call unless an equal one was counted.
   *
   * @param id equal calls of a route have equal ids.
   * @returns the round after which it has ended.
   */
  add(id: string, { route, field, at, isCertain, most }: FieldCall, page?: PageRead): number {
    if (!this.serves(route)) return at;
    const call = this.#callOf(route, id);
    const end = at + (page && page.pages !== Infinity ? page.pages : 1);
    if (end < call.end) {
      this.#isLearnt ||= call.end !== Infinity;
      call.end = end;
    }
    this.#rounds = Math.max(this.#rounds, call.end);

    const times = page ? product(page.pages, countLimits(call, page)) : 1;
    const grown = Math.max(call.most, product(most, times));
    this.#attribute(route, field, {
      least: isCertain && !call.isCertain ? 1 : 0,
      most: grown === call.most ? 0 : grown - call.most,
    });
    call.most = grown;
    call.isCertain ||= isCertain;
    return call.end;
  }

  total(): Count {
    return this.routes().reduce<Count>(plus, NONE);
  }

  routes(): RoutePlan[] {
    return [...this.#fields].map(([{ method, path }, fields]) => ({
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
    for (const fields of this.#fields.values()) {
      for (const [field, { least }] of fields) {
        if (least > most) [dearest, most] = [field, least];
      }
    }
    return dearest;
  }

  #callOf(route: Route, id: string): Call {
    const calls = (this.#epochs[this.#epoch] ??= new Map());
    let ofRoute = calls.get(route);
    if (!ofRoute) calls.set(route, (ofRoute = new Map()));
    let call = ofRoute.get(id);
    if (!call) {
      call = { end: Infinity, pass: 0, most: 0, isCertain: false, limits: undefined };
      ofRoute.set(id, call);
    }
    if (call.pass < this.#pass) {
      call.pass = this.#pass;
      call.most = 0;
      call.isCertain = false;
      call.limits = undefined;
    }
    return call;
  }

  /** Adds to what a field costs. */
  #attribute(route: Route, field: string, count: Count): void {
    if (count.least === 0 && count.most === 0) return;
    this.#least += count.least;
    let fields = this.#fields.get(route);
    if (!fields) this.#fields.set(route, (fields = new Map()));
    fields.set(field, plus(fields.get(field) ?? NONE, count));
  }
}

/**
 * How many calls a list may take because its reads want pages of different sizes: a page that was
 * called for serves who wants no more of it, but is not called for anew while it is under way.
 */
function countLimits(call: Call, { together, limit }: PageRead): number {
  if (!call.limits) {
    call.limits = new Map([[together, limit]]);
    return 1;
  }
  call.limits.set(together, Math.max(limit, call.limits.get(together) ?? 0));
  return call.limits.size === 1 ? 1 : new Set(call.limits.values()).size;
}
