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
      'Fetches any object by its global id. Null when there is none. Costs one call of the route that reads its type.',
    args: { id: t.arg.id({ required: true, description: 'Global id: the `id` of any object.' }) },
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
    description: `Fetches up to ${MAX_NODES} objects by their global ids, in the given order. An item is null when there is no such object. Costs one call for each distinct object.`,
    args: {
      ids: t.arg.idList({ required: true, description: 'Global ids: the `id` of any objects.' }),
    },
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
