/**
 * Opaque cursors: where in a list the next page starts.
 *
 * A cursor holds the sort keys of the last item answered, not a position, so rows that come and go
 * before it shift nothing. It also holds a fingerprint of its list and filters: a cursor from
 * elsewhere is refused instead of starting somewhere arbitrary.
 */
import { createHash } from 'node:crypto';
import { Problem } from '../http/problem.ts';

/** The sort keys of one row, in the order of the list's columns. */
export type Keys = readonly (string | number)[];

/** Source: interface.md, "List envelope". Assumed: the format, since cursors are opaque. */
export function formatCursor(scope: string, keys: Keys): string {
  return Buffer.from(JSON.stringify([fingerprint(scope), ...keys])).toString('base64url');
}

/**
 * @param example keys of the kinds expected: a cursor holds as many, of the same types.
 * @throws {Problem} 400 when the cursor was not made for this list and these filters.
 */
export function parseCursor(scope: string, cursor: string, example: Keys): Keys {
  const [mark, ...keys] = readJsonArray(Buffer.from(cursor, 'base64url').toString());
  const fits =
    mark === fingerprint(scope) &&
    keys.length === example.length &&
    keys.every((key, position) => typeof key === typeof example[position]);
  if (!fits) {
    throw new Problem(400, 'The cursor is not one of this list: start again without a cursor', {
      field: 'cursor',
      reason: 'not made for this list and these filters',
    });
  }
  // Each key's type was compared with the example's, which is a string or a number.
  return keys as Keys;
}

function readJsonArray(text: string): unknown[] {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}

function fingerprint(scope: string): string {
  return createHash('sha256').update(scope).digest('base64url').slice(0, 10);
}
