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

export const PREAMBLE = DELIMITER;

export const PARTS_END = '--\r\n';

export const partOf = (json: string): string => `${PART_HEAD}${json}${DELIMITER}`;

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

/** Members of each part after the first. Apollo iOS ends a request at a part without `incremental`. */
export const OF_LATER_PARTS: Readonly<Record<IncrementalFormat, object>> = {
  'incrementalSpec=v0.2': {},
  'deferSpec=20220824': { incremental: [] },
};
