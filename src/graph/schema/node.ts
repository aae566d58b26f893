/** `Node` by the relay plugin: global ids, and `node` and `nodes`, which cost one call per object. */
import type { GraphQLResolveInfo } from 'graphql';
import type { Context } from '../context.ts';
import { requiring, type WantedObject } from '../entity/requirement.ts';
import { findEntity } from '../entity/entity.ts';
import { lookUp } from '../entity/prefetching.ts';
import { orUndefined } from '../../lib/or-undefined.ts';
import { badInput } from '../errors.ts';
import { parseNodeId } from '../types/node-id.ts';

export const MAX_NODES = 100;

export const ID_DESCRIPTION =
  'Global ID: opaque, URL-safe, stable, and unique across all types. Mutations accept it, and so do arguments that take a raw ID.';

export const nodeOptions = {
  idFieldOptions: { description: ID_DESCRIPTION },
  // Ids are parsed by resolvers, since an error here would fail the whole list.
  decodeGlobalID: (id: string) => ({ typename: 'Node', id }),
  nodeTypeOptions: {
    description: 'An object with a global ID, which `node` can refetch.',
    resolveType: (value: unknown) => typenameOf(value as object),
  },
  nodeQueryOptions: {
    ...requiring(
      'Fetches any object by its global ID. Null if it does not exist. Makes one REST call, to the route of its type.',
      { kind: 'lookup', from: 'object', wanted: ({ id }) => [readId(String(id))] },
    ),
    args: { id: { description: 'Global ID: the `id` of any object.' } },
    resolve: (
      _root: unknown,
      { id }: { readonly id: { readonly id: string } },
      context: Context,
      info: GraphQLResolveInfo,
    ) => loadNode(readId(id.id), context, info),
  },
  nodesQueryOptions: {
    ...requiring(
      `Fetches up to ${MAX_NODES} objects by their global IDs, in the given order. An item is null if its object does not exist, and null with an error if its ID is invalid. Makes one REST call per distinct object.`,
      {
        kind: 'lookup',
        from: 'object',
        // The resolver throws for an invalid id.
        wanted: ({ ids }) =>
          checkNumber(ids as readonly unknown[]).map((id) => orUndefined(() => readId(String(id)))),
      },
    ),
    nullable: { list: false, items: true },
    args: { ids: { description: 'Global IDs: the `id` of any objects.' } },
    // Replaces the plugin's resolver, which waits for all objects and fails with the first failure.
    resolve: (
      _root: unknown,
      { ids }: { readonly ids: readonly { readonly id: string }[] },
      context: Context,
      info: GraphQLResolveInfo,
    ) => checkNumber(ids).map(async ({ id }) => loadNode(readId(id), context, info)),
  },
} as const;

/** Types of objects behind `Node`. A WeakMap, since REST objects have no type name and shared responses are immutable. */
const typenames = new WeakMap<object, string>();

export const typenameOf = (object: object): string | undefined => typenames.get(object);

/** Loads an object of any type by a caller's id; null if it does not exist. */
export async function loadNode(
  { entity, key }: WantedObject,
  context: Context,
  info: GraphQLResolveInfo,
): Promise<object | null> {
  const object = await lookUp(entity, key, context, info);
  if (object) typenames.set(object, entity.name);
  return object;
}

/** @throws BAD_USER_INPUT for an invalid id. */
function readId(id: string): WantedObject {
  const key = parseNodeId(id);
  // Only entities register types for parsing.
  const entity = findEntity(key.typename)!;
  return { entity, key: entity.keyFrom(key, id) };
}

function checkNumber<Id>(ids: readonly Id[]): readonly Id[] {
  if (ids.length <= MAX_NODES) return ids;
  throw badInput(
    `\`ids\` accepts at most ${MAX_NODES} IDs, got ${ids.length}. Send the rest in another request.`,
  );
}
