/**
 * The gateway: GraphQL at `/graphql`, and what operators read at `/health`, `/ready`, `/metrics`,
 * `/usage` and `/drift`.
 *
 * What happens to an operation is one list of Yoga plugins, in their order. Every operation passes it, over
 * every carrier. The gateway opens no port and reads no environment: tests, and servers other than ours,
 * call `fetch`.
 */
import { createHash } from 'node:crypto';
import { printSchema, type ExecutionResult, type GraphQLSchema } from 'graphql';
import { isAsyncIterable } from 'graphql/jsutils/isAsyncIterable.js';
import { createYoga, type GraphQLParams } from 'graphql-yoga';
import { assertExecutable } from '../execution/assert-executable.ts';
import { systemClock } from '../lib/clock.ts';
import { Pollers } from '../live/pollers.ts';
import { prepareCost } from '../plan/cost.ts';
import {
  answerInEvents,
  answerInParts,
  answerOf,
  finish,
  type Answer,
} from '../operation/result/answer.ts';
import { useCompression } from './carriers/compression.plugin.ts';
import { createTranslate } from '../operation/result/errors.ts';
import { recordResult } from '../operation/result/outcome.ts';
import { useIncrementalDelivery } from './carriers/incremental.plugin.ts';
import { callerOf, createForwarding } from '../operation/request/caller.ts';
import { negotiateMediaType } from '../operation/result/negotiation.ts';
import { useValidators } from './carriers/validators.plugin.ts';
import { useCors } from './carriers/cors.plugin.ts';
import { streamOfOne } from './carriers/event-stream.ts';
import { multipartOfOne } from './carriers/multipart.ts';
import { createPlainLane } from './carriers/plain-lane.ts';
import { useRequests } from './carriers/request.plugin.ts';
import { useResponses } from './carriers/response.plugin.ts';
import { createWebSocketCarrier } from './carriers/web-socket.ts';
import { useDocumentLimits } from './policies/document-limits.plugin.ts';
import { Documents } from '../documents/documents.ts';
import { useTrustedDocuments } from './policies/trusted-documents.plugin.ts';
import { sha256 } from '../documents/manifest.ts';
import { TrustedDocuments, type TrustedObserver } from '../documents/trusted-documents.ts';
import type {
  GatewayPlugin,
  OperationContext,
  ServerContext,
} from '../operation/gateway-plugin.ts';
import { createExplorer, type Explorer } from './http/explorer.ts';
import { createSite, forGet, type Routes } from './http/site.ts';
import { subscriptionLog, useLog } from '../observe/logs/log.plugin.ts';
import { silentLogger, type Logger } from '../observe/logs/logger.ts';
import { useMetrics } from '../observe/metrics/metrics.plugin.ts';
import { Metrics } from '../observe/metrics/metrics.ts';
import { wantsOpenMetrics } from '../observe/metrics/open-metrics.ts';
import { useTraces } from '../observe/traces/traces.plugin.ts';
import { Readiness } from '../observe/readiness.ts';
import { Requests } from '../observe/requests.ts';
import { createAwaitDocument, useAdmission, useNewDocuments } from './policies/admission.plugin.ts';
import { Admit } from './policies/admit.ts';
import { useApiKey } from './policies/api-key.plugin.ts';
import { useBudget } from './policies/budget.plugin.ts';
import {
  useConsistency,
  useExposedHeaders,
  useForwardedHeaders,
} from './carriers/headers.plugin.ts';
import { createExecution, useExecution } from './policies/execution.plugin.ts';
import { useOperationKind } from './policies/operation-kind.plugin.ts';
import { createRecord, type RequestRecord } from '../operation/request/request-record.ts';
import { useRateLimit } from './policies/rate-limit.plugin.ts';
import { useServerTiming } from './policies/server-timing.plugin.ts';
import { useSubscriptions } from './policies/subscriptions.plugin.ts';
import { driftReport } from '../drift/drift-report.ts';
import { Drift } from '../drift/drift.ts';
import { sumDrift } from '../drift/sum-drift.ts';
import { sumUsage } from '../usage/sum-usage.ts';
import { useUsage } from '../usage/usage.plugin.ts';
import { Usage } from '../usage/usage.ts';
import { Subscriptions } from '../operation/result/subscriptions.ts';
import type { GatewayOptions, GatewayDocumentsOptions, Gateway, Door } from './gateway-options.ts';

