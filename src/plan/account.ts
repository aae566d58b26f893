/**
 * The account of a plan: its calls by route, its round trips and its values.
 */
import { getNullableType, isListType, isNonNullType, type GraphQLOutputType } from 'graphql';
import type { RouteCapabilities } from '../rest/client/route-capabilities.ts';
import type { Route } from '../v0/routes.ts';

/** Bounds of a number. `Infinity` is unknown, and null in JSON. */
export interface Count {
  readonly least: number;
  readonly most: number;
}

export const NONE: Count = { least: 0, most: 0 };
export const ONE: Count = { least: 1, most: 1 };

/** From 0 to a maximum. */
export const upTo = (most: number): Count => ({ least: 0, most });

const plus = (a: Count, b: Count): Count => ({
  least: saturated(a.least + b.least),
  most: saturated(a.most + b.most),
});

export const times = (a: Count, b: Count): Count => ({
  least: product(a.least, b.least),
  most: product(a.most, b.most),
});

/** Product, with 0 for zero times unknown. */
export const product = (a: number, b: number): number =>
  a === 0 || b === 0 ? 0 : saturated(a * b);

/** Limits a number to the range of exact integers. */
const saturated = (count: number): number =>
  count === Infinity ? count : Math.min(count, Number.MAX_SAFE_INTEGER);

export interface Plan {
  readonly calls: Count;
  /** Number of sequential round trips. */
  readonly rounds: number;
  /** Number of fields and list items of the result. */
  readonly values: { readonly atLeast: number; readonly atMost: number };
  readonly routes: readonly RoutePlan[];
  /**
   * Required routes that the backend lacks: `GET /v0/pages/search`. Absent if there are none. Undecided routes are
   * assumed to exist.
   */
  readonly missing?: readonly string[];
  /** Field with the largest lower bound of calls. */
  readonly mostCalls: string | null;
  /** List with the largest lower bound of items, then with the largest upper bound. */
  readonly largestList: string | null;
}

/** Planned calls of a route. */
interface RoutePlan extends Count {
  readonly method: string;
  readonly route: string;
  /** Paths of the fields that cause the calls. */
  readonly fields: readonly string[];
}

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
interface PlannedCall {
  isCertain: boolean;
  most: number;
  readonly reads: Read[];
}

export class Account {
  readonly #capabilities: RouteCapabilities;
  readonly #routes = new Map<Route, { calls: Count; readonly fields: Set<string> }>();
  /** Lower bound of calls by path of the field. */
  readonly #leastCalls = new Map<string, number>();
  readonly #missing = new Set<Route>();
  #calls = new Map<string, PlannedCall>();
  #primed = new Map<string, number>();
  #largestList = { path: null as string | null, items: NONE };
  /** Last round so far. */
  rounds = 0;
  /** Lower bound of calls so far. */
  leastCalls = 0;
  /** Fields and list items so far. */
  values = NONE;
  /** Whether a non-null field fails. */
  isNull = false;

  constructor(capabilities: RouteCapabilities) {
    this.#capabilities = capabilities;
  }

  /** Discards all reads. Called after a write. */
  forget(): void {
    this.#calls = new Map();
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
   * Adds a call unless an equal one was added.
   *
   * @param id equal calls of a route have equal ids.
   * @param most maximum number of calls that it represents.
   * @returns the round in which it ends.
   */
  addCall(route: Route, id: string, most: number, field: FieldCall, page = OBJECT): number {
    if (!this.serves(route)) return field.at;
    const key = `${route.method} ${route.path} ${id}`;
    let call = this.#calls.get(key);
    if (!call) this.#calls.set(key, (call = { isCertain: false, most: 0, reads: [] }));
    const end = addRead(call.reads, most, field.at, page);
    this.rounds = Math.max(this.rounds, end);
    const total = mostOf(call.reads);
    const added = {
      least: field.isCertain && !call.isCertain ? 1 : 0,
      most: total > call.most ? total - call.most : 0,
    };
    call.isCertain ||= field.isCertain;
    call.most = Math.max(call.most, total);
    if (added.least > 0 || added.most > 0) this.#addCalls(route, field.path, added);
    return end;
  }

  #addCalls(route: Route, path: string, added: Count): void {
    let planned = this.#routes.get(route);
    if (!planned) this.#routes.set(route, (planned = { calls: NONE, fields: new Set() }));
    planned.calls = plus(planned.calls, added);
    planned.fields.add(path);
    this.#leastCalls.set(path, added.least + (this.#leastCalls.get(path) ?? 0));
    this.leastCalls += added.least;
  }

  addValues(count: Count): void {
    this.values = plus(this.values, count);
  }

  /**
   * Adds the items of a field, if it is a list.
   *
   * @param copies number of occurrences of the field in the result.
   * @param size number of items of each list.
   * @returns the number of occurrences of its objects.
   */
  addItems(type: GraphQLOutputType, path: string, copies: Count, size: Count): Count {
    const fields = isNonNullType(type) ? copies : upTo(copies.most);
    const nullable = getNullableType(type);
    if (!isListType(nullable)) return fields;
    const items = times(fields, size);
    this.addValues(items);
    const { least, most } = this.#largestList.items;
    if (items.least > least || (items.least === least && items.most > most)) {
      this.#largestList = { path, items };
    }
    return isNonNullType(nullable.ofType) ? items : upTo(items.most);
  }

  /** @param isComplete whether the upper bounds are valid. */
  plan(isComplete: boolean): Plan {
    const routes = [...this.#routes].map(([{ method, path }, { calls, fields }]) => ({
      method,
      route: path,
      ...calls,
      fields: [...fields],
    }));
    const calls = routes.reduce<Count>(plus, NONE);
    const missing = [...this.#missing].map(({ method, path }) => `${method} ${path}`);
    const [first, ...others] = this.#leastCalls;
    return {
      calls: isComplete ? calls : { ...calls, most: Infinity },
      rounds: this.rounds,
      values: {
        atLeast: this.isNull ? 0 : this.values.least,
        atMost: isComplete ? this.values.most : Infinity,
      },
      routes,
      ...(missing.length > 0 && { missing }),
      mostCalls: others.reduce((a, b) => (b[1] > a![1] ? b : a), first)?.[0] ?? null,
      largestList: this.#largestList.path,
    };
  }
}

/** Adds a read. Returns the round in which it ends. */
function addRead(reads: Read[], calls: number, at: number, page: PageRead): number {
  const { pages, limit, together } = page;
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
function mostOf(reads: readonly Read[]): number {
  const limits = new Map<number, number>();
  for (const { limit, most } of reads) limits.set(limit, Math.max(most, limits.get(limit) ?? 0));
  return [...limits.values()].reduce((a, b) => a + b);
}
