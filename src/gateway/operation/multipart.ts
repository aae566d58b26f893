/**
 * `multipart/mixed`: a response in parts.
 *
 * The boundary is sent directly after each part, since it marks the end of the part. Empty parts are sent as
 * heartbeats, since proxies close idle connections.
 */
import { PARTS_END, partOf, PREAMBLE } from './framing.ts';
import { OF_LATER_PARTS, type ResponseParts } from './response.ts';

/** Interval of heartbeats, in milliseconds. */
const HEARTBEAT_MS = 5_000;

/** Yields the frames of the body. Ends early if the parts are cancelled. */
export async function* multipart(
  parts: ResponseParts,
  heartbeatMs = HEARTBEAT_MS,
): AsyncGenerator<string, void> {
  const heartbeat = partOf(JSON.stringify({ ...OF_LATER_PARTS[parts.format], hasNext: true }));
  yield PREAMBLE + partOf(parts.first);
  for (;;) {
    const coming = parts.next();
    while (await isLate(coming, heartbeatMs)) yield heartbeat;
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
