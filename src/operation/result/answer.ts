/**
 * A result → a whole answer over HTTP: its status, headers and JSON, in the same way for the plain lane and
 * for Yoga.
 *
 * Source: GraphQL over HTTP, "Response".
 */
import { GraphQLError, type ExecutionResult } from 'graphql';
import type { IncrementalFormat, MediaType } from './negotiation.ts';
import type { HttpExtension } from '../refusal.ts';

/** An answer as it goes over the wire: a whole one, or its first part and what follows. */
export interface Answer {
  /** 304 sends neither text nor bytes. */
  status: number;
  /** Name, value, name, value. */
  headers: string[];
  text: string;
  /** Undefined for an answer in parts. */
  readonly mediaType: MediaType | undefined;
  /** The text in the coding that the headers name; undefined for UTF-8. */
  bytes?: Buffer;
  /** What follows the text. */
  readonly parts?: AnswerParts;
  /** The entity tag without quotes and coding; undefined where the answer has none. */
  tag?: string;
}

/** An answer in parts. */
export interface AnswerParts {
  readonly format: IncrementalFormat;
  /** In JSON. */
  readonly first: string;
  /** The next part in JSON; undefined after the last one, or when its reader has left. */
  next(): Promise<{ readonly text: string; readonly isLast: boolean } | undefined>;
  /** Gives up what is still under way, since its reader has left. */
  cancel(): void;
}

/** A result to be written in JSON, which leaves out what is undefined: errors without what is for HTTP alone. */
export const formatted = ({ errors, data, extensions }: ExecutionResult): object => ({
  errors: errors && errors.length > 0 ? errors.map(formattedError) : undefined,
  data,
  extensions,
});

export function formattedError(error: unknown): object {
  // Plugins may answer errors of any kind.
  if (!(error instanceof GraphQLError)) return { message: 'Unexpected error.' };
  if (!('http' in error.extensions)) return error.toJSON();
  const { http: _http, ...extensions } = error.extensions;
  return { ...error.toJSON(), extensions };
}

export function answerOf(result: ExecutionResult, mediaType: MediaType): Answer {
  const headers = ['content-type', `${mediaType}; charset=utf-8`];
  let status = 200;
  for (const { extensions } of result.errors ?? []) {
    const http = httpOf(extensions, result.data === undefined);
    if (!http) continue;
    if (!(http.spec && mediaType === 'application/json')) status = Math.max(status, http.status);
    for (const [name, value] of Object.entries(http.headers ?? {})) headers.push(name, value);
  }
  return { status, headers, text: JSON.stringify(formatted(result)), mediaType };
}

/** @param refused whether there is no data because of the error. */
function httpOf(
  extensions: Readonly<Record<string, unknown>>,
  refused: boolean,
): HttpExtension | undefined {
  const http = extensions['http'] as HttpExtension | undefined;
  if (http || !refused) return http;
  return extensions['code'] === 'INTERNAL_SERVER_ERROR'
    ? { status: 500 }
    : { status: 400, spec: true };
}

/** By default proxies such as nginx buffer and compress answers. */
const UNBUFFERED = ['x-accel-buffering', 'no', 'cache-control', 'no-store, no-transform'];

export const answerInParts = (parts: AnswerParts): Answer => ({
  status: 200,
  headers: ['content-type', `multipart/mixed; boundary="-"; ${parts.format}`, ...UNBUFFERED],
  text: parts.first,
  mediaType: undefined,
  parts,
});

/** Makes an answer ready to be sent, after all plugins have seen it. */
export function finish(answer: Answer): void {
  answer.headers = withOneVary(answer.headers);
  if (answer.status === 304) answer.text = '';
  if (answer.tag !== undefined) answer.headers.push('etag', `"${answer.tag}"`);
}

/** Headers in a list as the Fetch API takes them. */
export const pairsOf = (headers: readonly string[]): [string, string][] =>
  Array.from({ length: headers.length / 2 }, (_, i) => [headers[2 * i]!, headers[2 * i + 1]!]);

/** What several plugins want caches to compare, as one header. */
function withOneVary(headers: readonly string[]): string[] {
  const others: string[] = [];
  const vary: string[] = [];
  for (let i = 0; i < headers.length; i += 2) {
    if (headers[i] === 'vary') vary.push(headers[i + 1]!);
    else others.push(headers[i]!, headers[i + 1]!);
  }
  return vary.length > 0 ? [...others, 'vary', vary.join(', ')] : others;
}
