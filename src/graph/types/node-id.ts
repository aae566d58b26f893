/**
 * Global ids: a type and the REST ids on the way to it, in one opaque URL-safe text.
 *
 * The text ends in a checksum, because a cut or guessed id could otherwise be the valid id of
 * another object: `Page:p12` cut short is `Page:p1`.
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

/** What the JSON list of a global id ends with. */
const CLOSING_BRACKET = 0x5d;

/** The longest id that is read, in characters: three path ids at their longest. */
const MAX_LENGTH = 8_192;

export function formatNodeId(typename: string, parts: readonly string[]): string {
  // JSON, because it can write any text, and `a/b` + `c` can't be taken for `a` + `b/c`.
  const text = Buffer.from(typename + JSON.stringify(parts));
  const bytes = Buffer.allocUnsafe(text.length + CHECKSUM_BYTES);
  bytes.writeUInt32BE(crc32(text));
  text.copy(bytes, CHECKSUM_BYTES);
  return bytes.toString('base64url');
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

/** What a text says if `formatNodeId` wrote it; undefined for any other text. */
export function readNodeId(id: string): NodeKey | undefined {
  if (id.length > MAX_LENGTH) return undefined;
  const bytes = Buffer.from(id, 'base64url');
  // Raw ids are tested as often, and nearly all of them end here.
  if (bytes.length <= CHECKSUM_BYTES || bytes.at(-1) !== CLOSING_BRACKET) return undefined;
  // Decoding ignores foreign characters; only the exact spelling is accepted.
  if (bytes.toString('base64url') !== id) return undefined;
  const text = bytes.subarray(CHECKSUM_BYTES);
  if (bytes.readUInt32BE() !== crc32(text)) return undefined;
  const [, typename, json] = /^(\w+)(\[.*\])$/s.exec(text.toString()) ?? [];
  const parts = json === undefined ? undefined : parseParts(json);
  return typename && parts ? { typename, parts } : undefined;
}

function parseParts(json: string): string[] | undefined {
  try {
    const parts: unknown = JSON.parse(json);
    const sound =
      Array.isArray(parts) &&
      parts.every((part) => typeof part === 'string' && segmentFault(part) === undefined);
    return sound ? (parts as string[]) : undefined;
  } catch {
    return undefined;
  }
}
