/**
 * Errors of REST calls.
 *
 * Messages reach callers and logs, so they contain the route's template, and never ids, headers, keys or strings of the
 * backend.
 */
import type { EndOfWait } from '../../lib/cancel.ts';

/** Method and path template of a route, as in errors and labels. */
export interface RouteLabel {
  readonly method: string;
  readonly path: string;
}

/** No process accepts connections at the address. */
export const NOBODY_THERE = [
  'ECONNREFUSED',
  'ENOENT', // of a unix socket
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
] as const;

/** Why a connection failed; `unreachable` for other reasons. */
export type ConnectionFailure =
  | (typeof NOBODY_THERE)[number]
  | 'connect_timeout'
  | 'proxy_credentials'
  | 'reset'
  | 'tls'
  | 'unreachable';

/** Why a response may not be received: its request has too many bytes, or all in flight have. */
export type ReceiveRefusal = 'budget' | 'overloaded';

/** Why a call failed. "No call" means that nothing was sent. */
export type RestErrorKind =
  | 'input' // a value cannot be part of a URL; no call
  | 'unauthenticated' // the API key is missing or invalid as a header; no call
  | 'unsupported' // the backend lacks the route, or is not known to have it
  | 'budget' // the request has spent its budget of calls (no call), or of bytes
  | 'overloaded' // the queue is full, or too slow: no call; or too many bytes are in flight
  | 'rate_limited' // the key is rate-limited for longer than the deadline; no call
  | 'status' // a response with an error status
  | 'cursor' // a response with an error status that rejects the cursor of a page
  | 'timeout' // no complete response before the timeout
  | 'unreachable' // no connection, or one that broke before the response was complete
  | 'circuit_open' // the circuit of the route and key, or of the host, is open; no call
  | 'out_of_files' // the process has no file descriptor left for a connection; no call
  | 'invalid_response' // it violates the contract: not JSON, too large, or of the wrong shape
  | 'truncated' // a response that ended early
  | 'outcome_unknown' // a write was sent, and nothing tells whether it was executed
  | 'refused' // a layer around the connections rejected the call, with a code for callers
  | 'cancelled'; // all callers have disconnected

/** Kinds without their own label in metrics and logs. */
const UNLABELLED = [
  'input',
  'unauthenticated',
  'unsupported',
  'budget',
  'outcome_unknown',
  'refused',
] as const;
type UnlabelledKind = (typeof UNLABELLED)[number];

/** How an attempt failed; a fixed set of labels for metrics and logs. */
export type FailureKind =
  ConnectionFailure | Exclude<RestErrorKind, 'status' | 'cursor' | UnlabelledKind> | 'other';

/** Without a `what`, that is the message; without a `failure`, that of the kind. */
type RestErrorOptions = Partial<Omit<RestError, 'name' | 'message' | 'stack' | 'kind' | 'route'>>;

/** A base class without the expensive capture of a stack, since a failing backend causes thousands of errors. */
const StacklessError = function (this: Error, message: string) {
  this.message = message;
} as unknown as new (message: string) => Error;

StacklessError.prototype = Object.create(Error.prototype, {
  constructor: { value: StacklessError, writable: true, configurable: true },
}) as Error;

export class RestError extends StacklessError {
  override readonly name = 'RestError';
  override readonly stack: string;
  readonly kind: RestErrorKind;
  /** Description without the route, and without facts that only operators may see. */
  readonly what: string;
  readonly route: RouteLabel;
  /** Label for metrics and logs; undefined for an error status. */
  readonly failure: FailureKind | undefined;
  readonly status: number | undefined;
  readonly requestId: string | undefined;
  /** Time to wait before another attempt, in milliseconds. */
  readonly retryAfterMs: number | undefined;
  /** Invalid field, as named by the backend. */
  readonly field: string | undefined;
  /** Author of the response: the backend, by documented JSON, or something before it, by another type. */
  readonly body: 'documented' | 'foreign' | undefined;
  /** Cost of another attempt for the backend: `nothing` if this one cannot have reached it. */
  readonly retry: 'nothing' | 'load' | 'hopeless' | undefined;
  /** Code for callers instead of that of the kind. */
  readonly code: string | undefined;

