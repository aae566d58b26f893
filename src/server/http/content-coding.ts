/**
 * Compressed answers: which coding a caller gets, and the bytes, made off the event loop.
 */
import { brotliCompress, constants, gzip } from 'node:zlib';
import { LRUCache } from 'lru-cache';

export type Coding = 'br' | 'gzip';

/** Below this many characters a coding saves less than its headers and its turn take. */
export const MIN_CODED_LENGTH = 1_024;

/** `Accept-Encoding` headers whose coding is kept, and the longest that is. */
const MAX_KEPT = 100;
const MAX_KEPT_LENGTH = 256;

const negotiated = new LRUCache<string, Coding | 'identity'>({ max: MAX_KEPT });

/**
 * The coding of an answer to a caller; undefined for the bytes as they are.
 *
 * Source: RFC 9110, "Accept-Encoding". A caller who refuses every coding of ours gets plain bytes.
 */
export function negotiateCoding(accepted: string | null | undefined): Coding | undefined {
  if (!accepted) return undefined;
  let found = negotiated.get(accepted);
  if (!found) {
    found = bestOf(accepted);
    if (accepted.length <= MAX_KEPT_LENGTH) negotiated.set(accepted, found);
  }
  return found === 'identity' ? undefined : found;
}

function bestOf(accepted: string): Coding | 'identity' {
  const qualities = new Map<string, number>();
  for (const part of accepted.toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim());
    const q = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
    const quality = q === undefined ? 1 : Number(q);
    qualities.set(name === 'x-gzip' ? 'gzip' : name, quality >= 0 && quality <= 1 ? quality : 0);
  }
  const of = (name: string): number => qualities.get(name) ?? qualities.get('*') ?? 0;
  const [br, plain] = [of('br'), of('gzip')];
  // Brotli makes fewer bytes at equal quality; plain bytes only where the caller prefers
  // `identity`.
  const best = Math.max(br, plain);
  if (best === 0 || (qualities.get('identity') ?? 0) > best) return 'identity';
  return br >= plain ? 'br' : 'gzip';
}

/** Measured on nested answers: higher ones save a tenth of the bytes and cost several times as much. */
const BROTLI_QUALITY = 4;
const GZIP_LEVEL = 5;

/** Answers that may wait for libuv's four threads at once: the rest goes out as it is. */
const MAX_UNDER_WAY = 32;

let underWay = 0;

/** The text in a coding; undefined where too many others are waiting. */
export function encode(text: string, coding: Coding): Promise<Buffer> | undefined {
  if (underWay >= MAX_UNDER_WAY) return undefined;
  underWay += 1;
  const bytes = Buffer.from(text);
  return new Promise((resolve, reject) => {
    const done = (error: Error | null, coded: Buffer): void => {
      underWay -= 1;
      if (error) reject(error);
      else resolve(coded);
    };
    if (coding === 'gzip') gzip(bytes, { level: GZIP_LEVEL }, done);
    else brotliCompress(bytes, { params: brotliParams(bytes.length) }, done);
  });
}

/** A window no larger than the text: an encoder's default one takes several megabytes. */
const brotliParams = (size: number) => ({
  [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
  [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
  [constants.BROTLI_PARAM_SIZE_HINT]: size,
  [constants.BROTLI_PARAM_LGWIN]: Math.min(22, Math.max(16, Math.ceil(Math.log2(size)))),
});
