/**
 * Relay connections over the backend's lists.
 *
 * An edge's cursor says from which page start how many to skip; the last edge of a page names the
 * next page's start, so that walking a list costs one call a step and any edge can be resumed.
 */
import type { GraphQLResolveInfo } from 'graphql';
import { isMissingRoute, isNotFound } from '../../rest/call/errors.ts';
import type { ArgumentValues } from '../../execution/operation/arguments.ts';
import type { Context } from '../context.ts';
import type { ListDemand } from '../entity/demand.ts';
import { findEntity } from '../entity/entity.ts';
import { cutAt } from '../errors.ts';
import {
  endless,
  hasNextPage,
  nextStart,
  pagingFault,
  type Counted,
  type List,
} from '../loading/list.ts';
import { cursorOf, pageOf, pageRequestOf, type PageRequest } from '../loading/page-request.ts';
import { NodePage } from '../types/node-page.ts';

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

/** A field that a list is read for. */
interface ListField {
  readonly demand: ListDemand;
  readonly request: PageRequest;
  readonly parent: object;
  readonly args: ArgumentValues;
  readonly context: Context;
  readonly info: GraphQLResolveInfo;
}

/**
 * One page of a list as a connection; null when it is the list of something that does not exist.
 *
 * Rejects with {RestError} when a call fails.
 */
export const readConnection = (field: ListField): Promise<NodePage<unknown> | null> =>
  new ConnectionRead(field).read(field.request.from, field.request.skip);

/**
 * A connection while its pages arrive.
 *
 * Not one async function, which takes a sixth more CPU when a hundred connections wait together.
 */
class ConnectionRead {
  readonly #field: ListField;
  readonly #stretches: Stretch[] = [];
  #nodes: readonly unknown[] = [];

  constructor(field: ListField) {
    this.#field = field;
  }

  /** Reads on from a page's start, of whose items some are passed over. */
  read(from: string | null, skip: number): Promise<NodePage<unknown> | null> {
    const { request, info } = this.#field;
    const page = pageOf({ from, skip, first: request.first - this.#nodes.length });
    return request.list.read(page, { origin: info.path }).then(
      (listed) => this.#take(listed, page.limit, from, skip),
      (error: unknown) => this.#fail(error),
    );
  }

  #take(
    listed: Counted<unknown>,
    limit: number,
    from: string | null,
    skip: number,
  ): NodePage<unknown> | Promise<NodePage<unknown> | null> {
    const { demand, request, context } = this.#field;
    const { list, first, after } = request;
    // Without a next page the items are still good: the fault is reported at `pageInfo`.
    const fault = pagingFault(listed);
    const next = fault ? null : nextStart(listed, from);
    if (next !== null && this.#stretches.some((one) => one.from === next)) throw endless();
    const before = this.#nodes.length;
    const wanted = skip + first - before;
    const items = listed.items.slice(skip, wanted);
    const isWhole = listed.items.length <= wanted;
    demand.items?.prime(context, items);
    this.#nodes = before === 0 ? items : this.#nodes.concat(items);
    const end = this.#nodes.length;
    this.#stretches.push({ before, end, from, skip, next: isWhole ? next : null });
    if (end < first && next !== null) {
      // The rest lies in the next one: the backend gave less than asked, or 100 at most.
      return this.read(next, Math.max(0, skip - listed.items.length));
    }
    return new NodePage(this.#nodes, cursorsOf(list, this.#stretches), {
      hasNextPage: !isWhole || hasNextPage(listed, limit),
      endFault: isWhole ? fault : undefined,
      hasPreviousPage: Boolean(after) && end > 0,
      totalCount: listed.totalCount,
    });
  }

  #fail(error: unknown): null | Promise<NodePage<unknown> | null> {
    const { request, parent, args, context, info } = this.#field;
    const { instead } = request;
    const { route } = request.list;
    if (instead && route && isMissingRoute(error, route)) {
      const other = pageRequestOf(instead, parent, args, context);
      return readConnection({ ...this.#field, request: other });
    }
    // At the root there is no parent that could be missing: the backend has no such list.
    if (isNotFound(error) && info.path.prev) return null;
    throw cutAt(error, () => ({ id: idOfParent(info, parent), after: request.after }));
  }
}

const cursorsOf =
  (list: List, stretches: readonly Stretch[]) =>
  (index: number): string => {
    const { before, end, from, skip, next } = stretches.find((one) => index < one.end)!;
    const isLast = index + 1 === end;
    if (isLast && next !== null) return cursorOf(list, { skip: 0, from: next });
    return cursorOf(list, { skip: skip + index - before + 1, from });
  };

/** The global id of a list's parent; undefined at the root. */
function idOfParent({ parentType }: GraphQLResolveInfo, parent: object): string | undefined {
  const entity = findEntity(parentType.name);
  const key = entity?.keyOf(parent);
  return key && entity?.idOf(key);
}
