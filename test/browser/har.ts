/**
 * The shape of a HAR file. Source: the HTTP Archive format, version 1.2, "HAR Data Structure".
 */
import { z } from 'zod';

const ISO_8601 = z.iso.datetime({ offset: true });
const SIZE = z.number().int().min(-1);
const TIME = z.number().min(-1);
const PAIRS = z.array(z.strictObject({ name: z.string(), value: z.string() }));

const REQUEST = z.strictObject({
  method: z.string(),
  url: z.url(),
  httpVersion: z.string(),
  cookies: z.array(z.never()),
  headers: PAIRS,
  queryString: PAIRS,
  postData: z.strictObject({ mimeType: z.string(), text: z.string() }).optional(),
  headersSize: SIZE,
  bodySize: SIZE,
});

const RESPONSE = z.strictObject({
  status: z.number().int(),
  statusText: z.string(),
  httpVersion: z.string(),
  cookies: z.array(z.never()),
  headers: PAIRS,
  content: z.strictObject({
    size: z.number().int().min(0),
    mimeType: z.string(),
    text: z.string().optional(),
  }),
  redirectURL: z.string(),
  headersSize: SIZE,
  bodySize: SIZE,
});

const ENTRY = z.strictObject({
  pageref: z.string(),
  startedDateTime: ISO_8601,
  time: z.number().min(0),
  request: REQUEST,
  response: RESPONSE,
  cache: z.strictObject({}),
  timings: z.strictObject({
    send: z.number().min(0),
    wait: z.number().min(0),
    receive: z.number().min(0),
  }),
  comment: z.string().optional(),
});

export const HAR = z.strictObject({
  log: z.strictObject({
    version: z.literal('1.2'),
    creator: z.strictObject({ name: z.string(), version: z.string() }),
    pages: z.array(
      z.strictObject({
        startedDateTime: ISO_8601,
        id: z.string(),
        title: z.string(),
        pageTimings: z.strictObject({ onContentLoad: TIME, onLoad: TIME }),
      }),
    ),
    entries: z.array(ENTRY),
  }),
});
