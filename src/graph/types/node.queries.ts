/**
 * `node` and `nodes`: any object by its global id, with one call each.
 */
import type { GraphQLResolveInfo } from 'graphql';
import { builder } from './builder.ts';
import type { Context } from '../context.ts';
import { demanding, type Wanted } from '../entity/demand.ts';
import { findEntity } from '../entity/entity.ts';
import { badInput } from '../errors.ts';
import { lookUp } from '../entity/lookahead.ts';
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
    extensions: demanding({
      kind: 'lookup',
      from: 'object',
      wanted: ({ id }) => [readId(String(id))],
    }),
    resolve: (_root, { id }, context, info) => findNode(readId(String(id)), context, info),
  }),
  nodes: t.field({
    type: [builder.nodeInterfaceRef()],
    nullable: { list: false, items: true },
    description: `The objects with these global ids, in the order asked for; null where there is none. At most ${MAX_NODES}; each distinct object costs one call.`,
    args: { ids: t.arg.idList({ required: true, description: 'The `id`s of any objects.' }) },
    extensions: demanding({ kind: 'lookup', from: 'object', wanted: ({ ids }) => readIds(ids) }),
    resolve: (_root, { ids }, context, info) =>
      readIds(ids).map((wanted) => findNode(wanted, context, info)),
  }),
}));

function readId(id: string): Wanted {
  const key = parseNodeId(id);
  const entity = findEntity(key.typename);
  if (!entity)
    throw badInput(`"${id.slice(0, 64)}" is the id of a "${key.typename}", which is no type here.`);
  return { entity, key: entity.keyFrom(key, id) };
}

/** What lists of ids were read as: aliases may name one variable many times. */
const known = new WeakMap<readonly unknown[], readonly Wanted[]>();

/** Read before the first call: one wrong id refuses them all. */
function readIds(ids: unknown): readonly Wanted[] {
  const given = ids as readonly unknown[]; // the schema says `[ID!]!`
  let wanted = known.get(given);
  if (!wanted) {
    if (given.length > MAX_NODES) {
      throw badInput(
        `"ids" takes at most ${MAX_NODES} ids, got ${given.length}: ask for the rest in another request.`,
      );
    }
    wanted = given.map((id) => readId(String(id)));
    known.set(given, wanted);
  }
  return wanted;
}

async function findNode({ entity, key }: Wanted, context: Context, info: GraphQLResolveInfo) {
  const object = await lookUp(entity, key, context, info);
  return object && withTypename(object, entity.name);
}
