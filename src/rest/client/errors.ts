/**
 * What can go wrong between the gateway and `/v0`: one class a cause.
 *
 * Messages name the route by its template. A path with ids, a header, a key or the backend's own
 * words never enter a message, because messages reach callers and logs.
 */

/** The part of a route that an error names. */
export interface RouteLabel {
  readonly method: string;
  readonly path: string;
}

export interface RestErrorOptions {
  readonly cause?: unknown;
  readonly status?: number;
  /** The backend's name for the failed exchange, when it gave one. */
  readonly requestId?: string;
  /** Milliseconds to wait before asking again, where that is known. */
  readonly retryAfterMs?: number;
}

/** Any failure of a REST call. Never thrown itself. */
export abstract class RestError extends Error {
  readonly route: RouteLabel;
  readonly status: number | undefined;
  readonly requestId: string | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(what: string, route: RouteLabel, options: RestErrorOptions = {}) {
    // An outage makes thousands of them, and their frames are always our own layers. Causes keep theirs.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(`${what}: ${route.method} ${route.path}`, { cause: options.cause });
    Error.stackTraceLimit = stackTraceLimit;
    this.name = new.target.name;
    // Not the route itself: whoever logs an error must not log its schemas.
    this.route = { method: route.method, path: route.path };
    this.status = options.status;
    this.requestId = options.requestId;
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** What the caller asked for can't be put into a URL. No call was made. */
export class RestInputError extends RestError {}

/** There is no key to send, or one that no header can hold. No call was made. */
export class RestUnauthenticatedError extends RestError {}

/** The backend has no such route (`UPSTREAM_ROUTES=document`). No call was made. */
export class RestUnsupportedError extends RestError {}

/** The request has made all the calls it may. No call was made. */
export class RestBudgetError extends RestError {}

/** What callers are told to wait who come when too many do, at least, in milliseconds. */
const MIN_RETRY_AFTER_MS = 1_000;

/** More calls are waiting than can be answered in time. No call was made. */
export class RestOverloadedError extends RestError {
  constructor(route: RouteLabel, waitMs = 0) {
    super('Too many calls are waiting', route, {
      retryAfterMs: Math.ceil(Math.max(MIN_RETRY_AFTER_MS, waitMs)),
    });
  }
}

/** The backend asked this key to wait longer than the caller can. No call was made. */
export class RestPausedError extends RestError {}

/** An answer arrived in time, and its status says no. */
export class RestStatusError extends RestError {
  override readonly status: number;
  /** The field the backend complains about, when it names one. */
  readonly field: string | undefined;

  constructor(
    route: RouteLabel,
    answer: { status: number; requestId?: string; field?: string; retryAfterMs?: number },
  ) {
    super(`Backend answered ${answer.status}`, route, answer);
    this.status = answer.status;
    this.field = answer.field;
  }
}

/** No complete answer came in time. */
export class RestTimeoutError extends RestError {}

/** No connection, or one that broke before the answer was whole. */
export class RestUnreachableError extends RestError {
  /** What another try costs the backend: `nothing` when none of this one can have reached it. */
  readonly retry: 'nothing' | 'load' | 'hopeless';

  constructor(
    what: string,
    route: RouteLabel,
    options: RestErrorOptions & { readonly retry?: 'nothing' | 'load' | 'hopeless' } = {},
  ) {
    super(what, route, options);
    this.retry = options.retry ?? 'load';
  }
}

/** Calls failed so often that the backend is left alone for a while. No call was made. */
export class RestCircuitOpenError extends RestUnreachableError {
  constructor(route: RouteLabel, retryAfterMs: number) {
    super('Backend keeps failing and is left alone', route, { retry: 'hopeless', retryAfterMs });
  }
}

/** An answer that is not the documented shape: not JSON, too large, or a field of the wrong type. */
export class RestInvalidResponseError extends RestError {}

/** An answer that ended before it was whole. */
export class RestTruncatedError extends RestInvalidResponseError {}

/** A write was sent and its answer lost: nobody knows whether it was carried out. */
export class RestOutcomeUnknownError extends RestError {}

/** The caller left, or nobody waits for the answer any more. */
export class RestAbortedError extends RestError {}

/** True for the 404 of a lookup, which `find` functions answer as null. */
export const isNotFound = (error: unknown): boolean =>
  error instanceof RestStatusError && error.status === 404;
