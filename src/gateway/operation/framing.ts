/**
 * Framing of event streams (`text/event-stream`) and incremental responses (`multipart/mixed`).
 *
 * The boundary is sent directly after each part, since it marks the end of the part. Source:
 * https://github.com/enisdenjo/graphql-sse/blob/master/PROTOCOL.md
 */
import type { IncrementalFormat, MediaType } from './negotiation.ts';

/** Comment that opens a stream of events before the first event. */
export const OPENING = ':\n\n';

export const COMPLETE = 'event: complete\ndata:\n\n';

export const eventOf = (json: string): string => `event: next\ndata: ${json}\n\n`;

/** Without `charset`, for which older versions of Apollo iOS reject a part. */
const PART_HEAD = '\r\ncontent-type: application/json\r\n\r\n';

/** Apollo Router's. Older clients also split parts at `---`, the boundary of the RFC's examples, within a string. */
export const BOUNDARY = 'graphql';

const DELIMITER = `\r\n--${BOUNDARY}`;

/** Sent before the first part. */
const PREAMBLE = DELIMITER;

/** Suffix of the last boundary. */
const PARTS_END = '--\r\n';

const partOf = (json: string): string => `${PART_HEAD}${json}${DELIMITER}`;

/** Frames a single result for its media type. */
export const frame = ({
  text,
  mediaType,
}: {
  readonly text: string;
  readonly mediaType: MediaType;
}): string =>
  mediaType === 'text/event-stream'
    ? OPENING + eventOf(text) + COMPLETE
    : mediaType === 'multipart/mixed'
      ? PREAMBLE + partOf(text) + PARTS_END
      : text;

/** An incremental response. */
export interface ResponseParts {
  readonly format: IncrementalFormat;
  /** First part in JSON. */
  readonly first: string;
  /** Returns the next part in JSON; undefined after the last one or a cancellation. */
  next(): Promise<{ readonly text: string; readonly isLast: boolean } | undefined>;
  /** Cancels the remaining work. */
  cancel(): void;
}

/** Members of each part after the first. Apollo iOS ends a request at a part without `incremental`. */
export const OF_LATER_PARTS: Readonly<Record<IncrementalFormat, object>> = {
  'incrementalSpec=v0.2': {},
  'deferSpec=20220824': { incremental: [] },
};

/** Interval of empty parts, in milliseconds: proxies close idle connections. */
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
