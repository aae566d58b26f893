/**
 * A result → a response over HTTP: its status, headers and JSON, in the same way for every transport.
 *
 * Source: GraphQL over HTTP, "Response".
 */
import { GraphQLError, type ExecutionResult } from 'graphql';
import type { IncrementalFormat, MediaType } from './negotiation.ts';
import type { HttpExtension } from './client-error.ts';
import type { ResultStream } from './result-stream.ts';

/** A response as it goes over the wire: a whole one, its first part and what follows, or a stream of events. */
export interface OperationResponse {
  /** 304 sends neither text nor bytes. */
  status: number;
  /** Name, value, name, value. */
  headers: string[];
  /** In JSON; empty for the results of a subscription. */
  text: string;
  readonly mediaType: MediaType;
  /** The text in the coding that the headers name; undefined for UTF-8. */
  bytes?: Buffer;
  /** The parts after the text. */
  readonly parts?: ResponseParts;
  /** The results of a subscription. */
  readonly events?: EventStream;
  /** The entity tag without quotes and coding; undefined where the response has none. */
  tag?: string;
}

/** A response in parts. */
export interface ResponseParts {
  readonly format: IncrementalFormat;
  /** In JSON. */
  readonly first: string;
  /** The next part in JSON; undefined after the last one, or once cancelled. */
  next(): Promise<{ readonly text: string; readonly isLast: boolean } | undefined>;
  /** Cancels what is still under way. */
  cancel(): void;
}

/** The results of a subscription, one an event. */
export interface EventStream {
  /** The stream after plugins. */
  readonly results: AsyncIterable<ExecutionResult>;
  /** The stream before plugins, which can be closed. */
  readonly stream: ResultStream;
}

/** A result to be written in JSON, which leaves out what is undefined: errors without what is for HTTP alone. */
export const formatted = ({ errors, data, extensions }: ExecutionResult): object => ({
  errors: errors && errors.length > 0 ? errors.map(formattedError) : undefined,
  data,
  extensions: extensions && 'http' in extensions ? withoutHttp(extensions) : extensions,
});

/** Undefined where nothing else is there. */
function withoutHttp(
  extensions: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> | undefined {
  const { http: _http, ...others } = extensions;
  return Object.keys(others).length > 0 ? others : undefined;
}

export function formattedError(error: unknown): object {
  // Errors of plugins may be of any kind.
  if (!(error instanceof GraphQLError)) return { message: 'Unexpected error.' };
  if (!('http' in error.extensions)) return error.toJSON();
  const { http: _http, ...extensions } = error.extensions;
  return { ...error.toJSON(), extensions };
}

/** @param mediaType what the caller accepts; a client error with a status of its own is JSON all the same. */
export function responseOf(result: ExecutionResult, mediaType: MediaType): OperationResponse {
  const headers: string[] = [];
  const add = (http: Partial<HttpExtension> | undefined): void => {
    for (const [name, value] of Object.entries(http?.headers ?? {})) headers.push(name, value);
  };
  for (const { extensions } of result.errors ?? []) {
    add(httpOf(extensions, result.data === undefined));
  }
  // Only plugins set them for a result as a whole.
  add(result.extensions?.['http'] as Partial<HttpExtension> | undefined);
  const status = statusOf(result, mediaType);
  const sent = status < 400 || isJson(mediaType) ? mediaType : 'application/json';
  headers.unshift(...HEADERS[sent]);
  return { status, headers, text: JSON.stringify(formatted(result)), mediaType: sent };
}

/**
 * The HTTP status of a result.
 *
 * @param mediaType what the caller accepts. @default one that has a status for each client error
 */
export function statusOf(
  { errors = [], data }: ExecutionResult,
  mediaType: MediaType = 'application/graphql-response+json',
): number {
  let status = 200;
  for (const { extensions } of errors) {
    const http = httpOf(extensions, data === undefined);
    if (http && !isOk(http, extensions['code'], mediaType)) status = Math.max(status, http.status);
  }
  return status;
}

/** Whether a client error of this status is 200 for callers who accept this media type. */
function isOk({ status, spec = false }: HttpExtension, code: unknown, type: MediaType): boolean {
  if (type === 'application/json') return spec;
  if (type !== 'text/event-stream') return false;
  // Clients of event streams read no body of another status, and send the operation again, a write too. So every
  // GraphQL result is an event; what is no GraphQL request has its status, and so have 401, 429 and 503.
  return spec || (SENT_AS_EVENT.has(status) && code !== 'BAD_REQUEST');
}

/** Client errors of GraphQL, and failures on the way: something may have been written. */
const SENT_AS_EVENT = new Set([400, 500, 504]);

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

/** For streams: a cache that compresses or keeps a stream would hold back what it is there for, and nginx buffers it by default. */
const UNBUFFERED = ['x-accel-buffering', 'no', 'cache-control', 'no-store, no-transform'];

/** By media type: name, value, name, value. */
const HEADERS: Readonly<Record<MediaType, readonly string[]>> = {
  'application/json': ['content-type', 'application/json; charset=utf-8'],
  'application/graphql-response+json': [
    'content-type',
    'application/graphql-response+json; charset=utf-8',
  ],
  'text/event-stream': ['content-type', 'text/event-stream; charset=utf-8', ...UNBUFFERED],
  'multipart/mixed': ['content-type', 'multipart/mixed; boundary="-"', ...UNBUFFERED],
};

/** Whether it is one response that caches may compare, and that may be compressed. */
export const isJson = (mediaType: MediaType): boolean => mediaType.endsWith('json');

export const responseInParts = (parts: ResponseParts): OperationResponse => ({
  status: 200,
  headers: ['content-type', `multipart/mixed; boundary="-"; ${parts.format}`, ...UNBUFFERED],
  text: parts.first,
  mediaType: 'multipart/mixed',
  parts,
});

export const responseInEvents = (events: EventStream): OperationResponse => ({
  status: 200,
  headers: [...HEADERS['text/event-stream']],
  text: '',
  mediaType: 'text/event-stream',
  events,
});

/** Makes a response ready to be sent, after all policies. */
export function finish(response: OperationResponse): void {
  response.headers = withOneVary(response.headers);
  if (response.status === 304) response.text = '';
  if (response.tag !== undefined) response.headers.push('etag', `"${response.tag}"`);
}

/** Headers in a list as the Fetch API takes them. */
export const pairsOf = (headers: readonly string[]): [string, string][] =>
  Array.from({ length: headers.length / 2 }, (_, i) => [headers[2 * i]!, headers[2 * i + 1]!]);

/** `Vary` of several policies as one header. */
function withOneVary(headers: readonly string[]): string[] {
  const others: string[] = [];
  const vary: string[] = [];
  for (let i = 0; i < headers.length; i += 2) {
    if (headers[i] === 'vary') vary.push(headers[i + 1]!);
    else others.push(headers[i]!, headers[i + 1]!);
  }
  return vary.length > 0 ? [...others, 'vary', vary.join(', ')] : others;
}
