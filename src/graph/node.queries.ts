/**
 * `node` and `nodes`: any object by its global id, with one call each.
 */
import type { GraphQLResolveInfo } from 'graphql';
import { builder } from './builder.ts';
import type { Context } from './context.ts';
import { findEntity, type Entity } from './entity.ts';
import { badInput } from './errors.ts';
import { lookUp } from './lookahead.ts';
import { parseNodeId } from './node-id.ts';
import { withTypename } from './typename.ts';

/** The most ids that `nodes` takes. */
export const MAX_NODES = 100;

builder.queryFields((t) => ({
  node: t.field({
    type: builder.nodeInterfaceRef(),
    nullable: true,
    description:
      'The object with a global id; null when there is none. Costs the one route that reads it.',
    args: { id: t.arg.id({ required: true, description: 'The `id` of any object.' }) },
    resolve: (_root, { id }, context, info) => findNode(readId(String(id)), context, info),
  }),
  nodes: t.field({
    type: [builder.nodeInterfaceRef()],
    nullable: { list: false, items: true },
    description: `The objects with these global ids, in the order asked for; null where there is none. At most ${MAX_NODES}; each distinct object costs one call.`,
    args: { ids: t.arg.idList({ required: true, description: 'The `id`s of any objects.' }) },
    resolve: (_root, { ids }, context, info) => {
      if (ids.length > MAX_NODES) {
        throw badInput(
          `"ids" takes at most ${MAX_NODES} ids, got ${ids.length}: ask for the rest in another request.`,
        );
      }
      // Read before the first call: one wrong id refuses them all.
      const wanted = ids.map((id) => readId(String(id)));
      return wanted.map((one) => findNode(one, context, info));
    },
  }),
}));

interface Wanted {
  readonly entity: Entity;
  readonly key: Readonly<Record<string, string>>;
}

function readId(id: string): Wanted {
  const key = parseNodeId(id);
  const entity = findEntity(key.typename);
  if (!entity)
    throw badInput(`"${id.slice(0, 64)}" is the id of a "${key.typename}", which is no type here.`);
  return { entity, key: entity.keyFrom(key, id) };
}

async function findNode({ entity, key }: Wanted, context: Context, info: GraphQLResolveInfo) {
  const object = await lookUp(entity, key as never, context, info);
  return object && withTypename(object, entity.name);
}
