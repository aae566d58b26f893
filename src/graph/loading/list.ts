/**
 * Lists of the backend; each page is read once per request.
 *
 * Selections of a list that differ only in `first` share one call: reads of one tick are merged, and a loaded page
 * serves later reads of no more items.
 */
import { NOW } from '../../rest/call/call.ts';
import { cursorRejection, hasKind } from '../../rest/call/errors.ts';
import type { CallInput, CallOptions } from '../../rest/client/client.ts';
import { MAX_LIMIT, type Listed } from '../../v0/list.ts';
import type { Route } from '../../v0/routes.ts';
import { perRequest, type Context } from '../context.ts';
import { invalidResponse } from '../errors.ts';
import { mapKeyOf, valueAt } from '../types/key.ts';
import { Loader, type Abandon } from './loader.ts';

export interface ListPage {
  /** REST cursor of the page; null for the first page. */
  readonly from: string | null;
  readonly limit: number;
}

/** A page of a list. Errors replace invalid values, including items. */
export interface ListedPage<Item> {
  readonly items: readonly Item[];
  readonly hasMore: boolean | Error;
  readonly nextCursor: string | null | Error;
  /** A function if counting costs a separate call, made if `totalCount` is selected. */
  readonly totalCount: number | null | (() => Promise<number | null>);
}

/** Query parameters of a list other than `cursor` and `limit`; flags may be booleans. Null values are not sent. */
type Filters<Query> = {
  readonly [Name in Exclude<keyof NonNullable<Query>, 'cursor' | 'limit'>]?:
    NonNullable<Query>[Name] | boolean | null;
};

type ListOptions = Pick<List, 'id' | 'fetch'> & Partial<Pick<List, 'route' | 'source'>>;

export class List<Item = unknown> {
  /** Route, path and filters. Equal for equal lists; cursors are bound to it. */
  readonly id: string;
  /** Route of a page; undefined if the list costs nothing, or the same as its source. */
  readonly route: Route | undefined;
  /** List of which all pages are read for this one. */
  readonly source: List | undefined;
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
   * Creates the list of a route.
   *
   * @throws the error that replaces an invalid id among the values.
   */
  static of<Path extends string, Item, Query>(
    context: Context,
    route: Route<Path, Listed<Item>, Query, undefined>,
    input: CallInput<Path, Filters<Query>, undefined>,
  ): List<Item> {
    const { path } = input;
    const filters = sentFilters(input.query ?? {});
    return new List(context, {
      id: `${route.path} ${mapKeyOf(path ?? {})} ${mapKeyOf(filters)}`,
      route,
      fetch: ({ from, limit }, call) => {
        const query = { ...filters, limit, ...(from !== null && { cursor: from }) };
        // Safe cast: every list takes `cursor` and `limit`.
        const full = { path, query } as unknown as CallInput<Path, Query, undefined>;
        const listed = context.rest.call(route, full, call);
        return from === null ? listed : listed.catch(cursorRejection);
      },
    });
  }

