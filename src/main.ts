/**
 * The process: environment, database, ports and signals.
 *
 * The only file with side effects. It starts everything, and stops it in reverse order.
 */
import cluster from 'node:cluster';
import { join } from 'node:path';
import type { Backend } from './backend/backend.ts';
import { EXAMPLE_API_KEY, EXAMPLE_PAGE_ID } from './backend/seed/example.ts';
import { ConfigError, readConfig, type Config } from './config.ts';
import { createUpstream } from './rest/client/client.ts';
import { BackendDispatcher, splitUpstreamUrl } from './rest/transport/dispatcher.ts';
import { schema } from './schema.ts';
import { TrustedDocumentsError } from './server/documents/trusted-documents.ts';
import { createGateway } from './server/gateway.ts';
import { openHttpServer, urlHost } from './server/http/http-server.ts';
import { createLogger, type Logger } from './server/observe/logger.ts';
import { Metrics } from './server/observe/metrics.ts';
import { warnOfMissingRoute } from './server/observe/missing-routes.ts';
import { probeUpstream } from './server/observe/upstream-probe.ts';
import { loadPlugins, PluginsError } from './server/policies/operator-plugins.ts';
import { metricsOfAll } from './server/process/cluster-metrics.ts';
import {
  EXIT,
  stopOnSignals,
  surviveRejections,
  type StopSignal,
} from './server/process/lifecycle.ts';
import { createWorkers, WorkerStartError } from './server/process/workers.ts';

/** The largest answer of the backend that is read. */
const MAX_RESPONSE_BYTES = 5_000_000;

/** How much longer than a worker the primary waits for its end, in milliseconds. */
const GRACE_MS = 1_000;

/** The environment variable with the URL of the primary's embedded backend, for its workers. */
const EMBEDDED_URL = 'EMBEDDED_BACKEND_URL';

/** GraphiQL's build: beside this file when that is built as well. */
const EXPLORER = join(
  import.meta.dirname,
  import.meta.filename.endsWith('.ts') ? '../dist/explorer' : 'explorer',
);

try {
  const config = readConfig(process.env);
  const logger = await createLogger({ level: config.logLevel, pretty: process.stdout.isTTY });
  if (cluster.isPrimary) for (const warning of config.warnings) logger.warn(warning);
  await (cluster.isPrimary && config.workers > 1 ? lead(config, logger) : serve(config, logger));
} catch (error) {
  // The worker has logged what kept it from starting.
  if (!(error instanceof WorkerStartError)) process.stderr.write(`${explain(error)}\n`);
  process.exit(EXIT.failed);
}

/** The primary of several workers: it runs the embedded backend, and workers serve all requests. */
async function lead(config: Config, logger: Logger): Promise<void> {
  surviveRejections(logger);
  const backend = config.upstreamUrl ? undefined : await openEmbeddedBackend(config, logger);
  const workers = createWorkers({
    count: config.workers,
    env: backend ? { [EMBEDDED_URL]: backend.url } : {},
    logger,
  });
  stopOnSignals(logger, async (signal) => {
    const maxMs = drainDelayMs(config, signal) + config.shutdownTimeoutMs + GRACE_MS;
    const finished = await workers.close(signal, maxMs);
    await backend?.close();
    return finished;
  });
  const port = await workers.start();
  if (port === undefined) return;
  await announce(config, logger, `http://${urlHost(config.host)}:${port}`, backend);
}

