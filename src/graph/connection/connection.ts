/**
 * Relay connections over the backend's lists.
 *
 * An edge's cursor says from which page start how many to skip; the last edge of a page names the
 * next page's start, so that walking a list costs one call a step and any edge can be resumed.
 */
import type { GraphQLResolveInfo } from 'graphql';
import { isNotFound } from '../../rest/client/errors.ts';
import type { Context } from '../context.ts';
import { cutAt } from '../continuation.ts';
import { sealCursor } from './cursor.ts';
import type { ListDemand } from '../entity/demand.ts';
import { findEntity, type AnyEntity } from '../entity/entity.ts';
import { readList, type Counted, type List } from './list.ts';
import { endless, nextStart, pagingFault } from './list-walk.ts';
import { NodePage, type Connection } from './node-page.ts';
import { pageOf, type PageRequest } from './page-request.ts';

/** Nodes that came with one page of the backend. */
interface Stretch {
  /** How many nodes of the connection stand before them, and how many when they are counted in. */
  readonly before: number;
  readonly end: number;
  /** The page start they are counted from. */
  readonly from: string | null;
  /** Items between the page start and the first of them. */
  readonly skip: number;
  /** The next page's start, if they reach to the end of theirs. */
  readonly next: string | null;
}

/**
 * One page of a list as a connection; null when it is the list of something that does not exist.
 *
 * Rejects with {RestError} when a call fails.
 */
export const readConnection = (
  { items }: ListDemand,
  request: PageRequest,
  parent: object,
  context: Context,
  info: GraphQLResolveInfo,
): Promise<Connection<unknown> | null> =>
  new ConnectionRead(items, request, parent, context, info).read(request.from, request.skip);

/**
 * A connection while its pages arrive.
 *
 * Not one async function: where a hundred of them wait side by side, that took a sixth more CPU.
 */
class ConnectionRead {
  readonly #items: AnyEntity | undefined;
  readonly #request: PageRequest;
  readonly #parent: object;
  readonly #context: Context;
  readonly #info: GraphQLResolveInfo;
  readonly #stretches: Stretch[] = [];
  #nodes: readonly unknown[] = [];

  constructor(
    items: AnyEntity | undefined,
    request: PageRequest,
    parent: object,
    context: Context,
    info: GraphQLResolveInfo,
  ) {
    this.#items = items;
    this.#request = request;
    this.#parent = parent;
    this.#context = context;
    this.#info = info;
  }

  /** Reads on from a page's start, of whose items some are passed over. */
  read(from: string | null, skip: number): Promise<Connection<unknown> | null> {
    const { list, first } = this.#request;
    const page = pageOf({ from, skip, first: first - this.#nodes.length });
    return readList(this.#context, list, page, { origin: this.#info.path }).then(
      (listed) => this.#take(listed, from, skip),
      (error: unknown) => this.#fail(error),
    );
  }

  #take(
    listed: Counted<unknown>,
    from: string | null,
    skip: number,
  ): Connection<unknown> | Promise<Connection<unknown> | null> {
    const { list, first, after } = this.#request;
    // Without a next page to go to, the items are still good: what is wrong is told at `pageInfo`.
    const fault = pagingFault(listed);
    const next = fault ? null : nextStart(listed, from);
    if (next !== null && this.#stretches.some((one) => one.from === next)) throw endless();
    const before = this.#nodes.length;
    const wanted = skip + first - before;
    const items = listed.items.slice(skip, wanted);
    const isWhole = listed.items.length <= wanted;
    this.#items?.prime(this.#context, items);
    this.#nodes = before === 0 ? items : this.#nodes.concat(items);
    const end = this.#nodes.length;
    this.#stretches.push({ before, end, from, skip, next: isWhole ? next : null });
    if (end < first && next !== null) {
      // The rest lies in the next one: the backend gave less than asked, or 100 at most.
      return this.read(next, Math.max(0, skip - listed.items.length));
    }
    return new NodePage(this.#nodes, cursorsOf(this.#context, list, this.#stretches), {
      hasNextPage: !isWhole || listed.hasMore,
      endFault: isWhole ? fault : undefined,
      hasPreviousPage: Boolean(after) && end > 0,
      totalCount: listed.totalCount,
    });
  }

  #fail(error: unknown): null {
    // At the root there is no parent that could be missing: the backend has no such list.
    if (isNotFound(error) && this.#info.path.prev) return null;
    throw cutAt(error, () => ({
      id: idOfParent(this.#info, this.#parent),
      after: this.#request.after,
    }));
  }
}

const cursorsOf =
  (context: Context, list: List, stretches: readonly Stretch[]) =>
  (place: number): string => {
    const { before, end, from, skip, next } = stretches.find((one) => place < one.end)!;
    const isLast = place + 1 === end;
    const position = isLast && next !== null ? [0, next] : [skip + place - before + 1, from];
    return sealCursor(context, list.id, position);
  };

/** The global id of a list's parent; undefined at the root. */
function idOfParent({ parentType }: GraphQLResolveInfo, parent: object): string | undefined {
  const entity = findEntity(parentType.name);
  const key = entity?.keyOf(parent);
  return key && entity?.idOf(key);
}
