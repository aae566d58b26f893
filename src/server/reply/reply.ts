/**
 * An execution's result → what a carrier writes: masked, with a code for every error and a status.
 *
 * What callers see of an error is our words and a code, or "Unexpected error.", whatever NODE_ENV: no
 * stack, no original error, no text of the backend's. What a mask hides goes to the log.
 */
import { hash } from 'node:crypto';
import {
  GraphQLError,
  type ExecutionResult,
  type FormattedExecutionResult,
  type GraphQLFormattedError,
} from 'graphql';
import type { Rest } from '../../execution/execution.ts';
import { continuationsOf } from '../../graph/continuation.ts';
import { toClientError } from '../../graph/errors.ts';
import { RestOverloadedError } from '../../rest/client/errors.ts';
import type { IncrementalFormat, MediaType } from './negotiation.ts';
import type { HttpExtension } from './refusal.ts';

/** The body of a reply in the forms that carriers need, each made once. */
export class Content {
  #body: FormattedExecutionResult | undefined;
  #text: string | undefined;
  #digest: string | undefined;
  #coded: Map<string, Promise<Buffer>> | undefined;
  /** What its entity tags begin with, and for which media type that was made. */
  mark: { readonly of: string; readonly text: string } | undefined;

  /** @param body itself, or in JSON. */
  constructor(body: FormattedExecutionResult | string) {
    if (typeof body === 'string') this.#text = body;
    else this.#body = body;
  }

