/**
 * Reading lists of the backend, each page once a request.
 *
 * Selections of one list that differ only in how many they want share the larger call: what is
 * asked for in one tick is merged, and a page already there serves whoever wants no more of it.
 */
import DataLoader from 'dataloader';
import { Cancel } from '../rest/cancel.ts';
import type { CallInput, CallOptions } from '../rest/client.ts';
import type { Listed } from '../v0/list.ts';
import type { Route } from '../v0/routes.ts';
import { perRequest, type Context } from './context.ts';
import { soundKey } from './key.ts';
import type { Abandon } from './loader.ts';

/** One list of the backend: which, with which filters, and how to fetch a page of it. */
export interface List<Item = unknown> {
  /** Route, path and filters: equal lists have equal ids. Cursors are bound to it. */
  readonly id: string;
  /** One page, from the start or from a REST cursor. */
  readonly fetch: (page: ListPage, call: CallOptions) => Promise<Counted<Item>>;
  /** From the backend's item to the graph's node; absent where they are the same. */
  readonly toNode?: (item: unknown) => Item;
}

/** A page whose total may cost a call of its own, made when somebody asks for it. */
export interface Counted<Item> extends Omit<Listed<Item>, 'totalCount'> {
  readonly totalCount: number | null | (() => Promise<number | null>);
}

/** A list of the backend as its route answers it. `input` holds the path's values and the filters. */
export function restList<Path extends string, Item, Query>(
  context: Context,
  route: Route<Path, Listed<Item>, Query, undefined>,
  input: CallInput<Path, Omit<NonNullable<Query>, 'cursor' | 'limit'>, undefined>,
): List<Item> {
  soundKey({ ...input.path, ...input.query });
  return {
    id: JSON.stringify([route.path, input.path ?? null, input.query ?? null]),
    fetch: ({ from, limit }, call) => {
      const query = { ...input.query, limit, ...(from !== null && { cursor: from }) };
      // Every list takes `cursor` and `limit`; the compiler does not see it through the generic.
      const full = { path: input.path, query } as unknown as CallInput<Path, Query, undefined>;
      return context.rest.call(route, full, call);
    },
  };
}

/**
 * The same list with its items turned into the graph's nodes; broken items stay errors.
 *
 * Pages are kept as they came and turned at each reading, because one list can be read as
 * different nodes: a page's links are also where its audiences are found.
 */
export const mapList = <Item, Node>(
  { toNode: before, ...list }: List<Item>,
  toNode: (item: Item) => Node,
): List<Node> => ({
  id: list.id,
  // What it answers is raw still: only `readList` looks at it, and turns it into nodes.
  fetch: list.fetch as unknown as List<Node>['fetch'],
  // Without a mapping of its own, a list answers its items as they are.
  toNode: (item) => toNode(before ? before(item) : (item as Item)),
});

export interface ListPage {
  /** The REST cursor that names the page's start; null for the first page. */
  readonly from: string | null;
  /** 1 to 100. */
  readonly limit: number;
}

interface Ask extends ListPage {
  readonly list: List;
  readonly origin: unknown;
  readonly ahead?: Cancel;
}

interface Page {
  readonly limit: number;
  readonly listed: Promise<Counted<unknown>>;
  /** Set while nobody but look-ahead wants the page. */
  ahead: Cancel | undefined;
}

class ListReader {
  /** Pages by list and start; asked for with at least `limit` items. */
  readonly #pages = new Map<string, Page>();
  readonly #asks = new DataLoader<Ask, Page>((asks) => Promise.resolve(this.#merge(asks)), {
    cache: false,
  });

  async read(list: List, page: ListPage, origin: unknown): Promise<Counted<unknown>> {
    const { listed } = await this.#asks.load({ ...page, list, origin });
    return listed;
  }

  start(list: List, page: ListPage, origin: unknown): Abandon {
    const ahead = new Cancel();
    const asked = this.#asks.load({ ...page, list, origin, ahead });
    return () => {
      void asked.then((found) => {
        if (found.ahead !== ahead) return;
        this.#pages.delete(pageId({ ...page, list }));
        ahead.cancel();
      });
    };
  }

  /** The tick's asks: one call for each page start, with the largest limit wanted of it. */
  #merge(asks: readonly Ask[]): Page[] {
    const most = new Map<string, Ask>();
    const wanted = new Set<string>();
    for (const ask of asks) {
      const id = pageId(ask);
      if (!ask.ahead) wanted.add(id);
      const known = most.get(id);
      if (!known || known.limit < ask.limit) most.set(id, ask);
    }
    for (const [id, ask] of most) {
      const known = this.#pages.get(id);
      if (!known || known.limit < ask.limit) this.#pages.set(id, fetchPage(ask));
    }
    return asks.map((ask) => {
      const id = pageId(ask);
      const page = this.#pages.get(id)!;
      if (wanted.has(id)) page.ahead = undefined;
      return page;
    });
  }
}

const pageId = ({ list, from }: Pick<Ask, 'list' | 'from'>): string => `${from ?? ''} ${list.id}`;

function fetchPage({ list, from, limit, origin, ahead }: Ask): Page {
  const listed = list.fetch({ from, limit }, { origin, cancel: ahead });
  listed.catch(() => {}); // whoever reads the page sees its failure
  return { limit, listed, ahead };
}

const listReader = perRequest(() => new ListReader());

/** A page of a list; one call however many ask for it. */
export async function readList<Item>(
  context: Context,
  { toNode, ...list }: List<Item>,
  page: ListPage,
  origin: unknown,
): Promise<Counted<Item>> {
  const listed = await listReader(context).read(list, page, origin);
  // An error in an item's place is reported at that item, so it passes as if it were a node.
  const items = toNode
    ? listed.items.map((item) => (item instanceof Error ? item : toNode(item)))
    : listed.items;
  return { ...listed, items: items as readonly Item[] };
}

/** Begins reading a page that somebody will probably ask for. */
export const startList = (context: Context, list: List, page: ListPage, origin: unknown): Abandon =>
  listReader(context).start(list, page, origin);
