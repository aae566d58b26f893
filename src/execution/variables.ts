/**
 * An operation's variables, as it sees them: with defaults, and of the types they were declared with.
 */
import { getVariableValues, type GraphQLSchema, type OperationDefinitionNode } from 'graphql';

/**
 * Undefined when they are wrong; which of them and why, graphql-js says when it is asked to execute.
 *
 * The first error ends it: each prints the whole input, and thousands of them take ten seconds.
 */
export function variablesOf(
  schema: GraphQLSchema,
  { variableDefinitions = [] }: OperationDefinitionNode,
  sent: Readonly<Record<string, unknown>> | null | undefined,
): Readonly<Record<string, unknown>> | undefined {
  return getVariableValues(schema, variableDefinitions, sent ?? {}, { maxErrors: 0 }).coerced;
}
