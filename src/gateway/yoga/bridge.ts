/**
 * The bridge between Envelop's phases and the pipeline's: one plugin, the first of the list.
 *
 * Each phase adopts parameters, document, schema, context, variables and execute function as replaced by plugins.
 */
import type {
  DocumentNode,
  ExecutionArgs,
  ExecutionResult,
  GraphQLSchema,
  ValidationRule,
} from 'graphql';
import type { GraphQLParams } from 'graphql-yoga';
import type { Operation } from '../operation/operation.ts';
import {
  badRequest,
  ONE_OPERATION,
  readParams,
  type OperationParams,
} from '../operation/params.ts';
import type { ResultPart } from '../operation/result-parts.ts';
import type { Pipeline, Results } from '../pipeline.ts';
import { fetchResponseOf } from '../transports/fetch-response.ts';
import type { GatewayPlugin, HookContext } from './gateway-plugin.ts';

/** The Fetch API response that the bridge created for an operation. */
export interface Fetched {
  response?: Response;
}

/** Server context of a request through HTTP hooks. */
export interface ServerContext extends HookContext {
  readonly fetched: Fetched;
}

/**
 * Converts the executor's objects to objects without a prototype, as graphql-js creates them: plugins do not descend
 * into others.
 */
const withPlainData = (result: ExecutionResult): ExecutionResult =>
  result.data ? { ...result, data: plain(result.data) as typeof result.data } : result;

const plainPart = (part: ResultPart): ResultPart =>
  part.incremental
    ? {
        ...part,
        incremental: part.incremental.map((one) =>
          one.items ? { ...one, items: plain(one.items) } : { ...one, data: plain(one.data) },
        ),
      }
    : part;

function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  const prototype: unknown = Object.getPrototypeOf(value);
  const isOfExecutor =
    typeof prototype === 'object' &&
    prototype !== null &&
    prototype !== Object.prototype &&
    Object.getPrototypeOf(prototype) === null;
  // Scalars may have other prototypes.
  if (!isOfExecutor) return value;
  const copy = Object.create(null) as Record<string, unknown>;
  for (const key of Object.keys(value)) copy[key] = plain((value as typeof copy)[key]);
  return copy;
}

/** Returns the first result of an operation after plugins have seen all parts. */
export async function withoutParts(
  operation: Operation,
  results: ExecutionResult | Results,
): Promise<ExecutionResult | Results> {
  const { parts } = operation;
  if (!parts) return results;
  try {
    if (Symbol.asyncIterator in results) {
      const first = await parts.replace(
        results[Symbol.asyncIterator]() as AsyncIterator<ResultPart>,
      );
      if (parts.isOver) operation.parts = undefined;
      return first;
    }
  } catch (error) {
    operation.parts = undefined;
    throw error;
  }
  // A plugin replaced the parts by a single result.
  parts.end();
  operation.parts = undefined;
  return results;
}

/** Hooks that plugins have; the bridge prepares only what these need. */
export interface HookedPhases {
  readonly rules: boolean;
  readonly results: boolean;
}

export function bridge(pipeline: Pipeline, seen: HookedPhases): GatewayPlugin {
  const { documents } = pipeline;

  const takeParams = (operation: Operation, params: Partial<OperationParams>): void => {
    if (params === operation.params) return;
    pipeline.setParams(operation, { ...operation.params, ...params });
  };

  const takeDocument = (operation: Operation, syntax: DocumentNode): void => {
    if (operation.document?.syntax === syntax) return;
    operation.document = documents.of(syntax, operation.document);
    if (operation.definition) pipeline.choose(operation);
  };

  const takeArgs = (operation: Operation, args: ExecutionArgs): void => {
    takeDocument(operation, args.document);
    operation.schema = args.schema;
    operation.variables = args.variableValues;
    operation.rootValue = args.rootValue;
    operation.contextValue = args.contextValue;
    const operationName = args.operationName ?? undefined;
    if (operationName === (operation.params.operationName ?? undefined)) return;
    operation.params = { ...operation.params, operationName };
    pipeline.choose(operation);
  };

  return {
    onRequestParse({ setRequestParser, serverContext: { operation } }) {
      pipeline.checkRequest(operation);
      setRequestParser(() => {
        const params = operation.transport.readParams(operation);
        if (Array.isArray(params)) throw badRequest(ONE_OPERATION);
        return params as GraphQLParams;
      });
    },
    onParams({ params, context: { operation }, setParams }) {
      // Unchecked despite Yoga's type.
      pipeline.setParams(operation, readParams(params));
      setParams(operation.params as GraphQLParams);
      return pipeline.wait(operation);
    },
    onParse({ context: { operation, params }, setParseFn, setParsedDocument }) {
      takeParams(operation, params);
      pipeline.parse(operation);
      const { failure, syntax, hash } = operation.document!; // set by `parse`
      setParseFn(() => {
        if (failure) throw failure;
        return syntax;
      });
      if (hash !== undefined && !failure) setParsedDocument(syntax);
      return ({ result }) => {
        if (!result || result instanceof Error) return;
        takeDocument(operation, result as DocumentNode); // Envelop has no type for it
        pipeline.choose(operation);
      };
    },
    onValidate({ params, context: { operation }, addValidationRule, setValidationFn }) {
      takeDocument(operation, params.documentAST as DocumentNode);
      operation.schema = params.schema as GraphQLSchema;
      pipeline.validate(operation);
      if (seen.rules) for (const rule of documents.ownRules) addValidationRule(rule);
      setValidationFn((schema: GraphQLSchema, syntax: DocumentNode, rules?: ValidationRule[]) => {
        takeDocument(operation, syntax);
        return documents.validate(operation.document!, schema, seen.rules ? rules : undefined);
      });
    },
    onContextBuilding({ context, extendContext }) {
      const { operation } = context;
      pipeline.context(operation);
      const { rest, identity, pollers, looksAhead, reads, writes, cancel } = operation;
      extendContext({ rest, identity, pollers, looksAhead, reads, writes, cancel } as Partial<
        typeof context
      >);
    },
    onExecute({ context: { operation }, setExecuteFn }) {
      setExecuteFn((args: ExecutionArgs) => {
        takeArgs(operation, args);
        const result = pipeline.execute(operation);
        const final = (value: ExecutionResult) => {
          const result = pipeline.resultOf(operation, value);
          const shown = seen.results ? withPlainData(result) : result;
          return operation.parts ? operation.parts.seen(shown, plainPart) : shown;
        };
        return result instanceof Promise ? result.then(final) : final(result);
      });
    },
    onSubscribe({ context: { operation }, setSubscribeFn }) {
      setSubscribeFn((args: ExecutionArgs) => {
        takeArgs(operation, args);
        return pipeline.subscribe(operation);
      });
    },
    onResultProcess({ serverContext, setResultProcessor }) {
      const { operation, fetched } = serverContext as HookContext as ServerContext; // `serve` makes it
      setResultProcessor(async (result, { Response }) => {
        const given = result as ExecutionResult | Results; // batching is off
        const response = await pipeline.respond(operation, await withoutParts(operation, given));
        fetched.response = fetchResponseOf(response, Response);
        return fetched.response;
      }, 'application/json');
    },
  };
}
