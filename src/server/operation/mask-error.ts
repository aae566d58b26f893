/**
 * What callers see of an error: our words and a code, or "Unexpected error.".
 *
 * The same whatever NODE_ENV: no stack, no original error, no text of the backend's. What a mask
 * hides stays attached to it out of sight, for the log.
 */
import { GraphQLError } from 'graphql';
import { toClientError } from '../../graph/errors.ts';

const hidden = new WeakMap<object, unknown>();

/** The error as it may be shown. */
export function maskError(error: unknown): GraphQLError {
  const known = toClientError(error);
  if (known) return withoutInternals(known);
  const place = error instanceof GraphQLError ? error : undefined;
  const masked = new GraphQLError('Unexpected error.', {
    nodes: place?.nodes ?? null,
    source: place?.source ?? null,
    positions: place?.positions ?? null,
    path: place?.path ?? null,
    // `unexpected` makes an answer without data a 500; Yoga takes it out again.
    extensions: { code: 'INTERNAL_SERVER_ERROR', unexpected: true },
  });
  hidden.set(masked, place?.originalError ?? error);
  return masked;
}

/** What a mask hides; undefined for an error that was meant to be seen. */
export const causeOf = (error: unknown): unknown =>
  typeof error === 'object' && error !== null ? hidden.get(error) : undefined;

/** Yoga's JSON parser repeats the engine's complaint about the body under this name. */
function withoutInternals(error: GraphQLError): GraphQLError {
  delete error.extensions['originalError'];
  return error;
}
