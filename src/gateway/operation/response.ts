/**
 * Converts a result to a response: status, headers, and JSON or the frames of a stream.
 *
 * Source: GraphQL over HTTP, "Response"; https://github.com/enisdenjo/graphql-sse/blob/master/PROTOCOL.md
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { GraphQLError, type ExecutionResult } from 'graphql';
import type { IncrementalFormat, MediaType } from './negotiation.ts';
import type { HttpExtension } from './client-error.ts';
import { MASKED } from './error-translation.ts';
import type { EndCause, ResultStream } from './result-stream.ts';

/** Comment that opens a stream of events before the first event. */
export const OPENING = ':\n\n';

const COMPLETE = 'event: complete\ndata:\n\n';

const eventOf = (json: string): string => `event: next\ndata: ${json}\n\n`;

/** Without `charset`, for which older versions of Apollo iOS reject a part. */
const PART_HEAD = '\r\ncontent-type: application/json\r\n\r\n';

/** Apollo Router's. Older clients also split parts at `---`, the boundary of the RFC's examples, within a string. */
const BOUNDARY = 'graphql';

const DELIMITER = `\r\n--${BOUNDARY}`;

export const PREAMBLE = DELIMITER;

export const PARTS_END = '--\r\n';

export const partOf = (json: string): string => `${PART_HEAD}${json}${DELIMITER}`;

/** Members of each part after the first. Apollo iOS ends a request at a part without `incremental`. */
export const OF_LATER_PARTS: Readonly<Record<IncrementalFormat, object>> = {
  'incrementalSpec=v0.2': {},
  'deferSpec=20220824': { incremental: [] },
};

/** A response: a whole one, or a stream of parts or events. */
export interface OperationResponse {
  /** HTTP status; 304 has no body. */
  status: number;
  /** Name, value, name, value. */
  headers: string[];
  /** JSON; empty for a stream. */
  text: string;
  readonly mediaType: MediaType;
  /** The compressed text; undefined if it is not compressed. */
  bytes?: Buffer;
  /** Several results, instead of `text`. */
  readonly stream?: ResponseStream;
  /** Entity tag without quotes; undefined without one. */
  tag?: string;
}

/** A body of several results: the parts of one, or the events of a subscription. */
export interface ResponseStream {
  /** Pieces of the body. */
  readonly frames: AsyncGenerator<string, void>;
  /** Whether it ends only with its reader, and waits for it. */
  readonly isOfEvents: boolean;
  /** Ends it early. Idempotent. */
  readonly cancel: (cause?: EndCause) => void;
}

/** Formats a result for JSON, without `extensions.http`. Undefined members are omitted by JSON. */
export const formatResult = ({ errors, data, extensions }: ExecutionResult): object => ({
  errors: errors && errors.length > 0 ? errors.map(formatError) : undefined,
  data,
  extensions: extensions && 'http' in extensions ? withoutHttp(extensions) : extensions,
});

