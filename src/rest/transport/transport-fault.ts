/** Maps error codes of undici and the operating system to RestErrors. */
import { maxHeaderSize } from 'node:http';
import { errors } from 'undici';
import {
  NOBODY_THERE,
  RestError,
  type ConnectionFailure,
  type RestErrorKind,
  type RouteLabel,
} from '../call/errors.ts';

interface Progress {
  /** Whether bytes may have been sent. */
  readonly isConnected: boolean;
  readonly isAnswered: boolean;
  readonly number: number;
}

export function faultOf(cause: Error, route: RouteLabel, progress: Progress): RestError {
  const code = codeOf(cause);
  // Parser errors of undici contain bytes of the response, and causes may be logged.
  if ('data' in cause) cause.data = undefined;
  if (cause instanceof CallRefusal) {
    const { what, code: callersCode } = cause;
    return new RestError('refused', cause.message, route, { what, code: callersCode });
  }
  const fault = (kind: RestErrorKind, what: string, more: Partial<RestError> = {}): RestError =>
    new RestError(kind, what, route, { cause, ...more });
  if (code === CREDENTIALS) {
    const what = 'Proxy to the backend rejected the credentials (407)';
    return fault('unreachable', what, { retry: 'hopeless', failure: 'proxy_credentials' });
  }
  if (OUT_OF_FILES.has(code)) {
    return fault('out_of_files', 'Gateway has no file descriptor left for a connection');
  }
  if (progress.isAnswered && isTruncated(cause)) {
    return fault('truncated', 'Backend returned only a part of its response');
  }
  if (code === HEADERS_OVERFLOW) {
    return fault(
      'invalid_response',
      `Backend returned more than ${maxHeaderSize} bytes of headers`,
    );
  }
  if (cause instanceof errors.HTTPParserError || code === LENGTH_MISMATCH) {
    return fault('invalid_response', 'Backend returned malformed HTTP');
  }
  const what = progress.isConnected
    ? 'Connection to the backend ended without a response'
    : 'Backend could not be reached';
  const failure = TLS.test(code) ? 'tls' : (FAILURES.get(code) ?? 'unreachable');
  return fault('unreachable', what, { retry: costOfRetry(cause, progress), failure });
}

export function costOfRetry(
  cause: Error,
  { isConnected, isAnswered, number }: Progress,
): RestError['retry'] {
  const code = codeOf(cause);
  if (TLS.test(code) || HOPELESS.test(code) || code === CREDENTIALS) return 'hopeless';
  if (!isConnected && NOBODY_THERE.some((one) => one === code)) return 'nothing';
  // A reused connection that ends without a response was probably closing when the request was sent. If the next one
  // closes too, the request itself is the cause, unless it was never sent.
  const wasClosing = RESET.has(code) && !isAnswered && wasReused(cause);
  return wasClosing && (number === 1 || !isConnected) ? 'nothing' : 'load';
}

/** `ProxyRejection`'s code of missing or invalid credentials. */
const CREDENTIALS = 'PROXY_407';

/** Returns an error's code; empty without one. */
export function codeOf(cause: unknown): string {
  const { code } = cause as { readonly code?: unknown };
  return typeof code === 'string' ? code : '';
}

/** Whether the connection was closed before the end of the response. */
export const isTruncated = (cause: unknown): boolean =>
  TRUNCATED.has(codeOf(cause)) ||
  // undici 7.30 does not set the parser's code.
  (cause instanceof errors.HTTPParserError && cause.message.includes('EOF'));

const reused = new WeakSet<Error>();

export const markReused = (error: Error): void => void reused.add(error);

export const wasReused = (error: Error): boolean => reused.has(error);

const OUT_OF_FILES = new Set(['EMFILE', 'ENFILE']);

/** undici's code of a connection closed by the other side. */
const CLOSED = 'UND_ERR_SOCKET';

const RESET = new Set([CLOSED, 'ECONNRESET', 'EPIPE']);

/** undici's code of a body that differs from its content-length, and of malformed headers after one. */
const LENGTH_MISMATCH = 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH';

const TRUNCATED = new Set([CLOSED, LENGTH_MISMATCH, 'HPE_INVALID_EOF_STATE']);

/** undici's code of a response with more headers than Node's `--max-http-header-size`. */
const HEADERS_OVERFLOW = 'UND_ERR_HEADERS_OVERFLOW';

const FAILURES = new Map<string, ConnectionFailure>([
  ...NOBODY_THERE.map((code) => [code, code] as const),
  ['UND_ERR_CONNECT_TIMEOUT', 'connect_timeout'],
  ['ETIMEDOUT', 'connect_timeout'],
  ...[...RESET].map((code) => [code, 'reset'] as const),
]);

/** Failures of certificates and protocols, which a retry does not fix. */
const TLS =
  /^(CERT_|ERR_TLS_|ERR_SSL_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_|INVALID_(CA|PURPOSE)|EPROTO)/;

/** Errors of invalid use or a closed pool, which a retry does not fix. */
const HOPELESS = /^UND_ERR_(INVALID_ARG|DESTROYED|CLOSED|NOT_SUPPORTED)/;

/** Rejection of a call by a layer around the connections. Callers see its code and message. */
export class CallRefusal extends Error {
  override readonly name = 'CallRefusal';
  /** `extensions.code`. */
  readonly code: string;
  /** Message for callers who may not see backend calls. */
  readonly what: string;

  constructor(message: string, { code, what }: Pick<CallRefusal, 'code' | 'what'>) {
    super(message);
    this.code = code;
    this.what = what;
  }
}

/** A proxy's response to CONNECT other than a tunnel. */
export class ProxyRejection extends Error {
  override readonly name = 'ProxyRejection';
  readonly code: string;

  constructor(status: number) {
    super(`The proxy returned ${status} for CONNECT`);
    this.code = `PROXY_${status}`;
  }
}
