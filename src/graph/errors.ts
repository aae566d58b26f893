/**
 * Errors as clients see them: a message of ours and a code.
 *
 * GraphQLErrors pass. RestErrors are translated by the table below when the response is written. All other errors are
 * unexpected, and masked.
 */
import { GraphQLError, type GraphQLErrorExtensions } from 'graphql';
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
  | 'OUTCOME_UNKNOWN';

/** The error of an invalid input. The message shows the value and how to fix it. */
export const badInput = (message: string, extensions: GraphQLErrorExtensions = {}): GraphQLError =>
  new GraphQLError(message, {
    extensions: { code: 'BAD_USER_INPUT' satisfies ErrorCode, ...extensions },
  });

const errorOf =
  (code: ErrorCode) =>
  (message: string): GraphQLError =>
    new GraphQLError(message, { extensions: { code } });

/** A value of the backend that violates the schema. */
export const invalidResponse = errorOf('UPSTREAM_INVALID_RESPONSE');

/** A referenced object that does not exist. */
export const notFound = errorOf('NOT_FOUND');

/** Something that this deployment of the backend does not support, and what to do instead. */
export const unsupported = errorOf('UPSTREAM_UNSUPPORTED');

const CODE_BY_STATUS: Readonly<Record<number, ErrorCode>> = {
  400: 'VALIDATION_FAILED', // Bad Request
  401: 'UNAUTHENTICATED', // Unauthorized
  403: 'FORBIDDEN', // Forbidden
  404: 'NOT_FOUND', // Not Found
  409: 'CONFLICT', // Conflict
  410: 'NOT_FOUND', // Gone
  412: 'CONFLICT', // Precondition Failed
  413: 'VALIDATION_FAILED', // Content Too Large
  414: 'VALIDATION_FAILED', // URI Too Long
  422: 'VALIDATION_FAILED', // Unprocessable Content
  423: 'CONFLICT', // Locked
  429: 'RATE_LIMITED', // Too Many Requests
  431: 'VALIDATION_FAILED', // Request Header Fields Too Large
};

const BUDGET_EXCEEDED = 'UPSTREAM_BUDGET_EXCEEDED';

/** Codes by kind; UPSTREAM_UNAVAILABLE for others. */
const CODE_BY_KIND: Partial<Readonly<Record<RestErrorKind, ErrorCode>>> = {
  // Ids of callers are checked earlier, so this one is from the backend.
  input: 'UPSTREAM_INVALID_RESPONSE',
  unauthenticated: 'UNAUTHENTICATED',
  unsupported: 'UPSTREAM_UNSUPPORTED',
  budget: BUDGET_EXCEEDED,
  rate_limited: 'RATE_LIMITED',
  timeout: 'UPSTREAM_TIMEOUT',
  invalid_response: 'UPSTREAM_INVALID_RESPONSE',
  // Of the gateway's own walk; see `rejectedCursor` for that of a caller.
  cursor: 'UPSTREAM_INVALID_RESPONSE',
  truncated: 'UPSTREAM_INVALID_RESPONSE',
  outcome_unknown: 'OUTCOME_UNKNOWN',
};

export function errorCodeOf({ kind, status = 0 }: Pick<RestError, 'kind' | 'status'>): ErrorCode {
  if (kind !== 'status') return CODE_BY_KIND[kind] ?? 'UPSTREAM_UNAVAILABLE';
  return (
    CODE_BY_STATUS[status] ??
    // Undocumented statuses below 500 are contract violations.
    (status < 500 ? 'UPSTREAM_INVALID_RESPONSE' : 'UPSTREAM_UNAVAILABLE')
  );
}

/** Message and extensions for a client, and the original error. */
type ClientError = Pick<GraphQLError, 'message' | 'extensions' | 'originalError'>;

/** Translates a RestError: a message, a code and the failed route, without addresses, keys or messages of the backend. */
export function fromRestError(error: RestError): ClientError {
  const { route, status, requestId, retryAfterMs } = error;
  const extensions = {
    code: error.code ?? errorCodeOf(error),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(error instanceof FieldError && error.extra()),
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
 * Whether an error is meant for callers. By name, like the masks of Yoga and Envelop, since plugins may have another
 * copy of graphql.
 */
export const isGraphQLError = (error: unknown): error is GraphQLError =>
  error instanceof GraphQLError || (error instanceof Error && error.name === 'GraphQLError');

/**
 * Translates an error for clients; undefined for unexpected errors, which are masked.
 *
 * Not a GraphQLError yet: one with an original error formats its stack, and a failing backend causes thousands.
 */
export function toClientError(error: unknown): ClientError | undefined {
  if (error instanceof RestError) return fromRestError(error);
  if (!isGraphQLError(error)) return undefined;
  const { message, originalError: cause } = error;
  if (cause instanceof RestError) return fromRestError(cause);
  // graphql-js has added the variable and the path in it.
  if (isGraphQLError(cause)) {
    return { message, extensions: cause.extensions, originalError: cause.originalError };
  }
  return cause ? undefined : error;
}

/** Removes the route, for callers who may not see backend calls. */
export function withoutRoute(error: ClientError): ClientError {
  const { originalError } = error;
  if (!(originalError instanceof RestError)) return error;
  const { upstream: _upstream, ...extensions } = error.extensions;
  return { originalError, extensions, message: originalError.what };
}

/** Where the next request continues after a spent call budget. */
interface Continuation {
  /** The object that was not read, or whose list was cut; absent at the root. */
  readonly id?: string | undefined;
  /** The `after` to read the list from; null for its start. */
  readonly after?: string | null | undefined;
}

/** The error of a call with extensions of the field that it was made for. */
class FieldError extends RestError {
  /** Evaluated only for reported errors: a large result has thousands of others. */
  readonly extra: () => GraphQLErrorExtensions;

  constructor(what: string, error: RestError, extra: () => GraphQLErrorExtensions) {
    super(error.kind, what, error.route, { ...error, what });
    this.extra = extra;
  }
}

/** Adds a continuation to an error of a spent budget; returns other errors unchanged. */
export const cutAt = (error: unknown, next: () => Continuation): unknown =>
  hasKind(error, 'budget')
    ? new FieldError(error.what, error, () => ({ continuation: next() }))
    : error;

/** The error of a caller's cursor that the backend rejects. */
export const rejectedCursor = (error: RestError): RestError =>
  new FieldError(
    'Backend no longer accepts the cursor in `after`. Omit `after` to start over',
    error,
    () => ({ code: 'BAD_USER_INPUT' satisfies ErrorCode, argument: 'after' }),
  );

/** Returns all continuations of a result, with the paths of their fields. */
export const continuationsOf = (
  errors: readonly Pick<GraphQLError, 'path' | 'extensions'>[],
): (Continuation & { readonly path: readonly (string | number)[] })[] =>
  errors.flatMap(({ path = [], extensions }) => {
    if (extensions?.['code'] !== BUDGET_EXCEEDED) return [];
    const next = extensions['continuation'] as Continuation | undefined;
    return [{ path, ...next }];
  });
