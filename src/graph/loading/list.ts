/**
 * Lists of the backend, each page of which is read once a request.
 *
 * Selections of one list that differ only in `first` share the larger call: reads of one tick are
 * merged, and a page that has arrived answers every later read of no more items.
 */
import type { CallInput, CallOptions } from '../../rest/client/client.ts';
import { MAX_LIMIT, type Listed } from '../../v0/list.ts';
import type { Route } from '../../v0/routes.ts';
import { perRequest, type Context } from '../context.ts';
import { invalidResponse } from '../errors.ts';
import { textOf } from '../types/key.ts';
import { Loader, type Abandon } from './loader.ts';

/** A page to read. */
export interface ListPage {
  /** The REST cursor that names the page's start; null for the first page. */
  readonly from: string | null;
  /** 1 to 100. */
  readonly limit: number;
}

/** What a list answered. An error stands for what the backend broke, among the items too. */
export interface ListedPage<Item> {
  readonly items: readonly Item[];
  readonly hasMore: boolean | Error;
  readonly nextCursor: string | null | Error;
  /** A function where counting costs a call of its own, made when `totalCount` is selected. */
  readonly totalCount: number | null | (() => Promise<number | null>);
}

/** Values of a list's query parameters beside `cursor` and `limit`; a flag may be a boolean. */
type Filters<Query> = {
  readonly [Name in Exclude<keyof NonNullable<Query>, 'cursor' | 'limit'>]?:
    NonNullable<Query>[Name] | boolean | null;
};

/** What a list takes: values for the path, and filters. What is omitted or null is not sent. */
type ListInput<Path extends string, Query> = CallInput<Path, Filters<Query>, undefined>;

/** Which list, and how a page of it is fetched. */
type ListOptions = Pick<List, 'id' | 'fetch'> & Partial<Pick<List, 'route' | 'source'>>;

/** One list: which, with which filters, and how a page of it is fetched. */
export class List<Item = unknown> {
  /** Route, path and filters: equal lists have equal ids. Cursors are bound to it. */
  readonly id: string;
  /** What a page costs; undefined when the list costs nothing, or what its source does. */
  readonly route: Route | undefined;
  /** The list that is read to its end for this one, in as many pages as it has. */
  readonly source: List | undefined;
  /** Fetches a page as the backend has it. */
  readonly fetch: (page: ListPage, call: CallOptions) => Promise<ListedPage<unknown>>;
  readonly #context: Context;
  readonly #toNode: ((item: unknown) => Item) | undefined;

  private constructor(
    context: Context,
    { id, route, source, fetch }: ListOptions,
    toNode?: (item: unknown) => Item,
  ) {
    this.#context = context;
    this.id = id;
    this.route = route;
    this.source = source;
    this.fetch = fetch;
    this.#toNode = toNode;
  }

  /**
   * A list as its route answers it.
   *
   * @throws the error that stands where the backend broke an id among the values.
   */
  static of<Path extends string, Item, Query>(
    context: Context,
    route: Route<Path, Listed<Item>, Query, undefined>,
    input: ListInput<Path, Query>,
  ): List<Item> {
    const { path } = input;
    const filters = sentFilters(input.query ?? {});
    return new List(context, {
      id: `${route.path} ${textOf(path ?? {})} ${textOf(filters)}`,
      route,
      fetch: ({ from, limit }, call) => {
        const query = { ...filters, limit, ...(from !== null && { cursor: from }) };
        // Every list takes `cursor` and `limit`, which the generic hides from the compiler.
        const full = { path, query } as unknown as CallInput<Path, Query, undefined>;
        return context.rest.call(route, full, call);
      },
    });
  }

  /**
   * A list that is there as a whole, or made of all items of another.
   *
   * @param id names it and the parent's key.
   * @param totalCount counts the items where they are not all; may cost a call.
   */
  static whole<Item>(
    context: Context,
    { id, source }: { readonly id: string; readonly source?: List | undefined },
    read: (call: CallOptions) => Promise<readonly Item[]>,
    totalCount?: (call: CallOptions) => Promise<number | null>,
  ): List<Item> {
    const fetch = async (_page: ListPage, call: CallOptions): Promise<ListedPage<Item>> => {
      const items = await read(call);
      const total = totalCount ? () => totalCount(call) : items.length;
      return { items, hasMore: false, nextCursor: null, totalCount: total };
    };
    return new List<Item>(context, { id, source, fetch });
  }

