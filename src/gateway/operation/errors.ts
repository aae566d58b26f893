/**
 * Errors as callers see them: our words and a code, or "Unexpected error.", whatever NODE_ENV: no stack, no
 * original error, no text of the backend's. What a mask hides goes to the log.
 */
import { GraphQLError, type ExecutionResult } from 'graphql';
import {
  continuationsOf,
  isGraphQLError,
  toClientError,
  withoutRoute,
} from '../../graph/errors.ts';

/** Every error that was translated, with what was masked of it. */
const causes = new WeakMap<GraphQLError, { readonly cause: unknown }>();

/** The cause behind a masked error; undefined for other errors. */
export const maskedCauseOf = (error: GraphQLError): unknown => causes.get(error)?.cause;

/** The error as callers may see it; the same error for one that was translated already. */
export type Translate = (error: unknown) => GraphQLError;

interface Shown {
  /** Whether messages may name what was perhaps meant. */
  readonly suggestions: boolean;
  /** Whether errors may name the route that failed, and the backend's status. */
  readonly routes: boolean;
}

export const createTranslate =
  ({ suggestions, routes }: Shown): Translate =>
  (error) => {
    if (isGraphQLError(error) && causes.has(error)) return error;
    const client = toClientError(error);
    const known = client && !routes ? withoutRoute(client) : client;
    const place = isGraphQLError(error) ? error : undefined;
    // graphql-js gives no code, and past validation its errors are about variables and arguments.
    const extensions = known
      ? { code: 'BAD_USER_INPUT', ...known.extensions }
      : { code: 'INTERNAL_SERVER_ERROR' };
    const translated = new GraphQLError(
      known ? shownMessage(known.message, suggestions) : 'Unexpected error.',
      place?.nodes,
      place?.source,
      place?.positions,
      place?.path,
      // Callers never see it; admission looks at it.
      known?.originalError,
      extensions,
    );
    causes.set(translated, { cause: known ? undefined : (place?.originalError ?? error) });
    return translated;
  };

/** Errors of a result translated, with where to continue what the budget has cut. */
export function translated<Result extends ExecutionResult>(
  result: Result,
  translate: Translate,
): Result {
  if (!result.errors || result.errors.length === 0) return result;
  const errors = result.errors.map(translate);
  const continuation = continuationsOf(errors);
  return {
    ...result,
    errors,
    ...(continuation.length > 0 && { extensions: { ...result.extensions, continuation } }),
  };
}

/** The longest text of a caller's that a message repeats, and the longest message. */
const MAX_REPEATED = 100;
const MAX_MESSAGE = 400;

/** graphql-js repeats what is wrong, however long it is. */
function shownMessage(message: string, suggestions: boolean): string {
  const kept = suggestions ? message : message.replace(/ Did you mean .*$/s, '');
  if (kept.length <= MAX_REPEATED) return kept;
  const short = kept.replace(TEXT, (text) =>
    text.length <= MAX_REPEATED ? text : `${text.slice(0, MAX_REPEATED - 1)}…`,
  );
  return short.length <= MAX_MESSAGE ? short : `${short.slice(0, MAX_MESSAGE - 1)}…`;
}

/** A quoted text, a short one too, so that its end is not taken for a beginning; or a long run without spaces. */
const TEXT = /"(?:\\.|[^"\\])*"?|\S{101,}/g;
