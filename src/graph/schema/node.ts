/**
 * `Node` by the relay plugin: what its global ids are, and how `node` and `nodes` read an object, with one call
 * each.
 */
import type { GraphQLResolveInfo } from 'graphql';
import type { Context } from '../context.ts';
import { requiring, type Wanted } from '../entity/requirement.ts';
import { findEntity } from '../entity/entity.ts';
import { lookUp } from '../entity/lookahead.ts';
import { badInput } from '../errors.ts';
import { parseNodeId } from '../types/node-id.ts';
import { typenameOf, withTypename } from '../types/typename.ts';

/** The most ids that `nodes` takes. */
export const MAX_NODES = 100;

/** An id as the plugin hands it to a resolver. */
interface GivenId {
  readonly id: string;
}

export const ID_DESCRIPTION =
  'Global id: opaque, URL-safe, stable, and unique across all types. Accepted by mutations, and in place of a raw id.';

export const nodeOptions = {
  idFieldOptions: { description: ID_DESCRIPTION },
  // Resolvers read ids: one that is refused here would fail the whole list it stands in.
  decodeGlobalID: (id: string) => ({ typename: 'Node', id }),
  nodeTypeOptions: {
    description: 'An object with a global id, by which `node` reads it again.',
    resolveType: (value: unknown) => typenameOf(value as object),
  },
  nodeQueryOptions: {
    ...requiring(
      'Fetches any object by its global id. Null when there is none. Costs one call of the route that reads its type.',
      { kind: 'lookup', from: 'object', wanted: ({ id }) => [readId(String(id))] },
    ),
    args: { id: { description: 'Global id: the `id` of any object.' } },
    resolve: (
      _root: unknown,
      { id }: { readonly id: GivenId },
      context: Context,
      info: GraphQLResolveInfo,
    ) => loadNode(readId(id.id), context, info),
  },
  nodesQueryOptions: {
    ...requiring(
      `Fetches up to ${MAX_NODES} objects by their global ids, in the given order. An item is null when there is no such object, and with an error when its id is none. Costs one call for each distinct object.`,
      {
        kind: 'lookup',
        from: 'object',
        wanted: ({ ids }) => checkNumber(ids as readonly unknown[]).map(wantedOrNone),
      },
    ),
    nullable: { list: false, items: true },
    args: { ids: { description: 'Global ids: the `id` of any objects.' } },
    // The plugin's own waits for the slowest object, and fails with the first that does.
    resolve: (
      _root: unknown,
      { ids }: { readonly ids: readonly GivenId[] },
      context: Context,
      info: GraphQLResolveInfo,
    ) => checkNumber(ids).map(async ({ id }) => loadNode(readId(id), context, info)),
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

/** Undefined for what is no id: it costs no call, and its resolver throws its error. */
function wantedOrNone(id: unknown): Wanted | undefined {
  try {
    return readId(String(id));
  } catch {
    return undefined;
  }
}

function checkNumber<Id>(ids: readonly Id[]): readonly Id[] {
  if (ids.length <= MAX_NODES) return ids;
  throw badInput(
    `"ids" takes at most ${MAX_NODES} ids, got ${ids.length}: ask for the rest in another request.`,
  );
}
