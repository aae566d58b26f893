/**
 * Rules of this graph for the cache of Apollo Client.
 *
 * ```ts
 * const cache = new InMemoryCache({ possibleTypes, typePolicies });
 * ```
 *
 * Fetched pages of a connection are merged for each combination of filters, for any `first`. A failed list stays null.
 */
import type {
  FieldFunctionOptions,
  FieldPolicy,
  Reference,
  StoreObject,
  TypePolicies,
} from '@apollo/client/cache';
import { isReference } from '@apollo/client/utilities';
import { connections, typesWithoutId } from '../generated/cache-rules.ts';

export { possibleTypes } from '../generated/cache-rules.ts';

/** A stored edge, without fields that no query has read yet. */
interface Edge {
  readonly node?: Reference | StoreObject | null;
  readonly cursor?: string;
  /** Cursor after the page that ends here, for queries that select no `cursor` of edges. */
  readonly pageEnd?: string;
  /** Cursor before the page that begins here. */
  readonly pageStart?: string;
}

interface List {
  readonly edges?: readonly Edge[];
  readonly pageInfo?: PageInfo;
}

type PageInfo = Readonly<Record<string, unknown>>;

/**
 * Unlike `relayStylePagination`, keeps null for a failed list, cursors of edges, and rows after a page that is fetched
 * again. Adds no list, cursor or next page that no query has selected, since later queries would read them.
 */
const paginated = (filters: readonly string[]): FieldPolicy<List | null> => ({
  keyArgs: filters.length > 0 && [...filters],
  read(existing, { canRead, readField }) {
    if (!existing?.edges) return existing;
    // Objects that were evicted leave the list.
    const isThere = (edge: Edge): boolean =>
      !('node' in edge) || canRead(readField('node', edge as StoreObject));
    return { ...existing, edges: existing.edges.filter(isThere) };
  },
  merge: (existing, incoming, options) =>
    incoming ? joined(existing ?? {}, incoming, options) : (existing ?? null),
});

function joined(
  existing: List,
  incoming: List,
  { args, mergeObjects }: FieldFunctionOptions,
): List {
  const { edges: known = [] } = existing;
  const { edges: page, pageInfo: info } = incoming;
  // Rows of the page replace those from `start` to `end`, which it contains or which are gone.
  let [start, end] = [0, known.length];
  // Apps write whole lists, for example without a removed row.
  const isWhole = (cursor: string): boolean =>
    info?.[cursor] !== undefined && info[cursor] === existing.pageInfo?.[cursor];
  const list: { edges?: readonly Edge[]; pageInfo?: PageInfo } = { ...existing, ...incoming };
  if (page) {
    const placeOf = (edge: Edge | undefined): number =>
      edge ? known.findIndex((one) => isSameRow(one, edge)) : -1;
    const { after, before } = args ?? {};
    if (before != null) {
      end = Math.max(0, placeOfCursor(known, before, 'pageStart'));
      const first = placeOf(page[0]);
      if (first < end && info?.['hasPreviousPage'] !== false && !isWhole('startCursor'))
        start = Math.max(0, first);
    } else {
      if (after != null) start = placeOfCursor(known, after, 'pageEnd') + 1 || known.length;
      const last = placeOf(page.at(-1));
      if (last >= start && info?.['hasNextPage'] !== false && !isWhole('endCursor')) end = last + 1;
    }
    // A row keeps the fields that other queries have read.
    const rows = page.map((edge) => {
      const other = known[placeOf(edge)];
      return other ? (mergeObjects(other as StoreObject, edge as StoreObject) as Edge) : edge;
    });
    const marked = withPageCursors(rows, info);
    list.edges = distinct([...known.slice(0, start), ...marked, ...known.slice(end)]);
  }
  const { pageInfo } = existing;
  if (!pageInfo) return list;
  // `pageInfo` of the page counts for the end of the list that the page is at.
  const isNew = (index: 0 | -1): boolean => {
    const [one, other] = [known.at(index), list.edges?.at(index)];
    return one !== other && !(one && other && isSameRow(one, other));
  };
  list.pageInfo = {
    ...pageInfo,
    ...info,
    ...endOf(START, start === 0, isNew(0), pageInfo, info),
    ...endOf(END, end === known.length, isNew(-1), pageInfo, info),
  };
  return list;
}

const START = ['hasPreviousPage', 'startCursor'];
const END = ['hasNextPage', 'endCursor'];

/** Fields of `pageInfo` for one end of a list; undefined if no query has read them. */
const endOf = (
  fields: readonly string[],
  isThere: boolean,
  isNew: boolean,
  known: PageInfo,
  page: PageInfo | undefined,
): PageInfo =>
  Object.fromEntries(
    fields.map((field) => {
      const own = isThere ? page?.[field] : undefined;
      return [field, own === undefined && !isNew ? known[field] : own];
    }),
  );

const placeOfCursor = (
  edges: readonly Edge[],
  cursor: unknown,
  mark: 'pageEnd' | 'pageStart',
): number => edges.findIndex((edge) => edge.cursor === cursor || edge[mark] === cursor);

/** Marks the ends of a page; a page that is streamed has had another last edge before. */
function withPageCursors(rows: readonly Edge[], info: PageInfo | undefined): readonly Edge[] {
  const { startCursor, endCursor } = info ?? {};
  return rows.map(({ pageStart, pageEnd, ...edge }, index) => {
    const starts = index === 0 ? (startCursor ?? pageStart) : pageStart;
    const isEnd = index === rows.length - 1;
    const ends = isEnd ? (endCursor ?? pageEnd) : pageEnd === endCursor ? undefined : pageEnd;
    return {
      ...edge,
      ...(typeof starts === 'string' && { pageStart: starts }),
      ...(typeof ends === 'string' && { pageEnd: ends }),
    };
  });
}

function isSameRow(one: Edge, other: Edge): boolean {
  if (isReference(one.node) && isReference(other.node)) return one.node.__ref === other.node.__ref;
  return one.cursor !== undefined && one.cursor === other.cursor;
}

/** An object that was inserted is returned again with its page. */
function distinct(edges: readonly Edge[]): readonly Edge[] {
  const seen = new Set<string>();
  return edges.filter(({ node }) => !isReference(node) || seen.size < seen.add(node.__ref).size);
}

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
