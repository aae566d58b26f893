/**
 * Rules of this graph for the cache of Apollo Client.
 *
 * ```ts
 * const cache = new InMemoryCache({ possibleTypes, typePolicies });
 * ```
 *
 * Fetched pages of a connection are merged for each combination of filters, for any `first`. A failed list stays null.
 */
import type { TypePolicies } from '@apollo/client/cache';
import { isReference, relayStylePagination } from '@apollo/client/utilities';
import { connections, typesWithoutId } from '../generated/cache-rules.ts';

export { possibleTypes } from '../generated/cache-rules.ts';

type PaginationPolicy = ReturnType<typeof relayStylePagination>;
type Merge = Extract<PaginationPolicy['merge'], (...given: never[]) => unknown>;
type CachedList = NonNullable<ReturnType<Merge>>;

/**
 * `relayStylePagination` with null in place of an empty list after a failure, and without duplicates: an inserted
 * object is returned again with its page.
 */
function paginated(filters: readonly string[]): PaginationPolicy {
  const policy = relayStylePagination(filters.length > 0 && [...filters]);
  const read = policy.read!;
  const merge = policy.merge as Merge;
  return {
    keyArgs: policy.keyArgs!,
    read: (existing, options) => (existing === null ? null : read(existing, options)),
    merge: (existing, incoming, options) =>
      incoming === null
        ? (existing ?? null)
        : distinct(merge(existing ?? undefined, incoming, options)!),
  };
}

function distinct(list: CachedList): CachedList {
  const seen = new Set<string>();
  const isFirst = (edge: CachedList['edges'][number]): boolean => {
    if (!('node' in edge) || !isReference(edge.node)) return true;
    return seen.size < seen.add(edge.node.__ref).size;
  };
  return { ...list, edges: list.edges.filter(isFirst) };
}

/** Policies of all types without an id, and pagination of all connections. */
export const typePolicies: TypePolicies = {
  ...Object.fromEntries(
    // Values without an id from several responses are merged.
    typesWithoutId.map((name) => [name, { keyFields: false, merge: true } as const]),
  ),
  ...Object.fromEntries(
    Object.entries(connections).map(([name, fields]) => [
      name,
      {
        fields: Object.fromEntries(
          Object.entries(fields).map(([field, filters]) => [field, paginated(filters)]),
        ),
      },
    ]),
  ),
};
