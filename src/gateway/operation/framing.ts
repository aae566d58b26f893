/**
 * Framing of events and parts.
 *
 * The boundary of `multipart/mixed` is sent directly after each part, since it marks the end of the part. Source:
 * https://github.com/enisdenjo/graphql-sse/blob/master/PROTOCOL.md
 */
import type { OperationResponse } from './response.ts';

/** Comment that opens a stream of events before the first event. */
export const OPENING = ':\n\n';

export const COMPLETE = 'event: complete\ndata:\n\n';

export const eventOf = (json: string): string => `event: next\ndata: ${json}\n\n`;

const PART_HEAD = '\r\ncontent-type: application/json; charset=utf-8\r\n\r\n';
const BOUNDARY = '\r\n---';

/** Sent before the first part. */
export const PREAMBLE = BOUNDARY;

/** Suffix of the last boundary. */
export const PARTS_END = '--\r\n';

export const partOf = (json: string): string => `${PART_HEAD}${json}${BOUNDARY}`;

/** Frames a single result for its media type. */
export const framed = ({ text, mediaType }: OperationResponse): string =>
  mediaType === 'text/event-stream'
    ? OPENING + eventOf(text) + COMPLETE
    : mediaType === 'multipart/mixed'
      ? PREAMBLE + partOf(text) + PARTS_END
      : text;
