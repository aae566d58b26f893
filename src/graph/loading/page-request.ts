/**
 * Relay's `first` and `after` → what to ask a list of the backend for.
 */
import type { ArgumentValues } from '../../execution/operation/arguments.ts';
import { MAX_LIMIT } from '../../v0/list.ts';
import type { Context } from '../context.ts';
import { badInput } from '../errors.ts';
import { foreignCursor, formatCursor, parseCursor } from '../types/cursor.ts';
import type { List, ListPage } from './list.ts';

/** Edges when `first` is absent. Assumed: as the backend's own default. */
export const DEFAULT_FIRST = 20;

/** The most edges one connection answers. */
export const MAX_FIRST = MAX_LIMIT;

/** Where edges start: so many items after the start of a page of the backend. */
export interface Start {
  /** REST cursor of a page start; null for the list's start. */
  readonly from: string | null;
  /** Items of that page that stand before the first edge. */
  readonly skip: number;
}

/** What a field asks of a list. */
export interface PageRequest extends Start {
  readonly list: List;
  readonly first: number;
  /** The cursor that named the start; null for the list's start. */
  readonly after: string | null;
  /** What to ask where the list's route turns out to be missing. */
  readonly instead?: ListOfField | undefined;
}

/** How a field names its list. */
export interface ListOfField {
  /**
   * @param parent the field's parent, or its key where that is enough.
   * @throws BAD_USER_INPUT for arguments that would not be sent.
   */
  readonly list: (parent: object, args: ArgumentValues, context: Context) => List;
  /** Without the route of that list. */
  readonly instead?: ListOfField | undefined;
}

/**
 * What a field asks of its list.
 *
 * @throws BAD_USER_INPUT when `first` is out of range or `after` belongs to another list.
 */
export function pageRequestOf(
  { list: listOf, instead }: ListOfField,
  parent: object,
  args: ArgumentValues,
  context: Context,
): PageRequest {
  const list = listOf(parent, args, context);
  const first = firstOf(args);
  const after = afterOf(args);
  try {
    const { from, skip } = startOf(list, after);
    return { list, from, skip, first, after, instead };
  } catch (error) {
    // Another process may know that the route is missing, and have answered the page before without it.
    if (!instead) throw error;
    return pageRequestOf(instead, parent, args, context);
  }
}

/** The cursor that starts there: `3` on the first page, `3:abc` on the one that the backend calls `abc`. */
export const cursorOf = (list: List, { skip, from }: Start): string =>
  formatCursor(list.id, from === null ? String(skip) : `${skip}:${from}`);

function startOf(list: List, after: string | null): Start {
  if (after === null) return { from: null, skip: 0 };
  const [, skip, from = null] = START.exec(parseCursor(list.id, after, 'after')) ?? [];
  if (skip === undefined) throw foreignCursor(after, 'after');
  return { skip: Number(skip), from };
}

const START = /^(\d{1,6})(?::(.+))?$/s;

/**
 * How many edges are asked for. The schema declares it: `first: Int = 20`.
 *
 * @throws BAD_USER_INPUT when it is out of range.
 */
export const firstOf = (args: ArgumentValues): number =>
  checkCount('first', (args['first'] as number | null | undefined) ?? DEFAULT_FIRST);

/** The cursor to go on after. The schema declares it: `after: String`. */
export const afterOf = (args: ArgumentValues): string | null =>
  (args['after'] as string | null | undefined) ?? null;

/** @throws BAD_USER_INPUT when a connection's size is out of range. */
export function checkCount(argument: 'first' | 'last', count: number): number {
  if (count >= 0 && count <= MAX_FIRST) return count;
  throw badInput(
    `"${argument}" must be between 0 and ${MAX_FIRST}, got ${count}: ask for at most ${MAX_FIRST} at once.`,
    { argument },
  );
}

/** The page of the backend that a request begins with. */
export const pageOf = ({ from, skip, first }: Start & Pick<PageRequest, 'first'>): ListPage => ({
  from,
  // An empty connection still has a total and a next page: one item is read to know them.
  limit: Math.min(MAX_LIMIT, Math.max(1, skip + first)),
});

/** How many pages of the backend a request takes, if each holds as many as it was asked for. */
export const pagesOf = ({ skip, first }: Pick<PageRequest, 'skip' | 'first'>): number =>
  Math.max(1, Math.ceil((skip + first) / MAX_LIMIT));
