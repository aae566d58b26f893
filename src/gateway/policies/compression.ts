/**
 * Compresses responses off the event loop.
 *
 * Yoga's plugin also compresses streams, which delays their events.
 */
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Operation } from '../operation/operation.ts';
import { isJson, type OperationResponse } from '../operation/response.ts';
import { negotiateCoding, type Coding } from '../operation/negotiation.ts';
import type { Policy } from '../policy.ts';

const toBrotli = promisify(brotliCompress);
const toGzip = promisify(gzip);

/** Minimum length of compressed responses, in characters; shorter ones gain nothing. */
const MIN_CODED_LENGTH = 1_024;

/** Measured on nested responses: higher levels save a tenth of the bytes at several times the cost. */
const BROTLI_QUALITY = 4;
const GZIP_LEVEL = 5;

/** Maximum number of concurrent compressions on libuv's four threads; further responses are not compressed. */
const MAX_UNDER_WAY = 32;

/** Returns the coding of a response; undefined for plain text. */
export const codingOf = (
  { text, mediaType }: OperationResponse,
  operation: Operation,
): Coding | undefined =>
  text.length < MIN_CODED_LENGTH || !isJson(mediaType)
    ? undefined
    : negotiateCoding(operation.header('accept-encoding'));

export const compression = (): Policy => ({
  onAnswer(operation, response) {
    const coding = response.status === 304 ? undefined : codingOf(response, operation);
    if (!coding) return undefined;
    if (operation.method !== 'GET') response.headers.push('vary', 'accept-encoding');
    return underWay < MAX_UNDER_WAY ? encode(response, coding) : undefined;
  },
});

let underWay = 0;

async function encode(response: OperationResponse, coding: Coding): Promise<void> {
  const bytes = Buffer.from(response.text);
  underWay += 1;
  try {
    response.bytes =
      coding === 'gzip'
        ? await toGzip(bytes, { level: GZIP_LEVEL })
        : await toBrotli(bytes, { params: brotliParams(bytes.length) });
  } finally {
    underWay -= 1;
  }
  response.headers.push('content-encoding', coding);
  // A strong tag identifies bytes, so it includes the coding.
  if (response.tag !== undefined) response.tag += `-${coding}`;
}

/** Limits the window to the size of the text: the default takes several megabytes. */
const brotliParams = (size: number) => ({
  [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
  [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
  [constants.BROTLI_PARAM_SIZE_HINT]: size,
  [constants.BROTLI_PARAM_LGWIN]: Math.min(22, Math.max(16, Math.ceil(Math.log2(size)))),
});