export function createGateway(options: GatewayOptions): Gateway {
  const {
    schema,
    upstream,
    clock = systemClock,
    logger = silentLogger(),
    metrics = new Metrics(),
    http: { adminPort, basePath = '', corsOrigins, maxBodyBytes },
    headers: { forward = [], expose = [] } = {},
    live,
    tools: { introspection, explain },
    arrange = (plugins) => plugins,
    gather = (_name, tell) => async () => [await tell()],
    plugins: own = [],
  } = options;
  assertExecutable(schema);
  const pollers = new Pollers({
    ...{ upstream, clock, pollMs: live.pollMs, timeoutMs: options.limits.requestTimeoutMs },
    observer: metrics.live,
  });
  const subscriptions = new Subscriptions(live.maxPerKey, clock);
  const documents = new Documents({ limits: options.documents.limits, introspection });
  const execution = createExecution({
    ...{ upstream, limits: options.limits, pollers, execute: options.execute },
    suggestions: introspection === 'on',
  });
  const admit = new Admit({
    isAccepted: (apiKey) => upstream.isAccepted(apiKey),
    budget: execution.budget,
  });
  const translate = createTranslate({
    suggestions: introspection === 'on',
    routes: explain !== 'off',
  });
  const trusted = trustedDocuments(options.documents);
  const awaitDocument = createAwaitDocument(admit, documents, trusted);
  const forwarding = createForwarding(forward);
  const varying = upstream.keepsAnswers ? [...forward, 'x-consistency'] : forward;

  const usage = adminPort === undefined ? undefined : new Usage(schema);
  const drift = new Drift({ onDeparture: (route, kind) => metrics.drift(route, kind) });

  const list = {
    traces: useTraces(options.tracer), // one span an operation, one an attempt of a call
    log: useLog(logger, options.logSlowMs), // one line an operation
    metrics: useMetrics(metrics), // what is counted of it
    requests: useRequests(), // methods, media types, forms of foreign pages, parameters
    newDocuments: useNewDocuments(awaitDocument), // one a turn of the event loop
    trustedDocuments: useTrustedDocuments(trusted), // ids of documents that apps were built with
    documentLimits: useDocumentLimits(documents), // measured before they are validated
    operationKind: useOperationKind(), // no mutation by GET, no subscription where one answer is wanted
    forwardedHeaders: useForwardedHeaders(forward), // so much of them
    apiKey: useApiKey(options.apiKey, introspection), // before a document costs more than parsing
    budget: useBudget(execution.budget, explain, admit), // the weight, the plan, or the refusal of what costs too much
    usage: useUsage(usage), // what is asked for, where operators can read it
    execution: useExecution(execution), // our executor, with loaders and calls of this request
    admission: useAdmission(admit), // so much of a key at a time
    // @defer and @stream, in both formats
    incremental: useIncrementalDelivery({ translate, explain, budget: execution.budget }),
    // So many of a key, and an answer to each event.
    subscriptions: useSubscriptions({
      ...{ execution, admit, subscriptions, translate, explain, heartbeatMs: live.heartbeatMs },
      ...{ tracer: options.tracer, observers: [metrics.live, subscriptionLog(logger)] },
    }),
    // So many calls of a key: outermost, so that what is refused here takes no place.
    ...(options.rateLimits && { rateLimit: useRateLimit(options.rateLimits) }),
    serverTiming: useServerTiming(explain), // calls and rounds, as a header
    validators: useValidators(options.documents.cacheMaxAge, varying), // ETag and 304
    compression: useCompression(), // after the tag of what is compressed
    exposedHeaders: useExposedHeaders(expose), // of the backend's answers
    consistency: useConsistency(), // the token of a write
    cors: useCors(corsOrigins, expose), // which pages may read answers
    responses: useResponses(write), // what Yoga writes
  };
  const plugins: GatewayPlugin[] = [...Object.values(arrange(list)), ...own];
  const yoga = createYoga<ServerContext, OperationContext>({
    schema,
    plugins,
    // Our words and a code, for every error; what a mask hides is logged with its request.
    maskedErrors: { maskError: translate },
    logging: false,
    parserAndValidationCache: documents.caches,
    extraParamNames: ['documentId', 'onError'],
    // The HTTP server serves GraphiQL, and bounds bodies while it reads them: Yoga's way costs more than all
    // else it does.
    graphiql: false,
    maxRequestBodySize: false,
    // Yoga answers every URL with this ending, also in a query string, with an empty 200.
    healthCheckEndpoint: NO_URL_ENDS_LIKE_THIS,
    cors: false,
    multipart: false,
    landingPage: false,
  });
  const answering = plugins.filter(({ onAnswer }) => onAnswer);

  const readiness = new Readiness(upstream.breaker, trusted, options.warnings);
  const requests = new Requests(plugins);
  metrics.watch({ requests, breaker: upstream.breaker, readiness, pollers, subscriptions });

  // Hooks of HTTP want requests and responses of the Fetch API.
  const answerPlain = own.some(hasHttpHook)
    ? undefined
    : createPlainLane({ yoga, requests, forwarding, translate, write });
  const upgrade = createWebSocketCarrier({
    ...live,
    ...{ yoga, translate, forwarding, requests, subscriptions, corsOrigins, maxBodyBytes },
    awaitDocument,
  });

  const health = forGet(async () => Response.json({ status: 'alive' }));
  const adminRoutes: Routes = {
    '/health': health,
    '/ready': forGet(async () => ready(true)),
    '/metrics': forGet(async ({ headers }) => {
      const { text, contentType } = await metrics.read(wantsOpenMetrics(headers.get('accept')));
      return new Response(text, { headers: { 'content-type': contentType } });
    }),
    ...(usage && countsOf(usage)),
  };
  const door: Door = {
    schema,
    logger,
    corsOrigins,
    prepare: (text) => ({ text, hash: sha256(text), ...prepareDocument(text) }),
    run,
  };
  const carriers = Object.entries(options.carriers ?? {}).map(([path, open]) => [path, open(door)]);
  const parts = {
    ...{ readiness, logger, subscriptions, Request: yoga.fetchAPI.Request },
    idle: () => requests.idle(),
  };
  const site = createSite(
    parts,
    {
      '/graphql': graphql,
      ...(Object.fromEntries(carriers) as Routes),
      ...(adminPort === undefined
        ? adminRoutes
        : { '/health': health, '/ready': forGet(async () => ready(false)) }),
    },
    basePath,
  );
  return {
    ...site,
    metrics,
    drift,
    pollers,
    explorer: explorerOf(options),
    answerPlain,
    upgrade,
    admin: createSite(parts, adminRoutes),
    open: async () => trusted?.open(),
    close: async () => {
      trusted?.close();
      await yoga.dispose();
    },
    fetch: (request) => {
      const record = createRecord(request.headers.get('x-request-id'));
      if (request.signal.aborted) record.leaving.cancel();
      else request.signal.addEventListener('abort', () => record.leaving.cancel());
      return site.answer(request, record);
    },
  };

  /** A result as it goes over HTTP, after all plugins have seen it. There is no other way out. */
  async function write(
    executed: ExecutionResult | AsyncIterable<ExecutionResult>,
    context: ServerContext,
  ): Promise<Answer> {
    const { record } = context;
    const answer = toAnswer(executed, context);
    for (const plugin of answering) {
      const changed = plugin.onAnswer?.(answer, context);
      if (changed) await changed;
    }
    answer.headers.push('x-request-id', record.requestId);
    finish(answer);
    if (answer.events) return answer;
    if (!answer.parts) answer.text = framed(answer);
    record.bytes = answer.bytes?.length ?? Buffer.byteLength(answer.text);
    return answer;
  }

  function toAnswer(
    executed: ExecutionResult | AsyncIterable<ExecutionResult>,
    { record, caller, parts, stream }: ServerContext,
  ): Answer {
    if (stream && isAsyncIterable(executed)) return answerInEvents({ results: executed, stream });
    // A plugin has put another result in its place.
    stream?.close('left');
    // Errors of validation, and of plugins, come here as they are.
    const result = recordResult(executed as ExecutionResult, record, translate);
    return parts
      ? answerInParts(parts)
      : answerOf(result, negotiateMediaType(caller.accept) ?? 'application/json');
  }

  function contextOf(request: Request, record: RequestRecord): ServerContext {
    const { method, headers } = request;
    return { record, caller: callerOf(method, (name) => headers.get(name), forwarding) };
  }

  /** One answer to an operation of a carrier that writes it by itself. */
  async function run(...[{ document, variables }, request, record]: Parameters<Door['run']>) {
    const { caller, ...rest } = contextOf(request, record);
    // What the carrier accepts is not what GraphQL over HTTP would.
    const context = {
      ...rest,
      chosen: document,
      path: new URL(request.url).pathname,
      caller: { ...caller, accept: null },
    };
    const params = { query: document.text, variables } as GraphQLParams;
    const { result } = await requests.run(context, async () => {
      let executed: ExecutionResult;
      try {
        executed = (await yoga.getResultForParams({ params, request }, context)) as ExecutionResult;
      } catch (error) {
        executed = { errors: [translate(error)] };
      }
      return { status: 200, result: recordResult(executed, record, translate) };
    });
    return result;
  }

  /** Requests that are not plain. */
  async function graphql(request: Request, record: RequestRecord): Promise<Response> {
    const context = contextOf(request, record);
    // A preflight is no operation.
    if (request.method === 'OPTIONS') return yoga.handleRequest(request, context);
    return requests.run(context, async () => yoga.handleRequest(request, context as never));
  }

  function trustedDocuments({
    folder,
    ...given
  }: GatewayDocumentsOptions): TrustedDocuments | undefined {
    if (folder === undefined) return undefined;
    return new TrustedDocuments({ ...given, folder }, prepareDocument, trustedObserver(logger));
  }

  function prepareDocument(text: string) {
    const prepared = documents.prepare(schema, text);
    const { document, errors } = prepared;
    if (errors.length === 0 && 'kind' in document) {
      prepareCost(document);
      usage?.prepare(document);
    }
    return prepared;
  }

  function countsOf(counted: Usage): Routes {
    const { usesOf } = counted;
    const usages = gather('usage', () => counted.report());
    const drifts = gather('drift', () =>
      driftReport(drift, { schema, usesOf, trusted: trusted?.all ?? new Map() }),
    );
    return {
      '/usage': forGet(async () => Response.json(sumUsage(await usages()))),
      '/drift': forGet(async () => Response.json(sumDrift(await drifts()))),
    };
  }

  function ready(withDetails: boolean): Response {
    const report = readiness.report();
    const body = withDetails
      ? { ...report, routes: options.upstream.routes() }
      : { ready: report.ready };
    return Response.json(body, { status: report.ready ? 200 : 503 });
  }
}

