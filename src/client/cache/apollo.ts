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
/** A list as stored: without what no query has read yet. */
type StoredList = Partial<CachedList> | null | undefined;

/**
 * `relayStylePagination` with null in place of an empty list after a failure, without duplicates, as an inserted object
 * is returned again with its page, and without the empty list, the cursors and the next page that it makes up where a
 * query has not selected them: the next query would get them.
 */
function paginated(filters: readonly string[]): PaginationPolicy {
  const policy = relayStylePagination(filters.length > 0 && [...filters]);
  const merge = policy.merge as Merge;
  return {
    keyArgs: policy.keyArgs!,
    read(existing: StoredList, { canRead, readField }) {
      if (!existing?.edges) return existing;
      // Objects that were evicted leave the list.
      const isThere = (edge: CachedList['edges'][number]): boolean =>
        !('node' in edge) || canRead(readField('node', edge));
      return { ...(existing as CachedList), edges: existing.edges.filter(isThere) };
    },
    merge(existing: StoredList, incoming, options) {
      if (incoming === null) return (existing ?? null) as CachedList | null;
      const { edges, pageInfo, ...extras } = merge(
        { ...EMPTY, ...existing } as CachedList,
        incoming,
        options,
      )!;
      const list: { edges?: CachedList['edges']; pageInfo?: CachedList['pageInfo'] } = extras;
      if (existing?.edges || incoming.edges) list.edges = distinct(edges);
      if (existing?.pageInfo || incoming.pageInfo) list.pageInfo = pageInfo;
      return list as CachedList;
    },
  };
}

const EMPTY = { edges: [], pageInfo: {} };

function distinct(edges: CachedList['edges']): CachedList['edges'] {
  const seen = new Set<string>();
  return edges.filter((edge) => {
    if (!('node' in edge) || !isReference(edge.node)) return true;
    return seen.size < seen.add(edge.node.__ref).size;
  });
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
