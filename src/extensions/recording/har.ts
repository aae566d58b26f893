/**
 * A recording as HAR 1.2, the format of browsers' developer tools: what one exchange with the backend is written as.
 *
 * What HAR has no place for is in `_gateway`, as the format allows: whose key it was, how the exchange ended.
 * Source: http://www.softwareishard.com/blog/har-12-spec/
 */
import { z } from 'zod';
import { ROUTE_SETS } from '../../v0/routes.ts';

/** Version of the `_gateway` fields; recordings of other versions are refused. */
export const FORM = 1;

/** Stands for the backend's address, which is not recorded. */
export const ORIGIN = 'http://backend';

const header = z.object({ name: z.string(), value: z.string() });

const fault = z.object({
  /** Empty where the error has none. */
  code: z.string(),
  isOfParser: z.boolean(),
  /** Whether the connection was closed before the answer was whole. */
  isEarlyEnd: z.boolean(),
  /** Whether the connection had answered before. */
  wasReused: z.boolean(),
});

const entry = z.object({
  startedDateTime: z.string(),
  /** Milliseconds from the sending to the end. */
  time: z.number().nonnegative(),
  request: z.object({
    method: z.string(),
    url: z.string().startsWith(`${ORIGIN}/`),
    postData: z.object({ mimeType: z.string(), text: z.string() }).optional(),
  }),
  response: z.object({
    /** 0 where no answer began. */
    status: z.number().int(),
    headers: z.array(header),
    content: z.object({
      mimeType: z.string(),
      text: z.string().optional(),
      encoding: z.literal('base64').optional(),
    }),
  }),
  timings: z.object({
    /** Milliseconds to the head of the answer. */
    wait: z.number().nonnegative(),
    receive: z.number().nonnegative(),
  }),
  _gateway: z.object({
    /** Position in the order of sending, from 0; entries are in the order in which exchanges ended. */
    number: z.number().int().nonnegative(),
    /** Alias of the caller's key: K1 for the first key of the recording. */
    key: z.string().regex(/^K[1-9]\d*$/),
    /** Whether a connection was found. */
    isConnected: z.boolean(),
    /** `silent`: nothing more came until the gateway gave up. `failed`: with `fault`. */
    end: z.enum(['whole', 'silent', 'failed']),
    /** Whether a timeout ended it, and not its callers. */
    isTimeout: z.boolean().optional(),
    fault: fault.optional(),
  }),
});

export const recording = z.object({
  log: z.object({
    version: z.literal('1.2'),
    _gateway: z.object({
      form: z.literal(FORM),
      /** `UPSTREAM_ROUTES` as it was. */
      routeSet: z.enum(['auto', ...ROUTE_SETS]),
    }),
    entries: z.array(entry),
  }),
});

export type RecordedExchange = z.infer<typeof entry>;

/** A body as text where it is text, so that a reader can read it. */
export function contentOf(body: Buffer, mimeType: string) {
  const text = body.toString('utf8');
  const size = body.length;
  if (Buffer.from(text, 'utf8').equals(body)) return { size, mimeType, text };
  return { size, mimeType, text: body.toString('base64'), encoding: 'base64' as const };
}

export const bodyOf = ({
  text = '',
  encoding = 'utf8',
}: {
  readonly text?: string | undefined;
  readonly encoding?: BufferEncoding | undefined;
}): Buffer => Buffer.from(text, encoding);
