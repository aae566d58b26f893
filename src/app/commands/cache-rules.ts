/**
 * Prints the schema's rules for normalised caches as a module (`npm run codegen`).
 *
 * A type without an `id` is embedded in its parent, even if it has other ids.
 */
import {
  getNamedType,
  isAbstractType,
  isObjectType,
  type GraphQLObjectType,
  type GraphQLSchema,
} from 'graphql';

/** Arguments of pagination, which do not identify a list. */
const PAGING = ['first', 'after', 'last', 'before'];

function cacheRulesOf(schema: GraphQLSchema) {
  const types = Object.values(schema.getTypeMap()).filter(({ name }) => !name.startsWith('__'));
  const objects = types.filter(isObjectType);
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
  return {
    possibleTypes: Object.fromEntries(
      types
        .filter(isAbstractType)
        .map((type) => [type.name, schema.getPossibleTypes(type).map(({ name }) => name)]),
    ),
    typesWithoutId: objects
      .filter((type) => !roots.includes(type) && !('id' in type.getFields()))
      .map(({ name }) => name),
    connections: Object.fromEntries(
      objects
        .map((type) => [type.name, connectionsOf(type)] as const)
        .filter(([, fields]) => Object.keys(fields).length > 0),
    ),
  };
}

const connectionsOf = (type: GraphQLObjectType): Record<string, string[]> =>
  Object.fromEntries(
    Object.values(type.getFields())
      .filter(({ type, args }) => {
        const isConnection = getNamedType(type).name.endsWith('Connection');
        return isConnection && args.some(({ name }) => name === 'after');
      })
      .map(({ name, args }) => [
        name,
        args.map((argument) => argument.name).filter((argument) => !PAGING.includes(argument)),
      ]),
  );

export function printCacheRules(schema: GraphQLSchema): string {
  const rules = cacheRulesOf(schema);
  return `/** What \`npm run codegen\` reads in the schema for caches. */

/** The object types of each interface. */
export const possibleTypes: Record<string, string[]> = ${JSON.stringify(rules.possibleTypes)};

/** Object types that belong to the object they came with. */
export const typesWithoutId: readonly string[] = ${JSON.stringify(rules.typesWithoutId)};

/** The fields of each type that are connections, and the arguments that make another list of them. */
export const connections: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = ${JSON.stringify(rules.connections)};
`;
}
