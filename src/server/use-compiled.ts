/**
 * Documents that are asked again are compiled, once, to a function that executes them.
 *
 * The compiler takes milliseconds and memory, so a document earns it with its second execution.
 * What the compiled would do otherwise than graphql-js is left to graphql-js: writes, whose order
 * is everything, variables that are refused, whose messages differ, and nulls that several errors
 * led to, of which one is told.
 */
import {
  execute,
  getOperationAST,
  GraphQLError,
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
} from 'graphql';
import type { Plugin, PromiseOrValue } from 'graphql-yoga';
import { LRUCache } from 'lru-cache';
import { compile, type Compiled } from './compiler.ts';
import { decidersOf, decisionsFor, type Decisions } from './conditions.ts';
import type { ServerContext } from './request-record.ts';

/** Executions that are interpreted before a document is compiled. */
const INTERPRETED_RUNS = 1;

/** Compiled operations that are kept: what the compiler makes of a document is many times its text. */
const MAX_COMPILED = 100;

/** Operations of one document that are known, in each way their conditions come out. */
const MAX_OPERATIONS = 8;

/** No operation is called so. */
const THE_ONLY_ONE = '*';

interface Operation {
  readonly decisions: Decisions;
  runs: number;
  /** Null for what is interpreted for ever. */
  compiled: Compiled | null | undefined;
}

interface Known {
  readonly deciders: readonly string[] | undefined;
  /** By name and decisions. */
  readonly operations: LRUCache<string, Operation>;
}

const NO_DECISIONS: Decisions = {};

/** @param compiles false interprets every document. */
export function useCompiled(compiles: boolean): Plugin<ServerContext, ServerContext> {
  // Documents are kept, and let go, by the cache of parsed documents.
  const documents = new WeakMap<DocumentNode, Known>();
  const kept = new LRUCache<Operation, true>({
    max: MAX_COMPILED,
    dispose: (_, operation) => {
      operation.compiled = undefined;
      operation.runs = 0;
    },
  });

  return {
    onExecute({ args, setExecuteFn }) {
      // Envelop leaves these open; Yoga fills them with what graphql-js calls so.
      const given = args as ExecutionArgs;
      const compiled = compiles ? compiledOf(given) : undefined;
      // Yoga's own takes an object with a field called `then` for a promise.
      setExecuteFn(compiled ? executing(compiled) : interpret);
    },
  };

  function compiledOf(given: ExecutionArgs): Compiled | null | undefined {
    const operation = operationOf(given);
    if (!operation || operation.runs++ < INTERPRETED_RUNS) return undefined;
    if (operation.compiled === undefined) {
      operation.compiled = compile(given, operation.decisions);
    }
    if (operation.compiled && !kept.get(operation)) kept.set(operation, true);
    return operation.compiled;
  }

  function operationOf({
    document,
    operationName,
    variableValues,
  }: ExecutionArgs): Operation | undefined {
    const { deciders, operations } = knownOf(document);
    let name = operationName ?? THE_ONLY_ONE;
    let decisions: Decisions | undefined = NO_DECISIONS;
    if (deciders) {
      const ast = getOperationAST(document, operationName);
      decisions = ast ? decisionsFor(deciders, ast, variableValues ?? {}) : undefined;
      if (!decisions) return undefined;
      name += ` ${Object.values(decisions).map(Number).join('')}`;
    }
    let operation = operations.get(name);
    if (!operation && getOperationAST(document, operationName)) {
      operation = { decisions, runs: 0, compiled: undefined };
      operations.set(name, operation);
    }
    return operation;
  }

  function knownOf(document: DocumentNode): Known {
    let known = documents.get(document);
    if (!known) {
      known = {
        deciders: decidersOf(document),
        operations: new LRUCache({ max: MAX_OPERATIONS }),
      };
      documents.set(document, known);
    }
    return known;
  }
}

/** Errors that are told of one answer: a few ids asked for by many names make thousands. */
const MAX_ERRORS = 1_000;

function interpret(args: ExecutionArgs): PromiseOrValue<ExecutionResult> {
  const result = execute(args);
  return result instanceof Promise ? result.then(withFewErrors) : withFewErrors(result);
}

const withFewErrors = (result: ExecutionResult): ExecutionResult =>
  (result.errors?.length ?? 0) > MAX_ERRORS
    ? { ...result, errors: result.errors!.slice(0, MAX_ERRORS) }
    : result;

const executing =
  (compiled: Compiled) =>
  (args: ExecutionArgs): unknown => {
    const { rootValue, contextValue, variableValues } = args;
    const result = compiled(rootValue, contextValue, variableValues ?? {});
    return 'then' in result ? result.then(finished) : finished(result);

    function finished(result: ExecutionResult): unknown {
      if (!result.errors) return result;
      // Without data nothing was executed: variables were refused. With several errors behind one
      // null, graphql-js finds the answers where they are: each is read once a request.
      const known = result.data !== undefined && (hasLeft(args) || !isCrowded(result));
      return known ? withPlaces(result, args) : interpret(args);
    }
  };

const hasLeft = ({ contextValue }: ExecutionArgs): boolean =>
  (contextValue as ServerContext).record.leaving.cancelled;

/** Whether several errors led to the same null. Of those at the root, the first alone is told. */
function isCrowded({ data, errors = [] }: ExecutionResult): boolean {
  if (data === null) return true;
  const nulls = errors.map(({ path = [] }) => {
    let [value, depth]: [unknown, number] = [data, 0];
    for (; value != null && depth < path.length; depth++) {
      value = (value as Record<string, unknown>)[path[depth]!];
    }
    return JSON.stringify(path.slice(0, depth));
  });
  return new Set(nulls).size < nulls.length;
}

/** The compiler's errors know their locations and not their nodes, which others make copies by. */
function withPlaces(result: ExecutionResult, args: ExecutionArgs): ExecutionResult {
  const { loc } = args.document;
  const { errors: faults, ...rest } = result;
  if (!faults || !loc) return result;
  const { source } = loc;
  // To whoever has left, one error tells enough: a hundred are as dear as an answer.
  const told = faults.slice(0, hasLeft(args) ? 1 : MAX_ERRORS);
  const lineStarts = [0];
  for (const { index, 0: end } of source.body.matchAll(/\r\n|[\n\r]/g)) {
    lineStarts.push(index + end.length);
  }
  const errors = told.map(
    ({ message, locations, path, originalError, extensions }) =>
      new GraphQLError(message, {
        source,
        positions: (locations ?? []).map(
          ({ line, column }) => (lineStarts[line - 1] ?? 0) + column - 1,
        ),
        path: path ?? null,
        originalError: originalError ?? null,
        extensions,
      }),
  );
  // First, as graphql-js has them.
  return { errors, ...rest };
}
