/**
 * Relay's `first` and `after` → what to ask a list of the backend for.
 */
import { MAX_LIMIT } from '../../v0/list.ts';
import type { Context } from '../context.ts';
import { openCursor } from './cursor.ts';
import { badInput } from '../errors.ts';
import type { List, ListPage } from './list.ts';

/** Edges when `first` is absent. Assumed: as the backend's own default. */
export const DEFAULT_FIRST = 20;

/** The most edges one connection answers. */
export const MAX_FIRST = MAX_LIMIT;

/** A checked request: items from a page start, of which some are passed over. */
export interface PageRequest {
  /** REST cursor of a page start; null for the list's start. */
  readonly from: string | null;
  /** Items of that page that stand before the first edge. */
  readonly skip: number;
  readonly first: number;
}

/**
 * @throws BAD_USER_INPUT when `first` is out of range or `after` belongs to another list.
 */
export function readPageRequest(
  context: Context,
  list: List,
  args: Readonly<Record<string, unknown>>,
): PageRequest {
  // The schema declares both: `first: Int = 20`, `after: String`.
  const first = checkCount('first', (args['first'] as number | null | undefined) ?? DEFAULT_FIRST);
  const after = args['after'] as string | null | undefined;
  if (after === null || after === undefined) return { from: null, skip: 0, first };
  // Sealed by `sealCursor`, so the shape is the one connection.ts wrote.
  const [skip, from] = openCursor(context, list.id, after, 'after') as [number, string | null];
  return { from, skip, first };
}

/** @throws BAD_USER_INPUT when a connection's size is out of range. */
export function checkCount(argument: 'first' | 'last', count: number): number {
  if (count >= 0 && count <= MAX_FIRST) return count;
  throw badInput(
    `"${argument}" must be between 0 and ${MAX_FIRST}, got ${count}: ask for at most ${MAX_FIRST} at once.`,
    { argument },
  );
}

/** The page of the backend that a request begins with. */
export const pageOf = ({ from, skip, first }: PageRequest): ListPage => ({
  from,
  // An empty connection still has a total and a next page, which one item tells.
  limit: Math.min(MAX_LIMIT, Math.max(1, skip + first)),
});

/** How many pages of the backend a request takes, if each holds as many as it was asked for. */
export const pagesOf = ({ skip, first }: PageRequest): number =>
  Math.max(1, Math.ceil((skip + first) / MAX_LIMIT));
