/**
 * The error of a REST call, and the kinds of it.
 *
 * Messages reach callers and logs. So they name the route by its template, and never contain a path with
 * ids, a header, a key or the backend's own text.
 */
import type { EndOfWait } from '../../lib/cancel.ts';
import { StacklessError } from '../../lib/stackless-error.ts';

/** The part of a route that an error names. */
export interface RouteLabel {
  readonly method: string;
  readonly path: string;
}

/** How an attempt failed, in words for metrics and logs: a closed list, so that no label grows. */
export type FailureKind =
  | ConnectionFailure
  | 'timeout'
  | 'invalid_response'
  | 'truncated'
  | 'overloaded'
  | 'rate_limited'
  | 'circuit_open'
  | 'out_of_files'
  | 'cancelled'
  | 'other';

/** No process accepts connections there. */
export const NOBODY_THERE = [
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
] as const;

/** Why there was no connection, or why it broke; `unreachable` for every other reason. */
export type ConnectionFailure =
  (typeof NOBODY_THERE)[number] | 'connect_timeout' | 'reset' | 'tls' | 'unreachable';

/** Why a call failed. Where it says so, no call was made. */
export type RestErrorKind =
  /** A value cannot be put into a URL. No call. */
  | 'input'
  /** There is no API key, or one that a header cannot hold. No call. */
  | 'unauthenticated'
  /** The backend does not have the route, or nothing shows that it has. */
  | 'unsupported'
  /** The request has made all the calls it may. No call. */
  | 'budget'
  /** More calls are waiting than may, or one waited for all its time. No call. */
  | 'overloaded'
  /** The backend asked this key to wait longer than the caller can. No call. */
  | 'rate_limited'
  /** An answer arrived in time, with a status that is not a success. */
  | 'status'
  /** No complete answer came in time. */
  | 'timeout'
  /** No connection, or one that broke before the answer was whole. */
  | 'unreachable'
  /** Calls like this one failed so often that none is made for a while. No call. */
  | 'circuit_open'
  /** This process has no file descriptor left for a connection: nothing is known of the backend. No call. */
  | 'out_of_files'
  /** An answer that is not the documented shape: not JSON, too large, or a field of the wrong type. */
  | 'invalid_response'
  /** An answer that ended before it was whole. */
  | 'truncated'
  /** A write was sent, and what came back, its cause, does not say whether it was carried out. */
  | 'outcome_unknown'
  /** A replay has no answer for the call, and says which it has that are like it. */
  | 'not_recorded'
  /** All callers have left. */
  | 'cancelled';

interface RestErrorOptions {
  readonly cause?: unknown;
  /** What happened, for those who may not know what the message says. @default the message without the route */
  readonly what?: string;
  /** @default what the kind says */
  readonly failure?: FailureKind | undefined;
  readonly status?: number | undefined;
  /** The backend's name for the failed exchange, when it gave one. */
  readonly requestId?: string | undefined;
  /** Milliseconds to wait before asking again, where that is known. */
  readonly retryAfterMs?: number | undefined;
  /** The field the backend complains about, when it names one. */
  readonly field?: string | undefined;
  /** What another attempt costs the backend: `nothing` when this one cannot have reached it. */
  readonly retry?: 'nothing' | 'load' | 'hopeless' | undefined;
}

/** Any failure of a REST call. It has no stack: a failing backend makes thousands. */
export class RestError extends StacklessError {
  override readonly name = 'RestError';
  override readonly stack: string;
  readonly kind: RestErrorKind;
  /** What happened, without the route and the backend's status. */
  readonly what: string;
  readonly route: RouteLabel;
  /** For metrics and logs; undefined for an answer with a status that is not a success. */
  readonly failure: FailureKind | undefined;
  readonly status: number | undefined;
  readonly requestId: string | undefined;
  readonly retryAfterMs: number | undefined;
  readonly field: string | undefined;
  readonly retry: RestErrorOptions['retry'];

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
    // Not the route itself, whose schemas would be logged with the error.
    this.route = { method, path };
    this.failure = options.failure ?? FAILURES[kind];
    this.status = options.status;
    this.requestId = options.requestId;
    this.retryAfterMs = options.retryAfterMs;
    this.field = options.field;
    this.retry = options.retry;
  }
}

const FAILURES: Readonly<Record<RestErrorKind, FailureKind | undefined>> = {
  input: 'other',
  unauthenticated: 'other',
  unsupported: 'other',
  budget: 'other',
  overloaded: 'overloaded',
  rate_limited: 'rate_limited',
  status: undefined,
  timeout: 'timeout',
  unreachable: 'unreachable',
  circuit_open: 'circuit_open',
  out_of_files: 'out_of_files',
  invalid_response: 'invalid_response',
  truncated: 'truncated',
  outcome_unknown: 'other',
  not_recorded: 'other',
  cancelled: 'cancelled',
};

/** Whether a call failed for one of these reasons. */
export const hasKind = (error: unknown, ...kinds: readonly RestErrorKind[]): error is RestError =>
  error instanceof RestError && kinds.includes(error.kind);

/** The error of an answer that arrived in time, with a status that is not a success. */
export const statusError = (
  route: RouteLabel,
  answer: RestErrorOptions & { readonly status: number },
): RestError =>
  new RestError('status', `Backend answered ${answer.status}`, route, {
    what: 'Backend did not do what it was asked',
    ...answer,
  });

/** The error of a write whose answer, or the lack of one, does not say whether it was carried out. */
export function outcomeUnknown(cause: RestError): RestError {
  const { route, failure, status, requestId } = cause;
  return new RestError(
    'outcome_unknown',
    'Write was sent, and whether it was carried out is unknown',
    route,
    { cause, failure, status, requestId },
  );
}

/** The error for a wait that was ended from outside. */
export const endOfWait = (why: EndOfWait, route: RouteLabel): RestError =>
  why === 'timeout'
    ? new RestError('timeout', 'Backend did not answer in time', route)
    : new RestError('cancelled', 'Call was given up', route);

/** How a call failed; undefined for an answer with a status that is not a success. */
export const failureOf = (error: Error): FailureKind | undefined =>
  error instanceof RestError ? error.failure : 'other';

/** True for the 404 of a lookup, which `find` functions answer as null. */
export const isNotFound = (error: unknown): boolean =>
  hasKind(error, 'status') && error.status === 404;

/** Statuses with which a backend refuses a route that it does not have. */
const ROUTE_REFUSALS: readonly unknown[] = [404, 405, 501];

/** Whether an answer may mean that the backend does not have the route. */
export const isRouteRefusal = (error: unknown): boolean =>
  hasKind(error, 'status') && ROUTE_REFUSALS.includes(error.status);

/** Whether a read failed because the backend does not have this route. */
export const isMissingRoute = (error: unknown, { path }: RouteLabel): boolean =>
  hasKind(error, 'unsupported') && error.route.path === path;

/** Makes a route's refusal once: callers who ignore `Retry-After` must cost next to nothing. */
export function reusedRefusals(
  make: (route: RouteLabel) => RestError,
): (route: RouteLabel) => RestError {
  const made = new Map<RouteLabel, RestError>();
  return (route) => {
    let refusal = made.get(route);
    if (!refusal) made.set(route, (refusal = make(route)));
    return refusal;
  };
}
