/**
 * The gateway: GraphQL at `/graphql`, and `/health`, `/ready` and `/metrics` for operators.
 *
 * Operations of every transport pass the list of policies below. The gateway opens no port and reads no environment;
 * tests and other servers call `fetch`.
 */
import { assertExecutable } from '../execution/execute.ts';
import { systemClock } from '../lib/clock.ts';
import { Pollers } from '../live/pollers.ts';
import { Documents } from './documents/documents.ts';
import { TrustedDocuments, trustedDocuments } from './documents/trusted-documents.ts';
import { headersOf, policiesOf, routesOf, type Core } from './extension.ts';
import { openExplorer } from './http/explorer.ts';
import { createSite, operatorRoutes, publicRoutes } from './http/site.ts';
import { operationLog, originLog, subscriptionLog } from './observe/logs/gateway-log.ts';
import { silentLogger } from './observe/logs/logger.ts';
import { Metrics } from './observe/metrics/metrics.ts';
import { Readiness } from './observe/readiness.ts';
import { createTranslate } from './operation/error-translation.ts';
import { Subscriptions } from './operation/subscriptions.ts';
import type { Gateway, GatewayOptions } from './options.ts';
import type { Policies } from './policy.ts';
import { CallerLimits } from './policies/admission.ts';
import { apiKey } from './policies/api-key.ts';
import { compression } from './policies/compression.ts';
import { cors, createCors } from './policies/cors.ts';
import { OperationExecution } from './policies/execution.ts';
import { explain, serverTiming } from './policies/explain.ts';
import { createForwarding, exposedHeaders, forwardedHeaders } from './policies/headers.ts';
import { httpRequest, operationKind } from './policies/http-request.ts';
import { incrementalDelivery } from './policies/incremental-delivery.ts';
import { subscriptions } from './policies/subscriptions.ts';
import { validators } from './policies/validators.ts';
import { createFetch, createHttpTransport } from './transports/http.ts';
import { createOwnTransport } from './transports/own-transport.ts';
import { createWebSocketTransport } from './transports/web-socket.ts';
import { OperationServer } from './yoga/operation-server.ts';

export function createGateway(options: GatewayOptions): Gateway {
  const { schema, upstream, live, extensions = [], arrange = (policies) => policies } = options;
  const { adminPort, basePath = '', corsOrigins, maxBodyBytes } = options.http;
  assertExecutable(schema);
  const shared = openShared(options);
  const { logger, metrics, pollers, openSubscriptions, documents, trusted, translate } = shared;
  const server = new OperationServer({
    schema,
    policies: Object.values(arrange(policiesFor(options, shared))),
    documents,
    translate,
    plugins: options.plugins ?? [],
  });
  const readiness = new Readiness({
    breaker: upstream.breaker,
    trusted,
    warnings: options.warnings ?? [],
    logger,
  });
  metrics.watch({
    requests: server,
    breaker: upstream.breaker,
    routes: upstream.routes,
    readiness,
    pollers,
    subscriptions: openSubscriptions,
  });
  const onForeignOrigin = originLog(logger);
  const graphql = createHttpTransport(server, shared.allowed, onForeignOrigin);
  const core: Core = {
    schema,
    logger,
    corsOrigins,
    onForeignOrigin,
    run: createOwnTransport(server),
    prepare: (text) => documents.prepare(text),
  };
  const adminRoutes = operatorRoutes(readiness, metrics, upstream.routes);
  const parts = { readiness, logger, subscriptions: openSubscriptions, idle: () => server.idle() };
  const site = createSite(
    { ...parts, graphql },
    {
      ...routesOf(extensions, core),
      ...(adminPort === undefined ? adminRoutes : publicRoutes(readiness)),
    },
    basePath,
  );
  return {
    ...site,
    metrics,
    pollers,
    explorer: openExplorer({
      schema,
      tools: options.tools,
      needsKey: options.apiKey === undefined,
      basePath,
      explorer: options.explorer,
    }),
    upgrade: createWebSocketTransport({
      ...live,
      server,
      subscriptions: openSubscriptions,
      corsOrigins,
      onForeignOrigin,
      logger,
      maxBodyBytes,
      forwarded: options.headers?.forward ?? [],
    }),
    admin: createSite(parts, adminRoutes),
    open: async () => trusted?.open(),
    close: async () => {
      trusted?.close();
      await server.close();
    },
    fetch: createFetch(graphql, site.respond),
  };
}