function withoutHttp(
  extensions: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> | undefined {
  const { http: _http, ...others } = extensions;
  return Object.keys(others).length > 0 ? others : undefined;
}

export function formatError(error: unknown): object {
  // Plugins may throw any value.
  if (!(error instanceof GraphQLError)) return { message: MASKED };
  if (!('http' in error.extensions)) return error.toJSON();
  const { http: _http, ...extensions } = error.extensions;
  return { ...error.toJSON(), extensions };
}

/** @param mediaType what the caller accepts; client errors with an error status are always JSON. */
export function responseOf(result: ExecutionResult, mediaType: MediaType): OperationResponse {
  const headers: string[] = [];
  const add = (http: Partial<HttpExtension> | undefined): void => {
    for (const [name, value] of Object.entries(http?.headers ?? {})) headers.push(name, value);
  };
  for (const { extensions } of result.errors ?? []) {
    add(httpOf(extensions, result.data === undefined));
  }
  // Set by plugins only.
  add(result.extensions?.['http'] as Partial<HttpExtension> | undefined);
  const status = statusOf(result, mediaType);
  const sent = status < 400 || isJson(mediaType) ? mediaType : 'application/json';
  headers.unshift(...HEADERS[sent]);
  return { status, headers, text: JSON.stringify(formatResult(result)), mediaType: sent };
}

/**
 * Returns the HTTP status of a result.
 *
 * @param mediaType what the caller accepts. @default one with a status for each client error
 */
export function statusOf(
  { errors = [], data }: ExecutionResult,
  mediaType: MediaType = 'application/graphql-response+json',
): number {
  let status = 200;
  for (const { extensions } of errors) {
    const http = httpOf(extensions, data === undefined);
    if (http && !isOk(http, mediaType)) status = Math.max(status, http.status);
  }
  return status;
}

/** Whether a client error has status 200 for a media type. */
function isOk({ status, spec = false }: HttpExtension, type: MediaType): boolean {
  if (type === 'application/json') return spec;
  // Clients of event streams ignore the body of other statuses and retry, even mutations.
  return type === 'text/event-stream' && status !== 429 && status !== 503;
}

function httpOf(
  extensions: Readonly<Record<string, unknown>>,
  hasNoData: boolean,
): HttpExtension | undefined {
  const http = extensions['http'] as HttpExtension | undefined;
  if (http || !hasNoData) return http;
  return extensions['code'] === 'INTERNAL_SERVER_ERROR'
    ? { status: 500 }
    : { status: 400, spec: true };
}

/** Headers of streams: keep caches from compressing or storing, and nginx from buffering. */
const UNBUFFERED = ['x-accel-buffering', 'no', 'cache-control', 'no-store, no-transform'];

const HEADERS: Readonly<Record<MediaType, readonly string[]>> = {
  'application/json': ['content-type', 'application/json; charset=utf-8'],
  'application/graphql-response+json': [
    'content-type',
    'application/graphql-response+json; charset=utf-8',
  ],
  'text/event-stream': ['content-type', 'text/event-stream; charset=utf-8', ...UNBUFFERED],
  'multipart/mixed': ['content-type', `multipart/mixed; boundary="${BOUNDARY}"`, ...UNBUFFERED],
};

/** Whether a response is a single one, which may be compressed and have a validator. */
export const isJson = (mediaType: MediaType): boolean => mediaType.endsWith('json');

/** @param parameter of the media type. */
export const responseInParts = (stream: ResponseStream, parameter: string): OperationResponse => ({
  status: 200,
  headers: ['content-type', `multipart/mixed; boundary="${BOUNDARY}"; ${parameter}`, ...UNBUFFERED],
  text: '',
  mediaType: 'multipart/mixed',
  stream,
});

/** @param results those of the stream, possibly wrapped by plugins. */
export const responseInEvents = (
  results: AsyncIterable<ExecutionResult>,
  stream: ResultStream,
): OperationResponse => ({
  status: 200,
  headers: [...HEADERS['text/event-stream']],
  text: '',
  mediaType: 'text/event-stream',
  stream: {
    frames: framesOf(results, stream),
    isOfEvents: true,
    cancel: (cause = 'left') => stream.close(cause),
  },
});

/**
 * Pause before a stream ends without `complete`, in milliseconds. The client of graphql-sse hangs if the last event and
 * the end arrive together.
 */
const PAUSE_MS = 100;

/** When the process stops, the stream ends without `complete`, which makes its client reconnect. */
async function* framesOf(
  results: AsyncIterable<ExecutionResult>,
  stream: ResultStream,
): AsyncGenerator<string, void> {
  for await (const result of results) yield eventOf(JSON.stringify(formatResult(result)));
  if (stream.cause === 'complete') yield COMPLETE;
  else await sleep(PAUSE_MS);
}

const frame = ({ text, mediaType }: OperationResponse): string =>
  mediaType === 'text/event-stream'
    ? OPENING + eventOf(text) + COMPLETE
    : mediaType === 'multipart/mixed'
      ? PREAMBLE + partOf(text) + PARTS_END
      : text;

/** Completes a response after all policies, and counts the bytes of a whole one. */
export function finish(
  response: OperationResponse,
  operation: { readonly requestId: string; bytes: number | undefined },
): OperationResponse {
  response.headers = withOneVary(response.headers);
  if (response.status === 304) response.text = '';
  if (response.tag !== undefined) response.headers.push('etag', `"${response.tag}"`);
  response.headers.push('x-request-id', operation.requestId);
  if (!response.stream) {
    response.text = frame(response);
    operation.bytes = response.bytes?.length ?? Buffer.byteLength(response.text);
  }
  return response;
}

/** Converts a list of headers to pairs for the Fetch API. */
export const pairsOf = (headers: readonly string[]): [string, string][] =>
  Array.from({ length: headers.length / 2 }, (_, i) => [headers[2 * i]!, headers[2 * i + 1]!]);

/** Merges the `Vary` headers of several policies. */
function withOneVary(headers: readonly string[]): string[] {
  const others: string[] = [];
  const vary: string[] = [];
  for (let i = 0; i < headers.length; i += 2) {
    if (headers[i] === 'vary') vary.push(headers[i + 1]!);
    else others.push(headers[i]!, headers[i + 1]!);
  }
  return vary.length > 0 ? [...others, 'vary', vary.join(', ')] : others;
}

/**
 * Converts a response to one of the Fetch API, for callers of `fetch` and for HTTP hooks of plugins. Streams are not read
 * in advance, since the HTTP server writes events and parts itself.
 *
 * @param ResponseClass class of the server's other responses.
 */
export function fetchResponseOf(
  { status, headers, text, bytes, stream }: OperationResponse,
  ResponseClass: typeof Response,
): Response {
  const init = { status, headers: pairsOf(headers) };
  if (stream) return new ResponseClass(bodyOf(stream), init);
  const hasBody = status !== 204 && status !== 304;
  return new ResponseClass(hasBody ? (bytes ? new Uint8Array(bytes) : text) : null, init);
}

function bodyOf({ frames, cancel }: ResponseStream): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream(
    {
      pull: async (controller) => {
        const next = await frames.next();
        if (next.done) controller.close();
        else controller.enqueue(encoder.encode(next.value));
      },
      // Not `return` of the frames, which has no effect while one is awaited.
      cancel: () => cancel(),
    },
    { highWaterMark: 0 },
  );
}
