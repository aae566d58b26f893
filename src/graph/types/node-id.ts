/**
 * Global ids: a type and the REST ids on the way to it, in one opaque URL-safe text.
 *
 * A third of a list's answer is ids, so they are bytes: two for the type, sixteen for a UUID, and
 * otherwise the id's own with their number before them. They begin with a checksum, because a cut or
 * guessed id could otherwise be the valid id of another object.
 */
import { crc32 } from 'node:zlib';
import { segmentFault } from '../../rest/client/path.ts';
import { badInput } from '../errors.ts';

export interface NodeKey {
  readonly typename: string;
  /** The ids of the object's REST path, outermost first. */
  readonly parts: readonly string[];
}

const CHECKSUM_BYTES = 4;
const CODE_BYTES = 2;
const HEAD_BYTES = CHECKSUM_BYTES + CODE_BYTES;

/** What checksums begin with, so that no id of the old form passes for one of this. */
const SEED = 1;

/** The longest id that is looked at, in characters: three path ids at their longest. */
const MAX_LENGTH = 8_192;

/** Before each part: a UUID, or more than `MAX_SHORT` bytes of text; otherwise how many bytes, and one. */
const UUID = 0;
const LONG = 255;
const MAX_SHORT = 253;
const UUID_BYTES = 16;

const CANONICAL_UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/;

const codes = new Map<string, number>();
const typenames = new Map<number, string>();

/**
 * Lets ids of a type be read.
 *
 * @throws when its code is another type's: rename one of them.
 */
export function registerNodeType(typename: string): void {
  const code = codeOf(typename);
  const other = typenames.get(code) ?? typename;
  if (other !== typename) throw new Error(`${typename} and ${other} have one code in global ids.`);
  codes.set(typename, code);
  typenames.set(code, typename);
}

const codeOf = (typename: string): number => crc32(typename) & 0xffff;

export function formatNodeId(typename: string, parts: readonly string[]): string {
  const code = codes.get(typename) ?? codeOf(typename);
  let size = HEAD_BYTES;
  for (const part of parts) {
    if (isUuid(part)) size += 1 + UUID_BYTES;
    else {
      const length = Buffer.byteLength(part);
      size += length > MAX_SHORT ? 3 + length : 1 + length;
    }
  }
  const bytes = Buffer.allocUnsafe(size);
  bytes.writeUInt16BE(code, CHECKSUM_BYTES);
  let at = HEAD_BYTES;
  for (const part of parts) at = writePart(bytes, at, part);
  bytes.writeUInt32BE(crc32(bytes.subarray(CHECKSUM_BYTES), SEED));
  return bytes.toString('base64url');
}

const isUuid = (part: string): boolean => part.length === 36 && CANONICAL_UUID.test(part);

/** Where the next one begins. */
function writePart(bytes: Buffer, at: number, part: string): number {
  if (isUuid(part)) {
    bytes[at] = UUID;
    return at + 1 + bytes.write(part.replaceAll('-', ''), at + 1, 'hex');
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

/**
 * @throws BAD_USER_INPUT for anything `formatNodeId` did not write.
 */
export function parseNodeId(id: string): NodeKey {
  const key = readNodeId(id);
  if (!key) {
    throw badInput(
      `"${id.slice(0, 64)}" is not a global id: pass the "id" of an object unchanged, or use the raw REST id with a field like page(pageId:).`,
    );
  }
  return key;
}

/** What a text says if `formatNodeId` wrote it, now or in the version before; undefined for any other text. */
export function readNodeId(id: string): NodeKey | undefined {
  if (id.length > MAX_LENGTH) return undefined;
  const bytes = Buffer.from(id, 'base64url');
  if (bytes.length < HEAD_BYTES) return undefined;
  // Raw ids are asked about as often: nearly all of them end here.
  const typename = typenames.get(bytes.readUInt16BE(CHECKSUM_BYTES));
  const isOld = bytes.at(-1) === CLOSING_BRACKET;
  if (typename === undefined && !isOld) return undefined;
  // Decoding skips what it does not know; only the exact spelling is ours.
  if (bytes.toString('base64url') !== id) return undefined;
  const text = bytes.subarray(CHECKSUM_BYTES);
  const checksum = bytes.readUInt32BE();
  if (typename !== undefined && checksum === crc32(text, SEED)) {
    const parts = readParts(bytes);
    return parts && { typename, parts };
  }
  return isOld && checksum === crc32(text) ? readOldForm(text.toString()) : undefined;
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
  const cuts = [0, 8, 12, 16, 20, 32];
  return cuts
    .slice(1)
    .map((end, i) => hex.slice(cuts[i], end))
    .join('-');
}

/** What the JSON list of an id of the old form ends with. */
const CLOSING_BRACKET = 0x5d;

/** A type and a JSON list of its ids: what version 0.1 wrote, and clients have kept. */
function readOldForm(text: string): NodeKey | undefined {
  const [, typename, json] = /^(\w+)(\[.*\])$/s.exec(text) ?? [];
  if (!typename || json === undefined) return undefined;
  try {
    const parts: unknown = JSON.parse(json);
    const isSound =
      Array.isArray(parts) &&
      parts.every((part) => typeof part === 'string' && segmentFault(part) === undefined);
    return isSound ? { typename, parts: parts as string[] } : undefined;
  } catch {
    return undefined;
  }
}
