/** Recordings in HAR 1.2. The custom field `_gateway` contains the alias of the key and the end of the exchange. */
import { errors, type Dispatcher } from 'undici';
import { z } from 'zod';
import {
  codeOf,
  isTruncated,
  markReused,
  wasReused,
} from '../../rest/transport/transport-fault.ts';
import { API_KEY_HEADER } from '../../v0/api-key.ts';
import { ROUTE_SETS } from '../../v0/routes.ts';

/** Version of the `_gateway` fields; recordings of other versions are rejected. */
export const FORM = 1;

/** Placeholder of the backend's address, which is not recorded. */
export const ORIGIN = 'http://backend';

const header = z.object({ name: z.string(), value: z.string() });

const fault = z.object({
  /** Empty without a code. */
  code: z.string(),
  isOfParser: z.boolean(),
  isEarlyEnd: z.boolean(),
  wasReused: z.boolean(),
});

const entry = z.object({
  startedDateTime: z.string(),
  time: z.number().nonnegative(),
  request: z.object({
    method: z.string(),
    url: z.string().startsWith(`${ORIGIN}/`),
    postData: z.object({ mimeType: z.string(), text: z.string() }).optional(),
  }),
  response: z.object({
    /** 0 without a response. */
    status: z.number().int(),
    headers: z.array(header),
    content: z.object({
      mimeType: z.string(),
      text: z.string().optional(),
      encoding: z.literal('base64').optional(),
    }),
  }),
  timings: z.object({
    /** Time to the head of the response, in milliseconds. */
    wait: z.number().nonnegative(),
    receive: z.number().nonnegative(),
  }),
  _gateway: z.object({
    /** Index by start time, from 0; entries are sorted by end time. */
    number: z.number().int().nonnegative(),
    /** Alias of the caller's key: K1 for the first key of the recording. */
    key: z.string().regex(/^K[1-9]\d*$/),
    isConnected: z.boolean(),
    /** `silent`: no further data before the gateway aborted. `failed`: with `fault`. */
    end: z.enum(['whole', 'silent', 'failed']),
    fault: fault.optional(),
  }),
});

export const recording = z.object({
  log: z.object({
    version: z.literal('1.2'),
    _gateway: z.object({ form: z.literal(FORM), routeSet: z.enum(['auto', ...ROUTE_SETS]) }),
    entries: z.array(entry),
  }),
});

export type RecordedExchange = z.infer<typeof entry>;

/** A body as text if it is valid UTF-8, otherwise in base64. */
export function contentOf(body: Buffer, mimeType: string) {
  const text = body.toString('utf8');
  const size = body.length;
  if (Buffer.from(text, 'utf8').equals(body)) return { size, mimeType, text };
  return { size, mimeType, text: body.toString('base64'), encoding: 'base64' as const };
}

export const bodyOf = ({ text, encoding }: RecordedExchange['response']['content']): Buffer =>
  Buffer.from(text ?? '', encoding ?? 'utf8');

type Fault = NonNullable<RecordedExchange['_gateway']['fault']>;

/** A recorded error of undici or the system. */
export const faultOf = (error: Error): Fault => ({
  code: codeOf(error),
  isOfParser: error instanceof errors.HTTPParserError,
  isEarlyEnd: isTruncated(error),
  wasReused: wasReused(error),
});

/** Returns an error that is classified like the recorded one. */
export function errorOf({ code, isOfParser, isEarlyEnd, wasReused }: Fault): Error {
  const message = isEarlyEnd ? 'Recorded: EOF' : 'Recorded';
  const error = isOfParser ? new errors.HTTPParserError(message) : new Error(message);
  if (wasReused) markReused(error);
  return code === '' ? error : Object.assign(error, { code });
}

export function keyOf({ headers }: Dispatcher.DispatchOptions): string {
  const list = headers as readonly string[]; // names and values, as sent by the client of `/v0`
  return list[list.indexOf(API_KEY_HEADER) + 1] ?? '';
}
