/**
 * The errors of REST calls: one class for each cause.
 *
 * Messages reach callers and logs. So they name the route by its template, and never contain a path with
 * ids, a header, a key or the backend's own text.
 */
import type { EndOfWait } from '../../lib/cancel.ts';

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

interface RestErrorOptions {
  readonly cause?: unknown;
  /** @default what the class says */
  readonly kind?: FailureKind;
  readonly status?: number | undefined;
  /** The backend's name for the failed exchange, when it gave one. */
  readonly requestId?: string | undefined;
  /** Milliseconds to wait before asking again, where that is known. */
  readonly retryAfterMs?: number | undefined;
}

/** Any failure of a REST call. Never thrown itself. */
export abstract class RestError extends Error {
  readonly kind: FailureKind;
  /** What happened, without the route and the backend's status. */
  readonly what: string;
  readonly route: RouteLabel;
  readonly status: number | undefined;
  readonly requestId: string | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(what: string, route: RouteLabel, options: RestErrorOptions = {}) {
    super(`${what}: ${route.method} ${route.path}`, { cause: options.cause });
    this.name = new.target.name;
    this.kind = options.kind ?? 'other';
    this.what = what;
    // Not the route itself, whose schemas would be logged with the error.
    this.route = { method: route.method, path: route.path };
    this.status = options.status;
    this.requestId = options.requestId;
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** A value cannot be put into a URL. No call was made. */
export class RestInputError extends RestError {}

/** There is no API key, or one that a header cannot hold. No call was made. */
export class RestUnauthenticatedError extends RestError {}

/** The backend does not have the route, or nothing shows that it has. */
export class RestUnsupportedError extends RestError {}

/** The request has made all the calls it may. No call was made. */
export class RestBudgetError extends RestError {
  constructor(route: RouteLabel) {
    super('The request has made all the calls it may', route);
  }
}

/** More calls are waiting than may, or one waited for all its time. No call was made. */
export class RestOverloadedError extends RestError {
  override readonly kind = 'overloaded';
}

/** The backend asked this key to wait longer than the caller can. No call was made. */
export class RestPausedError extends RestError {
  override readonly kind = 'rate_limited';
}

/** An answer arrived in time, with a status that is not a success. */
export class RestStatusError extends RestError {
  override readonly what = 'Backend did not do what it was asked';
  override readonly status: number;
  /** The field the backend complains about, when it names one. */
  readonly field: string | undefined;

  constructor(
    route: RouteLabel,
    answer: RestErrorOptions & { readonly status: number; readonly field?: string | undefined },
  ) {
    super(`Backend answered ${answer.status}`, route, answer);
    this.status = answer.status;
    this.field = answer.field;
  }
}

/** No complete answer came in time. */
export class RestTimeoutError extends RestError {
  override readonly kind = 'timeout';
}

/** No connection, or one that broke before the answer was whole. */
export class RestUnreachableError extends RestError {
  /** What another attempt costs the backend: `nothing` when this one cannot have reached it. */
  readonly retry: 'nothing' | 'load' | 'hopeless';

  constructor(
    what: string,
    route: RouteLabel,
    options: RestErrorOptions & { readonly retry: RestUnreachableError['retry'] },
  ) {
    super(what, route, options);
    this.retry = options.retry;
  }
}

/** Calls like this one failed so often that none is made for a while. No call was made. */
export class RestCircuitOpenError extends RestUnreachableError {
  override readonly kind = 'circuit_open';
}

/** This process has no file descriptor left for a connection: nothing is known of the backend. No call was made. */
export class RestOutOfFilesError extends RestError {
  override readonly kind = 'out_of_files';
}

/** An answer that is not the documented shape: not JSON, too large, or a field of the wrong type. */
export class RestInvalidResponseError extends RestError {
  override readonly kind: FailureKind = 'invalid_response';
}

/** An answer that ended before it was whole. */
export class RestTruncatedError extends RestInvalidResponseError {
  override readonly kind = 'truncated';
}

/** A write was sent, and what came back does not say whether it was carried out. */
export class RestOutcomeUnknownError extends RestError {
  declare readonly cause: RestError;

  constructor(cause: RestError) {
    const { kind, route, status, requestId } = cause;
    const options = { cause, kind, status, requestId };
    super('Write was sent, and whether it was carried out is unknown', route, options);
  }
}

/** A replay has no answer for the call, and says which it has that are like it. */
export class RestNotRecordedError extends RestError {
  override readonly what = 'No recording has an answer';
}

/** All callers have left. */
export class RestAbortedError extends RestError {
  override readonly kind = 'cancelled';
}

/** The error for a wait that was ended from outside. */
export const endOfWait = (why: EndOfWait, route: RouteLabel): RestError =>
  why === 'timeout'
    ? new RestTimeoutError('Backend did not answer in time', route)
    : new RestAbortedError('Call was given up', route);

/** How a call failed; undefined for an answer with a status that is not a success. */
export function failureOf(error: Error): FailureKind | undefined {
  if (error instanceof RestStatusError) return undefined;
  return error instanceof RestError ? error.kind : 'other';
}

/** True for the 404 of a lookup, which `find` functions answer as null. */
export const isNotFound = (error: unknown): boolean =>
  error instanceof RestStatusError && error.status === 404;

/** Statuses with which a backend refuses a route that it does not have. */
const ROUTE_REFUSALS: readonly number[] = [404, 405, 501];

/** Whether an answer may mean that the backend does not have the route. */
export const isRouteRefusal = (error: unknown): boolean =>
  error instanceof RestStatusError && ROUTE_REFUSALS.includes(error.status);

/** Whether a read failed because the backend does not have this route. */
export const isMissingRoute = (error: unknown, { path }: RouteLabel): boolean =>
  error instanceof RestUnsupportedError && error.route.path === path;

/** Makes a route's refusal once: callers who ignore `Retry-After` must cost next to nothing. */
export function reusedRefusals<Refusal extends RestError>(
  make: (route: RouteLabel) => Refusal,
): (route: RouteLabel) => Refusal {
  const made = new Map<RouteLabel, Refusal>();
  return (route) => {
    let refusal = made.get(route);
    if (!refusal) made.set(route, (refusal = make(route)));
    return refusal;
  };
}