/** One answer as its media type writes it. */
const framed = ({ text, mediaType }: Answer): string =>
  mediaType === 'text/event-stream'
    ? streamOfOne(text)
    : mediaType === 'multipart/mixed'
      ? multipartOfOne(text)
      : text;

const NO_URL_ENDS_LIKE_THIS = '\n';

const HTTP_HOOKS = ['onRequest', 'onRequestParse', 'onResultProcess', 'onResponse'] as const;

const hasHttpHook = (plugin: GatewayPlugin): boolean => HTTP_HOOKS.some((hook) => plugin[hook]);

/** GraphiQL, or the page that says why it is not here. */
function explorerOf(options: GatewayOptions): Explorer {
  const { schema, tools, http } = options;
  const { graphiql, introspection, explain } = tools;
  if (!graphiql) return createExplorer(undefined, undefined, http.basePath);
  const { folder, ...example } = options.explorer ?? {};
  const settings = () => ({
    ...{ introspection, explain, needsKey: options.apiKey === undefined },
    ...(introspection !== 'off' && { schemaId: schemaIdOf(schema) }),
    ...example,
  });
  return createExplorer(folder, settings, http.basePath);
}

/** Changes with the schema. */
const schemaIdOf = (schema: GraphQLSchema): string =>
  createHash('sha256').update(printSchema(schema)).digest('base64url');

const trustedObserver = (logger: Logger): TrustedObserver => ({
  onRead: ({ files, documents }) => logger.info({ files, documents }, 'Trusted documents are read'),
  onBadFile: (bad) =>
    logger.error(bad, 'Bad file of trusted documents: the last good set is served'),
  onInvalidDocument: (document) =>
    logger.warn(document, 'The schema does not serve a trusted document'),
});
