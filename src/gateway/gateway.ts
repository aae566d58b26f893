/**
 * The gateway: GraphQL at `/graphql`, and `/health`, `/ready` and `/metrics` for operators.
 *
 * Operations of every transport pass the list of policies below. The gateway opens no port and reads no environment;
 * tests and other servers call `fetch`.
 */
import { createHash } from 'node:crypto';
import { printSchema, type ExecutionResult, type GraphQLSchema } from 'graphql';
import { assertExecutable } from '../execution/assert-executable.ts';
import { systemClock } from '../lib/clock.ts';
import { dictionary } from '../lib/dictionary.ts';
import { Pollers } from '../live/pollers.ts';
import { Documents } from './documents/documents.ts';
import { sha256 } from './documents/manifest.ts';
import { TrustedDocuments, type TrustedObserver } from './documents/trusted-documents.ts';
import type { Core, OwnRequest } from './extension.ts';
import { createExplorer, type Explorer } from './http/explorer.ts';
import { createSite, forGet, GRAPHQL, type RouteHandlers } from './http/site.ts';
import { operationLog, subscriptionLog } from './observe/logs/operation-log.ts';
import { silentLogger, type Logger } from './observe/logs/logger.ts';
import { Metrics } from './observe/metrics/metrics.ts';
import { wantsOpenMetrics } from './observe/metrics/open-metrics.ts';
import { countOperations } from './observe/metrics/operation-metrics.ts';
import { Readiness } from './observe/readiness.ts';
import type { Document } from './operation/document.ts';
import { createTranslate } from './operation/errors.ts';
import { arrive, Operation, type Arrival, type HeaderFields } from './operation/operation.ts';
import { formatted, statusOf, type OperationResponse } from './operation/response.ts';
import { Subscriptions } from './operation/subscriptions.ts';
import type { Gateway, GatewayDocumentsOptions, GatewayOptions } from './options.ts';
import type { Policies } from './policy.ts';
import { admission, newDocuments } from './policies/admission-policy.ts';
import { Admit } from './policies/admit.ts';
import { apiKey } from './policies/api-key.ts';
import { budget } from './policies/budget.ts';
import { compression } from './policies/compression.ts';
import { cors, createCors } from './policies/cors.ts';
import { createExecution, execution } from './policies/execution.ts';
import {
  consistency,
  createForwarding,
  exposedHeaders,
  forwardedHeaders,
} from './policies/headers.ts';
import { httpRequest } from './policies/http-request.ts';
import { incrementalDelivery } from './policies/incremental-delivery.ts';
import { operationKind } from './policies/operation-kind.ts';
import { rateLimit } from './policies/rate-limit.ts';
import { serverTiming } from './policies/server-timing.ts';
import { subscriptions } from './policies/subscriptions.ts';
import { trustedDocuments } from './policies/trusted-documents.ts';
import { validators } from './policies/validators.ts';
import { fetchResponseOf } from './yoga/fetch-response.ts';
import { createHttpTransport } from './transports/http.ts';
import { createWebSocketTransport } from './transports/web-socket.ts';
import { OperationServer } from './yoga/operation-server.ts';

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
    arrange = (policies) => policies,
    extensions = [],
    plugins = [],
  } = options;
  assertExecutable(schema);
  const pollers = new Pollers({
    upstream,
    clock,
    pollMs: live.pollMs,
    timeoutMs: options.limits.requestTimeoutMs,
    observer: metrics.live,
  });
  const open = new Subscriptions(live.maxPerKey, clock);
  const documents = new Documents({
    schema,
    limits: options.documents.limits,
    introspection,
  });
  const executing = createExecution({
    upstream,
    limits: options.limits,
    pollers,
    execute: options.execute,
    forwarding: createForwarding(forward),
    suggestions: introspection === 'on',
  });
  const admit = new Admit({
    isAccepted: (key) => upstream.isAccepted(key),
    budget: executing.budget,
  });
  const translate = createTranslate({
    suggestions: introspection === 'on',
    routes: explain !== 'off',
  });
  const trusted = openTrusted(options.documents);
  const varying = upstream.keepsAnswers ? [...forward, 'x-consistency'] : forward;
  const allowed = corsOrigins.length > 0 ? createCors(corsOrigins, expose) : undefined;
  const of = (part: 'around' | 'policies'): Policies =>
    Object.assign({}, ...extensions.map((extension) => extension[part] ?? {})) as Policies;

  const policies: Policies = {
    ...of('around'), // traces
    log: operationLog(logger, options.logSlowMs), // one line per operation
    metrics: countOperations(metrics), // counters and durations
    httpRequest: httpRequest(), // methods, media types, CSRF
    newDocuments: newDocuments(admit, documents, trusted), // at most 2 ms per turn of the event loop
    trustedDocuments: trustedDocuments(trusted), // lookup by id
    operationKind: operationKind(), // no mutations by GET, no subscriptions without a stream
    forwardedHeaders: forwardedHeaders(forward), // bounded size
    apiKey: apiKey(options.apiKey, introspection), // before validation
    budget: budget(executing.budget, explain, admit), // weight, plan, and refusal above the budget
    ...(options.rateLimits && { rateLimit: rateLimit(options.rateLimits) }), // REST calls per key
    admission: admission(admit), // concurrent weight per key
    // `@defer` and `@stream` in both formats.
    incrementalDelivery: incrementalDelivery({ translate, explain, budget: executing.budget }),
    ...of('policies'),
    execution: execution(executing), // our executor, with loaders and REST client per request
    // Bounded number per key; one result per event.
    subscriptions: subscriptions({
      execution: executing,
      admit,
      subscriptions: open,
      translate,
      explain,
      heartbeatMs: live.heartbeatMs,
      observers: [metrics.live, subscriptionLog(logger)],
      events: extensions.find(({ events }) => events)?.events,
    }),
    serverTiming: serverTiming(explain), // header with calls and rounds
    validators: validators(options.documents.cacheMaxAge, varying), // ETag and 304
    compression: compression(), // after `validators`, which tags the uncompressed text
    exposedHeaders: exposedHeaders(expose), // headers of the backend's responses
    consistency: consistency(), // consistency token of writes
    cors: cors(allowed), // origins that may read responses
  };
  const server = new OperationServer({
    schema,
    policies: Object.values(arrange(policies)),
    documents,
    translate,
    plugins,
  });

  const readiness = new Readiness(upstream.breaker, trusted, options.warnings);
  metrics.watch({
    requests: server,
    breaker: upstream.breaker,
    routes: upstream.routes,
    readiness,
    pollers,
    subscriptions: open,
  });

  const graphql = createHttpTransport({ schema, server, cors: allowed });
  const upgrade = createWebSocketTransport({
    ...live,
    schema,
    server,
    subscriptions: open,
    corsOrigins,
    maxBodyBytes,
    forwarded: forward,
  });
  const core: Core = {
    schema,
    logger,
    corsOrigins,
    run,
    prepare: (text) => documents.prepare(text, sha256(text)),
  };
  const routesOf = (part: 'routes' | 'operatorRoutes'): RouteHandlers =>
    Object.assign(
      {},
      ...extensions.map((extension) => extension[part]?.(core) ?? {}),
    ) as RouteHandlers;

  const health = forGet(async () => Response.json({ status: 'alive' }));
  const adminRoutes: RouteHandlers = {
    '/health': health,
    '/ready': forGet(async () => ready(true)),
    '/metrics': forGet(async ({ headers }) => {
      const { text, contentType } = await metrics.read(wantsOpenMetrics(headers.get('accept')));
      return new Response(text, { headers: { 'content-type': contentType } });
    }),
    ...(adminPort === undefined ? {} : routesOf('operatorRoutes')),
  };
  const parts = { readiness, logger, subscriptions: open, idle: () => server.idle() };
  const site = createSite(
    { ...parts, graphql },
    {
      ...routesOf('routes'),
      ...(adminPort === undefined
        ? adminRoutes
        : { '/health': health, '/ready': forGet(async () => ready(false)) }),
    },
    basePath,
  );
  return {
    ...site,
    metrics,
    pollers,
    explorer: explorerOf(options),
    upgrade,
    admin: createSite(parts, adminRoutes),
    open: async () => trusted?.open(),
    close: async () => {
      trusted?.close();
      await server.close();
    },
    fetch: fetchFrom,
  };

  /** Serves a request of the Fetch API, for other servers. */
  async function fetchFrom(request: Request): Promise<Response> {
    const arrival = arrive(request.headers.get('x-request-id'));
    if (request.signal.aborted) arrival.cancel.cancel();
    else request.signal.addEventListener('abort', () => arrival.cancel.cancel());
    const { pathname, search } = new URL(request.url);
    if (pathname !== GRAPHQL) return site.answer(request, arrival);
    const { method } = request;
    const headers: HeaderFields = dictionary(request.headers);
    const body = request.body ? await request.text() : undefined;
    const response = await new Promise<OperationResponse>((send, fail) => {
      const read = { method, url: pathname + search, headers, body, fetched: request };
      graphql(arrival, read, { send, fail });
    });
    return fetchResponseOf(response, Response);
  }

  /** Executes an operation of an extension's transport, which has one result. */
  async function run(
    { document, variables, path, method, headers: given }: OwnRequest,
    arrival: Arrival,
  ): Promise<ExecutionResult> {
    // `accept` belongs to the transport, not to GraphQL over HTTP.
    const { accept: _accept, ...headers } = given;
    const operation = new Operation(
      {
        name: 'mcp',
        path,
        streams: false,
        onlySubscriptions: false,
        readParams: ({ given: params }) => params,
      },
      arrival,
      schema,
      { method, url: path, headers, document, given: { query: document.text, variables } },
    );
    server.begin();
    let status = 500;
    try {
      let executed: ExecutionResult;
      try {
        // Subscriptions are rejected before this.
        executed = (await server.run(operation)) as ExecutionResult;
      } catch (error) {
        executed = { errors: [translate(error)] };
      }
      const result = server.settle(operation, executed);
      operation.bytes = Buffer.byteLength(JSON.stringify(formatted(result)));
      status = statusOf(result);
      return result;
    } finally {
      server.end(operation, status);
    }
  }

  function openTrusted({
    folder,
    ...given
  }: GatewayDocumentsOptions): TrustedDocuments | undefined {
    if (folder === undefined) return undefined;
    return new TrustedDocuments(
      { ...given, folder },
      (text, hash) => documents.prepare(text, hash),
      trustedObserver(logger),
    );
  }

  function ready(withDetails: boolean): Response {
    const report = readiness.report();
    const body = withDetails
      ? { ...report, routes: options.upstream.routes() }
      : { ready: report.ready };
    return Response.json(body, { status: report.ready ? 200 : 503 });
  }
}

/** GraphiQL, or a page that says why it is missing. */
function explorerOf(options: GatewayOptions): Explorer {
  const { schema, tools, http } = options;
  const { graphiql, introspection, explain } = tools;
  if (!graphiql) return createExplorer(undefined, undefined, http.basePath);
  const { folder, ...example } = options.explorer ?? {};
  const settings = () => ({
    introspection,
    explain,
    needsKey: options.apiKey === undefined,
    ...(introspection !== 'off' && { schemaId: schemaIdOf(schema) }),
    ...example,
  });
  return createExplorer(folder, settings, http.basePath);
}

/** Hash of the schema. */
const schemaIdOf = (schema: GraphQLSchema): string =>
  createHash('sha256').update(printSchema(schema)).digest('base64url');

const trustedObserver = (logger: Logger): TrustedObserver => ({
  onRead: ({ files, documents }) => logger.info({ files, documents }, 'Trusted documents are read'),
  onBadFile: (bad) =>
    logger.error(bad, 'Bad file of trusted documents: the last good set is served'),
  onInvalidDocument: (document) =>
    logger.warn(document, 'The schema does not serve a trusted document'),
});
