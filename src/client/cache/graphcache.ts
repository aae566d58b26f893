/**
 * Rules of this graph for urql's graphcache.
 *
 * ```ts
 * const cache = cacheExchange({ keys, possibleTypes, resolvers });
 * ```
 *
 * The pages of a connection that are fetched are joined, for each set of its filters.
 */
import type { KeyingConfig, ResolverConfig } from '@urql/exchange-graphcache';
import { relayPagination } from '@urql/exchange-graphcache/extras';
import { connections, typesWithoutId } from '../generated/cache-rules.ts';

export { possibleTypes } from '../generated/cache-rules.ts';

/** All types without an id: their values belong to the object they came with. */
export const keys: KeyingConfig = Object.fromEntries(
  typesWithoutId.map((name) => [name, () => null]),
);

/** Pagination of all connections. */
export const resolvers: ResolverConfig = Object.fromEntries(
  Object.entries(connections).map(([name, fields]) => [
    name,
    Object.fromEntries(Object.keys(fields).map((field) => [field, relayPagination()])),
  ]),
);
