/**
 * Relay cursors: a position in one list, as opaque URL-safe text.
 *
 * A checksum of the list, its filters and the position lets cursors of other lists, and damaged ones, be rejected
 * before any call. Cursors are neither secret nor proof: the backend authorises reads by the caller's key.
 */
import { crc32 } from 'node:zlib';
import { badInput } from '../errors.ts';

const CHECKSUM_BYTES = 4;

/** Formats the cursor of a position in a list. Unlimited like cursors of the backend, so that all are accepted again. */
export function formatCursor(listId: string, position: string): string {
  const bytes = Buffer.from(`${ROOM}${position}`);
  bytes.writeUInt32BE(checksumOf(listId, bytes));
  return bytes.toString('base64url');
}

/** Placeholder of the checksum. */
const ROOM = '\0'.repeat(CHECKSUM_BYTES);

/**
 * Parses the position of a cursor. Callers must validate it, since anybody can create a cursor.
 *
 * @param argument name of the argument, for the error.
 * @throws BAD_USER_INPUT for a cursor of another list, or an invalid one.
 */
export function parseCursor(listId: string, cursor: string, argument: 'after' | 'before'): string {
  const bytes = Buffer.from(cursor, 'base64url');
  const isSound =
    bytes.length > CHECKSUM_BYTES &&
    bytes.readUInt32BE() === checksumOf(listId, bytes) &&
    // Rejects other spellings, since decoding skips unknown characters.
    bytes.toString('base64url') === cursor;
  if (!isSound) throw foreignCursor(cursor, argument);
  return bytes.toString('utf8', CHECKSUM_BYTES);
}

/** The error of a cursor that is not of this list. */
export const foreignCursor = (cursor: string, argument: 'after' | 'before') =>
  badInput(
    `"${cursor.slice(0, 64)}" is not a cursor of this list with these filters. Pass a cursor that this list returned, or omit \`${argument}\`.`,
    { argument },
  );

/** Ignores the case of the list's ids, since a list can be reached by the caller's or the backend's spelling. */
const checksumOf = (listId: string, bytes: Buffer): number =>
  crc32(bytes.subarray(CHECKSUM_BYTES), crc32(listId.toLowerCase()));
