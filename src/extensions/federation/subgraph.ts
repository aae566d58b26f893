/**
 * The schema as a subgraph: with `_service`, which returns the schema for composition, and `_entities`, which reads
 * objects referenced by other subgraphs.
 *
 * Not `@apollo/subgraph`, in which one query can end the process. References are read like the ids of `nodes`, with the
 * same look-ahead, plan and limits, and fail independently. Source:
 * https://www.apollographql.com/docs/graphos/schema-design/federated-schemas/reference/subgraph-spec
 */
import {
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLScalarType,
  GraphQLSchema,
  GraphQLString,
  GraphQLUnionType,
  isObjectType,
  type GraphQLFieldConfig,
  type GraphQLResolveInfo,
} from 'graphql';
import type { Context } from '../../graph/context.ts';
import { requiring, type WantedObject } from '../../graph/entity/requirement.ts';
import { findEntity, nounOf } from '../../graph/entity/entity.ts';
import { badInput, notFound } from '../../graph/errors.ts';
import { loadNode, MAX_NODES, typenameOf } from '../../graph/schema/node.ts';
import { readRepresentation } from './representation.ts';
import { printSubgraph } from './sdl.ts';

interface Representations {
  readonly representations: readonly unknown[];
}

/** @param tellsSchema whether `_service` is allowed. */
export function subgraphOf(
  schema: GraphQLSchema,
  { tellsSchema }: { readonly tellsSchema: boolean },
): GraphQLSchema {
  const query = schema.getQueryType()!; // has at least `node`
  const { fields, ...options } = query.toConfig();
  const config = schema.toConfig();
  return new GraphQLSchema({
    ...config,
    types: config.types.filter((type) => type !== query),
    query: new GraphQLObjectType({
      ...options,
      fields: {
        ...fields,
        _entities: entitiesOf(schema),
        _service: serviceOf(schema, tellsSchema),
      },
    }),
  });
}

function serviceOf(
  schema: GraphQLSchema,
  tellsSchema: boolean,
): GraphQLFieldConfig<unknown, Context> {
  let sdl: string | undefined;
  const Service = new GraphQLObjectType({
    name: '_Service',
    description: 'What this subgraph brings to the supergraph.',
    fields: {
      sdl: {
        type: new GraphQLNonNull(GraphQLString),
        description: 'The schema of the subgraph, with the directives of the federation.',
      },
    },
  });
  return {
    type: new GraphQLNonNull(Service),
    description: 'The schema that routers and composers read. No call of its own.',
    resolve: () => {
      if (tellsSchema) return { sdl: (sdl ??= printSubgraph(schema)) };
      throw badInput(
        'The schema is not told here (INTROSPECTION=off): compose with the file schema.subgraph.graphql.',
      );
    },
  };
}

function entitiesOf(schema: GraphQLSchema): GraphQLFieldConfig<unknown, Context, Representations> {
  const Entity = new GraphQLUnionType({
    name: '_Entity',
    description: 'Any object with a key.',
    types: Object.values(schema.getTypeMap())
      .filter(isObjectType)
      .filter(({ name }) => findEntity(name)),
    resolveType: (value) => typenameOf(value as object),
  });
  const Any = new GraphQLScalarType({
    name: '_Any',
    description: 'A reference to an object: `__typename`, and its `id` or all raw ids of its key.',
  });
  return {
    ...requiring(
      `Reads up to ${MAX_NODES} distinct objects that other subgraphs refer to, in the given order. Where there is no such object, or the reference is broken, the item is null, with an error. Costs one call for each distinct object.`,
      {
        kind: 'lookup',
        from: 'object',
        wanted: ({ representations }) =>
          checkNumber(representations as readonly unknown[]).map(wantedOrNone),
      },
    ),
    type: new GraphQLNonNull(new GraphQLList(Entity)),
    args: {
      representations: {
        type: new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(Any))),
        description: 'References to the objects.',
      },
    },
    resolve: (_root, { representations }, context, info) =>
      checkNumber(representations).map((one) => resolveReference(one, context, info)),
  };
}

/** Returns undefined for an invalid reference, which costs no call and whose resolver throws. */
function wantedOrNone(representation: unknown): WantedObject | undefined {
  try {
    return readRepresentation(representation);
  } catch {
    return undefined;
  }
}

/**
 * @throws NOT_FOUND if the object does not exist: for null without an error, routers return an object with only its
 * key.
 */
async function resolveReference(
  representation: unknown,
  context: Context,
  info: GraphQLResolveInfo,
): Promise<object> {
  const wanted = readRepresentation(representation);
  const object = await loadNode(wanted, context, info);
  if (object) return object;
  throw notFound(`There is no ${nounOf(wanted.entity.name)} with the key of this reference.`);
}

/**
 * Counts distinct references, since `@apollo/gateway` sends one for each row, however many are equal. Each broken one
 * counts, since it has an error of its own.
 */
function checkNumber(representations: readonly unknown[]): readonly unknown[] {
  if (representations.length <= MAX_NODES) return representations;
  const valid = new Map<string, boolean>();
  let count = 0;
  for (const one of representations) {
    const text = JSON.stringify(one);
    if (valid.get(text)) continue;
    count += 1;
    // Beyond the limit no other is read.
    if (!valid.has(text)) valid.set(text, count > MAX_NODES || wantedOrNone(one) !== undefined);
  }
  if (count <= MAX_NODES) return representations;
  throw badInput(
    `"representations" takes at most ${MAX_NODES} distinct references, got ${count}: query fewer objects of the other subgraph in one request.`,
  );
}
