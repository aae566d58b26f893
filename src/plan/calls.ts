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
  /** The round after which it has ended; kept between passes, because it only shrinks. */
  end: number;
  /** The pass in which it was counted. */
  pass: number;
  isCertain: boolean;
  most: number;
  /** For a list: the limit of each group of reads that begin together. */
  limits: Map<object, number> | undefined;
}

export class PlannedCalls {
  readonly #dialect: Dialect;
  readonly #counted = new Map<string, Counted>();
  #primed = new Map<string, number>();
  #fields = new Map<Route, Map<string, Count>>();
  readonly #missing = new Set<Route>();
  #epoch = 0;
  #pass = 0;
  /** Whether the last pass found a call to end earlier than it had first been counted. */
  isLearnt = false;
  /** The last round so far. */
  rounds = 0;
  /** How many calls there are at least so far. */
  least = 0;

  constructor(dialect: Dialect) {
    this.#dialect = dialect;
  }

  begin(): void {
    this.#primed = new Map();
    this.#fields = new Map();
    this.#epoch = 0;
    this.#pass += 1;
    this.isLearnt = false;
    this.rounds = 0;
    this.least = 0;
  }

  /** After a write: nothing read before it answers for what comes after. */
  forget(): void {
    this.#epoch += 1;
    this.#primed = new Map();
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
    const counted = this.#countedOf(`${this.#epoch} ${route.path} ${id}`);
    const end = call.at + (page && page.pages !== Infinity ? page.pages : 1);
    if (end < counted.end) {
      this.isLearnt ||= counted.end !== Infinity;
      counted.end = end;
    }
    this.rounds = Math.max(this.rounds, counted.end);

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
    return counted.end;
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

  #countedOf(id: string): Counted {
    const known = this.#counted.get(id);
    if (known?.pass === this.#pass) return known;
    const { end } = known ?? { end: Infinity };
    const counted = { end, pass: this.#pass, isCertain: false, most: 0, limits: undefined };
    this.#counted.set(id, counted);
    return counted;
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
