/**
 * Requirements of the executor for a schema, checked at start.
 */
import { assertValidSchema, isScalarType, type GraphQLSchema } from 'graphql';

/** @throws {Error} that says what has to change. */
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
