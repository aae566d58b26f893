/**
 * The schema as a subgraph of Apollo Federation, with `_service` and `_entities`. References are read like the ids of
 * `nodes`, with the same prefetching, plan and limits.
 *
 * Not `@apollo/subgraph`, in which one query can end the process. Source: Apollo Federation subgraph specification.
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
import { findEntity, nounOf, withArticle } from '../../graph/entity/entity.ts';
import { badInput, notFound } from '../../graph/errors.ts';
import { loadNode, MAX_NODES, typenameOf } from '../../graph/schema/node.ts';
import { dictionary } from '../../lib/dictionary.ts';
import { orUndefined } from '../../lib/or-undefined.ts';
import type { Open, OptionsOf } from '../../gateway/extension.ts';
import type { settings } from './federation.settings.ts';
import { printSubgraph } from './sdl.ts';

interface Representations {
  readonly representations: readonly unknown[];
}

/** `exposesSchema`: whether routers may query the schema. */
type FederationOptions = OptionsOf<typeof settings>;

export const open: Open<FederationOptions> = (settings) => ({
  schema: (schema) => subgraphOf(schema, settings),
});

export function subgraphOf(schema: GraphQLSchema, { exposesSchema }: FederationOptions) {
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
        _service: serviceOf(schema, exposesSchema),
      },
    }),
  });
}

function serviceOf(
  schema: GraphQLSchema,
  exposesSchema: boolean,
): GraphQLFieldConfig<unknown, Context> {
  let sdl: string | undefined;
  const Service = new GraphQLObjectType({
    name: '_Service',
    description: 'Information about this subgraph.',
    fields: {
      sdl: {
        type: new GraphQLNonNull(GraphQLString),
        description: 'SDL of the subgraph schema with federation directives.',
      },
    },
  });
  return {
    type: new GraphQLNonNull(Service),
    description: 'The subgraph schema, for composition. Makes no REST call.',
    resolve: () => {
      if (exposesSchema) return { sdl: (sdl ??= printSubgraph(schema)) };
      throw badInput(
        'The schema is hidden (INTROSPECTION=off). Compose with the file schema.subgraph.graphql.',
      );
    },
  };
}

function entitiesOf(schema: GraphQLSchema): GraphQLFieldConfig<unknown, Context, Representations> {
  const Entity = new GraphQLUnionType({
    name: '_Entity',
    description: 'Every type with a key.',
    types: Object.values(schema.getTypeMap())
      .filter(isObjectType)
      .filter(({ name }) => findEntity(name)),
    resolveType: (value) => typenameOf(value as object),
  });
  const Any = new GraphQLScalarType({
    name: '_Any',
    description:
      'A reference to an object: its `__typename`, and its `id` or all raw ids of its key.',
  });
  return {
    ...requiring(
      `Returns the objects that other subgraphs refer to, in the given order. Limit: ${MAX_NODES} distinct references. An item is null with an error if its reference is invalid or the object does not exist. Costs one REST call per distinct object.`,
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
const wantedOrNone = (representation: unknown): WantedObject | undefined =>
  orUndefined(() => readRepresentation(representation));

/**
 * @throws NOT_FOUND without such an object, since routers turn null without an error into an object with only its key.
 */
async function resolveReference(
  representation: unknown,
  context: Context,
  info: GraphQLResolveInfo,
): Promise<object> {
  const wanted = readRepresentation(representation);
  const object = await loadNode(wanted, context, info);
  if (object) return object;
  throw notFound(`No ${nounOf(wanted.entity.name)} matches the key of this reference.`);
}

/** Counts distinct references, since `@apollo/gateway` repeats them, and each invalid one, which has its own error. */
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
    `"representations" has ${count} distinct references. Limit: ${MAX_NODES}. Query fewer objects of the other subgraph per request.`,
  );
}

/** Reads the global id of a representation, or all raw ids of its key. @throws BAD_USER_INPUT */
function readRepresentation(representation: unknown): WantedObject {
  if (typeof representation !== 'object' || representation === null) {
    throw badInput('A representation must be an object with "__typename" and the fields of a key.');
  }
  const { __typename: typename, ...given } = representation as Readonly<Record<string, unknown>>;
  if (typeof typename !== 'string') {
    throw badInput('A representation has no "__typename". Add the name of its type.');
  }
  const entity = findEntity(typename);
  if (!entity) {
    throw badInput(
      `"${typename.slice(0, 64)}" has no key in this subgraph. Use a type that it declares with @key.`,
    );
  }
  const id = idIn(given['id']);
  const rawIds = dictionary(entity.key.map((name) => [name, idIn(given[name])] as const));
  if (id !== undefined) {
    const key = entity.callerKey({ id });
    const other = entity.key.find(
      (name) => rawIds[name] !== undefined && rawIds[name] !== key[name],
    );
    if (other === undefined) return { entity, key };
    throw badInput(`"id" and "${other}" identify different objects. Send ids of the same object.`);
  }
  if (entity.key.every((name) => rawIds[name] !== undefined)) {
    return { entity, key: entity.callerKey(rawIds) };
  }
  const parts = entity.key.map((name) => `"${name}"`).join(', ');
  throw badInput(
    `The representation has no key. The key of ${withArticle(typename)} is "id", or all of ${parts}, as strings.`,
  );
}

/** Reads an id as the scalar `ID` does: a string, or an integer. */
const idIn = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : Number.isSafeInteger(value) ? String(value) : undefined;
