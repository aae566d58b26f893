/**
 * The calls of a plan: which, how often at least and at most, and after which round each has ended.
 */
import type { Dialect } from '../rest/client/dialect.ts';
import type { Route } from '../v0/routes.ts';
import { NONE, plus, product, type Count } from './count.ts';

/** What one route will be called for. */
export interface RoutePlan extends Count {
  readonly method: string;
  readonly route: string;
  /** Paths of the fields that cause the calls. */
  readonly fields: readonly string[];
}

/** A call of a field. */
export interface FieldCall {
  readonly path: string;
  /** The round after which it can begin. */
  readonly at: number;
  /** Whether it is made whatever the backend holds. */
  readonly isCertain: boolean;
}

/** What is read of a list. */
export interface PageRead {
  /** How many pages that wait for each other; `Infinity` when unknown. */
  readonly pages: number;
  /** Items of the first page. */
  readonly limit: number;
  /** Reads of one list that begin together share the largest of their calls. */
  readonly together: object;
}

/** A call, or as many calls as there are keys of which nothing is known. */
interface Counted {
  isCertain: boolean;
  most: number;
  /** For a list: the limit of each group of reads that begin together. */
  limits: Map<object, number> | undefined;
}

/** The calls of one pass over a document. */
export class PlannedCalls {
  readonly #dialect: Dialect;
  readonly #ends: Map<string, number>;
  readonly #counted = new Map<string, Counted>();
  readonly #primed = new Map<string, number>();
  readonly #fields = new Map<Route, Map<string, Count>>();
  readonly #missing = new Set<Route>();
  #epoch = 0;
  /** Whether a call was found to end earlier than it had first been counted. */
  isLearnt = false;
  /** The last round so far. */
  rounds = 0;
  /** How many calls there are at least so far. */
  least = 0;

  /** @param ends the round after which each call has ended, as other passes have found: they only shrink. */
  constructor(dialect: Dialect, ends: Map<string, number>) {
    this.#dialect = dialect;
    this.#ends = ends;
  }

  /** After a write: nothing read before it answers for what comes after. */
  forget(): void {
    this.#epoch += 1;
    this.#primed.clear();
  }

  /** Whether the backend has a route, for all that is known; one that it lacks is noted. */
  serves(route: Route): boolean {
    const isServed = this.#dialect.serves(route);
    if (!isServed) this.#missing.add(route);
    return isServed;
  }

  /** An object that is there after a round: later reads of it take no call. */
  prime(id: string, ready: number): void {
    this.#primed.set(id, Math.min(ready, this.#primed.get(id) ?? Infinity));
  }

  isPrimed(id: string, at: number): boolean {
    return (this.#primed.get(id) ?? Infinity) <= at;
  }

  /**
   * Counts a call unless an equal one was counted.
   *
   * @param id equal calls of a route have equal ids.
   * @param most how many calls it stands for at most.
   * @returns the round after which it has ended.
   */
  add(route: Route, id: string, most: number, call: FieldCall, page?: PageRead): number {
    if (!this.serves(route)) return call.at;
    const name = `${this.#epoch} ${route.path} ${id}`;
    const known = this.#ends.get(name) ?? Infinity;
    const end = Math.min(known, call.at + (page && page.pages !== Infinity ? page.pages : 1));
    this.isLearnt ||= end < known && known !== Infinity;
    this.#ends.set(name, end);
    this.rounds = Math.max(this.rounds, end);

    let counted = this.#counted.get(name);
    if (!counted) {
      counted = { isCertain: false, most: 0, limits: undefined };
      this.#counted.set(name, counted);
    }
    const least = call.isCertain && !counted.isCertain ? 1 : 0;
    const grown = product(most, page ? product(page.pages, countLimits(counted, page)) : 1);
    if (least > 0 || grown > counted.most) {
      let fields = this.#fields.get(route);
      if (!fields) this.#fields.set(route, (fields = new Map<string, Count>()));
      const added = { least, most: grown > counted.most ? grown - counted.most : 0 };
      fields.set(call.path, plus(fields.get(call.path) ?? NONE, added));
      this.least += least;
    }
    counted.isCertain ||= call.isCertain;
    counted.most = Math.max(counted.most, grown);
    return end;
  }

  routes(): RoutePlan[] {
    return [...this.#fields].map(([{ method, path }, fields]) => ({
      method,
      route: path,
      ...[...fields.values()].reduce(plus),
      fields: [...fields.keys()],
    }));
  }

  /** Routes that the operation would call if the backend had them. */
  missing(): string[] {
    return [...this.#missing].map(({ method, path }) => `${method} ${path}`);
  }

  /** The field with the largest lower bound: the first to cut. */
  mostCalls(): string | null {
    const fields = [...this.#fields.values()].flatMap((ofRoute) => [...ofRoute]);
    const [first, ...others] = fields;
    return others.reduce((a, b) => (b[1].least > a![1].least ? b : a), first)?.[0] ?? null;
  }
}

/**
 * How many calls a list may take because its reads want pages of different sizes: a larger page serves
 * smaller reads, but is not asked for again while it is under way.
 */
function countLimits(counted: Counted, { together, limit }: PageRead): number {
  const limits = (counted.limits ??= new Map<object, number>());
  limits.set(together, Math.max(limit, limits.get(together) ?? 0));
  return limits.size === 1 ? 1 : new Set(limits.values()).size;
}
