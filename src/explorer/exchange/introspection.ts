/**
 * The gateway's schema, kept in the browser: it is most of what a reload would load.
 *
 * The page says which schema the gateway has, so a newer one is asked for at once.
 */
import type { ExecutionResult } from 'graphql';
import type { GraphQLRequest } from './request.ts';

const NAME = 'content-pages:schema';

interface Kept {
  readonly schemaId: string;
  readonly query: string;
  readonly result: ExecutionResult;
}

export function readIntrospection(
  schemaId: string | undefined,
  { query }: GraphQLRequest,
): ExecutionResult | undefined {
  try {
    const kept = JSON.parse(localStorage.getItem(NAME) ?? '') as Kept;
    return kept.schemaId === schemaId && kept.query === query ? kept.result : undefined;
  } catch {
    return undefined;
  }
}

export function keepIntrospection(
  schemaId: string | undefined,
  { query }: GraphQLRequest,
  result: ExecutionResult,
): void {
  if (schemaId === undefined || !result.data || result.errors) return;
  try {
    localStorage.setItem(NAME, JSON.stringify({ schemaId, query, result } satisfies Kept));
  } catch {
    // A browser without room for it asks again.
  }
}
