/**
 * Converts Relay's `first` and `after` to a page of a backend list.
 *
 * A cursor contains marks of its item and of those before it, so it stays valid when items are inserted or removed.
 */
import { crc32 } from 'node:zlib';
import type { ArgumentValues } from '../../execution/operation/arguments.ts';
import { textFault } from '../../rest/client/path.ts';
import { MAX_LIMIT } from '../../v0/list.ts';
import type { Context } from '../context.ts';
import { badInput } from '../errors.ts';
import { foreignCursor, formatCursor, parseCursor } from '../types/cursor.ts';
import { NodeReference } from '../types/key.ts';
import type { List, ListPage } from './list.ts';

/** Default of `first`. Assumed: the backend's own default. */
export const DEFAULT_FIRST = 20;

/** Maximum number of edges of a connection. */
export const MAX_FIRST = MAX_LIMIT;

/** Start of edges: a page start plus a number of items. */
export interface Start {
  /** REST cursor of the page; null for the start of the list. */
  readonly from: string | null;
  /** Number of items of that page before the first edge. */
  readonly skip: number;
  /** Marks of the nearest of these items, the last one first. The edges follow them, wherever they are now. */
  readonly marks: readonly string[];
}

/** The start of a page. */
export const startOfPage = (from: string | null): Start => ({ from, skip: 0, marks: [] });

/** The page that a field requests of a list. */
export interface PageRequest extends Start {
  readonly list: List;
  readonly first: number;
  /** Cursor of the start; null for the start of the list. */
  readonly after: string | null;
  /** Fallback if the list's route is found to be missing. */
  readonly instead?: ListOfField | undefined;
}

/** The list of a field. */
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

/** Returns the cursor of a start, such as `1.0g5v3xk` on the first page, and `1.0g5v3xk:abc` on the page with the REST cursor `abc`. */
export const cursorOf = (listId: string, { from, skip, marks }: Start): string =>
  formatCursor(listId, [skip, ...marks].join('.') + (from === null ? '' : `:${from}`));

/** @throws BAD_USER_INPUT for a cursor of another list, or an invalid one. */
export function parseStart(
  listId: string,
  cursor: string | null,
  argument: 'after' | 'before',
): Start {
  if (cursor === null) return startOfPage(null);
  const [, skip, marks, from = null] = START.exec(parseCursor(listId, cursor, argument)) ?? [];
  if (skip === undefined) throw foreignCursor(cursor, argument);
  return { from, skip: Number(skip), marks: marks!.split('.').slice(1) };
}

const START = /^(\d{1,6})((?:\.[\da-z]{7}){0,4})(?::(.+))?$/s;

/** Number of marks of a cursor: of its item, and of those before it, in case that it is removed. */
const MARKS = 4;

/** Fields that identify an item in its list; those of its key if it is an entity. */
export type IdentifyingFields = readonly string[];

/** Returns the mark that identifies an item in cursors: a checksum of its key, or of all of it without one. */
export function markOf(item: unknown, fields: IdentifyingFields): string {
  const holder =
    item instanceof NodeReference ? item.key : (item as Readonly<Record<string, unknown>>);
  const key = fields.map((name) => holder?.[name]);
  const isKeyed = key.length > 0 && key.every((part) => typeof part === 'string');
  const text = isKeyed ? JSON.stringify(key) : (JSON.stringify(item) ?? '');
  return crc32(text).toString(36).padStart(7, '0');
}

/** Consecutive items of a list, with the cursors between them. */
export class MarkedItems {
  readonly #items: readonly unknown[];
  readonly #fields: IdentifyingFields;
  /** Computed on demand, since most queries need one cursor. */
  readonly #marks: string[] = [];

  constructor(items: readonly unknown[], fields: IdentifyingFields) {
    this.#items = items;
    this.#fields = fields;
  }

  /** Returns the start after an item of the page that begins at an index. */
  startAfter(index: number, from: string | null = null, begin = 0): Start {
    const skip = index + 1 - begin;
    const marks: string[] = [];
    for (let i = index; i >= begin && marks.length < MARKS; i--) marks.push(this.#markAt(i));
    return { from, skip, marks };
  }

  /**
   * Returns the index of the first item after a start. If its item is gone, it is after the nearest one before it that
   * is not, or else 0: items may repeat, and none is skipped.
   */
  indexAfter({ skip, marks }: Start): number {
    if (this.isExact({ marks }, skip)) return skip;
    const all = this.#items.map((_, index) => this.#markAt(index));
    for (const mark of marks) {
      const index = all.indexOf(mark);
      if (index >= 0) return index + 1;
    }
    return 0;
  }

  /** Whether an index is the one after the start's own item. */
  isExact({ marks }: Pick<Start, 'marks'>, index: number): boolean {
    return (
      marks.length === 0 ||
      (index > 0 && index <= this.#items.length && this.#markAt(index - 1) === marks[0])
    );
  }

  #markAt(index: number): string {
    return (this.#marks[index] ??= markOf(this.#items[index], this.#fields));
  }
}

/**
 * Reads `first: Int = 20`.
 *
 * @throws BAD_USER_INPUT if it is out of range.
 */
export const firstOf = (args: ArgumentValues): number =>
  checkCount('first', (args['first'] as number | null | undefined) ?? DEFAULT_FIRST);

/** Reads `after: String`. */
export const afterOf = (args: ArgumentValues): string | null =>
  (args['after'] as string | null | undefined) ?? null;

/** @throws BAD_USER_INPUT if a text, other than a cursor of the backend, is too long for a URL. */
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
