/**
 * Rules of this graph for urql's graphcache.
 *
 * ```ts
 * const cache = cacheExchange({ keys, possibleTypes, resolvers });
 * ```
 *
 * Fetched pages of a connection are merged for each combination of filters and each page size.
 */
import type {
  Cache,
  FieldArgs,
  KeyingConfig,
  Resolver,
  ResolverConfig,
} from '@urql/exchange-graphcache';
import { relayPagination } from '@urql/exchange-graphcache/extras';
import { connections, typesWithoutId } from '../generated/cache-rules.ts';

export { possibleTypes } from '../generated/cache-rules.ts';

/** Types without an id, which are embedded in their parent. */
export const keys: KeyingConfig = Object.fromEntries(
  typesWithoutId.map((name) => [name, () => null]),
);

/**
 * `relayPagination` with four fixes: it misses fields without arguments, nulls a list of pages of different sizes if
 * rows lack a field of the query, drops rows without a key, and adds empty lists and page info that no query has
 * selected.
 */
function paginated(): Resolver {
  const merge = relayPagination();
  return (parent, args, cache, info) => {
    const pages = pagesOf(args, cache);
    const list = merge(parent, args, pages, info) as DataFields | undefined;
    const read = pages.resolve(info.parentKey, info.fieldName, args);
    if (!list || typeof read !== 'string') return list;
    const made = asRead(list, read, cache);
    const nodes = made['nodes'];
    if (isList(nodes)) made['nodes'] = nodes.map((node) => (isFailedRow(node) ? null : node));
    const pageInfo = cache.resolve(read, 'pageInfo');
    if (typeof pageInfo === 'string')
      made['pageInfo'] = asRead(list['pageInfo'] as DataFields, pageInfo, cache);
    return made;
  };
}

/** The fields of an object that a query has read into the cache. */
const asRead = (object: DataFields, key: string, cache: Cache): DataFields =>
  Object.fromEntries(
    Object.entries(object).filter(([field]) => cache.resolve(key, field) !== undefined),
  );

/** The cache without the pages of a connection that have another size, and with a key for each row. */
function pagesOf({ first, last }: Arguments, cache: Cache): Cache {
  const inspectFields: Cache['inspectFields'] = (entity) =>
    cache
      .inspectFields(entity)
      .map((field) => ({ ...field, arguments: field.arguments ?? {} }))
      .filter(({ arguments: read }) => read['first'] === first && read['last'] === last);
  const resolve: Cache['resolve'] = (entity, field, args) => {
    // Fields without arguments, and those whose arguments are all null, are stored under their names.
    const value = cache.resolve(entity, field, args && Object.keys(args).length > 0 ? args : null);
    // An edge whose node failed, or was not selected.
    if (field === 'node') return value ?? entity;
    return field === 'nodes' && isList(value)
      ? value.map((node, index) => node ?? failedRow(entity as string, index))
      : value;
  };
  return Object.create(cache, {
    inspectFields: { value: inspectFields },
    resolve: { value: resolve },
  }) as Cache;
}

/** Begins the key that a failed row gets; those of entities begin with the name of a type. */
const FAILED = 'null ';
const failedRow = (connection: string, index: number): string => `${FAILED}${connection} ${index}`;
const isFailedRow = (key: unknown): boolean => typeof key === 'string' && key.startsWith(FAILED);

/** Without the `any` of `Array.isArray`. */
const isList = (value: Value): value is Extract<Value, unknown[]> => Array.isArray(value);

type Value = ReturnType<Cache['resolve']>;
type DataFields = Record<string, Value>;
type Arguments = Exclude<FieldArgs, null | undefined>;

export const resolvers: ResolverConfig = Object.fromEntries(
  Object.entries(connections).map(([name, fields]) => [
    name,
    Object.fromEntries(Object.keys(fields).map((field) => [field, paginated()])),
  ]),
);
