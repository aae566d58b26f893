/**
 * `Node` by the relay plugin: what its global ids are, and how `node` and `nodes` read an object, with one call
 * each.
 */
import type { GraphQLResolveInfo } from 'graphql';
import type { Context } from '../context.ts';
import { demanding, type Wanted } from '../entity/demand.ts';
import { findEntity } from '../entity/entity.ts';
import { lookUp } from '../entity/lookahead.ts';
import { badInput } from '../errors.ts';
import { parseNodeId } from '../types/node-id.ts';
import { typenameOf, withTypename } from '../types/typename.ts';

/** The most ids that `nodes` takes. */
export const MAX_NODES = 100;

/** An entity writes the global ids of its objects: they are what the plugin takes for ids of one type. */
export const nodeOptions = {
  encodeGlobalID: (_typename: string, id: bigint | number | string): string => String(id),
  /** @throws BAD_USER_INPUT */
  decodeGlobalID: (id: string) => ({ typename: readId(id).entity.name, id }),
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
      { ids }: { readonly ids: readonly { readonly id: string }[] },
      context: Context,
      info: GraphQLResolveInfo,
    ) => checkNumber(ids).map(({ id }) => loadNode(readId(id), context, info)),
  },
} as const;

/** The object that a caller names, of whatever type; null when there is none. */
export async function loadNode(
  { entity, key }: Wanted,
  context: Context,
  info: GraphQLResolveInfo,
): Promise<object | null> {
  const object = await lookUp(entity, key, context, info);
  return object && withTypename(object, entity.name);
}

/** @throws BAD_USER_INPUT for what is no id. */
export function readId(id: string): Wanted {
  const key = parseNodeId(id);
  // Only an entity lets ids of its type be read.
  const entity = findEntity(key.typename)!;
  return { entity, key: entity.keyFrom(key, id) };
}

function checkNumber<Id>(ids: readonly Id[]): readonly Id[] {
  if (ids.length <= MAX_NODES) return ids;
  throw badInput(
    `"ids" takes at most ${MAX_NODES} ids, got ${ids.length}: ask for the rest in another request.`,
  );
}
