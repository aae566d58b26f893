/**
 * Compressed answers, made off the event loop.
 *
 * Yoga's plugin compresses streams of the Fetch API, and holds back what streams are there for.
 */
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { GatewayPlugin } from '../../operation/gateway-plugin.ts';
import type { Caller } from '../../operation/request/caller.ts';
import type { Answer } from '../../operation/result/answer.ts';
import { negotiateCoding, type Coding } from '../../operation/result/negotiation.ts';

/** Below this many characters a coding saves less than its headers and its turn take. */
const MIN_CODED_LENGTH = 1_024;

/** Measured on nested answers: higher ones save a tenth of the bytes and cost several times as much. */
const BROTLI_QUALITY = 4;
const GZIP_LEVEL = 5;

/** Answers that may wait for libuv's four threads at once: the rest goes out as it is. */
const MAX_UNDER_WAY = 32;

/** The coding of an answer; undefined for one that goes out as it is. */
export const codingOf = ({ text }: Answer, { acceptEncoding }: Caller): Coding | undefined =>
  text.length < MIN_CODED_LENGTH ? undefined : negotiateCoding(acceptEncoding);

export const useCompression = (): GatewayPlugin => ({
  onAnswer(answer, { caller }) {
    const { status, text, parts } = answer;
    const coding = status === 304 || parts ? undefined : codingOf(answer, caller);
    if (!coding) return undefined;
    if (caller.method !== 'GET') answer.headers.push('vary', 'accept-encoding');
    return encode(text, coding)?.then((bytes) => {
      answer.bytes = bytes;
      answer.headers.push('content-encoding', coding);
      // A strong tag: the same bytes only in the same coding.
      if (answer.tag !== undefined) answer.tag += `-${coding}`;
    });
  },
});

let underWay = 0;

/** The text in a coding; undefined where too many others are waiting. */
function encode(text: string, coding: Coding): Promise<Buffer> | undefined {
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
