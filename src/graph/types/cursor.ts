/**
 * Relay's cursors: a position in one list, as opaque URL-safe text.
 *
 * They begin with a checksum over the list, its filters and the position, so that a cursor of another
 * list, or one that was cut or changed, is refused before any call. They are no secret and no proof of
 * anything: what a caller may read is decided by the backend, by the caller's key.
 */
import { crc32 } from 'node:zlib';
import { badInput } from '../errors.ts';

const CHECKSUM_BYTES = 4;

/** The longest cursor that is read, in characters. */
const MAX_LENGTH = 4_096;

/** Writes the cursor of a position in a list. */
export function formatCursor(listId: string, position: string): string {
  const bytes = Buffer.from(`${ROOM}${position}`);
  bytes.writeUInt32BE(checksumOf(listId, bytes));
  return bytes.toString('base64url');
}

/** Where the checksum is written. */
const ROOM = '\0'.repeat(CHECKSUM_BYTES);

/**
 * Reads the position back. Anybody can make a cursor: callers check what the position says.
 *
 * @param argument the name of the argument that holds the cursor.
 * @throws BAD_USER_INPUT for a cursor of another list, and for what is no cursor.
 */
export function parseCursor(listId: string, cursor: string, argument: 'after' | 'before'): string {
  const bytes = Buffer.from(cursor.length > MAX_LENGTH ? '' : cursor, 'base64url');
  const isSound =
    bytes.length > CHECKSUM_BYTES &&
    bytes.readUInt32BE() === checksumOf(listId, bytes) &&
    // Decoding skips what it does not know; only the exact spelling is ours.
    bytes.toString('base64url') === cursor;
  if (!isSound) throw foreignCursor(cursor, argument);
  return bytes.toString('utf8', CHECKSUM_BYTES);
}

/** The refusal of a cursor that this list did not answer. */
export const foreignCursor = (cursor: string, argument: 'after' | 'before') =>
  badInput(
    `"${argument}" is not a cursor of this list with these filters: pass a cursor it answered, or leave "${argument}" out to begin at its start. Got "${cursor.slice(0, 64)}".`,
    { argument },
  );

const checksumOf = (listId: string, bytes: Buffer): number =>
  crc32(bytes.subarray(CHECKSUM_BYTES), crc32(listId));
