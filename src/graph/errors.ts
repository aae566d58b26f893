/**
 * Every error a client sees, made or translated here: our words, and a code to branch on.
 *
 * A `GraphQLError` thrown on purpose passes. A `RestError` is translated by the table below, where
 * the response is written. Anything else is unforeseen, and masked.
 */
import { GraphQLError, type GraphQLErrorExtensions } from 'graphql';
import { isDeepStrictEqual } from 'node:util';
import { hasKind, RestError, type RestErrorKind } from '../rest/call/errors.ts';

type ErrorCode =
  | 'BAD_USER_INPUT'
  | 'UNAUTHENTICATED'
  | 'FORBIDDEN'
  | 'NOT_FOUND'
  | 'CONFLICT'
  | 'VALIDATION_FAILED'
  | 'RATE_LIMITED'
  | 'UPSTREAM_TIMEOUT'
  | 'UPSTREAM_UNAVAILABLE'
  | 'UPSTREAM_INVALID_RESPONSE'
  | 'UPSTREAM_UNSUPPORTED'
  | 'UPSTREAM_BUDGET_EXCEEDED'
  | 'NOT_RECORDED'
  | 'OUTCOME_UNKNOWN';

/**
 * A refusal of what the caller sent. The message says what to do instead and shows the offender.
 *
 * Thousands of fields may be refused for one wrong variable: what is refused again in the same words is
 * refused with the same error.
 */
export function badInput(message: string, extensions: GraphQLErrorExtensions = {}): GraphQLError {
  const coded = { code: 'BAD_USER_INPUT' satisfies ErrorCode, ...extensions };
  if (lastRefusal?.message !== message || !isDeepStrictEqual(lastRefusal.extensions, coded)) {
    lastRefusal = new GraphQLError(message, { extensions: coded });
  }
  return lastRefusal;
}

let lastRefusal: GraphQLError | undefined;

const errorOf =
  (code: ErrorCode) =>
  (message: string): GraphQLError =>
    new GraphQLError(message, { extensions: { code } });

/** A value of the backend that can't be shown as what the schema promises. */
export const invalidResponse = errorOf('UPSTREAM_INVALID_RESPONSE');

/** An object that a reference names and that does not exist. */
export const notFound = errorOf('NOT_FOUND');

/** Something that this deployment of the backend can't answer, and what to do about it. */
export const unsupported = errorOf('UPSTREAM_UNSUPPORTED');

const CODE_BY_STATUS: Readonly<Record<number, ErrorCode>> = {
  400: 'VALIDATION_FAILED', // Bad Request
  401: 'UNAUTHENTICATED', // Unauthorized
  403: 'FORBIDDEN', // Forbidden
  404: 'NOT_FOUND', // Not Found
  409: 'CONFLICT', // Conflict
  422: 'VALIDATION_FAILED', // Unprocessable Content
  429: 'RATE_LIMITED', // Too Many Requests
};

const BUDGET_EXCEEDED = 'UPSTREAM_BUDGET_EXCEEDED';

/** Of every other kind: UPSTREAM_UNAVAILABLE. */
const CODE_BY_KIND: Partial<Readonly<Record<RestErrorKind, ErrorCode>>> = {
  // Callers' ids are checked before, so this one came from the backend.
  input: 'UPSTREAM_INVALID_RESPONSE',
  unauthenticated: 'UNAUTHENTICATED',
  unsupported: 'UPSTREAM_UNSUPPORTED',
  budget: BUDGET_EXCEEDED,
  rate_limited: 'RATE_LIMITED',
  timeout: 'UPSTREAM_TIMEOUT',
  invalid_response: 'UPSTREAM_INVALID_RESPONSE',
  truncated: 'UPSTREAM_INVALID_RESPONSE',
  outcome_unknown: 'OUTCOME_UNKNOWN',
  not_recorded: 'NOT_RECORDED',
};

