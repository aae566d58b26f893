/**
 * Reading lists of the backend, each page once a request.
 *
 * Selections of one list that differ only in `first` share the larger call: reads of one tick are
 * merged, and a page that has arrived answers every later read of no more items.
 */
import { Cancel } from '../../lib/cancel.ts';
import type { CallInput, CallOptions } from '../../rest/client/client.ts';
import type { Listed } from '../../v0/list.ts';
import type { Route } from '../../v0/routes.ts';
import { perRequest, type Context } from '../context.ts';
import { textOf } from '../entity/key.ts';
import type { Abandon } from '../entity/loader.ts';

/** One list of the backend: which, with which filters, and how to fetch a page of it. */
export interface List<Item = unknown> {
  /** Route, path and filters: equal lists have equal ids. Cursors are bound to it. */
  readonly id: string;
  /** What a page costs; absent when the list costs nothing, or what its source does. */
  readonly route?: Route | undefined;
  /** The list that is read to its end for this one, in as many pages as it has. */
  readonly source?: List | undefined;
  /** What is read in its place where its route turns out to be missing. */
  readonly instead?: (() => List<Item>) | undefined;
  /** One page, from the start or from a REST cursor, as the backend has it. */
  readonly fetch: (page: ListPage, call: CallOptions) => Promise<Counted<unknown>>;
  /** From the backend's item to the graph's node; absent where they are the same. */
  readonly toNode?: (item: unknown) => Item;
}

/** A page whose total may cost a call of its own, made when `totalCount` is selected. */
export interface Counted<Item> extends Omit<Listed<Item>, 'totalCount'> {
  readonly totalCount: number | null | (() => Promise<number | null>);
}

/** The only page of a list that is there as a whole. */
export const wholePage = <Item>(items: readonly Item[]): Counted<Item> => ({
  items,
  hasMore: false,
  nextCursor: null,
  totalCount: items.length,
});

/** A list of the backend as its route answers it. `input` holds the path's values and the filters. */
export function restList<Path extends string, Item, Query>(
  context: Context,
  route: Route<Path, Listed<Item>, Query, undefined>,
  input: CallInput<Path, Omit<NonNullable<Query>, 'cursor' | 'limit'>, undefined>,
): List<Item> {
  return {
    id: `${route.path} ${textOf(input.path ?? {})} ${textOf(input.query ?? {})}`,
    route,
    fetch: ({ from, limit }, call) => {
      const query = { ...input.query, limit, ...(from !== null && { cursor: from }) };
      // Every list takes `cursor` and `limit`, which the generic hides from the compiler.
      const full = { path: input.path, query } as unknown as CallInput<Path, Query, undefined>;
      return context.rest.call(route, full, call);
    },
  };
}

/**
 * The same list with its items mapped to the graph's nodes; broken items stay errors.
 *
 * Pages are kept as they came and turned at each reading, because one list can be read as
 * different nodes: a page's links are also where its audiences are found.
 */
export const mapList = <Item, Node>(
  { id, route, source, fetch, toNode: before }: List<Item>,
  toNode: (item: Item) => Node,
): List<Node> => ({
  id,
  route,
  source,
  fetch,
  toNode: (item) => toNode(before ? before(item) : (item as Item)),
});

export interface ListPage {
  /** The REST cursor that names the page's start; null for the first page. */
  readonly from: string | null;
  /** 1 to 100. */
  readonly limit: number;
}

/** A read of a page. It is fetched when the tick ends, with the largest limit that was asked for. */
class PageRead {
  readonly listed: Promise<Counted<unknown>>;
  /** Set by the first start; nothing cancels it once the page is wanted. */
  cancel: Cancel | undefined;
  /** How many starts have not been abandoned. */
  starts = 0;
  /** False while only look-ahead has asked for it. */
  wanted = false;
  begun = false;
  /** Names its list and start. */
  readonly id: string;
  readonly #list: List;
  #page: ListPage;
  #origin: unknown;
  #settle!: (listed: Promise<Counted<unknown>>) => void;

  constructor(id: string, list: List, page: ListPage, origin: unknown) {
    this.id = id;
    this.#list = list;
    this.#page = page;
    this.#origin = origin;
    this.listed = new Promise((resolve) => {
      this.#settle = resolve;
    });
  }

  /** Whether it has, or will have, as many items as a read needs. */
  serves(page: ListPage, origin: unknown): boolean {
    if (page.limit <= this.#page.limit) return true;
    if (this.begun) return false;
    this.#page = page;
    this.#origin = origin;
    return true;
  }

  begin(): void {
    this.begun = true;
    const cancel = this.wanted ? undefined : this.cancel;
    this.#settle(this.#list.fetch(this.#page, { origin: this.#origin, cancel }));
  }
}

class ListReader {
  /** Pages by list and start. */
  readonly #pages = new Map<string, PageRead>();
  /** What begins when the tick ends. */
  #due: PageRead[] = [];

  read(list: List, page: ListPage, { origin, cancel }: CallOptions): Promise<Counted<unknown>> {
    const asked = this.#ask(list, page, origin);
    if (cancel) cancel.listen({ giveUp: this.#startAhead(asked) });
    else asked.wanted = true;
    return asked.listed;
  }

  start(list: List, page: ListPage, origin: unknown): Abandon {
    return this.#startAhead(this.#ask(list, page, origin));
  }

  #startAhead(asked: PageRead): Abandon {
    const cancel = (asked.cancel ??= new Cancel());
    asked.starts += 1;
    asked.listed.catch(() => {}); // reported where the page is read
    return () => {
      asked.starts -= 1;
      if (asked.wanted || asked.starts > 0) return;
      if (this.#pages.get(asked.id) === asked) this.#pages.delete(asked.id);
      cancel.cancel();
    };
  }

  #ask(list: List, page: ListPage, origin: unknown): PageRead {
    const id = readKey(list, page);
    const known = this.#pages.get(id);
    if (known?.serves(page, origin)) return known;
    const asked = new PageRead(id, list, page, origin);
    this.#pages.set(id, asked);
    // As DataLoader does: what the promises of this tick ask for is merged too.
    if (this.#due.push(asked) === 1) {
      queueMicrotask(() => process.nextTick(() => this.#begin()));
    }
    return asked;
  }

  #begin(): void {
    const due = this.#due;
    this.#due = [];
    for (const page of due) page.begin();
  }
}

/** A list's id begins with no digit. */
const readKey = ({ id }: List, { from }: ListPage): string =>
  from === null ? id : `${from.length}:${from}${id}`;

const listReader = perRequest(() => new ListReader());

/** A page of a list, in one call for all its reads. With `cancel` it is read ahead and can be given up. */
export function readList<Item>(
  context: Context,
  list: List<Item>,
  page: ListPage,
  call: CallOptions,
): Promise<Counted<Item>> {
  const { toNode } = list;
  const listed = listReader(context).read(list, page, call);
  // Without a mapping of its own, a list answers its items as they are.
  if (!toNode) return listed as Promise<Counted<Item>>;
  return listed.then(({ items, hasMore, nextCursor, totalCount }) => ({
    // An error in an item's place is reported at that item, so it passes as if it were a node.
    items: items.map((item) => (item instanceof Error ? (item as Item) : toNode(item))),
    hasMore,
    nextCursor,
    totalCount,
  }));
}

/** Begins reading a page that a resolver will probably read. */
export const startList = (context: Context, list: List, page: ListPage, origin: unknown): Abandon =>
  listReader(context).start(list, page, origin);