  /**
   * The same list with its items turned into the graph's nodes; broken items stay errors.
   *
   * Pages are kept as they came and turned at each reading, because one list can be read as
   * different nodes: a page's links are also where its audiences are found.
   */
  map<Node>(toNode: (item: Item) => Node): List<Node> {
    const before = this.#toNode;
    return new List(this.#context, this, (item) => toNode(before ? before(item) : (item as Item)));
  }

  /** A page, in one call for all its reads. With `cancel` it is read ahead and can be given up. */
  read(page: ListPage, call: CallOptions): Promise<ListedPage<Item>> {
    const toNode = this.#toNode;
    const listed = listReader(this.#context).read(this, page, call);
    // Without a mapping of its own, a list answers its items as they are.
    if (!toNode) return listed as Promise<ListedPage<Item>>;
    return listed.then(({ items, hasMore, nextCursor, totalCount }) => ({
      // An error in an item's place is reported at that item, so it passes as if it were a node.
      items: items.map((item) => (item instanceof Error ? (item as Item) : toNode(item))),
      hasMore,
      nextCursor,
      totalCount,
    }));
  }

  /** Begins reading a page that a resolver will probably read. */
  start(page: ListPage, origin: unknown): Abandon {
    return listReader(this.#context).start(this, page, origin);
  }

  /**
   * Every page, 100 items each, for what no route can be asked for directly. Stop reading as soon as
   * the answer is found: the next page is not asked for before that.
   *
   * @throws UPSTREAM_INVALID_RESPONSE when the list would not end.
   */
  async *pages(call: CallOptions): AsyncGenerator<readonly Item[], void> {
    const seen = new Set<string>();
    for (let from: string | null = null; ;) {
      const listed: ListedPage<Item> = await this.read({ from, limit: MAX_LIMIT }, call);
      yield listed.items;
      from = nextStart(listed, from);
      // Look-ahead may have given it up meanwhile.
      if (from === null || call.cancel?.cancelled) return;
      if (seen.has(from)) throw endless();
      seen.add(from);
    }
  }

  /** The items of all pages. */
  async all(call: CallOptions): Promise<readonly Item[]> {
    const items: Item[] = [];
    for await (const page of this.pages(call)) items.push(...page);
    return items;
  }
}

/**
 * The filters that are sent, as texts: a flag is `true` or `false`.
 *
 * @throws the error that stands where the backend broke an id.
 * Source: interface.md, "Endpoints": flags are strings. Assumed: `true` and `false`.
 */
function sentFilters(given: object): Readonly<Record<string, string>> {
  const filters: Record<string, string> = {};
  for (const name in given) {
    const value = (given as Readonly<Record<string, string | boolean | Error | null | undefined>>)[
      name
    ];
    if (value instanceof Error) throw value;
    if (value !== null && value !== undefined) filters[name] = String(value);
  }
  return filters;
}

/** A page that is asked for. Until its call begins it grows to the largest limit that is asked for. */
interface PageLoad {
  readonly list: List;
  readonly from: string | null;
  readonly id: string;
  limit: number;
  isBegun: boolean;
}

class ListReader {
  /** By list and start, the read with the largest limit. */
  readonly #reads = new Map<string, PageLoad>();
  readonly #loader = new Loader<PageLoad, ListedPage<unknown>>(
    (load, call) => {
      load.isBegun = true;
      return load.list.fetch(load, call);
    },
    { idOf: ({ id }) => id },
  );

  read(list: List, page: ListPage, call: CallOptions): Promise<ListedPage<unknown>> {
    return this.#loader.loadFor(this.#loadOf(list, page), call);
  }

  start(list: List, page: ListPage, origin: unknown): Abandon {
    return this.#loader.start(this.#loadOf(list, page), origin);
  }

  #loadOf(list: List, { from, limit }: ListPage): PageLoad {
    // A list's id begins with no digit.
    const place = from === null ? list.id : `${from.length}:${from}${list.id}`;
    const known = this.#reads.get(place);
    if (known && !known.isBegun) known.limit = Math.max(known.limit, limit);
    if (known && limit <= known.limit) return known;
    const read = { list, from, id: `${limit} ${place}`, limit, isBegun: false };
    this.#reads.set(place, read);
    return read;
  }
}

const listReader = perRequest(() => new ListReader());

/** The error of a list that leads back to a page that was read before. */
export const endless = () =>
  invalidResponse('Backend answered a cursor for the second time: the list would not end.');

/**
 * Whether there are more pages. Where the backend leaves that out, the next one's cursor shows it. Where
 * it leaves out both, only a page of as many items as were asked for may have a next one; `pagingFault`
 * reports that this is not known.
 */
export function hasNextPage(
  { items, hasMore, nextCursor }: ListedPage<unknown>,
  limit: number,
): boolean {
  if (!(hasMore instanceof Error)) return hasMore;
  return nextCursor instanceof Error ? items.length >= limit : Boolean(nextCursor);
}

/** Why a page does not say where the next one starts; undefined when it does, or is the last. */
export function pagingFault({ hasMore, nextCursor }: ListedPage<unknown>): Error | undefined {
  if (nextCursor instanceof Error) return nextCursor;
  return hasMore === true && !nextCursor
    ? invalidResponse('Backend answered "hasMore" without a "nextCursor".')
    : undefined;
}

/**
 * Where the next page starts; null on the last.
 *
 * @throws UPSTREAM_INVALID_RESPONSE when the backend promises more and does not say where, or leads back
 *   to the same page.
 */
export function nextStart(page: ListedPage<unknown>, from: string | null): string | null {
  const fault = pagingFault(page);
  if (fault) throw fault;
  if (page.hasMore === false || !page.nextCursor) return null;
  if (page.nextCursor === from) {
    throw invalidResponse('Backend answered the cursor it was asked with: the list would not end.');
  }
  if (page.items.length === 0) {
    throw invalidResponse(
      'Backend answered an empty page that promises more: the list might not end.',
    );
  }
  return page.nextCursor as string; // no fault, see above
}
