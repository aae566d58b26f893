/**
 * Errors as callers see them: a known message and code, or `MASKED`. Stacks, original errors and messages of
 * the backend are never sent, for any NODE_ENV. The causes of masked errors are logged.
 */
import { GraphQLError, type ExecutionResult } from 'graphql';
import {
  continuationsOf,
  isGraphQLError,
  toClientError,
  withoutRoute,
} from '../../graph/errors.ts';
import type { Writes } from '../../graph/context.ts';

/** Message of every error whose cause is masked. */
export const MASKED = 'Unexpected error.';

const causes = new WeakMap<GraphQLError, { readonly cause: unknown } | undefined>();

/** Returns the cause of a masked error, which may be anything; undefined for other errors. */
export const maskedCauseOf = (error: GraphQLError) => causes.get(error);

/** Translates an error for callers. Idempotent. */
export type Translate = (error: unknown) => GraphQLError;

interface ErrorDisclosure {
  readonly suggestions: boolean;
  /** Whether errors may contain the failed route and the backend's status. */
  readonly routes: boolean;
}

export const createTranslate =
  ({ suggestions, routes }: ErrorDisclosure): Translate =>
  (error) => {
    if (isGraphQLError(error) && causes.has(error)) return error;
    const client = toClientError(error);
    const known = client && !routes ? withoutRoute(client) : client;
    const place = isGraphQLError(error) ? error : undefined;
    const extensions = known
      ? { code: codeByStatus(known), ...known.extensions }
      : { code: 'INTERNAL_SERVER_ERROR' };
    const translated = new GraphQLError(
      known ? shownMessage(known.message, suggestions) : MASKED,
      place?.nodes,
      place?.source,
      place?.positions,
      place?.path,
      // Read by admission; never sent to callers.
      known?.originalError,
      extensions,
    );
    causes.set(translated, known ? undefined : { cause: place?.originalError ?? error });
    return translated;
  };

/** Codes of errors of plugins that set only a status. */
const BY_STATUS: Readonly<Record<number, string>> = {
  401: 'UNAUTHENTICATED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  429: 'RATE_LIMITED',
  500: 'INTERNAL_SERVER_ERROR',
  503: 'UPSTREAM_UNAVAILABLE',
};

/** graphql-js sets neither code nor status; after validation its errors are about variables and arguments. */
function codeByStatus({ extensions }: Pick<GraphQLError, 'extensions'>): string {
  const { status } = (extensions['http'] ?? {}) as { readonly status?: number };
  return BY_STATUS[status ?? 0] ?? 'BAD_USER_INPUT';
}

/**
 * Translates the errors of a result, and adds the continuation of lists that the budget has cut, and the writes that
 * were applied nevertheless.
 */
export function translateResult<Result extends ExecutionResult>(
  result: Result,
  translate: Translate,
  writes?: Writes,
): Result {
  if (!result.errors || result.errors.length === 0) return result;
  const isLost = result.data == null;
  const errors = result.errors.map((error) => withWrites(translate(error), writes, isLost));
  const continuation = continuationsOf(errors);
  return {
    ...result,
    errors,
    ...(continuation.length > 0 && { extensions: { ...result.extensions, continuation } }),
  };
}

/**
 * Adds the applied writes to an error: those of its field, or all if it is about the whole result.
 * Idempotent.
 *
 * @param isLost whether the result has no data, with which what the writes returned is lost.
 */
export function withWrites(
  error: GraphQLError,
  writes: Writes | undefined,
  isLost: boolean,
): GraphQLError {
  if (!writes?.size || 'writeCarriedOut' in error.extensions) return error;
  const [field] = error.path ?? [];
  const applied = [...writes.values()].filter(
    (one) =>
      isLost ||
      field === undefined ||
      // The error of an unknown outcome reports it itself.
      (one.field === field && one.carriedOut),
  );
  if (applied.length === 0) return error;
  const { message, nodes, source, positions, path, originalError } = error;
  // Proxies and clients repeat a request after an error status.
  const { http: _http, ...extensions } = error.extensions;
  const marked = new GraphQLError(message, nodes, source, positions, path, originalError, {
    ...extensions,
    writeCarriedOut: applied.some(({ carriedOut }) => carriedOut) || null,
    writes: applied,
  });
  causes.set(marked, causes.get(error));
  return marked;
}

/** Maximum lengths of a quoted value in a message, and of a message, in characters. */
const MAX_REPEATED = 100;
const MAX_MESSAGE = 400;

/** Shortens messages: graphql-js repeats invalid values of any length. */
function shownMessage(message: string, suggestions: boolean): string {
  const whole = suggestions ? message : message.replace(/ Did you mean .*$/s, '');
  if (whole.length <= MAX_REPEATED) return whole;
  const short = whole.replace(TEXT, (text) =>
    text.length <= MAX_REPEATED ? text : `${text.slice(0, MAX_REPEATED - 1)}…`,
  );
  return short.length <= MAX_MESSAGE ? short : `${short.slice(0, MAX_MESSAGE - 1)}…`;
}

/** A quoted string of any length (to pair the quotes), or a long run without spaces. */
const TEXT = /"(?:\\.|[^"\\])*"?|\S{101,}/g;
