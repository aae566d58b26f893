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
import { relayStylePagination } from '@apollo/client/utilities';
import { connections, typesWithoutId } from '../generated/cache-rules.ts';

export { possibleTypes } from '../generated/cache-rules.ts';

type Policy = ReturnType<typeof relayStylePagination>;
type Merge = Extract<Policy['merge'], (...given: never[]) => unknown>;

/** `relayStylePagination` makes an empty list of one that failed: null has to stay null. */
function paginated(filters: readonly string[]): Policy {
  const policy = relayStylePagination(filters.length > 0 && [...filters]);
  const read = policy.read!;
  const merge = policy.merge as Merge;
  return {
    keyArgs: policy.keyArgs!,
    read: (existing, options) => (existing === null ? null : read(existing, options)),
    merge: (existing, incoming, options) =>
      incoming === null ? (existing ?? null) : merge(existing ?? undefined, incoming, options),
  };
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
