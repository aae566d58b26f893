/**
 * The gateway's plugin, the first of the list: calls the policies in the phases of Yoga and Envelop.
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
import type { MaybePromise } from '../../execution/core/resolved-value.ts';
import type { Documents } from '../documents/documents.ts';
import type { Translate } from '../operation/errors.ts';
import type { Operation } from '../operation/operation.ts';
import { badRequest, ONE_OPERATION, readParams } from '../operation/params.ts';
import type { OperationResponse } from '../operation/response.ts';
import { selectOperation } from '../operation/select-operation.ts';
import { StateKey } from '../operation/state.ts';
import type { CompiledPolicies, Results } from '../policy.ts';
import { fetchResponseOf } from './fetch-response.ts';
import type { GatewayPlugin, HookContext, PluginContext } from './gateway-plugin.ts';
import { plainPart, withPlainData } from './plain-data.ts';
import type { PluginHooks } from './plugin-hooks.ts';

interface PoliciesPluginOptions {
  readonly policies: CompiledPolicies;
  readonly documents: Documents;
  readonly translate: Translate;
  readonly hooks: PluginHooks;
  /** Executes an operation whose parameters are read; never throws. */
  readonly perform: (context: PluginContext) => MaybePromise<ExecutionResult | Results>;
  /** Creates the response to results. */
  readonly respond: (
    operation: Operation,
    results: ExecutionResult | Results,
  ) => MaybePromise<OperationResponse>;
}

/** A response of the gateway as one of the Fetch API. */
export interface FetchedResponse {
  readonly own: OperationResponse;
  readonly response: Response;
}

export const FETCHED = new StateKey<FetchedResponse>();

/** @throws a client error if a request is not GraphQL. */
export function checkRequest({ onRequestParse }: CompiledPolicies, operation: Operation): void {
  for (const check of onRequestParse) check(operation);
}

/**
 * Takes over parameters; waits if the document has to.
 *
 * @throws a client error if they are not those of a request.
 */
export function receive(
  { onParams }: CompiledPolicies,
  operation: Operation,
  given: unknown,
): Promise<void> | undefined {
  operation.params = readParams(given);
  // Releases values that may be as large as the body.
  operation.given = undefined;
  operation.body = undefined;
  let waiting: Promise<void> | undefined;
  for (const wait of onParams) {
    waiting = waiting ? waiting.then(() => wait(operation)) : wait(operation);
  }
  return waiting;
}

