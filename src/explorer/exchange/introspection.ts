/**
 * The introspection result, kept in local storage: it is most of the bytes of a reload.
 *
 * The page has the id of the gateway's schema, so a changed schema is loaded at once.
 */
import type { ExecutionResult } from 'graphql';
import { local } from '../storage.ts';
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
    const kept = JSON.parse(local.get(NAME) ?? '') as Kept;
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
  local.set(NAME, JSON.stringify({ schemaId, query, result } satisfies Kept));
}
