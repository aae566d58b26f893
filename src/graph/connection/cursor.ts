/**
 * REST cursors ⇄ Relay cursors.
 *
 * The backend names the start of a page; Relay names every edge. An edge cursor therefore says
 * "from this page start, skip this many". It is authenticated with the list it belongs to and a key
 * derived from the caller's API key, so a cursor of another list, filter or tenant, or a changed
 * one, is refused before any call.
 */
import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { perRequest, type Context } from '../context.ts';
import { badInput } from '../errors.ts';

const SEAL_BYTES = 9;

/** The longest cursor that is read, in characters. */
const MAX_LENGTH = 8_192;

/** Writes a cursor of one list. `position` is any JSON value. */
export function sealCursor(context: Context, listId: string, position: unknown): string {
  const text = writePosition(position);
  return Buffer.concat([seal(context, listId, text), text]).toString('base64url');
}

/**
 * Reads the position back.
 *
 * @param argument the name of the argument that brought the cursor.
 * @throws BAD_USER_INPUT for a cursor that this list did not give to this caller.
 */
export function openCursor(
  context: Context,
  listId: string,
  cursor: string,
  argument: 'after' | 'before',
): unknown {
  const known = opened(context);
  let positions = known.get(cursor);
  if (!positions) {
    positions = new Map<string, unknown>();
    known.set(cursor, positions);
  }
  if (!positions.has(listId)) positions.set(listId, positionIn(context, listId, cursor));
  const position = positions.get(listId);
  if (position === undefined) {
    throw badInput(
      `"${argument}" is not a cursor of this list with these filters: pass a cursor it answered, or leave "${argument}" out to begin at its start. Got "${cursor.slice(0, 64)}".`,
      { argument },
    );
  }
  return position;
}

/** Positions by cursor and list: one variable may stand in thousands of fields. */
const opened = perRequest(() => new Map<string, Map<string, unknown>>());

/** What `sealCursor` was given; undefined when it was not called for this list and caller. */
function positionIn(context: Context, listId: string, cursor: string): unknown {
  if (cursor.length > MAX_LENGTH) return undefined;
  const bytes = Buffer.from(cursor, 'base64url');
  const text = bytes.subarray(SEAL_BYTES);
  const isSound =
    text.length > 0 &&
    bytes.toString('base64url') === cursor &&
    timingSafeEqual(bytes.subarray(0, SEAL_BYTES), seal(context, listId, text));
  return isSound ? readPosition(text) : undefined;
}

/**
 * Positions of lists, `[skip, from]`, in fewer bytes than JSON. JSON begins with a character that is
 * printed, so a cursor that version 0.1 sealed is known by its first byte.
 */
const FROM_START = 0x00;
const FROM_TEXT = 0x01;
const FROM_BASE64URL = 0x02;
const LAST_KIND = FROM_BASE64URL;
const POSITION_HEAD = 2;

function writePosition(position: unknown): Buffer {
  if (!isListPosition(position)) return Buffer.from(JSON.stringify(position));
  const [skip, from] = position;
  if (from === null) return Buffer.of(FROM_START, skip);
  const bytes = Buffer.from(from, 'base64url');
  // Cursors of the backend are often base64, which is a third longer than what it says.
  const isBase64url = bytes.length > 0 && bytes.toString('base64url') === from;
  const head = Buffer.of(isBase64url ? FROM_BASE64URL : FROM_TEXT, skip);
  return Buffer.concat([head, isBase64url ? bytes : Buffer.from(from)]);
}

/** Pages have a hundred items at most; a position that skips more is written in JSON. */
const MAX_SKIP = 255;

const isListPosition = (position: unknown): position is [skip: number, from: string | null] =>
  Array.isArray(position) &&
  position.length === 2 &&
  Number.isInteger(position[0]) &&
  position[0] >= 0 &&
  position[0] <= MAX_SKIP &&
  (position[1] === null || (typeof position[1] === 'string' && position[1].isWellFormed()));

function readPosition(bytes: Buffer): unknown {
  const kind = bytes[0]!;
  if (kind > LAST_KIND) return JSON.parse(bytes.toString());
  const from = bytes.subarray(POSITION_HEAD);
  if (kind === FROM_START) return [bytes[1], null];
  return [bytes[1], from.toString(kind === FROM_TEXT ? 'utf8' : 'base64url')];
}

const seal = (context: Context, listId: string, text: Buffer): Buffer =>
  createHmac('sha256', sealingKey(context))
    .update(`${listId.length}:${listId}`)
    .update(text)
    .digest()
    .subarray(0, SEAL_BYTES);

/** Derived at the first cursor: most requests have none. */
const sealingKey = perRequest(({ apiKey, cursorSecret }) => {
  const id = `${cursorSecret.length}:${cursorSecret}${apiKey}`;
  let key = sealingKeys.get(id);
  if (!key) {
    key = Buffer.from(hkdfSync('sha256', apiKey, cursorSecret, 'content-pages-gateway cursor', 32));
    sealingKeys.set(id, key);
  }
  return key;
});

/**
 * By API key and secret.
 *
 * With the secret as its salt, HKDF is a keyed hash: without the secret, guesses of an API key cannot
 * be tested against a cursor. Where no secret is set they can, offline, so an API key of low entropy
 * can be guessed. Processes with the same settings derive the same keys. Source: RFC 5869, 2.2.
 */
const sealingKeys = new LRUCache<string, Buffer>({ max: 1_000 });