/** The process that serves: the only one, or one of several workers. */
async function serve(config: Config, logger: Logger): Promise<void> {
  const metrics = new Metrics({ ofProcess: true });
  surviveRejections(logger, () => metrics.unhandledRejection());
  if (cluster.isWorker) metrics.gather = metricsOfAll(metrics.registry);

  const backend = config.upstreamUrl ? undefined : await findEmbeddedBackend(config, logger);
  const { origin, pathPrefix } = upstreamOf(config, backend);
  let outOfFilesMs = -Infinity;
  /** At most once in ten seconds: every call fails then. */
  const logOutOfFiles = (): void => {
    if (performance.now() - outOfFilesMs < 10_000) return;
    outOfFilesMs = performance.now();
    logger.error(
      'This process has no file descriptor left for calls to the backend: raise its limit (ulimit -n)',
    );
  };
  const upstream = createUpstream({
    dispatcher: new BackendDispatcher(origin),
    pathPrefix,
    // Which routes the embedded backend has is known.
    routeSet:
      backend && config.upstreamRoutes !== 'document'
        ? config.backendRoutes
        : config.upstreamRoutes,
    timeoutMs: config.upstreamTimeoutMs,
    requestTimeoutMs: config.requestTimeoutMs,
    maxCalls: config.maxUpstreamCalls,
    maxResponseBytes: MAX_RESPONSE_BYTES,
    observer: {
      ...metrics.observer,
      onCall: (call) => {
        metrics.observer.onCall?.(call);
        if (call.failure === 'out_of_files') logOutOfFiles();
        gateway.readiness.noticeCall(call);
      },
      onMissingRoute: warnOfMissingRoute(logger),
      onBreaker: ({ scope, route, state }) => {
        const of = route ? `${route.method} ${route.path}` : undefined;
        logger.warn({ scope, route: of, state }, `Breaker of scope ${scope} is ${state}`);
      },
    },
  });
  const plugins = config.plugins && (await loadPlugins(config.plugins, config));
  const gateway = createGateway({
    schema,
    ...(plugins && { plugins }),
    upstream,
    apiKey: config.upstreamApiKey,
    requestTimeoutMs: config.requestTimeoutMs,
    maxUpstreamCalls: config.maxUpstreamCalls,
    maxValues: config.maxResultValues,
    maxTextBytes: config.maxResultBytes,
    logger,
    metrics,
    corsOrigins: config.corsOrigins,
    graphiql: config.graphiql && {
      folder: EXPLORER,
      ...(backend && { apiKey: EXAMPLE_API_KEY, pageId: EXAMPLE_PAGE_ID }),
    },
    introspection: config.introspection,
    explain: config.explain,
    hasAdminPort: config.adminPort !== undefined,
    cacheMaxAge: config.cacheMaxAge,
    trustedDocuments:
      config.trustedDocuments === undefined
        ? undefined
        : { folder: config.trustedDocuments, only: config.trustedDocumentsOnly },
    live: { pollMs: config.livePollMs, maxPerKey: config.maxSubscriptionsPerKey },
    webSocket: {
      operations: config.wsOperations,
      maxPerSocket: config.maxSubscriptionsPerSocket,
      maxPayloadBytes: config.maxBodyBytes,
    },
  });
  await gateway.open();
  const { host } = config;
  const server = await openHttpServer({
    site: gateway,
    host,
    port: config.port,
    maxBodyBytes: config.maxBodyBytes,
    allowedHosts: config.allowedHosts,
  });
  const admin =
    config.adminPort === undefined
      ? undefined
      : await openHttpServer({ site: gateway.admin, host, port: config.adminPort });
  stopOnSignals(logger, async (signal) => {
    const finished = await server.close(config.shutdownTimeoutMs, drainDelayMs(config, signal));
    await admin?.close(0);
    gateway.close();
    // A backend that never answers would keep its calls open: they are cut at the shutdown timeout.
    if (finished) await upstream.close();
    await backend?.close();
    return finished;
  });
  if (admin) logger.info(`Metrics and readiness are at ${admin.url}`);
  if (!cluster.isWorker) await announce(config, logger, server.url, backend);
}

/** Who presses Ctrl+C has no load balancer that has to see it first. */
function drainDelayMs(config: Config, signal: StopSignal): number {
  return signal === 'SIGINT' ? 0 : config.drainDelayMs;
}

function upstreamOf(config: Config, backend: EmbeddedBackend | undefined) {
  return splitUpstreamUrl(config.upstreamUrl ?? new URL(backend!.url)); // one of them is there
}

type EmbeddedBackend = Pick<Backend, 'url' | 'close'>;

/** The primary's own, for its workers. */
async function findEmbeddedBackend(config: Config, logger: Logger): Promise<EmbeddedBackend> {
  const url = cluster.isWorker ? process.env[EMBEDDED_URL] : undefined;
  return url ? { url, close: async () => {} } : openEmbeddedBackend(config, logger);
}

/** @throws {BackendDatabaseError} when its database cannot be used. */
async function openEmbeddedBackend(config: Config, logger: Logger): Promise<EmbeddedBackend> {
  // Loaded only where it runs: its database and its server are most of a start.
  const { openBackend } = await import('./backend/backend.ts');
  return openBackend({
    databaseUrl: config.backendDatabaseUrl,
    timestamps: config.backendTimestamps,
    routes: config.backendRoutes,
    onFailure: (failure) => logger.error(failure, 'Embedded backend failed'),
  });
}

/** Logged at every level: the address that the server listens on. */
async function announce(
  config: Config,
  logger: Logger,
  url: string,
  backend: EmbeddedBackend | undefined,
): Promise<void> {
  const apiKey = config.upstreamApiKey ?? (backend && EXAMPLE_API_KEY);
  const unusable = await probeUpstream({ ...upstreamOf(config, backend), apiKey });
  if (unusable) logger.warn(unusable, 'The backend does not answer');
  if (backend) logger.info(`Embedded backend: its API is at ${backend.url}/v0/openapi.json`);
  const state = unusable ? 'Listening, but the backend does not answer' : 'Ready';
  const graphql = `${url}/graphql`;
  logger
    .child({}, { level: 'info' })
    .info({ url: graphql }, `${state}: GraphQL and GraphiQL at ${graphql}`);
}

/** One line for what an operator can correct; the whole error for anything else. */
function explain(error: unknown): string {
  if (error instanceof ConfigError || error instanceof TrustedDocumentsError) return error.message;
  if (error instanceof PluginsError) return error.message;
  // Its class is the backend's, which is not loaded for others.
  if (error instanceof Error && error.name === 'BackendDatabaseError') return error.message;
  if (error instanceof Error && 'code' in error) {
    const { host, port: main, adminPort } = readConfig(process.env);
    const isAdmin = 'port' in error && error.port === adminPort;
    const [name, port] = isAdmin ? ['ADMIN_PORT', adminPort] : ['PORT', main];
    switch (error.code) {
      case 'EADDRINUSE':
        return `Port ${port} on ${host} is in use: stop what listens there, or set ${name} to another.`;
      case 'EACCES':
        return `Port ${port} on ${host} may not be used by this user: set ${name} to one above 1023.`;
      case 'EADDRNOTAVAIL':
      case 'ENOTFOUND':
        return `HOST ${host} is no address of this machine: set HOST to one, such as 127.0.0.1.`;
    }
  }
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
