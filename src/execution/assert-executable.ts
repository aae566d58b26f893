/**
 * What the executor takes for granted of a schema beyond its being valid: said when a server starts,
 * and not by its first request.
 */
import { assertValidSchema, isScalarType, type GraphQLSchema } from 'graphql';

/** @throws {Error} with a sentence on what has to change. */
export function assertExecutable(schema: GraphQLSchema): void {
  assertValidSchema(schema);
  for (const type of Object.values(schema.getTypeMap())) {
    if (isScalarType(type) && type.serialize.constructor.name === 'AsyncFunction') {
      throw new Error(
        `"${type.name}.serialize" is async, and nobody would await it: load what it needs in resolvers.`,
      );
    }
  }
}
