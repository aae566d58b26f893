/**
 * Yoga as the host of operators' plugins: each operation passes its phases and Envelop's, in which the bridge calls the
 * pipeline.
 *
 * A plugin with a hook of HTTP wants requests and responses of the Fetch API: then each request passes Yoga's whole path.
 */
import type { DocumentNode, ExecutionResult, GraphQLError, GraphQLSchema } from 'graphql';
import { createYoga, type GraphQLParams } from 'graphql-yoga';
import type { Operation } from '../operation/operation.ts';
import { readParams } from '../operation/params.ts';
import type { OperationResponse } from '../operation/response.ts';
import type { Host, Perform, Pipeline, Policy, Results } from '../pipeline.ts';
import { bridge, withoutParts, type Fetched, type Seen, type ServerContext } from './bridge.ts';
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

export interface PluginHost extends Host {
  /** Serves a request of HTTP through its hooks; undefined where no plugin has one. */
  readonly serve: ((operation: Operation) => Promise<OperationResponse>) | undefined;
  /** Lets plugins end what they hold. */
  readonly close: () => Promise<void>;
}

const NO_URL_ENDS_LIKE_THIS = '\n';

const HTTP_HOOKS = ['onRequest', 'onRequestParse', 'onResultProcess', 'onResponse'] as const;

const hasHttpHook = (plugin: GatewayPlugin): boolean => HTTP_HOOKS.some((hook) => plugin[hook]);

/** Hooks of plugins that load other plugins or wrap phases: they may see anything. */
const LOADERS = ['onPluginInit', 'onYogaInit', 'instrumentation'] as const;

function seenBy(plugins: readonly GatewayPlugin[]): Seen {
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
    // Our words and a code, for every error; what a mask hides is logged with its request.
    maskedErrors: { maskError: pipeline.translate },
    logging: false,
    // The pipeline has one of its own.
    parserAndValidationCache: false,
    extraParamNames: ['documentId', 'onError'],
    // The HTTP server serves GraphiQL, and bounds bodies while it reads them.
    graphiql: false,
    maxRequestBodySize: false,
    // Yoga serves an empty 200 for every URL with this ending, also in a query string.
    healthCheckEndpoint: NO_URL_ENDS_LIKE_THIS,
    cors: false,
    multipart: false,
    landingPage: false,
  });

  const requestOf = ({ url, method = 'POST', headers }: Operation): Request =>
    new yoga.fetchAPI.Request(`http://gateway${url}`, {
      method,
      // Values are strings, but for `set-cookie`, which no request carries.
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

  /** A message of a WebSocket is no request, and has no parameters of HTTP. */
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
      // A hook of HTTP has thrown: Yoga leaves that to its server.
      operation.parts?.end();
      operation.parts = undefined;
      return pipeline.respond(operation, { errors: [pipeline.translate(error)] });
    }
    const { status } = response;
    response.headers.delete('content-length');
    const headers = [...response.headers].flat();
    // Hooks may have changed its head; its body is written from what it was made of.
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

/** The hooks of a plugin that are the gateway's own, as a policy. */
export const policyOf = (plugin: GatewayPlugin): Policy => ({
  ...(plugin.onAnswer && {
    respond: (operation, response) => plugin.onAnswer!(response, hookContextOf(operation)),
  }),
  ...(plugin.onAnswered && {
    end: (operation) => {
      const { status, outcome, durationMs } = operation;
      // Set before any policy hears of the end.
      plugin.onAnswered!({ status, outcome: outcome!, durationMs }, hookContextOf(operation));
    },
  }),
});
