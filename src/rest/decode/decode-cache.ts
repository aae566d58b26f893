/**
 * The decode cache: a response with the same bytes as the previous one of its path is not decoded again.
 *
 * Saves parsing and checking, not calls, so values are never stale. Entries are by path for all keys and forwarded
 * headers, which leaks nothing: a cached value is used only for a response with the same bytes.
 */
import { crc32 } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import type { Route } from '../../v0/routes.ts';
import { isRead, type Call, type DecodedResponse, type RestResponse } from '../call/call.ts';
import { decode } from './decode.ts';

/** Maximum memory of all entries, in bytes. */
export const MAX_BYTES = 16 * 1024 * 1024;
const LARGEST_PART = 1 / 8; // maximum share of an entry
const ENTRY_BYTES = 256; // overhead of an entry

/**
 * Misses of a route after which only a sample of its reads is cached, the last `SAMPLE` of every `READS`. A hit, which saves
 * more than a miss costs, cancels `MISSES_PER_HIT` of them.
 */
export const MAX_MISSES = 1_000;
export const READS = 1_024;
const SAMPLE = 64;
const MISSES_PER_HIT = 8;

/** The latest response of a path that is not cached yet: most never come again. */
interface SeenResponse {
  bytes: number;
  etag: string | string[] | undefined;
  /** Checksum; undefined until a second response has the same size and `ETag`. */
  sum: number | undefined;
}

interface RouteUse {
  /** Less hits. */
  misses: number;
  /** Since it had too many misses. */
  reads: number;
}

interface CachedDecode {
  readonly body: Uint8Array;
  readonly type: string | string[] | undefined;
  readonly decoded: DecodedResponse;
}

export class DecodeCache {
  readonly #entries: LRUCache<string, SeenResponse | CachedDecode>;
  readonly #routes = new Map<Route, RouteUse>();

  constructor(maxBytes = MAX_BYTES) {
    this.#entries = new LRUCache<string, SeenResponse | CachedDecode>({
      maxSize: maxBytes,
      maxEntrySize: maxBytes * LARGEST_PART,
      sizeCalculation: (entry, path) =>
        ENTRY_BYTES + path.length + ('decoded' in entry ? bytesOf(entry) : 0),
    });
  }

  /** Like `decode`, with the same errors. Values from the cache are frozen, since callers share them. */
  decode(call: Pick<Call, 'route' | 'path'>, response: RestResponse): DecodedResponse {
    if (!isRead(call)) return decode(call, response);
    let use = this.#routes.get(call.route);
    if (!use) this.#routes.set(call.route, (use = { misses: 0, reads: 0 }));
    if (use.misses >= MAX_MISSES) {
      use.reads = (use.reads + 1) % READS;
      if (use.reads < READS - SAMPLE) return decode(call, response);
    }
    const entry = this.#entries.get(call.path);
    const cached = entry && 'decoded' in entry ? entry : undefined;
    if (cached && isSame(cached, response)) {
      use.misses = Math.max(0, use.misses - MISSES_PER_HIT);
      freeze(cached.decoded.value as object);
      return cached.decoded;
    }
    use.misses = Math.min(MAX_MISSES, use.misses + 1);
    const decoded = decode(call, response);
    const { body, headers } = response;
    // Values with errors are not cached: errors contain the request id.
    if (decoded.wrong.size > 0 || /\bno-store\b/i.test(headers['cache-control'] ?? ''))
      return decoded;
    const { etag } = headers;
    if (!entry || 'decoded' in entry) {
      this.#entries.set(call.path, { bytes: body.length, etag, sum: cached && crc32(body) });
    } else if (entry.bytes !== body.length || entry.etag !== etag) {
      entry.bytes = body.length;
      entry.etag = etag;
      entry.sum = undefined;
    } else {
      const sum = crc32(body);
      if (entry.sum !== sum) entry.sum = sum;
      else {
        // Copied, since the body may be part of a larger buffer.
        const copy = new Uint8Array(body);
        this.#entries.set(call.path, { body: copy, type: headers['content-type'], decoded });
      }
    }
    return decoded;
  }
}

const isSame = ({ body, type, decoded }: CachedDecode, response: RestResponse): boolean =>
  response.body.equals(body) &&
  decoded.status === response.status &&
  String(type) === String(response.headers['content-type']);

/** Freezes a value deeply. Iterative, since recursion could overflow the stack. */
export function freeze(root: object): void {
  const open: object[] = [root];
  for (let value = open.pop(); value; value = open.pop()) {
    if (value instanceof Error || Object.isFrozen(value)) continue;
    Object.freeze(value);
    for (const inner of Object.values(value)) {
      if (typeof inner === 'object' && inner !== null) open.push(inner as object);
    }
  }
}

/** Upper bounds of memory in V8, in bytes: `{}` is 2 bytes of text and 64 of memory. */
const BYTES = { object: 64, property: 168, array: 48, item: 8, text: 40, character: 2, number: 16 };

/** Upper bound of the memory of a decoded response and its bytes. */
export function bytesOf({ body, decoded }: Pick<CachedDecode, 'body' | 'decoded'>): number {
  let bytes = body.length;
  const values: unknown[] = [decoded.value]; // a stack: recursion could overflow
  for (const value of values) {
    if (typeof value === 'string') bytes += BYTES.text + BYTES.character * value.length;
    else if (typeof value === 'number') bytes += BYTES.number;
    else if (Array.isArray(value)) {
      bytes += BYTES.array + BYTES.item * value.length;
      for (const item of value) values.push(item);
    } else if (typeof value === 'object' && value !== null) {
      bytes += BYTES.object;
      for (const name of Object.keys(value)) {
        bytes += BYTES.property + BYTES.character * name.length;
        values.push((value as Readonly<Record<string, unknown>>)[name]);
      }
    }
  }
  return bytes;
}
