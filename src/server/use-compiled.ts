/**
 * Documents that are asked again are compiled, once, to a function that executes them.
 *
 * The compiler takes milliseconds and memory, so a document earns it with its second execution.
 * What it cannot compile goes on being interpreted by graphql-js, which answers the same.
 */
import type { DocumentNode, ExecutionArgs, ExecutionResult } from 'graphql';
import { compileQuery, isCompiledQuery, type CompiledQuery } from 'graphql-jit';
import type { Plugin } from 'graphql-yoga';

/** Executions that are interpreted before a document is compiled. */
const INTERPRETED_RUNS = 1;

interface Operation {
  runs: number;
  /** Null once the compiler has refused the document. */
  compiled: CompiledQuery | null | undefined;
}

export function useCompiled(): Plugin {
  // Documents are kept, and let go, by the cache of parsed documents; the compiled go with them.
  const operations = new WeakMap<DocumentNode, Map<string, Operation>>();

  return {
    onExecute({ args, setExecuteFn }) {
      // Envelop leaves these open; Yoga fills them with what graphql-js calls so.
      const { document, operationName } = args as ExecutionArgs;
      const byName = operations.get(document) ?? new Map<string, Operation>();
      operations.set(document, byName);
      const name = operationName ?? '';
      const operation = byName.get(name) ?? { runs: 0, compiled: undefined };
      byName.set(name, operation);
      if (operation.runs++ < INTERPRETED_RUNS) return;
      operation.compiled ??= compile(args as ExecutionArgs);
      if (operation.compiled) setExecuteFn(executeWith(operation.compiled));
    },
  };
}

/** Null when the compiler refuses: graphql-js knows more than it does. */
function compile({ schema, document, operationName }: ExecutionArgs): CompiledQuery | null {
  // The name is looked up when it is given, and must be unique when it is not, as in graphql-js.
  const compiled = compileQuery(schema, document, operationName ?? undefined);
  return isCompiledQuery(compiled) ? compiled : null;
}

const executeWith =
  (compiled: CompiledQuery) =>
  ({ rootValue, contextValue, variableValues }: ExecutionArgs) =>
    compiled.query(rootValue, contextValue, variableValues ?? {}) as
      ExecutionResult | Promise<ExecutionResult>;
