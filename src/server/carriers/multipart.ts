/**
 * `multipart/mixed`: an answer in parts, each readable as soon as it has arrived.
 *
 * The boundary follows each part at once, because only then do readers know that the part has
 * ended. Empty parts are sent while nothing else is, since proxies close silent connections.
 */
import type { AnswerParts } from '../../operation/result/answer.ts';

/** The time between empty parts, in milliseconds. */
const HEARTBEAT_MS = 5_000;

const HEAD = '\r\ncontent-type: application/json; charset=utf-8\r\n\r\n';
const HEARTBEAT = `${HEAD}{"hasNext":true}\r\n---`;
const END = '--\r\n';

/** A body of one answer in JSON. */
export const multipartOfOne = (json: string): string => `\r\n---${HEAD}${json}\r\n---${END}`;

/** The body, in pieces to be written one by one. Ends early once the parts are cancelled. */
export async function* multipart(
  parts: AnswerParts,
  heartbeatMs = HEARTBEAT_MS,
): AsyncGenerator<string, void> {
  yield `\r\n---${HEAD}${parts.first}\r\n---`;
  for (;;) {
    const coming = parts.next();
    while (await isLate(coming, heartbeatMs)) yield HEARTBEAT;
    const part = await coming;
    if (!part) {
      yield END;
      return;
    }
    yield `${HEAD}${part.text}\r\n---${part.isLast ? END : ''}`;
    if (part.isLast) return;
  }
}

function isLate(coming: Promise<unknown>, ms: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(true), ms);
    coming.then(
      () => {
        clearTimeout(timer);
        resolve(false);
      },
      (error: Error) => {
        clearTimeout(timer);
        reject(error);
      },
    );
  });
}
