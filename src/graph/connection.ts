/**
 * Relay connections over the backend's lists.
 *
 * An edge's cursor says from which page start how many to skip; the last edge of a page names the
 * next page's start, so that walking a list costs one call a step and any edge can be resumed.
 */
import type { GraphQLResolveInfo } from 'graphql';
import type { Context } from './context.ts';
import { sealCursor } from './cursor.ts';
import type { ListDemand } from './demand.ts';
import { readList, type List } from './list.ts';
import { nextStart } from './list-walk.ts';
import { pageOf, readPageRequest } from './page-request.ts';

export interface Edge<Node> {
  readonly cursor: string;
  /** An error stands for a node the backend broke. */
  readonly node: Node;
}

export interface PageInfo {
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
  readonly startCursor: string | null;
  readonly endCursor: string | null;
}

export interface Connection<Node> {
  readonly edges: readonly Edge<Node>[];
  readonly pageInfo: PageInfo;
  /** Null where the backend does not count; a function where counting costs a call. */
  readonly totalCount: number | null | (() => Promise<number | null>);
}

/** What stands at one place of a list: the page start it is counted from, and its item. */
interface Placed {
  readonly from: string | null;
  /** Items between the page start and the place after this item. */
  readonly skip: number;
  readonly item: unknown;
}

/**
 * One page of a list as a connection.
 *
 * @throws BAD_USER_INPUT before any call; {RestError} when a call fails.
 */
export async function readConnection(
  demand: ListDemand,
  parent: object,
  args: Readonly<Record<string, unknown>>,
  context: Context,
  info: GraphQLResolveInfo,
): Promise<Connection<unknown>> {
  const list = demand.list(parent, args, context);
  const request = readPageRequest(context, list, args);
  const placed: Placed[] = [];
  let page = pageOf(request);
  let skip = request.skip;
  let totalCount: Connection<unknown>['totalCount'];
  let hasNextPage: boolean;

  for (;;) {
    const listed = await readList(context, list, page, info.path);
    const next = nextStart(listed, page.from);
    totalCount = listed.totalCount;
    const wanted = request.first - placed.length;
    const items = listed.items.slice(skip, skip + wanted);
    items.forEach((item, i) => {
      const last = skip + i + 1 === listed.items.length && next !== null;
      placed.push(
        last ? { from: next, skip: 0, item } : { from: page.from, skip: skip + i + 1, item },
      );
      if (demand.items && typeof item === 'object' && item) demand.items.prime(context, item);
    });
    hasNextPage = next !== null || listed.items.length > skip + items.length;
    // The rest of the page lies in the next one: the backend gave less than asked, or 100 at most.
    if (placed.length >= request.first || next === null) break;
    skip = Math.max(0, skip - listed.items.length);
    page = pageOf({ from: next, skip, first: request.first - placed.length });
  }

  return toConnection(context, list, placed, {
    hasNextPage,
    hasPreviousPage: Boolean(args['after']) && placed.length > 0,
    totalCount,
  });
}

function toConnection(
  context: Context,
  list: List,
  placed: readonly Placed[],
  {
    hasNextPage,
    hasPreviousPage,
    totalCount,
  }: Omit<PageInfo, `${string}Cursor`> & {
    totalCount: Connection<unknown>['totalCount'];
  },
): Connection<unknown> {
  const edges = placed.map((place) => new ListEdge(context, list, place));
  return {
    edges,
    totalCount,
    pageInfo: {
      hasNextPage,
      hasPreviousPage,
      get startCursor() {
        return edges[0]?.cursor ?? null;
      },
      get endCursor() {
        return edges.at(-1)?.cursor ?? null;
      },
    },
  };
}

/** Seals its cursor when it is asked for: most queries want one a page. */
class ListEdge implements Edge<unknown> {
  readonly node: unknown;
  readonly #context: Context;
  readonly #list: List;
  readonly #place: Placed;

  constructor(context: Context, list: List, place: Placed) {
    this.node = place.item;
    this.#context = context;
    this.#list = list;
    this.#place = place;
  }

  get cursor(): string {
    return sealCursor(this.#context, this.#list.id, [this.#place.skip, this.#place.from]);
  }
}
