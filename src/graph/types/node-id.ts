/**
 * Global ids: a type and the ids of its REST path, as one opaque URL-safe string.
 *
 * A third of a list's response is ids, so they are encoded compactly: two bytes for the type, sixteen for a UUID, and
 * length-prefixed bytes for other ids. A checksum detects cut and guessed ids, which could be valid ids of other
 * objects.
 */
import { crc32 } from 'node:zlib';
import { segmentFault } from '../../rest/client/path.ts';
import { badInput, invalidResponse } from '../errors.ts';

export interface NodeKey {
  readonly typename: string;
  /** Ids of the object's REST path, outermost first. */
  readonly parts: readonly string[];
}

const CHECKSUM_BYTES = 4;
const CODE_BYTES = 2;
const HEAD_BYTES = CHECKSUM_BYTES + CODE_BYTES;

/** Maximum length of a global id, in characters: three path ids of maximum length. */
export const MAX_LENGTH = 8_192;

/** Prefix of each part: a UUID, or more than `MAX_SHORT` bytes of UTF-8; otherwise the number of bytes plus one. */
const UUID = 0;
const LONG = 255;
const MAX_SHORT = 253;
const UUID_BYTES = 16;
const UUID_LENGTH = 36;

const codes = new Map<string, number>();
const typenames = new Map<number, string>();

/**
 * Registers a type for parsing.
 *
 * @throws if its code is that of another type: rename one of them.
 */
export function registerNodeType(typename: string): void {
  const code = typeCodeOf(typename);
  const other = typenames.get(code) ?? typename;
  if (other !== typename)
    throw new Error(
      `${typename} and ${other} have the same code in global IDs. Rename one of them.`,
    );
  codes.set(typename, code);
  typenames.set(code, typename);
}

const typeCodeOf = (typename: string): number => crc32(typename) & 0xffff;

/** @throws UPSTREAM_INVALID_RESPONSE for an id that could not be used in a path. */
export function formatNodeId(typename: string, parts: readonly string[]): string {
  const code = codes.get(typename) ?? typeCodeOf(typename);
  let most = HEAD_BYTES;
  for (const part of parts) most += MAX_PART_HEAD + MAX_UTF8_BYTES * part.length;
  const bytes = most <= scratch.length ? scratch : Buffer.allocUnsafe(most);
  bytes.writeUInt16BE(code, CHECKSUM_BYTES);
  let end = HEAD_BYTES;
  for (const part of parts) end = writePart(bytes, end, part);
  bytes.writeUInt32BE(crc32(bytes.subarray(CHECKSUM_BYTES, end)));
  return bytes.toString('base64url', 0, end);
}

/** Shared buffer, since an allocation takes longer than writing an id. */
const scratch = Buffer.alloc(4_096);

const MAX_PART_HEAD = 3;
/** Maximum bytes of a UTF-16 unit in UTF-8. */
const MAX_UTF8_BYTES = 3;

/**
 * Writes a part. Returns the start of the next one.
 *
 * @throws UPSTREAM_INVALID_RESPONSE
 */
function writePart(bytes: Buffer, at: number, part: string): number {
  if (part.length === UUID_LENGTH && writeUuid(bytes, at + 1, part)) {
    bytes[at] = UUID;
    return at + 1 + UUID_BYTES;
  }
  const fault = segmentFault(part);
  if (fault !== undefined) {
    throw invalidResponse(`Backend returned an unusable ID: it ${fault}.`);
  }
  const length = Buffer.byteLength(part);
  if (length <= MAX_SHORT) {
    bytes[at] = length + 1;
    return at + 1 + bytes.write(part, at + 1);
  }
  bytes[at] = LONG;
  bytes.writeUInt16BE(length, at + 1);
  return at + 3 + bytes.write(part, at + 3);
}

/** Writes a UUID in lower case; returns false for other strings, including upper case. */
function writeUuid(bytes: Buffer, start: number, text: string): boolean {
  let at = start;
  for (let i = 0; i < UUID_LENGTH; i++) {
    if (i === 8 || i === 13 || i === 18 || i === 23) {
      if (text[i] !== '-') return false;
      continue;
    }
    const high = hexOf(text.charCodeAt(i++));
    const low = hexOf(text.charCodeAt(i));
    if (high < 0 || low < 0) return false;
    bytes[at++] = high * 16 + low;
  }
  return true;
}

/** Value of a hexadecimal digit in lower case; -1 for other characters. */
function hexOf(character: number): number {
  if (character >= 0x30 && character <= 0x39) return character - 0x30;
  return character >= 0x61 && character <= 0x66 ? character - 0x57 : -1;
}

/**
 * @param instead advice in the error for a raw id.
 * @throws BAD_USER_INPUT for strings not created by `formatNodeId`.
 */
export function parseNodeId(
  id: string,
  instead = 'pass raw IDs to the field that looks up its type',
): NodeKey {
  const key = readNodeId(id);
  if (!key) {
    throw badInput(
      `"${id.slice(0, 64)}" is not a global ID. Pass the \`id\` of an object unchanged, or ${instead}.`,
    );
  }
  return key;
}

/** Parses a result of `formatNodeId`; undefined for other strings. */
export function readNodeId(id: string): NodeKey | undefined {
  if (id.length > MAX_LENGTH) return undefined;
  const bytes = Buffer.from(id, 'base64url');
  if (bytes.length < HEAD_BYTES) return undefined;
  // Fast path: nearly all raw ids end here.
  const typename = typenames.get(bytes.readUInt16BE(CHECKSUM_BYTES));
  if (typename === undefined) return undefined;
  // Rejects other spellings, since decoding skips unknown characters.
  if (bytes.toString('base64url') !== id) return undefined;
  if (bytes.readUInt32BE() !== crc32(bytes.subarray(CHECKSUM_BYTES))) return undefined;
  const parts = readParts(bytes);
  return parts && { typename, parts };
}

function readParts(bytes: Buffer): string[] | undefined {
  const parts: string[] = [];
  for (let at = HEAD_BYTES; at < bytes.length;) {
    const head = bytes[at]!;
    let start = at + 1;
    let end = start + head - 1;
    if (head === UUID) end = start + UUID_BYTES;
    else if (head === LONG) {
      if (start + 2 > bytes.length) return undefined;
      start += 2;
      end = start + bytes.readUInt16BE(at + 1);
    }
    if (end > bytes.length) return undefined;
    const part = head === UUID ? uuidOf(bytes, start) : bytes.toString('utf8', start, end);
    if (segmentFault(part) !== undefined) return undefined;
    parts.push(part);
    at = end;
  }
  return parts;
}

function uuidOf(bytes: Buffer, at: number): string {
  const hex = bytes.toString('hex', at, at + UUID_BYTES);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
