/**
 * The process: environment, database, ports and signals.
 *
 * The only file with side effects. It begins what the others describe, and ends it in reverse.
 */
import cluster from 'node:cluster';
import type { Backend } from './backend/backend.ts';
import { EXAMPLE_API_KEY, EXAMPLE_PAGE_ID } from './backend/seed/example.ts';
import { ConfigError, readConfig, type Config } from './config.ts';
import { createUpstream } from './rest/client/client.ts';
import { createDispatcher, splitUpstreamUrl } from './rest/transport/dispatcher.ts';
import { RestError } from './rest/client/errors.ts';
import { schema } from './schema.ts';
import { createGateway } from './server/gateway.ts';
import { openHttpServer, urlHost } from './server/http/http-server.ts';
import { createLogger, type Logger } from './server/observe/logger.ts';
import { releaseMemoryWhenQuiet } from './server/observe/memory.ts';
import { Metrics } from './server/observe/metrics.ts';
import { upstreamProbe } from './server/observe/upstream-probe.ts';
import { createWorkers, gatherMetrics, WorkerStartError } from './server/cluster/workers.ts';

/** The largest answer of the backend that is read. */
const MAX_RESPONSE_BYTES = 5_000_000;

/** Where a primary tells its workers that their backend is the embedded one. */
const EMBEDDED_URL = 'EMBEDDED_BACKEND_URL';

try {
  const config = readConfig(process.env);
  await (cluster.isPrimary && config.workers > 1 ? startWorkers(config) : start(config));
} catch (error) {
  // A worker has said itself what kept it from starting.
  if (!(error instanceof WorkerStartError)) process.stderr.write(`${explain(error)}\n`);
  process.exit(1);
}

/** The primary: the embedded backend runs here, once; requests are served by workers. */
async function startWorkers(config: Config): Promise<void> {
  const logger = await createLogger({ level: config.logLevel, pretty: process.stdout.isTTY });
  for (const warning of config.warnings) logger.warn(warning);
  surviveRejections(logger);
  const backend = config.upstreamUrl ? undefined : await openEmbeddedBackend(config, logger);
  const workers = createWorkers({
    count: config.workers,
    env: backend ? { [EMBEDDED_URL]: backend.url } : {},
    logger,
  });
  stopOnSignals(logger, async () => {
    if (!(await workers.close(config.shutdownTimeoutMs)))
      logger.warn('Time is up: workers were cut');
    await backend?.close();
  });
  const port = await workers.start();
  announce(logger, `http://${urlHost(config.host)}:${port}/graphql`, backend);
}

