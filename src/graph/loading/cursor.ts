/**
 * Relay cursors: a position in one list, as opaque URL-safe strings.
 *
 * A cursor contains marks of its item and of those before it, so it stays valid when items are inserted or removed. A
 * checksum of the list, its filters and the position lets cursors of other lists, and damaged ones, be rejected before
 * any call. Cursors are neither secret nor proof: the backend authorises reads by the caller's key.
 */
import { crc32 } from 'node:zlib';
import { badInput } from '../errors.ts';
import { NodeReference } from '../types/key.ts';

/** Start of edges: a page start plus a number of items. */
export interface Start {
  /** REST cursor of the page; null for the start of the list. */
  readonly from: string | null;
  /** Number of items of that page before the first edge. */
  readonly skip: number;
  /** Marks of the nearest of these items, the last one first. The edges follow them, wherever they are now. */
  readonly marks: readonly string[];
}

export const startOfPage = (from: string | null): Start => ({ from, skip: 0, marks: [] });

/** Returns the cursor of a start: of `1.0g5v3xk` on the first page, of `1.0g5v3xk:abc` on the page with the REST cursor `abc`. */
export const cursorOf = (listId: string, { from, skip, marks }: Start): string =>
  formatCursor(listId, [skip, ...marks].join('.') + (from === null ? '' : `:${from}`));

const START = /^(\d{1,6})((?:\.[\da-z]{7}){0,4})(?::(.+))?$/s;

/** @throws BAD_USER_INPUT for a cursor of another list, or an invalid one. */
export function parseStart(
  listId: string,
  cursor: string | null,
  argument: 'after' | 'before',
): Start {
  if (cursor === null) return startOfPage(null);
  const [, skip, marks, from = null] = START.exec(parseCursor(listId, cursor) ?? '') ?? [];
  if (skip !== undefined) return { from, skip: Number(skip), marks: marks!.split('.').slice(1) };
  throw badInput(
    `"${cursor.slice(0, 64)}" is not a cursor of this list with these filters. Pass a cursor that this list returned, or omit \`${argument}\`.`,
    { argument },
  );
}

const CHECKSUM_BYTES = 4;

/** Unlimited like cursors of the backend, so that all are accepted again. */
export function formatCursor(listId: string, position: string): string {
  const bytes = Buffer.from(`${'\0'.repeat(CHECKSUM_BYTES)}${position}`);
  bytes.writeUInt32BE(checksumOf(listId, bytes));
  return bytes.toString('base64url');
}

/** Returns the position of a cursor, which any client could have created; undefined for a cursor of another list. */
export function parseCursor(listId: string, cursor: string): string | undefined {
  const bytes = Buffer.from(cursor, 'base64url');
  const isValid =
    bytes.length > CHECKSUM_BYTES &&
    bytes.readUInt32BE() === checksumOf(listId, bytes) &&
    // Rejects other spellings, since decoding skips unknown characters.
    bytes.toString('base64url') === cursor;
  return isValid ? bytes.toString('utf8', CHECKSUM_BYTES) : undefined;
}

/** Ignores the case of the list's ids, since a list can be reached by the caller's or the backend's spelling. */
const checksumOf = (listId: string, bytes: Buffer): number =>
  crc32(bytes.subarray(CHECKSUM_BYTES), crc32(listId.toLowerCase()));

/** Number of marks of a cursor: of its item, and of those before it, in case it is removed. */
const MARKS = 4;

/**
 * Returns the mark that identifies an item in cursors: a checksum of its key, or of all of it without one.
 *
 * @param fields those that identify an item in its list.
 */
export function markOf(item: unknown, fields: readonly string[]): string {
  const holder =
    item instanceof NodeReference ? item.key : (item as Readonly<Record<string, unknown>>);
  const key = fields.map((name) => holder?.[name]);
  const isKeyed = key.length > 0 && key.every((part) => typeof part === 'string');
  const text = isKeyed ? JSON.stringify(key) : (JSON.stringify(item) ?? '');
  return crc32(text).toString(36).padStart(7, '0');
}

export class MarkedItems {
  readonly #items: readonly unknown[];
  readonly #fields: readonly string[];
  /** Computed on demand, since most queries need one cursor. */
  readonly #marks: string[] = [];

  constructor(items: readonly unknown[], fields: readonly string[]) {
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
   * Returns the index of the first item after a start. If its item is gone, it is after the nearest remaining one before
   * it, or else 0: items may repeat, and none is skipped.
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
