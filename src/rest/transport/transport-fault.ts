/**
 * What errors of undici and the operating system mean; their codes are read nowhere else.
 */
import { errors } from 'undici';
import {
  endOfWait,
  NOBODY_THERE,
  RestError,
  type ConnectionFailure,
  type RouteLabel,
} from '../call/errors.ts';

/** How far an exchange had come. */
interface Progress {
  /** Whether any byte may have been sent. */
  readonly isConnected: boolean;
  /** Whether a part of the answer arrived. */
  readonly isAnswered: boolean;
  /** 1 for the first attempt. */
  readonly number: number;
}

/** The error for an exchange that ended without a whole answer. */
export function faultOf(cause: Error, route: RouteLabel, progress: Progress): RestError {
  const code = codeOf(cause);
  // undici's parser errors carry bytes of the answer, and a cause may be logged.
  if ('data' in cause) cause.data = undefined;
  if (cause instanceof NotRecordedError) {
    const what = 'No recording has an answer';
    return new RestError('not_recorded', cause.message, route, { what });
  }
  if (cause instanceof RecordedTimeout) return endOfWait('timeout', route);
  if (OUT_OF_FILES.has(code)) {
    const what = 'Gateway has no file descriptor left for a connection';
    return new RestError('out_of_files', what, route, { cause });
  }
  if (progress.isAnswered && isTruncated(cause)) {
    return new RestError('truncated', 'Backend answered only in part', route, { cause });
  }
  if (cause instanceof errors.HTTPParserError || MALFORMED.has(code)) {
    return new RestError('invalid_response', 'Backend answered malformed HTTP', route, { cause });
  }
  const failure = TLS.test(code) ? 'tls' : (FAILURES.get(code) ?? 'unreachable');
  const retry = retryOf(cause, progress);
  const options = { cause, retry, failure };
  return new RestError('unreachable', 'Backend could not be reached', route, options);
}

/** Whether another attempt makes sense, and what it costs the backend. */
export function retryOf(
  cause: Error,
  { isConnected, isAnswered, number }: Progress,
): RestError['retry'] {
  const code = codeOf(cause);
  if (TLS.test(code) || HOPELESS.test(code)) return 'hopeless';
  if (!isConnected && NOBODY_THERE.some((one) => one === code)) return 'nothing';
  // A connection that was used before and ends without an answer was being closed as we sent, or before we could.
  // When the next one is closed too, the request itself is the reason, but for one that was never begun.
  const wasClosing = RESET.has(code) && !isAnswered && wasReused(cause);
  return wasClosing && (number === 1 || !isConnected) ? 'nothing' : 'load';
}

/** Empty where an error has none. */
export function codeOf(cause: unknown): string {
  const { code } = cause as { readonly code?: unknown };
  return typeof code === 'string' ? code : '';
}

/** The connection was closed, in order, before the answer was whole. */
export const isTruncated = (cause: unknown): boolean =>
  TRUNCATED.has(codeOf(cause)) ||
  // The parser's own code does not arrive: undici 7.30 leaves it undefined.
  (cause instanceof errors.HTTPParserError && cause.message.includes('EOF'));

/** Errors of connections that had answered before. undici's own errors alone tell how much was read. */
const reused = new WeakSet<Error>();

export const markReused = (error: Error): void => void reused.add(error);

export const wasReused = (error: Error): boolean => reused.has(error);

/** This process, or the whole system, has none left. */
const OUT_OF_FILES = new Set(['EMFILE', 'ENFILE']);

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

/** A replay does not wait for the timeout of a call again. */
export class RecordedTimeout extends Error {}

/** A replay has no answer for a call. */
export class NotRecordedError extends Error {
  override readonly name = 'NotRecordedError';
}