export function policiesPlugin(options: PoliciesPluginOptions): GatewayPlugin {
  const { policies, documents, translate, hooks, perform, respond } = options;

  const select = (operation: Operation): void => {
    operation.definition = selectOperation(operation.document!, operation.params.operationName);
    for (const check of policies.onSelect) check(operation);
  };

  const takeDocument = (operation: Operation, syntax: DocumentNode): void => {
    if (operation.document?.syntax === syntax) return;
    operation.document = documents.of(syntax, operation.document);
    if (operation.definition) select(operation);
  };

  const takeArgs = (operation: Operation, args: ExecutionArgs): void => {
    takeDocument(operation, args.document);
    operation.schema = args.schema;
    operation.rootValue = args.rootValue;
    operation.contextValue = args.contextValue as PluginContext; // of plugins, whose concern it is
    const { params } = operation;
    const variables = args.variableValues;
    const operationName = args.operationName ?? undefined;
    const isSame = operationName === (params.operationName ?? undefined);
    if (isSame && variables === params.variables) return;
    operation.params = { ...params, variables, operationName };
    if (!isSame) select(operation);
  };

  const failed = (error: unknown): ExecutionResult => ({ errors: [translate(error)] });

  /** Passes a single result through the policies. */
  const done = (
    operation: Operation,
    executed: ExecutionResult | Results,
    startMs: number,
  ): ExecutionResult | Results => {
    if (Symbol.asyncIterator in executed) return executed;
    let result: ExecutionResult = executed;
    for (const phase of policies.onExecuteDone) result = phase(operation, result) ?? result;
    operation.endPhase('execute', startMs);
    if (!hooks.results) return result;
    const shown = withPlainData(result);
    return (operation.parts?.seen(shown, plainPart) as Results | undefined) ?? shown; // parts are results
  };

  const run = (
    operation: Operation,
    execute: (operation: Operation) => MaybePromise<ExecutionResult | Results>,
  ): MaybePromise<ExecutionResult | Results> => {
    const startMs = performance.now();
    let executed: MaybePromise<ExecutionResult | Results>;
    try {
      executed = execute(operation);
    } catch (error) {
      executed = failed(error);
    }
    return executed instanceof Promise
      ? executed.then(
          (value) => done(operation, value, startMs),
          (error: unknown) => done(operation, failed(error), startMs),
        )
      : done(operation, executed, startMs);
  };

  return {
    onPluginInit({ plugins }) {
      hooks.onPluginInit(plugins);
    },
    onYogaInit() {
      hooks.onYogaInit();
    },
    onRequestParse({ setRequestParser, serverContext: { operation } }) {
      checkRequest(policies, operation);
      setRequestParser(() => {
        const params = operation.transport.readParams(operation);
        if (Array.isArray(params)) throw badRequest(ONE_OPERATION);
        return params as GraphQLParams; // checked in `onParams`
      });
    },
    onParams({ params, context: { operation }, setParams, setParamsHandler }) {
      const waiting = receive(policies, operation, params);
      setParams(operation.params as GraphQLParams);
      // The phases are those of any operation.
      setParamsHandler(({ params, request, context }) => {
        const own = context as HookContext as PluginContext; // as created with the operation
        return perform(Object.assign(own, { params, request })) as never;
      });
      return waiting;
    },
    onParse({ context: { operation, params }, setParseFn, setParsedDocument }) {
      if (params !== operation.params) operation.params = { ...operation.params, ...params };
      for (const find of policies.onParse)
        operation.document = find(operation) ?? operation.document;
      operation.document ??= documents.find(operation.params.query);
      const { failure, syntax, hash } = operation.document;
      setParseFn(() => {
        if (failure) throw failure;
        return syntax;
      });
      if (hash !== undefined && !failure) setParsedDocument(syntax);
      return ({ result }) => {
        if (!result || result instanceof Error) return;
        takeDocument(operation, result as DocumentNode); // Envelop has no type for it
        select(operation);
      };
    },
    onValidate({ params, context, addValidationRule, setValidationFn }) {
      const { operation } = context;
      context.showRequest();
      takeDocument(operation, params.documentAST as DocumentNode);
      operation.schema = params.schema as GraphQLSchema;
      for (const check of policies.onValidate) check(operation);
      if (hooks.rules) for (const rule of documents.ownRules) addValidationRule(rule);
      setValidationFn((schema: GraphQLSchema, syntax: DocumentNode, rules?: ValidationRule[]) => {
        takeDocument(operation, syntax);
        return documents.validate(operation.document!, schema, hooks.rules ? rules : undefined);
      });
    },
    onContextBuilding({ context }) {
      for (const build of policies.onContextBuilding) build(context.operation, context);
    },
    onExecute({ context: { operation }, setExecuteFn }) {
      setExecuteFn((args: ExecutionArgs) => {
        takeArgs(operation, args);
        return run(operation, policies.execute);
      });
    },
    onSubscribe({ context: { operation, request: _request }, setSubscribeFn }) {
      // The request is read above, since its headers are released before the first event.
      setSubscribeFn((args: ExecutionArgs) => {
        takeArgs(operation, args);
        return run(operation, policies.subscribe);
      });
    },
    onResultProcess({ serverContext, setResultProcessor }) {
      const { operation } = serverContext as HookContext; // of every request
      setResultProcessor(async (result, { Response }) => {
        const results = result as ExecutionResult | Results; // batching is off
        const own = await respond(operation, results);
        const response = fetchResponseOf(own, Response);
        FETCHED.set(operation, { own, response });
        return response;
      }, 'application/json');
    },
  };
}
