/**
 * Rules of this graph for the cache of Apollo Client.
 *
 * ```ts
 * const cache = new InMemoryCache({ possibleTypes, typePolicies });
 * ```
 *
 * A connection has one place for each set of its filters; the pages that are fetched are joined there,
 * whatever `first` was. A list that failed stays null.
 */
import type { TypePolicies } from '@apollo/client/cache';
import { isReference, relayStylePagination } from '@apollo/client/utilities';
import { connections, typesWithoutId } from '../generated/cache-rules.ts';

export { possibleTypes } from '../generated/cache-rules.ts';

type Policy = ReturnType<typeof relayStylePagination>;
type Merge = Extract<Policy['merge'], (...given: never[]) => unknown>;
type List = NonNullable<ReturnType<Merge>>;

/**
 * `relayStylePagination` with null for a list that failed, where it has an empty one, and with each object once: one that
 * was put into the list comes again with the page that it belongs to.
 */
function paginated(filters: readonly string[]): Policy {
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

function distinct(list: List): List {
  const seen = new Set<string>();
  const isFirst = (edge: List['edges'][number]): boolean => {
    if (!('node' in edge) || !isReference(edge.node)) return true;
    return seen.size < seen.add(edge.node.__ref).size;
  };
  return { ...list, edges: list.edges.filter(isFirst) };
}

/** Key rules of all types without an id, and pagination of all connections. */
export const typePolicies: TypePolicies = {
  ...Object.fromEntries(
    // Parts of one object that come with several answers are one value.
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
