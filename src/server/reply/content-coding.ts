/**
 * Compressed answers: the bytes of a text in a coding, made off the event loop.
 */
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Coding } from './negotiation.ts';

/** Below this many characters a coding saves less than its headers and its turn take. */
export const MIN_CODED_LENGTH = 1_024;

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
