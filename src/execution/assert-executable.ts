/**
 * What the executor requires of a valid schema, checked when a server starts.
 */
import { assertValidSchema, isScalarType, type GraphQLSchema } from 'graphql';

/** @throws {Error} with a sentence on what has to change. */
export function assertExecutable(schema: GraphQLSchema): void {
  assertValidSchema(schema);
  for (const type of Object.values(schema.getTypeMap())) {
    if (isScalarType(type) && type.serialize.constructor.name === 'AsyncFunction') {
      throw new Error(
        `"${type.name}.serialize" is async, and is not awaited: load what it needs in resolvers.`,
      );
    }
  }
}
