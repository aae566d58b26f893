/**
 * `Node` by the relay plugin: what its global ids are, and how `node` and `nodes` read an object, with one call
 * each.
 */
import type { GraphQLResolveInfo } from 'graphql';
import type { Context } from '../context.ts';
import { demanding, type Wanted } from '../entity/demand.ts';
import { findEntity, type AnyEntity, type Entity } from '../entity/entity.ts';
import { lookUp } from '../entity/lookahead.ts';
import { badInput } from '../errors.ts';
import type { Key } from '../types/key.ts';
import { formatNodeId, parseNodeId } from '../types/node-id.ts';
import { typenameOf, withTypename } from '../types/typename.ts';

/** The most ids that `nodes` takes. */
export const MAX_NODES = 100;

/** A type, and the key of an object as one text: the plugin takes no other. */
interface PluginKey {
  readonly typename: string;
  readonly id: string;
}

/** Between the parts of a key: no id has a control character. */
const SEPARATOR = '\n';

export const keyText = ({ key: names }: AnyEntity, key: Key): string =>
  names.map((name) => key[name]).join(SEPARATOR);

export const nodeOptions = {
  encodeGlobalID: (typename: string, id: bigint | number | string): string =>
    formatNodeId(typename, String(id).split(SEPARATOR)),
  /** @throws BAD_USER_INPUT */
  decodeGlobalID: (id: string): PluginKey => {
    const { entity, key } = readId(id);
    return { typename: entity.name, id: keyText(entity, key) };
  },
  // Objects are shared between requests, and the plugin's brand would be written to them.
  brandLoadedObjects: false,
  nodeTypeOptions: {
    description: 'An object with a global id, by which `node` reads it again.',
    resolveType: (value: unknown) => typenameOf(value as object),
  },
  nodeQueryOptions: {
    ...demanding(
      'Fetches any object by its global id. Null when there is none. Costs one call of the route that reads its type.',
      { kind: 'lookup', from: 'object', wanted: ({ id }) => [readId(String(id))] },
    ),
    args: { id: { description: 'Global id: the `id` of any object.' } },
  },
  nodesQueryOptions: {
    ...demanding(
      `Fetches up to ${MAX_NODES} objects by their global ids, in the given order. An item is null when there is no such object. Costs one call for each distinct object.`,
      {
        kind: 'lookup',
        from: 'object',
        wanted: ({ ids }) => checkNumber(ids as readonly unknown[]).map((id) => readId(String(id))),
      },
    ),
    nullable: { list: false, items: true },
    args: { ids: { description: 'Global ids: the `id` of any objects.' } },
    // The plugin's own waits for the slowest object, and fails with the first that does.
    resolve: (
      _root: unknown,
      { ids }: { readonly ids: readonly PluginKey[] },
      context: Context,
      info: GraphQLResolveInfo,
    ) =>
      checkNumber(ids).map(({ typename, id }) =>
        loadNode(findEntity(typename)!, id, context, info),
      ),
  },
} as const;

/** Reads an object by the text of its key. */
export async function loadNode<T extends object>(
  entity: Entity<T, string>,
  text: string,
  context: Context,
  info: GraphQLResolveInfo,
): Promise<T | null> {
  const key = entity.keyFrom({ typename: entity.name, parts: text.split(SEPARATOR) }, text);
  // An entity reads its own objects.
  const object = (await lookUp(entity, key, context, info)) as T | null;
  return object && withTypename(object, entity.name);
}

function readId(id: string): Wanted {
  const key = parseNodeId(id);
  const entity = findEntity(key.typename);
  if (!entity)
    throw badInput(`"${id.slice(0, 64)}" is the id of a "${key.typename}", which is no type here.`);
  return { entity, key: entity.keyFrom(key, id) };
}

function checkNumber<Id>(ids: readonly Id[]): readonly Id[] {
  if (ids.length <= MAX_NODES) return ids;
  throw badInput(
    `"ids" takes at most ${MAX_NODES} ids, got ${ids.length}: ask for the rest in another request.`,
  );
}