  get body(): FormattedExecutionResult {
    return (this.#body ??= JSON.parse(this.#text!) as FormattedExecutionResult);
  }

  /** In JSON. */
  get text(): string {
    return (this.#text ??= JSON.stringify(this.#body));
  }

  /** The SHA-256 of the text. */
  get digest(): string {
    return (this.#digest ??= hash('sha256', this.text, 'base64url'));
  }

  /** The text in codings. */
  get coded(): Map<string, Promise<Buffer>> {
    return (this.#coded ??= new Map());
  }
}

/** An answer, before a carrier writes it. */
export class Reply {
  readonly content: Content;
  readonly status: number;
  /** For callers who know only `application/json`. */
  readonly legacyStatus: number;
  /** Beside the content type: name, value, name, value. */
  readonly headers: readonly string[];
  /** Distinct `extensions.code`s. */
  readonly errorCodes: readonly string[];
  /** Errors that were masked, for the log. */
  readonly causes: readonly unknown[];
  /** What follows; undefined for a whole answer. */
  readonly parts: ReplyParts | undefined;

  constructor(
    content: Content | FormattedExecutionResult,
    {
      status = 200,
      legacyStatus = status,
      headers = NONE,
      errorCodes = NONE,
      causes = NONE,
      parts,
    }: Partial<Omit<Reply, 'content' | 'body' | 'text'>> = {},
  ) {
    this.content = content instanceof Content ? content : new Content(content);
    this.status = status;
    this.legacyStatus = legacyStatus;
    this.headers = headers;
    this.errorCodes = errorCodes;
    this.causes = causes;
    this.parts = parts;
  }

  get body(): FormattedExecutionResult {
    return this.content.body;
  }

  /** The body in JSON. */
  get text(): string {
    return this.content.text;
  }

  /** The same with more `extensions`. */
  extended(extensions: Readonly<Record<string, unknown>>): Reply {
    const { body } = this;
    return new Reply({ ...body, extensions: { ...body.extensions, ...extensions } }, this);
  }
}

/** What follows a reply. */
export interface ReplyParts {
  readonly format: IncrementalFormat;
  /** The next part; undefined after the last one, or when its reader has left. */
  next(): Promise<ReplyPart | undefined>;
  /** Gives up what is still under way, since its reader has left. */
  cancel(): void;
  /** Resolves when nothing is under way for it any more. */
  readonly finished: Promise<void>;
}

interface ReplyPart {
  /** In JSON. */
  readonly text: string;
  readonly isLast: boolean;
}

/** A reply as it goes over the wire; with parts, its text is the first of them. */
export interface WrittenReply {
  readonly parts?: ReplyParts | undefined;
  readonly status: number;
  /** Name, value, name, value. */
  readonly headers: string[];
  readonly text: string;
  /** The text in the coding that the headers name; undefined for UTF-8. */
  readonly bytes?: Buffer;
}

const NONE: readonly never[] = [];

export interface Executed extends Omit<ExecutionResult, 'errors'> {
  /** GraphQL errors, and other thrown values. */
  readonly errors?: readonly unknown[];
  /** What is still to come. */
  readonly rest?: Rest;
}

export interface Presentation {
  /** Of errors without one; graphql-js gives none, and past validation its errors are about variables and arguments. */
  readonly code?: string;
  /** Whether messages may name what was perhaps meant. @default true */
  readonly suggestions?: boolean;
  /** Of the reply: name, value, name, value. */
  readonly headers?: readonly string[] | undefined;
}

export function replyOf(
  { data, errors, extensions }: Executed,
  presentation: Presentation = {},
): Reply {
  const { headers = NONE } = presentation;
  if (!errors || errors.length === 0) {
    return new Reply(extensions ? { data: data ?? null, extensions } : { data: data ?? null }, {
      headers,
    });
  }
  const waitMs = shedMs(data, errors);
  if (waitMs !== undefined) return overloaded(waitMs);
  const { http, formatted, ...shown } = presentErrors(errors, presentation, data === undefined);
  const continuation = continuationsOf(formatted);
  const result = {
    errors: formatted,
    ...(data !== undefined && { data }),
    ...(continuation.length > 0
      ? { extensions: { ...extensions, continuation } }
      : extensions && { extensions }),
  };
  return new Reply(result, {
    ...shown,
    status: Math.max(200, ...http.map(({ status }) => status)),
    legacyStatus: Math.max(200, ...http.map(({ status, spec }) => (spec ? 200 : status))),
    headers: [...headers, ...http.flatMap(({ headers = {} }) => Object.entries(headers).flat())],
  });
}

/**
 * Errors of an answer, or of one part of it, as callers see them.
 *
 * @param refused whether there is no data because of them.
 */
export function presentErrors(
  errors: readonly unknown[],
  presentation: Presentation,
  refused = false,
) {
  const shown = errors.map((error) => present(error, refused, presentation));
  return {
    formatted: shown.map(({ formatted }) => formatted),
    errorCodes: [...new Set(shown.map(({ code }) => code))],
    causes: shown.flatMap(({ cause }) => (cause === undefined ? [] : [cause])),
    http: shown.flatMap(({ http }) => http ?? []),
  };
}

export const writeReply = (reply: Reply, mediaType: MediaType): WrittenReply => ({
  parts: reply.parts,
  status: mediaType === 'application/json' ? reply.legacyStatus : reply.status,
  headers: [
    ...(reply.parts
      ? ['content-type', `multipart/mixed; boundary="-"; ${reply.parts.format}`, ...UNBUFFERED]
      : ['content-type', `${mediaType}; charset=utf-8`]),
    ...reply.headers,
  ],
  text: reply.text,
});

/** By default proxies such as nginx buffer and compress answers. */
const UNBUFFERED = ['x-accel-buffering', 'no', 'cache-control', 'no-store, no-transform'];

const overloads = new Map<number, Reply>();

/** The longest wait that a refusal asks for, in seconds. */
const MAX_RETRY_AFTER_S = 60;

/**
 * 503 and `Retry-After`, which load balancers and clients' libraries understand without reading the
 * body: for a request of which nothing was done. Written once for each number of seconds.
 */
export function overloaded(waitMs: number): Reply {
  const seconds = Math.min(MAX_RETRY_AFTER_S, Math.max(1, Math.ceil(waitMs / 1_000)));
  let reply = overloads.get(seconds);
  if (!reply) {
    const code = 'UPSTREAM_UNAVAILABLE';
    const message = `Too many calls are waiting: come back in ${seconds} s.`;
    reply = new Reply(
      { errors: [{ message, extensions: { code, retryAfterMs: seconds * 1_000 } }] },
      { status: 503, headers: ['retry-after', String(seconds)], errorCodes: [code] },
    );
    overloads.set(seconds, reply);
  }
  return reply;
}

/** How long to wait, where there is no data because too many calls wait; undefined otherwise. */
function shedMs(data: ExecutionResult['data'], errors: readonly unknown[]): number | undefined {
  for (const name in data) if (data[name] !== null) return undefined;
  let waitMs = 0;
  for (const error of errors) {
    const cause = error instanceof GraphQLError ? error.originalError : error;
    if (!(cause instanceof RestOverloadedError)) return undefined;
    waitMs = Math.max(waitMs, cause.retryAfterMs ?? 0);
  }
  return waitMs;
}

interface Shown {
  readonly formatted: GraphQLFormattedError;
  readonly code: string;
  readonly http: HttpExtension | undefined;
  readonly cause: unknown;
}

function present(
  error: unknown,
  refused: boolean,
  { code: fallbackCode = 'BAD_USER_INPUT', suggestions = true }: Presentation,
): Shown {
  const known = toClientError(error);
  const place = known ?? (error instanceof GraphQLError ? error : undefined);
  const { http, ...extensions } = known?.extensions ?? { code: 'INTERNAL_SERVER_ERROR' };
  const { code: given } = extensions;
  const code = typeof given === 'string' ? given : fallbackCode;
  const refusedBy: HttpExtension = known ? { status: 400, spec: true } : { status: 500 };
  return {
    formatted: {
      message: known ? shownMessage(known.message, suggestions) : 'Unexpected error.',
      ...(place?.locations && { locations: place.locations }),
      ...(place?.path && { path: place.path }),
      extensions: { ...extensions, code },
    },
    code,
    // `extensions.http` is written by `refusal.ts` alone.
    http: (http as HttpExtension | undefined) ?? (refused ? refusedBy : undefined),
    cause: known ? undefined : (place?.originalError ?? error),
  };
}

/** The longest text of a caller's that a message repeats, and the longest message. */
const MAX_REPEATED = 100;
const MAX_MESSAGE = 400;

/** graphql-js repeats what is wrong, however long it is. */
function shownMessage(message: string, suggestions: boolean): string {
  const kept = suggestions ? message : message.replace(/ Did you mean .*$/s, '');
  if (kept.length <= MAX_REPEATED) return kept;
  const short = kept.replace(LONG_TEXT, (text) => `${text.slice(0, MAX_REPEATED - 1)}…`);
  return short.length <= MAX_MESSAGE ? short : `${short.slice(0, MAX_MESSAGE - 1)}…`;
}

/** A quoted text or a run of anything but spaces, of more than `MAX_REPEATED` characters. */
const LONG_TEXT = /"(?:\\.|[^"\\]){99,}"?|\S{101,}/g;
