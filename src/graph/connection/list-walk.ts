/**
 * Reading a list page by page, to its end if need be.
 *
 * Whole lists are read here, and connections in connection.ts: both detect lists that never end.
 */
import type { CallOptions } from '../../rest/client/client.ts';
import { MAX_LIMIT } from '../../v0/list.ts';
import type { Context } from '../context.ts';
import { invalidResponse } from '../errors.ts';
import { readList, type Counted, type List } from './list.ts';

/**
 * Every page of a list, 100 items each, for what no route can be asked for directly. Stop reading
 * as soon as the answer is found: the next page is not asked for before that.
 *
 * @throws UPSTREAM_INVALID_RESPONSE when the list would not end.
 */
export async function* walkList<Item>(
  context: Context,
  list: List<Item>,
  call: CallOptions,
): AsyncGenerator<readonly Item[], void> {
  const seen = new Set<string>();
  for (let from: string | null = null; ;) {
    const listed: Counted<Item> = await readList(context, list, { from, limit: MAX_LIMIT }, call);
    yield listed.items;
    from = nextStart(listed, from);
    // Look-ahead may have given it up meanwhile.
    if (from === null || call.cancel?.cancelled) return;
    if (seen.has(from)) throw endless();
    seen.add(from);
  }
}

export async function readAll<Item>(
  context: Context,
  list: List<Item>,
  call: CallOptions,
): Promise<readonly Item[]> {
  const items: Item[] = [];
  for await (const page of walkList(context, list, call)) items.push(...page);
  return items;
}

/** The error of a list that leads back to a page that was read before. */
export const endless = () =>
  invalidResponse('Backend answered a cursor for the second time: the list would not end.');

/** What a page says of the next one; an error stands for what the backend broke. */
interface Paging {
  readonly items: readonly unknown[];
  readonly hasMore: boolean | Error;
  readonly nextCursor: unknown;
}

/**
 * Whether there are more pages. Where the backend leaves that out, the next one's cursor shows it. Where
 * it leaves out both, only a page of as many items as were asked for may have a next one; `pagingFault`
 * reports that this is not known.
 */
export function hasNextPage({ items, hasMore, nextCursor }: Paging, limit: number): boolean {
  if (!(hasMore instanceof Error)) return hasMore;
  return nextCursor instanceof Error ? items.length >= limit : Boolean(nextCursor);
}

/** Why a page does not say where the next one starts; undefined when it does, or is the last. */
export function pagingFault({ hasMore, nextCursor }: Paging): Error | undefined {
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
export function nextStart(page: Paging, from: string | null): string | null {
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
  // Checked as it arrived: a text, since it is no fault.
  return page.nextCursor as string;
}
