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
import { formatNodeId, parseNodeId } from './node-id.ts';
import { typenameOf, withTypename } from './typename.ts';

/** The most ids that `nodes` takes. */
export const MAX_NODES = 100;

/** A type, and a key as the text that an entity makes of it. */
interface PluginKey {
  readonly typename: string;
  readonly id: string;
}

export const encodeGlobalID = (typename: string, id: bigint | number | string): string =>
  formatNodeId(typename, String(id).split(SEPARATOR));

export const nodeOptions = {
  encodeGlobalID,
  /** @throws BAD_USER_INPUT */
  decodeGlobalID: (id: string): PluginKey => {
    const { entity, key } = readId(id);
    return { typename: entity.name, id: keyTextOf(entity, key) };
  },
  // Objects are shared between requests, and the plugin's brand would be written to them.
  brandLoadedObjects: false,
  nodeTypeOptions: {
    description: 'An object with a global id, by which `node` reads it again.',
    resolveType: (value: unknown) => typenameOf(value as object),
  },
  nodeQueryOptions: {
    description:
      'Fetches any object by its global id. Null when there is none. Costs one call of the route that reads its type.',
    args: { id: { description: 'Global id: the `id` of any object.' } },
    extensions: demanding({
      kind: 'lookup',
      from: 'object',
      wanted: ({ id }) => [readId(String(id))],
    }),
  },
  nodesQueryOptions: {
    description: `Fetches up to ${MAX_NODES} objects by their global ids, in the given order. An item is null when there is no such object. Costs one call for each distinct object.`,
    args: { ids: { description: 'Global ids: the `id` of any objects.' } },
    extensions: demanding({
      kind: 'lookup',
      from: 'object',
      wanted: ({ ids }) => checkNumber(ids as readonly unknown[]).map((id) => readId(String(id))),
    }),
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
};

/** Between the parts of a key: no id has a control character. */
const SEPARATOR = '\n';

/**
 * The key of an object, for the plugin.
 *
 * @throws the error that stands where the backend broke a part.
 */
export function keyTextOf({ key }: AnyEntity, object: object): string {
  let text = '';
  for (const name of key) {
    const part = (object as Readonly<Record<string, unknown>>)[name];
    if (part instanceof Error) throw part;
    text += text === '' ? String(part) : SEPARATOR + String(part);
  }
  return text;
}

/** Reads an object by such a key. */
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