async function start(config: Config): Promise<void> {
  const logger = await createLogger({ level: config.logLevel, pretty: process.stdout.isTTY });
  if (cluster.isPrimary) for (const warning of config.warnings) logger.warn(warning);
  const metrics = new Metrics({ ofProcess: true });
  surviveRejections(logger, () => metrics.unhandledRejection());

  releaseMemoryWhenQuiet();
  if (cluster.isWorker) metrics.gather = gatherMetrics(metrics.registry);

  const backend = config.upstreamUrl ? undefined : await findEmbeddedBackend(config, logger);
  const { origin, pathPrefix } = splitUpstreamUrl(config.upstreamUrl ?? new URL(backend!.url));
  const upstream = createUpstream({
    dispatcher: createDispatcher(origin),
    pathPrefix,
    // What the embedded backend does not serve must not be asked of it.
    routeSet: backend && config.backendRoutes === 'document' ? 'document' : config.upstreamRoutes,
    timeoutMs: config.upstreamTimeoutMs,
    requestTimeoutMs: config.requestTimeoutMs,
    maxCalls: config.maxUpstreamCalls,
    maxResponseBytes: MAX_RESPONSE_BYTES,
    observer: {
      ...metrics.observer,
      onBreaker: ({ scope, route, state }) => {
        const of = route ? `${route.method} ${route.path}` : undefined;
        logger.warn({ scope, route: of, state }, `Breaker of scope ${scope} is ${state}`);
      },
    },
  });
  // Connections of its own: readiness must not wait behind callers.
  const probing = createDispatcher(origin);
  const gateway = createGateway({
    schema,
    upstream,
    apiKey: config.upstreamApiKey,
    cursorSecret: config.cursorSecret,
    requestTimeoutMs: config.requestTimeoutMs,
    maxUpstreamCalls: config.maxUpstreamCalls,
    maxValues: config.maxResultValues,
    probe: upstreamProbe({
      dispatcher: probing,
      pathPrefix,
      apiKey: config.upstreamApiKey ?? (backend && EXAMPLE_API_KEY),
      timeoutMs: config.upstreamTimeoutMs,
    }),
    logger,
    metrics,
    corsOrigins: config.corsOrigins,
    graphiql:
      config.graphiql && (backend ? { apiKey: EXAMPLE_API_KEY, pageId: EXAMPLE_PAGE_ID } : {}),
    introspection: config.introspection,
    suggestions: config.suggestions,
    explain: config.explain,
    hasAdminPort: config.adminPort !== undefined,
  });
  const { host, maxConnectionsPerAddress } = config;
  const server = await openHttpServer({
    site: gateway,
    host,
    port: config.port,
    maxBodyBytes: config.maxBodyBytes,
    allowedHosts: config.allowedHosts,
    maxConnectionsPerAddress,
  });
  // Workers share this port as they share the other, which is known by being the first.
  const admin =
    config.adminPort === undefined
      ? undefined
      : await openHttpServer({ site: gateway.admin, host, port: config.adminPort });
  stopOnSignals(logger, async () => {
    const finished = await server.close(config.shutdownTimeoutMs);
    if (!finished) logger.warn('Time is up: requests under way were cut');
    await admin?.close(0);
    await probing.destroy();
    // A backend that never answers would keep its calls open; after the fuse nobody waits for them.
    if (finished) await upstream.close();
    await backend?.close();
  });
  if (admin) logger.info(`Metrics and readiness are at ${admin.url}`);
  if (cluster.isPrimary) announce(logger, `${server.url}/graphql`, backend);
}

/** The primary's own, for its workers. */
async function findEmbeddedBackend(config: Config, logger: Logger): Promise<EmbeddedBackend> {
  const url = cluster.isWorker ? process.env[EMBEDDED_URL] : undefined;
  return url ? { url, close: async () => {} } : openEmbeddedBackend(config, logger);
}

type EmbeddedBackend = Pick<Backend, 'url' | 'close'>;

/** @throws {BackendDatabaseError} when its database cannot be used. */
async function openEmbeddedBackend(config: Config, logger: Logger): Promise<EmbeddedBackend> {
  // Loaded only where it runs: its database and its server are most of a start.
  const { openBackend } = await import('./backend/backend.ts');
  return openBackend({
    databaseUrl: config.backendDatabaseUrl,
    timestamps: config.backendTimestamps,
    routes: config.backendRoutes,
    onFailure: (error) => {
      logger.error({ err: error }, 'Embedded backend failed');
    },
  });
}

/** Said whatever the level: whoever starts a server wants to know where it is. */
function announce(logger: Logger, url: string, backend: EmbeddedBackend | undefined): void {
  if (backend) logger.info(`Embedded backend: its API is at ${backend.url}/v0/openapi.json`);
  logger.child({}, { level: 'info' }).info({ url }, `Ready: GraphQL and GraphiQL at ${url}`);
}

/** A promise that nobody waits for is a mistake of ours, and no reason to leave all callers. */
function surviveRejections(logger: Logger, count: () => void = () => {}): void {
  process.on('unhandledRejection', (reason) => {
    // graphql-js lets go of what fails beside an item of a list that has failed already.
    if (reason instanceof RestError) return;
    count();
    logger.error({ err: reason }, 'Unhandled rejection: the process goes on');
  });
}

/** The first signal ends the process in order, the second at once. */
function stopOnSignals(logger: Logger, stop: () => Promise<void>): void {
  let stopping = false;
  const onSignal = (signal: NodeJS.Signals): void => {
    // A terminal signals every process; a worker's end is its primary's to say.
    if (cluster.isWorker && (stopping || signal === 'SIGINT')) return;
    if (stopping) process.exit(1);
    stopping = true;
    logger.info({ signal }, 'Stopping: finishing what is under way');
    stop().then(
      () => process.exit(0),
      (error: unknown) => {
        logger.error({ err: error }, 'Stopping failed');
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
}

/** One clear line for what an operator can mend; everything there is for what they can't. */
function explain(error: unknown): string {
  if (error instanceof ConfigError) return error.message;
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
