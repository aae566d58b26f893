/**
 * The decode cache: an answer with the same bytes as the last one of its path is not decoded again.
 *
 * The call is made all the same, so nothing is ever stale; parsing and checking are saved. Entries are found by path,
 * whatever the key and the forwarded headers. That leaks nothing: only a caller whose own answer has the same bytes
 * gets the kept value.
 */
import { crc32 } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import { isRead, type Call, type DecodedResponse, type RestResponse } from '../call/call.ts';
import { decode } from './decode.ts';
import { freeze } from './freeze.ts';

/** The most memory of all kept answers, in bytes. */
const MAX_BYTES = 16 * 1024 * 1024;
const LARGEST_PART = 1 / 8; // that one answer may take
const ENTRY_BYTES = 256; // of an entry itself

/** What is known of the last answer of a path before it is worth keeping: most never come again. */
interface Seen {
  bytes: number;
  etag: string | string[] | undefined;
  /** Its checksum; undefined until a second answer has had as many bytes and the same `ETag`. */
  sum: number | undefined;
}

interface Kept {
  readonly body: Uint8Array;
  readonly type: string | string[] | undefined;
  readonly decoded: DecodedResponse;
}

export class DecodeCache {
  readonly #entries: LRUCache<string, Seen | Kept>;

  constructor(maxBytes = MAX_BYTES) {
    this.#entries = new LRUCache<string, Seen | Kept>({
      maxSize: maxBytes,
      maxEntrySize: maxBytes * LARGEST_PART,
      sizeCalculation: (entry, path) =>
        ENTRY_BYTES + path.length + ('decoded' in entry ? bytesOf(entry) : 0),
    });
  }

  /**
   * As `decode`, errors too. What is kept is frozen, since several callers get it.
   */
  decode(call: Pick<Call, 'route' | 'path'>, answer: RestResponse): DecodedResponse {
    if (!isRead(call)) return decode(call, answer);
    const entry = this.#entries.get(call.path);
    const kept = entry && 'decoded' in entry ? entry : undefined;
    if (kept && isSame(kept, answer)) return kept.decoded;
    const decoded = decode(call, answer);
    const { body, headers } = answer;
    // Not with errors in place of fields: they name the exchange they came from.
    if (!decoded.sound || /\bno-store\b/i.test(headers['cache-control'] ?? '')) return decoded;
    const { etag } = headers;
    if (!entry || 'decoded' in entry) {
      this.#entries.set(call.path, { bytes: body.length, etag, sum: kept && crc32(body) });
    } else if (entry.bytes !== body.length || entry.etag !== etag) {
      entry.bytes = body.length;
      entry.etag = etag;
      entry.sum = undefined;
    } else {
      const sum = crc32(body);
      if (entry.sum === sum) this.#keep(call.path, answer, decoded);
      else entry.sum = sum;
    }
    return decoded;
  }

  #keep(path: string, { body, headers }: RestResponse, decoded: DecodedResponse): void {
    freeze(decoded.value as object);
    // A copy, because the body may be a part of a larger buffer.
    const kept = { body: new Uint8Array(body), type: headers['content-type'], decoded };
    this.#entries.set(path, kept);
  }
}

const isSame = ({ body, type, decoded }: Kept, answer: RestResponse): boolean =>
  answer.body.equals(body) &&
  decoded.status === answer.status &&
  type === answer.headers['content-type'];

/** Memory of the parts of a value in V8, in bytes, at most: `{}` is 3 bytes of text and 64 of memory. */
const BYTES = { object: 64, property: 168, array: 48, item: 8, text: 40, character: 2, number: 16 };

/** Memory that a decoded answer and its bytes take, at most. */
export function bytesOf({ body, decoded }: Pick<Kept, 'body' | 'decoded'>): number {
  let bytes = body.length;
  const values = [decoded.value]; // grows: an answer may nest deeper than the stack
  for (const value of values) {
    if (typeof value === 'string') bytes += BYTES.text + BYTES.character * value.length;
    else if (typeof value === 'number') bytes += BYTES.number;
    else if (typeof value === 'object' && value !== null) {
      const isArray = Array.isArray(value);
      bytes += isArray ? BYTES.array + BYTES.item * value.length : BYTES.object;
      for (const [name, inner] of Object.entries(value)) {
        if (!isArray) bytes += BYTES.property + BYTES.character * name.length;
        values.push(inner);
      }
    }
  }
  return bytes;
}
