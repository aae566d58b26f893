/** Converts Relay's `first` and `after` to a page of a backend list. */
import type { ArgumentValues } from '../../execution/operation/arguments.ts';
import { textFault } from '../../rest/client/path.ts';
import { MAX_LIMIT } from '../../v0/list.ts';
import type { Context } from '../context.ts';
import { badInput } from '../errors.ts';
import { parseStart, type Start } from './cursor.ts';
import type { List, ListPage } from './list.ts';

/** Default of `first`. Assumed: the backend's own default. */
export const DEFAULT_FIRST = 20;

/** Maximum number of edges of a connection. */
export const MAX_FIRST = MAX_LIMIT;

export interface PageRequest extends Start {
  readonly list: List;
  readonly first: number;
  /** Cursor of the start; null for the start of the list. */
  readonly after: string | null;
  /** Fallback if the list's route is found to be missing. */
  readonly instead?: ListOfField | undefined;
}

export interface ListOfField {
  /**
   * @param parent the field's parent, or its key if that is sufficient.
   * @throws BAD_USER_INPUT for invalid arguments.
   */
  readonly list: (parent: object, args: ArgumentValues, context: Context) => List;
  /** Fallback without the list's route. */
  readonly instead?: ListOfField | undefined;
}

/**
 * Returns the page that a field requests of its list.
 *
 * @throws BAD_USER_INPUT if `first` is out of range, `after` belongs to another list, or a filter is too long.
 */
export function pageRequestOf(
  { list: listOf, instead }: ListOfField,
  parent: object,
  args: ArgumentValues,
  context: Context,
): PageRequest {
  checkTexts(args);
  const list = listOf(parent, args, context);
  const first = firstOf(args);
  const after = afterOf(args);
  try {
    return { list, ...parseStart(list.id, after, 'after'), first, after, instead };
  } catch (error) {
    // The cursor may be of the fallback list: another process may have found the route to be missing.
    if (!instead) throw error;
    return pageRequestOf(instead, parent, args, context);
  }
}

/**
 * Reads `first: Int = 20`.
 *
 * @throws BAD_USER_INPUT if it is out of range.
 */
export const firstOf = (args: ArgumentValues): number =>
  checkCount('first', (args['first'] as number | null | undefined) ?? DEFAULT_FIRST);

export const afterOf = (args: ArgumentValues): string | null =>
  (args['after'] as string | null | undefined) ?? null;

/** @throws BAD_USER_INPUT if a string, other than a cursor of the backend, is too long for a URL. */
export function checkTexts(args: ArgumentValues): void {
  for (const name in args) {
    const value = args[name];
    const fault = typeof value === 'string' && name !== 'after' ? textFault(value) : undefined;
    if (fault) throw badInput(`\`${name}\` ${fault}.`, { argument: name });
  }
}

/** @throws BAD_USER_INPUT if the size of a connection is out of range. */
export function checkCount(argument: 'first' | 'last', count: number): number {
  if (count >= 0 && count <= MAX_FIRST) return count;
  throw badInput(`\`${argument}\` must be between 0 and ${MAX_FIRST}, got ${count}.`, { argument });
}

/** Returns the first backend page of a request. */
export const pageOf = ({
  from,
  skip,
  first,
}: Pick<PageRequest, 'from' | 'skip' | 'first'>): ListPage => ({
  from,
  // At least one item is read, since an empty connection still has a total and a next page.
  limit: Math.min(MAX_LIMIT, Math.max(1, skip + first)),
});

/** Number of backend pages of a request, if all pages are full. */
export const pagesOf = ({ skip, first }: Pick<PageRequest, 'skip' | 'first'>): number =>
  Math.max(1, Math.ceil((skip + first) / MAX_LIMIT));
