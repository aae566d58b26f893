/**
 * Framing of events and parts: of one result by its media type, and of the pieces of several.
 *
 * The boundary of `multipart/mixed` follows each part at once, because only then do readers know that the part has ended.
 * Source: https://github.com/enisdenjo/graphql-sse/blob/master/PROTOCOL.md
 */
import type { OperationResponse } from './response.ts';

/** Tells proxies and clients that a stream of events is open, before there is one. */
export const OPENING = ':\n\n';

export const COMPLETE = 'event: complete\ndata:\n\n';

export const eventOf = (json: string): string => `event: next\ndata: ${json}\n\n`;

const PART_HEAD = '\r\ncontent-type: application/json; charset=utf-8\r\n\r\n';
const BOUNDARY = '\r\n---';

/** Text before the first part. */
export const PREAMBLE = BOUNDARY;

/** Ends the boundary of the last part. */
export const PARTS_END = '--\r\n';

export const partOf = (json: string): string => `${PART_HEAD}${json}${BOUNDARY}`;

/** One result in the frame of its media type. */
export const framed = ({ text, mediaType }: OperationResponse): string =>
  mediaType === 'text/event-stream'
    ? OPENING + eventOf(text) + COMPLETE
    : mediaType === 'multipart/mixed'
      ? PREAMBLE + partOf(text) + PARTS_END
      : text;
