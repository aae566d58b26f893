/**
 * The gateway: GraphQL at `/graphql`, and `/health`, `/ready` and `/metrics` for operators.
 *
 * Operations of every transport pass the list of policies below. The gateway opens no port and reads no environment;
 * tests and other servers call `fetch`.
 */
import { assertExecutable } from '../execution/assert-executable.ts';
import { systemClock } from '../lib/clock.ts';
import { Pollers } from '../live/pollers.ts';
import { Documents } from './documents/documents.ts';
import { sha256 } from './documents/manifest.ts';
import { TrustedDocuments } from './documents/trusted-documents.ts';
import { headersOf, policiesOf, routesOf, type Core } from './extension.ts';
import { openExplorer } from './http/explorer.ts';
import { operatorRoutes, publicRoutes } from './http/operator-routes.ts';
import { createSite, GRAPHQL } from './http/site.ts';
import { operationLog, originLog, subscriptionLog } from './observe/logs/gateway-log.ts';
import { silentLogger } from './observe/logs/logger.ts';
import { Metrics } from './observe/metrics/metrics.ts';
import { Readiness } from './observe/readiness.ts';
import { createTranslate } from './operation/errors.ts';
import { Subscriptions } from './operation/subscriptions.ts';
import type { Gateway, GatewayOptions } from './options.ts';
import type { Policies } from './policy.ts';
import { admission, newDocuments } from './policies/admission-policy.ts';
import { Admit } from './policies/admit.ts';
import { apiKey } from './policies/api-key.ts';
import { budget } from './policies/budget.ts';
import { compression } from './policies/compression.ts';
import { cors, createCors } from './policies/cors.ts';
import { createExecution, execution } from './policies/execution.ts';
import { createForwarding, exposedHeaders, forwardedHeaders } from './policies/headers.ts';
import { httpRequest } from './policies/http-request.ts';
import { incrementalDelivery } from './policies/incremental-delivery.ts';
import { operationKind } from './policies/operation-kind.ts';
import { serverTiming } from './policies/server-timing.ts';
import { subscriptions } from './policies/subscriptions.ts';
import { trustedDocuments } from './policies/trusted-documents.ts';
import { validators } from './policies/validators.ts';
import { createFetch } from './transports/fetch.ts';
import { createHttpTransport } from './transports/http.ts';
import { createOwnTransport } from './transports/own-transport.ts';
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
  const prepare = (text: string, hash = sha256(text)) => documents.prepare(text, hash);
  const { folder } = options.documents;
  const trusted =
    folder === undefined
      ? undefined
      : new TrustedDocuments({ ...options.documents, folder }, prepare, logger);
  const varying = [...forward, ...headersOf(extensions, 'varying')];
  const readable = [...headersOf(extensions, 'readable'), ...expose];
  const allowed = corsOrigins.length > 0 ? createCors(corsOrigins, readable) : undefined;
  const policies: Policies = {
    ...policiesOf(extensions, 'around'), // traces
    log: operationLog(logger, options.logSlowMs), // one line per operation
    metrics: { onAnswered: (operation) => metrics.operations.add(operation) }, // counters, durations
    httpRequest: httpRequest(), // methods, media types, CSRF
    newDocuments: newDocuments(admit, documents, trusted), // at most 2 ms per turn of the event loop
    trustedDocuments: trustedDocuments(trusted), // lookup by id
    operationKind: operationKind(), // no mutations by GET, no subscriptions without a stream
    forwardedHeaders: forwardedHeaders(forward), // bounded size
    apiKey: apiKey(options.apiKey, introspection), // before validation
    budget: budget(executing.budget, explain, admit), // weight, plan, and refusal above the budget
    ...policiesOf(extensions, 'policies'), // of extensions, before a permit is taken
    admission: admission(admit), // concurrent weight per key
    // `@defer` and `@stream` in both formats.
    incrementalDelivery: incrementalDelivery({ translate, explain, budget: executing.budget }),
    execution: execution(executing), // our executor, with loaders and REST client per request
    // Bounded number per key; one result per event.
    subscriptions: subscriptions({
      clock,
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

  const onForeignOrigin = originLog(logger);
  const graphql = createHttpTransport({ schema, server, cors: allowed, onForeignOrigin });
  const upgrade = createWebSocketTransport({
    ...live,
    schema,
    server,
    subscriptions: open,
    corsOrigins,
    onForeignOrigin,
    logger,
    maxBodyBytes,
    forwarded: forward,
  });
  const core: Core = {
    schema,
    logger,
    corsOrigins,
    onForeignOrigin,
    run: createOwnTransport(schema, server),
    prepare,
  };
  const adminRoutes = operatorRoutes({ readiness, metrics, routes: upstream.routes });
  const parts = { readiness, logger, subscriptions: open, idle: () => server.idle() };
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
    upgrade,
    admin: createSite(parts, adminRoutes),
    open: async () => trusted?.open(),
    close: async () => {
      trusted?.close();
      await server.close();
    },
    fetch: createFetch({ path: GRAPHQL, graphql, respond: site.respond }),
  };
}
