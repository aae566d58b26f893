/**
 * The calls of a plan: routes, lower and upper bounds, and the rounds in which they end.
 */
import type { RouteCapabilities } from '../rest/client/route-capabilities.ts';
import type { Route } from '../v0/routes.ts';
import { NONE, plus, product, type Count } from './count.ts';

/** Planned calls of a route. */
export interface RoutePlan extends Count {
  readonly method: string;
  readonly route: string;
  /** Paths of the fields that cause the calls. */
  readonly fields: readonly string[];
}

/** A call of a field. */
export interface FieldCall {
  readonly path: string;
  /** Round after which it can begin. */
  readonly at: number;
  /** Whether it is made for any data of the backend. */
  readonly isCertain: boolean;
}

/** The read of a list. */
export interface PageRead {
  /** Number of sequential pages; `Infinity` if unknown. */
  readonly pages: number;
  /** Number of items of the first page. */
  readonly limit: number;
  /** Identity of reads that begin together: those of one list share the largest call. */
  readonly together: object;
}

/** The read of an object. */
const OBJECT: PageRead = { pages: 1, limit: 1, together: {} };

/** Reads that begin together. */
interface Read {
  readonly together: object;
  /** Largest limit. */
  limit: number;
  /** Maximum number of calls. */
  most: number;
  /** Round in which they end. */
  readonly end: number;
}

/** A call, or the calls of unknown keys. */
interface CountedCall {
  isCertain: boolean;
  most: number;
  readonly reads: Read[];
}

/** The calls of one operation. */
export class PlannedCalls {
  readonly #capabilities: RouteCapabilities;
  readonly #fields = new Map<Route, Map<string, Count>>();
  #counted = new Map<Route, Map<string, CountedCall>>();
  #primed = new Map<string, number>();
  readonly #missing = new Set<Route>();
  /** Last round so far. */
  rounds = 0;
  /** Lower bound of calls so far. */
  least = 0;

  constructor(capabilities: RouteCapabilities) {
    this.#capabilities = capabilities;
  }

  /** Discards all reads. Called after a write. */
  forget(): void {
    this.#counted = new Map();
    this.#primed = new Map();
  }

  /** Whether the backend has or may have a route; records missing ones. */
  serves(route: Route): boolean {
    const isServed = this.#capabilities.serves(route);
    if (!isServed) this.#missing.add(route);
    return isServed;
  }

  /** Records an object available after a round, which later reads get without a call. */
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
   * @param most maximum number of calls that it represents.
   * @returns the round in which it ends.
   */
  add(route: Route, id: string, most: number, call: FieldCall, page = OBJECT): number {
    if (!this.serves(route)) return call.at;
    let calls = this.#counted.get(route);
    if (!calls) this.#counted.set(route, (calls = new Map<string, CountedCall>()));
    let counted = calls.get(id);
    if (!counted) calls.set(id, (counted = { isCertain: false, most: 0, reads: [] }));
    const end = read(counted.reads, most, call.at, page);
    this.rounds = Math.max(this.rounds, end);
    const least = call.isCertain && !counted.isCertain ? 1 : 0;
    const grown = sumOf(counted.reads);
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

  /** Returns required routes that the backend lacks. */
  missing(): string[] {
    return [...this.#missing].map(({ method, path }) => `${method} ${path}`);
  }

  /** Returns the field with the largest lower bound of calls. */
  mostCalls(): string | null {
    const fields = [...this.#fields.values()].flatMap((ofRoute) => [...ofRoute]);
    const [first, ...others] = fields;
    return others.reduce((a, b) => (b[1].least > a![1].least ? b : a), first)?.[0] ?? null;
  }
}

/** Adds a read. Returns the round in which it ends. */
function read(
  reads: Read[],
  calls: number,
  at: number,
  { pages, limit, together }: PageRead,
): number {
  const most = product(calls, pages);
  let end = at + (pages === Infinity ? 1 : pages);
  let known: Read | undefined;
  for (const one of reads) {
    if (one.together === together) {
      known = one;
      known.limit = Math.max(known.limit, limit);
      known.most = Math.max(known.most, most);
    }
    // A larger page serves smaller reads.
    if (one.limit >= limit) end = Math.min(end, one.end);
  }
  if (!known) reads.push({ together, limit, most, end });
  return end;
}

/** Upper bound of the calls of all reads; reads of one limit share them. */
function sumOf(reads: readonly Read[]): number {
  if (reads.length === 1) return reads[0]!.most;
  const limits = new Map<number, number>();
  for (const { limit, most } of reads) limits.set(limit, Math.max(most, limits.get(limit) ?? 0));
  return [...limits.values()].reduce((a, b) => a + b);
}
