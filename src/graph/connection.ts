/**
 * Relay connections over the backend's lists.
 *
 * An edge's cursor says from which page start how many to skip; the last edge of a page names the
 * next page's start, so that walking a list costs one call a step and any edge can be resumed.
 */
import type { GraphQLResolveInfo } from 'graphql';
import { isNotFound } from '../rest/errors.ts';
import type { Context } from './context.ts';
import { cutAt } from './continuation.ts';
import { sealCursor } from './cursor.ts';
import type { ListDemand } from './demand.ts';
import { findEntity } from './entity.ts';
import { readList, type List } from './list.ts';
import { nextStart } from './list-walk.ts';
import { NodePage, type Connection } from './node-page.ts';
import { pageOf, readPageRequest } from './page-request.ts';

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
 * @throws BAD_USER_INPUT before any call; {RestError} when a call fails.
 */
export async function readConnection(
  demand: ListDemand,
  parent: object,
  args: Readonly<Record<string, unknown>>,
  context: Context,
  info: GraphQLResolveInfo,
): Promise<Connection<unknown> | null> {
  try {
    const list = demand.list(parent, args, context);
    const request = readPageRequest(context, list, args);
    let nodes: readonly unknown[] = [];
    const stretches: Stretch[] = [];
    let page = pageOf(request);
    let skip = request.skip;
    for (;;) {
      const listed = await readList(context, list, page, { origin: info.path });
      const next = nextStart(listed, page.from);
      const end = skip + request.first - nodes.length;
      const items = listed.items.slice(skip, end);
      const isWhole = listed.items.length <= end;
      demand.items?.prime(context, items);
      const before = nodes.length;
      nodes = before === 0 ? items : nodes.concat(items);
      const from = page.from;
      stretches.push({ before, end: nodes.length, from, skip, next: isWhole ? next : null });
      if (nodes.length >= request.first || next === null) {
        return new NodePage(nodes, cursorsOf(context, list, stretches), {
          hasNextPage: next !== null || !isWhole,
          hasPreviousPage: Boolean(args['after']) && nodes.length > 0,
          totalCount: listed.totalCount,
        });
      }
      // The rest lies in the next one: the backend gave less than asked, or 100 at most.
      skip = Math.max(0, skip - listed.items.length);
      page = pageOf({ from: next, skip, first: request.first - nodes.length });
    }
  } catch (error) {
    if (isNotFound(error)) return null;
    throw cutAt(error, () => ({
      id: idOfParent(info, parent),
      after: (args['after'] as string | null | undefined) ?? null,
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