  /**
   * Creates a list of items in memory, or of all items of another list.
   *
   * @param id name and key of the parent.
   * @param totalCount counts the items if they are incomplete; may cost a call.
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
   * Returns the list with mapped items; invalid items stay errors.
   *
   * Pages are cached unmapped, since one list can have several mappings: the links of a page also provide its
   * audiences.
   */
  map<Node>(toNode: (item: Item) => Node): List<Node> {
    const before = this.#toNode;
    return new List(this.#context, this, (item) => toNode(before ? before(item) : (item as Item)));
  }

  /** Returns the list without what was read of it, for reads from its start after its cursors have expired. */
  again(): List<Item> {
    const { id, route, source, fetch } = this;
    const again: List['fetch'] = (page, call) => fetch(page, { ...call, newerThan: NOW });
    return new List(
      this.#context,
      { id: `again ${id}`, route, source, fetch: again },
      this.#toNode,
    );
  }

  /** Reads a page, in one call for all its reads. With `cancel` it is a prefetch, which can be abandoned. */
  read(page: ListPage, call: CallOptions): Promise<ListedPage<Item>> {
    const toNode = this.#toNode;
    const reader = listReader(this.#context);
    const listed = reader.loader.loadFor(reader.loadOf(this, page), call);
    // Safe cast: items of an unmapped list.
    if (!toNode) return listed as Promise<ListedPage<Item>>;
    return listed.then((read) => ({
      ...read,
      // An error that replaces an item is reported at that item.
      items: read.items.map((item) => (item instanceof Error ? (item as Item) : toNode(item))),
    }));
  }

  /** Starts to read a page that a resolver will probably read. */
  start(page: ListPage, origin: unknown): Abandon {
    const reader = listReader(this.#context);
    return reader.loader.start(reader.loadOf(this, page), origin);
  }

  /**
   * Iterates over all pages of 100 items, for searches without a dedicated route. Each page is requested when it is
   * needed, so stop as early as possible. Starts over once if the backend rejects its own cursor.
   *
   * @throws UPSTREAM_INVALID_RESPONSE if a cursor repeats, or is rejected again.
   */
  async *pages(
    call: CallOptions,
    startsOver = true,
  ): AsyncGenerator<{ readonly items: readonly Item[]; readonly isFirst: boolean }, void> {
    const seen = new Set<string>();
    try {
      for (let from: string | null = null; ;) {
        const listed: ListedPage<Item> = await this.read({ from, limit: MAX_LIMIT }, call);
        yield { items: listed.items, isFirst: from === null };
        from = nextStart(listed, from);
        // Prefetching may have abandoned it meanwhile.
        if (from === null || call.cancel?.cancelled) return;
        if (seen.has(from)) throw repeatedCursor();
        seen.add(from);
      }
    } catch (error) {
      if (!startsOver || !hasKind(error, 'cursor')) throw error;
      yield* this.again().pages(call, false);
    }
  }

  /**
   * Searches all pages for an item by a field; null if there is none.
   *
   * @param onPage called after each page without the item.
   * @throws the error that replaces an invalid item or field, which may be the wanted one.
   */
  async find(
    call: CallOptions,
    field: keyof Item & string,
    isWanted: (value: unknown) => boolean,
    onPage?: () => void,
  ): Promise<Item | null> {
    let fault: Error | undefined;
    for await (const { items } of this.pages(call)) {
      const found = findItem(items, field, isWanted);
      if (found instanceof Error) fault ??= found;
      else if (found) return found;
      onPage?.();
    }
    if (fault) throw fault;
    return null;
  }

  async all(call: CallOptions): Promise<readonly Item[]> {
    const items: Item[] = [];
    for await (const page of this.pages(call)) {
      if (page.isFirst) items.length = 0;
      items.push(...page.items);
    }
    return items;
  }
}

/** Returns the first item with a wanted field, or else the first error that replaces an item or its field. */
export function findItem<Item>(
  items: readonly Item[],
  field: keyof Item & string,
  isWanted: (value: unknown) => boolean,
): Item | Error | undefined {
  let fault: Error | undefined;
  for (const item of items) {
    const value = valueAt(item, field);
    if (value instanceof Error) fault ??= value;
    else if (isWanted(value)) return item;
  }
  return fault;
}

/**
 * Converts filters to strings: a flag is `true` or `false`.
 *
 * @throws the error that replaces an invalid id. Source: interface.md, "Endpoints": flags are strings. Assumed: `true`
 * and `false`.
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

/** A requested page. Its limit grows until its call begins. */
interface PageLoad {
  readonly list: List;
  readonly from: string | null;
  readonly id: string;
  limit: number;
  isBegun: boolean;
}

class ListReader {
  readonly loader = new Loader<PageLoad, ListedPage<unknown>>(
    (load, call) => {
      load.isBegun = true;
      return load.list.fetch(load, call);
    },
    { idOf: ({ id }) => id },
  );
  /** Read with the largest limit, by list and page start. */
  readonly #reads = new Map<string, PageLoad>();

  loadOf(list: List, { from, limit }: ListPage): PageLoad {
    // Unambiguous: ids of lists do not begin with a digit.
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

export const repeatedCursor = () =>
  invalidResponse('Backend returned the same cursor twice, so the list would never end.');

/**
 * Whether there are more pages: by `hasMore`, or else by the next cursor. Without both, only a full page may have a
 * next one, and `pagingFault` reports that this is unknown.
 */
export function hasNextPage(
  { items, hasMore, nextCursor }: ListedPage<unknown>,
  limit: number,
): boolean {
  if (!(hasMore instanceof Error)) return hasMore;
  return nextCursor instanceof Error ? items.length >= limit : Boolean(nextCursor);
}

/** Returns why the start of the next page is unknown; undefined if it is known, or the page is the last. */
export function pagingFault({ hasMore, nextCursor }: ListedPage<unknown>): Error | undefined {
  if (nextCursor instanceof Error) return nextCursor;
  return hasMore === true && !nextCursor
    ? invalidResponse('Backend returned `hasMore` without a `nextCursor`.')
    : undefined;
}

/**
 * Returns the start of the next page; null on the last. Also of an empty page, which filters after paging produce.
 *
 * @throws UPSTREAM_INVALID_RESPONSE if the backend has more but no cursor, or the cursor of the same page.
 */
export function nextStart(page: ListedPage<unknown>, from: string | null): string | null {
  const fault = pagingFault(page);
  if (fault) throw fault;
  if (page.hasMore === false || !page.nextCursor) return null;
  if (page.nextCursor === from) {
    throw invalidResponse(
      'Backend returned the cursor of the same page, so the list would never end.',
    );
  }
  return page.nextCursor as string; // checked above
}
