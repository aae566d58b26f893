/**
 * Rules of this graph for urql's graphcache.
 *
 * ```ts
 * const cache = cacheExchange({ keys, possibleTypes, resolvers });
 * ```
 *
 * Fetched pages of a connection are merged for each combination of filters.
 */
import type { KeyingConfig, ResolverConfig } from '@urql/exchange-graphcache';
import { relayPagination } from '@urql/exchange-graphcache/extras';
import { connections, typesWithoutId } from '../generated/cache-rules.ts';

export { possibleTypes } from '../generated/cache-rules.ts';

/** Types without an id, which are embedded in their parent. */
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
