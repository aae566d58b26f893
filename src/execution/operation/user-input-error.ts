/**
 * Errors that graphql-js makes of what a caller sent, with the code that it leaves out.
 */
import { GraphQLError, type ASTNode } from 'graphql';

const CODE = 'BAD_USER_INPUT';

export const userInputError = (message: string, node?: ASTNode): GraphQLError =>
  new GraphQLError(message, { nodes: node ?? null, extensions: { code: CODE } });

/** Runs it; what graphql-js throws of a caller's input gets the code. */
export function withCode<Value>(run: () => Value): Value {
  try {
    return run();
  } catch (error) {
    throw error instanceof GraphQLError ? asUserInputError(error) : error;
  }
}

/** The same error, with a code of its own or of what caused it. */
export const asUserInputError = (error: GraphQLError): GraphQLError =>
  new GraphQLError(error.message, {
    nodes: error.nodes ?? null,
    extensions: { code: CODE, ...error.extensions },
  });
