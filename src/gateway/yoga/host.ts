/**
 * Yoga as the host of operators' plugins: operations pass the phases of Yoga and Envelop, and the bridge calls the
 * pipeline in them.
 *
 * If a plugin has an HTTP hook, which needs requests and responses of the Fetch API, requests pass Yoga's server too.
 */
import type { DocumentNode, ExecutionResult, GraphQLError, GraphQLSchema } from 'graphql';
import { createYoga, type GraphQLParams } from 'graphql-yoga';
import type { Operation } from '../operation/operation.ts';
import { readParams } from '../operation/params.ts';
import type { OperationResponse } from '../operation/response.ts';
import type { OperationHost, Perform, Pipeline, Policy, Results } from '../pipeline.ts';
import {
  bridge,
  withoutParts,
  type Fetched,
  type HookedPhases,
  type ServerContext,
} from './bridge.ts';
import {
  hookContextOf,
  type GatewayPlugin,
  type HookContext,
  type PluginContext,
} from './gateway-plugin.ts';

interface HostOptions {
  readonly schema: GraphQLSchema;
  readonly pipeline: Pipeline;
  readonly plugins: readonly GatewayPlugin[];
}

export interface PluginHost extends OperationHost {
  /** Serves an HTTP request through HTTP hooks; undefined without such hooks. */
  readonly serve: ((operation: Operation) => Promise<OperationResponse>) | undefined;
  /** Disposes plugins. */
  readonly close: () => Promise<void>;
}

const NO_URL_ENDS_LIKE_THIS = '\n';

const HTTP_HOOKS = ['onRequest', 'onRequestParse', 'onResultProcess', 'onResponse'] as const;

const hasHttpHook = (plugin: GatewayPlugin): boolean => HTTP_HOOKS.some((hook) => plugin[hook]);

/** Hooks that load other plugins or wrap phases, and so may see anything. */
const LOADERS = ['onPluginInit', 'onYogaInit', 'instrumentation'] as const;

function seenBy(plugins: readonly GatewayPlugin[]): HookedPhases {
  const has = (...hooks: readonly (keyof GatewayPlugin)[]): boolean =>
    plugins.some((plugin) => [...LOADERS, ...hooks].some((hook) => plugin[hook] !== undefined));
  return {
    rules: has('onValidate'),
    results: has('onExecute', 'onExecutionResult', 'onResultProcess', 'onParams'),
  };
}

export function createHost({ schema, pipeline, plugins }: HostOptions): PluginHost {
  const yoga = createYoga<HookContext, PluginContext>({
    schema,
    plugins: [bridge(pipeline, seenBy(plugins)), ...plugins],
    // The pipeline translates all errors; masked ones are logged with their request.
    maskedErrors: { maskError: pipeline.translate },
    logging: false,
    // The pipeline has its own cache.
    parserAndValidationCache: false,
    extraParamNames: ['documentId', 'onError'],
    // The HTTP server serves GraphiQL and limits bodies.
    graphiql: false,
    maxRequestBodySize: false,
    // Disabled: Yoga serves an empty 200 for every URL with this ending, even in a query string.
    healthCheckEndpoint: NO_URL_ENDS_LIKE_THIS,
    cors: false,
    multipart: false,
    landingPage: false,
  });

  const requestOf = ({ url, method = 'POST', headers }: Operation): Request =>
    new yoga.fetchAPI.Request(`http://gateway${url}`, {
      method,
      // All values are strings: only `set-cookie` has lists, and it is no request header.
      headers: headers as Record<string, string>,
    });

  async function run(operation: Operation): Promise<ExecutionResult | Results> {
    pipeline.checkRequest(operation);
    const params = operation.transport.readParams(operation) as GraphQLParams;
    const results = (await yoga.getResultForParams(
      { params, request: requestOf(operation) },
      hookContextOf(operation),
    )) as ExecutionResult | Results;
    return operation.parts ? withoutParts(operation, results) : results;
  }

  /** Messages of a WebSocket have no HTTP parameters. */
  async function prepare(operation: Operation): Promise<readonly GraphQLError[] | Perform> {
    pipeline.checkRequest(operation);
    const params = readParams(operation.transport.readParams(operation));
    pipeline.setParams(operation, params);
    await pipeline.wait(operation);
    const context = Object.assign(hookContextOf(operation), { params }) as PluginContext;
    const enveloped = yoga.getEnveloped(context);
    const document = enveloped.parse(params.query) as DocumentNode;
    const errors = enveloped.validate(enveloped.schema, document) as readonly GraphQLError[];
    if (errors.length > 0) return errors;
    const args = {
      schema: enveloped.schema as GraphQLSchema,
      document,
      contextValue: await enveloped.contextFactory(),
      variableValues: params.variables,
      operationName: params.operationName,
    };
    return () =>
      (operation.operationType === 'subscription' ? enveloped.subscribe : enveloped.execute)(
        args,
      ) as ReturnType<Perform>;
  }

  async function serve(operation: Operation): Promise<OperationResponse> {
    const fetched: Fetched = {};
    const context: ServerContext = { ...hookContextOf(operation), fetched };
    let response: Response;
    try {
      response = await yoga.handleRequest(requestOf(operation), context);
    } catch (error) {
      // An HTTP hook has thrown: Yoga leaves errors to its server.
      operation.parts?.end();
      operation.parts = undefined;
      return pipeline.respond(operation, { errors: [pipeline.translate(error)] });
    }
    const { status } = response;
    response.headers.delete('content-length');
    const headers = [...response.headers].flat();
    // Hooks may have changed the head; the body is written from the operation's response.
    if (response === fetched.response) return { ...operation.response!, status, headers };
    const bytes = Buffer.from(await response.arrayBuffer());
    headers.push('x-request-id', operation.requestId);
    return { status, headers, text: '', bytes, mediaType: 'application/json' };
  }

  return {
    run,
    prepare,
    serve: plugins.some(hasHttpHook) ? serve : undefined,
    close: async () => yoga.dispose(),
  };
}

/** The gateway's additional hooks of a plugin, as a policy. */
export const policyOf = (plugin: GatewayPlugin): Policy => ({
  ...(plugin.onAnswer && {
    respond: (operation, response) => plugin.onAnswer!(response, hookContextOf(operation)),
  }),
  ...(plugin.onAnswered && {
    end: (operation) => {
      const { status, outcome, durationMs } = operation;
      // Set before `end` of policies.
      plugin.onAnswered!({ status, outcome: outcome!, durationMs }, hookContextOf(operation));
    },
  }),
});