  constructor(
    kind: RestErrorKind,
    message: string,
    { method, path }: RouteLabel,
    options: RestErrorOptions = {},
  ) {
    super(`${message}: ${method} ${path}`);
    this.stack = `RestError: ${this.message}`;
    this.cause = options.cause;
    this.kind = kind;
    this.what = options.what ?? message;
    // Not the whole route, whose schemas would be logged with the error.
    this.route = { method, path };
    this.failure = options.failure ?? labelOf(kind);
    this.status = options.status;
    this.requestId = options.requestId;
    this.retryAfterMs = options.retryAfterMs;
    this.field = options.field;
    this.body = options.body;
    this.retry = options.retry;
    this.code = options.code;
  }
}

function labelOf(kind: RestErrorKind): FailureKind | undefined {
  if (kind === 'status' || kind === 'cursor') return undefined;
  return isUnlabelled(kind) ? 'other' : kind;
}

const isUnlabelled = (kind: RestErrorKind): kind is UnlabelledKind =>
  (UNLABELLED as readonly string[]).includes(kind);

export const hasKind = (error: unknown, ...kinds: readonly RestErrorKind[]): error is RestError =>
  error instanceof RestError && kinds.includes(error.kind);

export const statusError = (
  route: RouteLabel,
  response: RestErrorOptions & { readonly status: number },
): RestError =>
  response.status === 401
    ? new RestError('status', 'The backend rejected the API key (401)', route, response)
    : new RestError('status', `Backend returned ${response.status}`, route, {
        what: 'Backend rejected the call',
        ...response,
      });

/** The error of a write that may have been executed. */
export function outcomeUnknown(cause: RestError): RestError {
  const { route, failure, status, requestId, retryAfterMs } = cause;
  return new RestError('outcome_unknown', 'Write was sent, and its outcome is unknown', route, {
    cause,
    failure,
    status,
    requestId,
    retryAfterMs,
  });
}

export const endOfWait = (why: EndOfWait, route: RouteLabel): RestError =>
  why === 'timeout'
    ? new RestError('timeout', 'Backend did not respond in time', route)
    : new RestError('cancelled', 'Call was cancelled', route);

export const failureOf = (error: Error): FailureKind | undefined =>
  error instanceof RestError ? error.failure : 'other';

/**
 * Whether an error is the 404 or 410 (Gone) of a lookup, which `find` functions return as null. HTML and plain text say
 * nothing about an object: proxies respond with them while they reload.
 */
export const isNotFound = (error: unknown): boolean =>
  hasKind(error, 'status') &&
  (error.status === 404 || error.status === 410) &&
  error.body !== 'foreign';

const CURSOR_REJECTIONS: readonly unknown[] = [400, 404, 410, 422];

/** Rejects with the error of a page that was read by a cursor, which may have expired. */
export function cursorRejection(error: unknown): never {
  if (!(error instanceof RestError) || !CURSOR_REJECTIONS.includes(error.status)) throw error;
  const { status, requestId, route } = error;
  throw new RestError('cursor', `Backend rejected a cursor with ${status}`, route, {
    ...{ status, requestId, cause: error },
    what: 'Backend rejected a cursor',
  });
}

const ROUTE_REJECTIONS: readonly unknown[] = [404, 405, 501];

/** Whether an error may mean that the backend lacks the route. */
export const isRouteRejection = (error: unknown): error is RestError =>
  hasKind(error, 'status') && ROUTE_REJECTIONS.includes(error.status);

/** Whether a read failed because the backend lacks the route. */
export const isMissingRoute = (error: unknown, { path }: RouteLabel): boolean =>
  hasKind(error, 'unsupported') && error.route.path === path;

/** Caches a route's error by `retryAfterMs`, which keeps callers who ignore `Retry-After` cheap. */
export function reusedErrors(
  make: (route: RouteLabel, retryAfterMs: number | undefined) => RestError,
): (route: RouteLabel, retryAfterMs?: number) => RestError {
  const made = new Map<RouteLabel, RestError>();
  return (route, retryAfterMs) => {
    let error = made.get(route);
    if (!error || error.retryAfterMs !== retryAfterMs) {
      made.set(route, (error = make(route, retryAfterMs)));
    }
    return error;
  };
}
