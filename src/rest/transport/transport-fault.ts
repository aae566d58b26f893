/**
 * Classifies errors of undici and the operating system; their codes are read nowhere else.
 */
import { errors } from 'undici';
import type { ConnectionFailure, RestUnreachableError } from '../call/errors.ts';

/** Empty where an error has none. */
export function codeOf(cause: unknown): string {
  const { code } = cause as { readonly code?: unknown };
  return typeof code === 'string' ? code : '';
}

/** The answer broke HTTP itself. */
export const isMalformed = (cause: unknown): boolean =>
  cause instanceof errors.HTTPParserError || MALFORMED.has(codeOf(cause));

/** The connection was closed, in order, before the answer was whole. */
export const isTruncated = (cause: unknown): boolean =>
  TRUNCATED.has(codeOf(cause)) ||
  // The parser's own code does not arrive: undici 7.30 leaves it undefined.
  (cause instanceof errors.HTTPParserError && cause.message.includes('EOF'));

/** A cause that may be logged: undici's parser errors carry bytes of the answer. */
export function withoutBytes(cause: Error): Error {
  if ('data' in cause) cause.data = undefined;
  return cause;
}

/** How a connection failed, in a word for metrics and logs. */
export function connectionFailureOf(cause: unknown): ConnectionFailure {
  const code = codeOf(cause);
  return TLS.test(code) ? 'tls' : (FAILURES.get(code) ?? 'unreachable');
}

/**
 * Whether another attempt makes sense, and what it costs the backend.
 *
 * @param sent whether any byte may have been sent.
 * @param answered whether a part of the answer arrived.
 * @param attempt 1 for the first attempt.
 */
export function retryOf(
  cause: unknown,
  sent: boolean,
  answered: boolean,
  attempt: number,
): RestUnreachableError['retry'] {
  const code = codeOf(cause);
  if (TLS.test(code) || HOPELESS.test(code)) return 'hopeless';
  if (!sent) return NOBODY_THERE.some((one) => one === code) ? 'nothing' : 'load';
  // A connection that was used before and ends without an answer was being closed as we sent. When the
  // next one is closed too, the request itself is the reason.
  const wasClosing = RESET.has(code) && !answered && wasReused(cause as Error);
  return wasClosing && attempt === 1 ? 'nothing' : 'load';
}

/** Errors of connections that had answered before. undici's own errors alone tell how much was read. */
const reused = new WeakSet<Error>();

export const markReused = (error: Error): void => void reused.add(error);

export const wasReused = (error: Error): boolean => reused.has(error);

/** This process, or the whole system, has no file descriptor left. */
export const isOutOfFiles = (cause: unknown): boolean =>
  ['EMFILE', 'ENFILE'].includes(codeOf(cause));

/** undici: the other side closed the connection. */
const CLOSED = 'UND_ERR_SOCKET';

/** The other side closed the connection, as undici and the system tell. */
const RESET = new Set([CLOSED, 'ECONNRESET', 'EPIPE']);

const TRUNCATED = new Set([CLOSED, 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH', 'HPE_INVALID_EOF_STATE']);

const MALFORMED = new Set([
  'UND_ERR_HEADERS_OVERFLOW',
  'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
  'UND_ERR_RES_EXCEEDED_MAX_SIZE',
]);

/** No process accepts connections there. */
const NOBODY_THERE = [
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
] as const;

const FAILURES = new Map<string, ConnectionFailure>([
  ...NOBODY_THERE.map((code) => [code, code] as const),
  ['UND_ERR_CONNECT_TIMEOUT', 'connect_timeout'],
  ['ETIMEDOUT', 'connect_timeout'],
  ...[...RESET].map((code) => [code, 'reset'] as const),
]);

/** Failures of certificates and protocols last longer than a request. */
const TLS =
  /^(CERT_|ERR_TLS_|ERR_SSL_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_|INVALID_(CA|PURPOSE)|EPROTO)/;

/** So does a closed pool. */
const HOPELESS = /^UND_ERR_(INVALID_ARG|DESTROYED|CLOSED|NOT_SUPPORTED)/;

/** A replay has no answer for a call. */
export class NotRecordedError extends Error {
  override readonly name = 'NotRecordedError';
}
