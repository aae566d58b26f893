/**
 * What a failure of undici or the operating system means to a call.
 *
 * Their codes are read here and nowhere else.
 */
import { errors } from 'undici';
import type { ConnectionFailure, RestUnreachableError } from '../client/errors.ts';

function codeOf(cause: unknown): string {
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

/** A cause that may be logged: the parser's error carries the bytes it stumbled over. */
export function withoutBytes(cause: Error): Error {
  if ('data' in cause) cause.data = undefined;
  return cause;
}

/** How a connection failed, in a word that operators know. */
export function connectionFailureOf(cause: unknown): ConnectionFailure {
  const code = codeOf(cause);
  return TLS.test(code) ? 'tls' : (FAILURES.get(code) ?? 'unreachable');
}

/**
 * Whether another attempt makes sense, and what it costs the backend.
 *
 * @param sent whether any byte may have left.
 * @param answered whether an answer had begun.
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
  // A connection that had served others and ends without an answer was being closed as we sent. That
  // happens once: whoever closes the next one too does so because of what was sent.
  const served = (cause as { readonly socket?: { readonly bytesRead?: number } }).socket;
  const wasClosing = code === CLOSED && !answered && (served?.bytesRead ?? 0) > 0;
  return wasClosing && attempt === 1 ? 'nothing' : 'load';
}

/** undici: the other side closed the connection. */
const CLOSED = 'UND_ERR_SOCKET';

const TRUNCATED = new Set([CLOSED, 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH', 'HPE_INVALID_EOF_STATE']);

const MALFORMED = new Set([
  'UND_ERR_HEADERS_OVERFLOW',
  'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
  'UND_ERR_RES_EXCEEDED_MAX_SIZE',
]);

/** No connection, and quickly so. */
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
  ['ECONNRESET', 'reset'],
  ['EPIPE', 'reset'],
  [CLOSED, 'reset'],
]);

/** Certificates and protocols do not mend within a request. */
const TLS =
  /^(CERT_|ERR_TLS_|ERR_SSL_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_|INVALID_(CA|PURPOSE)|EPROTO)/;

/** Neither does a closed pool. */
const HOPELESS = /^UND_ERR_(INVALID_ARG|DESTROYED|CLOSED|NOT_SUPPORTED)/;