export function codeOf({ kind, status = 0 }: RestError): ErrorCode {
  if (kind !== 'status') return CODE_BY_KIND[kind] ?? 'UPSTREAM_UNAVAILABLE';
  return (
    CODE_BY_STATUS[status] ??
    // A redirect, or a success or refusal of another kind, is not what was documented.
    (status < 500 ? 'UPSTREAM_INVALID_RESPONSE' : 'UPSTREAM_UNAVAILABLE')
  );
}

/** The message and extensions that a client gets for an error, and the error that they were made from. */
export type ClientError = Pick<GraphQLError, 'message' | 'extensions' | 'originalError'>;

/** Our message, the code, and which route failed; never an address, a key or the backend's text. */
export function fromRestError(error: RestError): ClientError {
  const { route, status, requestId, retryAfterMs } = error;
  const extensions = {
    code: codeOf(error),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(error instanceof CutError && { continuation: error.next() }),
    upstream: {
      method: route.method,
      route: route.path,
      ...(status !== undefined && { status }),
      ...(requestId !== undefined && { requestId }),
    },
  };
  return { message: error.message, originalError: error, extensions };
}

/**
 * Whether an error was written for callers: by its name, as Yoga's and Envelop's masks look at it, because a plugin may
 * bring a copy of graphql of its own.
 */
export const isGraphQLError = (error: unknown): error is GraphQLError =>
  error instanceof GraphQLError || (error instanceof Error && error.name === 'GraphQLError');

/**
 * What a client may be told; undefined for an error that was not foreseen and has to be masked.
 *
 * Not an error yet: each `GraphQLError` that has an original writes out its stack, and a failing backend costs thousands.
 */
export function toClientError(error: unknown): ClientError | undefined {
  if (error instanceof RestError) return fromRestError(error);
  if (!isGraphQLError(error)) return undefined;
  const { message, originalError: cause } = error;
  if (cause instanceof RestError) return fromRestError(cause);
  // graphql-js has added which variable was refused, and where in it.
  if (isGraphQLError(cause)) {
    return { message, extensions: cause.extensions, originalError: cause.originalError };
  }
  return cause ? undefined : error;
}

/** The same for those who may not know what a request asks of the backend. */
export function withoutRoute(error: ClientError): ClientError {
  const { originalError } = error;
  if (!(originalError instanceof RestError)) return error;
  const { upstream: _upstream, ...extensions } = error.extensions;
  return { originalError, extensions, message: originalError.what };
}

/** What to ask for in the next request, where the call budget of this one was spent. */
interface Continuation {
  /** The object that was not read, or the one whose list was cut; absent at the root. */
  readonly id?: string | undefined;
  /** The `after` to read the list from; null for its start. */
  readonly after?: string | null | undefined;
}

/** The error of a field whose call would exceed the budget, and was not made. */
class CutError extends RestError {
  /** Evaluated when the error is reported: a large answer has thousands, of which few are. */
  readonly next: () => Continuation;

  constructor({ kind, what, route }: RestError, next: () => Continuation) {
    super(kind, what, route);
    this.next = next;
  }
}

/**
 * The error of a field that was cut, or the error itself when the budget is not what failed. What
 * was read for something else is asked for by that: an entry of a topic by the entry's id.
 */
export const cutAt = (error: unknown, next: () => Continuation): unknown =>
  hasKind(error, 'budget') ? new CutError(error, next) : error;

/** Every cut of an answer, with the path of its field. */
export const continuationsOf = (
  errors: readonly Pick<GraphQLError, 'path' | 'extensions'>[],
): (Continuation & { readonly path: readonly (string | number)[] })[] =>
  errors.flatMap(({ path = [], extensions }) => {
    if (extensions?.['code'] !== BUDGET_EXCEEDED) return [];
    // Written for a `CutError` and for nothing else; absent where nothing was to be read, as for a write.
    const next = extensions['continuation'] as Continuation | undefined;
    return [{ path, ...next }];
  });
