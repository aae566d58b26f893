/**
 * `multipart/mixed`: a response in parts, each readable as soon as it has arrived.
 *
 * The boundary follows each part at once, because only then do readers know that the part has
 * ended. Empty parts are sent while nothing else is, since proxies close silent connections.
 */
import { PARTS_END, partOf, PREAMBLE } from '../operation/framing.ts';
import type { ResponseParts } from '../operation/response.ts';

/** The time between empty parts, in milliseconds. */
const HEARTBEAT_MS = 5_000;

const HEARTBEAT = partOf('{"hasNext":true}');

/** The body, in pieces to be written one by one. Ends early once the parts are cancelled. */
export async function* multipart(
  parts: ResponseParts,
  heartbeatMs = HEARTBEAT_MS,
): AsyncGenerator<string, void> {
  yield PREAMBLE + partOf(parts.first);
  for (;;) {
    const coming = parts.next();
    while (await isLate(coming, heartbeatMs)) yield HEARTBEAT;
    const part = await coming;
    if (!part) {
      yield PARTS_END;
      return;
    }
    yield partOf(part.text) + (part.isLast ? PARTS_END : '');
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