function openShared(options: GatewayOptions) {
  const { schema, upstream, limits, live, tools } = options;
  const { clock = systemClock, logger = silentLogger(), metrics = new Metrics() } = options;
  const suggestions = tools.introspection === 'on';
  const documents = new Documents({
    schema,
    limits: options.documents.limits,
    introspection: tools.introspection,
  });
  const pollers = new Pollers({
    upstream,
    clock,
    pollMs: live.pollMs,
    timeoutMs: limits.requestTimeoutMs,
    observer: metrics.live,
  });
  const { folder } = options.documents;
  const { corsOrigins } = options.http;
  const { forward = [], expose = [] } = options.headers ?? {};
  const readable = [...headersOf(options.extensions ?? [], 'readable'), ...expose];
  return {
    clock,
    logger,
    metrics,
    documents,
    pollers,
    openSubscriptions: new Subscriptions(live.maxPerKey, clock),
    trusted:
      folder === undefined
        ? undefined
        : new TrustedDocuments({ ...options.documents, folder }, documents, logger),
    execution: new OperationExecution({
      upstream,
      limits,
      pollers,
      execute: options.execute,
      forwarding: createForwarding(forward),
      suggestions,
    }),
    translate: createTranslate({ suggestions, routes: tools.explain !== 'off' }),
    /** Undefined if no other origin is allowed. */
    allowed: corsOrigins.length > 0 ? createCors(corsOrigins, readable) : undefined,
  };
}

/** Returns the policies that every operation passes, in order. */
function policiesFor(options: GatewayOptions, shared: ReturnType<typeof openShared>): Policies {
  const { upstream, live, extensions = [] } = options;
  const { introspection, explain: audience } = options.tools;
  const { forward = [], expose = [] } = options.headers ?? {};
  const { clock, logger, metrics, documents, trusted, execution, translate } = shared;
  const { budget } = execution;
  const callerLimits = new CallerLimits({ upstream, budget, documents, trusted });
  const varying = [...forward, ...headersOf(extensions, 'varying')];
  return {
    ...policiesOf(extensions, 'around'), // traces
    log: operationLog(logger, options.logSlowMs), // one line per operation
    metrics: { onAnswered: metrics.addOperation }, // counters, durations
    httpRequest: httpRequest(), // methods, media types, CSRF
    newDocuments: callerLimits.newDocuments, // at most 2 ms per turn of the event loop
    trustedDocuments: trustedDocuments(trusted), // lookup by id
    operationKind: operationKind(), // no mutations by GET, no subscriptions without a stream
    forwardedHeaders: forwardedHeaders(forward), // bounded size
    apiKey: apiKey(options.apiKey, introspection), // before validation
    explain: explain(budget, audience), // planned and actual cost
    budget: callerLimits.budget, // weight, plan, and rejection above the budget
    ...policiesOf(extensions, 'policies'), // of extensions, before a permit is taken
    admission: callerLimits.admission, // concurrent weight per key
    incrementalDelivery: incrementalDelivery({ translate, explain: audience, budget }), // both formats
    execution: execution.policy, // our executor, with loaders and REST client per request
    subscriptions: subscriptions({
      clock,
      execution,
      callerLimits,
      subscriptions: shared.openSubscriptions,
      translate,
      explain: audience,
      heartbeatMs: live.heartbeatMs,
      observers: [metrics.live, subscriptionLog(logger)],
      events: extensions.find(({ events }) => events)?.events,
    }), // bounded number per key; one result per event
    serverTiming: serverTiming(audience), // header with calls and round trips
    validators: validators(options.documents.cacheMaxAge, varying), // ETag and 304
    compression: compression(), // after `validators`, which tags the uncompressed text
    exposedHeaders: exposedHeaders(expose), // headers of the backend's responses
    cors: cors(shared.allowed), // origins that may read responses
  };
}
