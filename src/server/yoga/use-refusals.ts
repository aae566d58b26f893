/**
 * Gives every error a code, and every refusal an HTTP status.
 *
 * Libraries leave both out here and there; then a refused document is answered with 200, and
 * callers have only a text to branch on.
 */
import { GraphQLError, type ExecutionResult } from 'graphql';
import type { Plugin } from 'graphql-yoga';

const CODE_BY_STATUS: Readonly<Record<number, string>> = {
  400: 'BAD_USER_INPUT', // Bad Request; nothing but refused variables comes without a code
  401: 'UNAUTHENTICATED', // Unauthorized
  403: 'FORBIDDEN', // Forbidden
  413: 'BODY_TOO_LARGE', // Content Too Large
  415: 'UNSUPPORTED_MEDIA_TYPE', // Unsupported Media Type
};

export interface RefusalsOptions {
  /** Whether messages may name fields and types that were perhaps meant. */
  readonly suggestions: boolean;
}

export function useRefusals({ suggestions }: RefusalsOptions): Plugin {
  return {
    onResultProcess({ result, setResult }) {
      if (Array.isArray(result) || !('errors' in result) || !result.errors?.length) return;
      const refused = !('data' in result);
      const errors = result.errors.map((error) => {
        const shown = suggestions ? error : withoutSuggestions(error);
        return refused ? asRefusal(shown) : shown;
      });
      setResult({ ...result, errors } satisfies ExecutionResult);
    },
  };
}

function asRefusal(error: GraphQLError): GraphQLError {
  const { code, http, unexpected } = error.extensions;
  const { status = 400 } = (http ?? {}) as { status?: number };
  // Yoga calls a wrong method what it calls any bad request.
  if (status === 405) {
    return changed(error, { extensions: { ...error.extensions, code: 'METHOD_NOT_ALLOWED' } });
  }
  // A mask stays what it is: Yoga answers 500.
  if (unexpected || (code !== undefined && http !== undefined)) return error;
  return changed(error, {
    extensions: {
      ...error.extensions,
      code: code ?? CODE_BY_STATUS[status] ?? 'BAD_REQUEST',
      // `spec`: callers who accept only application/json are answered with 200.
      http: { status, ...(http as object), spec: true },
    },
  });
}

const withoutSuggestions = (error: GraphQLError): GraphQLError =>
  error.message.includes('Did you mean')
    ? changed(error, { message: error.message.replace(/ Did you mean .*$/s, '') })
    : error;

const changed = (
  error: GraphQLError,
  { message = error.message, extensions = error.extensions }: Partial<GraphQLError>,
): GraphQLError =>
  new GraphQLError(message, {
    nodes: error.nodes ?? null,
    source: error.source ?? null,
    positions: error.positions ?? null,
    path: error.path ?? null,
    originalError: error.originalError ?? null,
    extensions,
  });
