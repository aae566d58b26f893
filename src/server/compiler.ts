/**
 * A document → a function that executes it.
 *
 * Apart from those who use it, since the library it stands on takes a tenth of a second to load:
 * nobody who starts the gateway should wait for it.
 */
import { getOperationAST, OperationTypeNode, type ExecutionArgs } from 'graphql';
import { compileQuery, isCompiledQuery, type CompiledQuery } from 'graphql-jit';

/** Characters of a document that is compiled at the most. */
const MAX_LENGTH = 10_000;

export type Compiled = CompiledQuery['query'];

/** Null for what the compiler refuses: graphql-js knows more than it does. */
export function compile({ schema, document, operationName }: ExecutionArgs): Compiled | null {
  const operation = getOperationAST(document, operationName);
  if (operation?.operation !== OperationTypeNode.QUERY) return null;
  if ((document.loc?.source.body.length ?? 0) > MAX_LENGTH) return null;
  const compiled = compileQuery(schema, document, operationName ?? undefined, {
    // Answers are checked as they arrive: what a leaf holds is an error or of its type already.
    disableLeafSerialization: true,
  });
  return isCompiledQuery(compiled) ? compiled.query : null;
}
