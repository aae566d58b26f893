/**
 * The entry point: starts all parts, and stops them in reverse order.
 *
 * Nothing else reads the environment, except OpenTelemetry's libraries, which read their own variables.
 */
import { setDefaultAutoSelectFamilyAttemptTimeout } from 'node:net';
import { EXAMPLE_API_KEY, EXAMPLE_PAGE_ID } from './backend/seed/example.ts';
import { GROUPS, readConfig, type Config } from './app/config.ts';
import { takeNoArguments } from './app/commands/terminal.ts';
import { openParts } from './app/open-backend.ts';
import { createUpstream, USER_AGENT } from './rest/upstream.ts';
import { ADDRESS_MS } from './rest/transport/connections.ts';
import { BackendDispatcher } from './rest/transport/dispatcher.ts';
import { schema } from './app/schema.ts';
import type { CallLayers } from './gateway/extension.ts';
import { createGateway } from './gateway/gateway.ts';
import { createLogger } from './gateway/observe/logs/logger.ts';
import { Metrics } from './gateway/observe/metrics/metrics.ts';
import { observeUpstream } from './gateway/observe/upstream-observer.ts';
import { loadPlugins } from './app/process/operator-plugins.ts';
import { announce } from './app/process/announce.ts';
import { EXPLORER_FOLDER, staleBuild, versionOf } from './app/process/build.ts';
import {
  exitAfterFailure,
  stopOnSignals,
  surviveRejections,
  switchLevelOnSignal,
} from './app/process/lifecycle.ts';
import { linesOf } from './app/commands/settings-list.ts';
import { openPorts } from './app/process/ports.ts';

const HELP = `
npm start
node dist/main.js [--help | --version]

Serves the GraphQL API over the backend at UPSTREAM_URL. If UPSTREAM_URL is unset, starts an embedded backend with
sample data. Takes no arguments. Settings are environment variables, listed below with their defaults. Switches accept
on or true, and off or false.
${linesOf(GROUPS)}
`;
takeNoArguments(HELP, versionOf());

try {
  await serve(readConfig(process.env));
} catch (error) {
  exitAfterFailure(error);
}

async function serve(config: Config): Promise<void> {
  // For all connections: backend, proxy, Redis, collector.
  setDefaultAutoSelectFamilyAttemptTimeout(ADDRESS_MS);
  const { logLevel } = config.process;
  const logger = await createLogger({ level: logLevel, pretty: process.stdout.isTTY });
  switchLevelOnSignal(logger);
  for (const warning of [...config.warnings, ...staleBuild()]) logger.warn(warning);
  const { http, headers, limits, tools } = config;
  const metrics = new Metrics({ ofProcess: true });
  const version = versionOf();
  const userAgent = `${USER_AGENT}/${version}`;
  metrics.build({ version, node: process.version });
  surviveRejections(logger, () => metrics.unhandledRejection());
  const { extensions, standIn, backend } = await openParts(config, { logger, metrics, version });
  const isDemo = backend.isEmbedded && config.process.environment === 'production';
  const warning = `The backend is ${backend.label}, because UPSTREAM_URL is unset. Set it to the base URL of a deployment.`;
  const warnings = isDemo ? [warning] : [];
  const layers = Object.assign({}, ...extensions.map(({ calls }) => calls)) as CallLayers;
  const connections =
    standIn?.connections ?? new BackendDispatcher(backend.origin, backend.connections);
  const upstream = createUpstream({
    dispatcher: layers.connections?.(connections, backend) ?? connections,
    pathPrefix: backend.pathPrefix,
    routeSet: backend.routeSet,
    // An embedded backend that is late shares a busy processor with the gateway: it is not down.
    timeoutMs: backend.isEmbedded ? limits.requestTimeoutMs : config.backend.timeoutMs,
    userAgent,
    exposeHeaders: headers.expose,
    cache: layers.cache,
    observer: observeUpstream({ metrics, logger, readiness: () => gateway.readiness }),
  });
  // The first query is about a page, which the 20 routes of the API spec do not support.
  const hasSamplePage =
    backend.isEmbedded && config.embedded.routes !== 'document' && backend.routeSet !== 'document';
  const gateway = createGateway({
    ...config,
    schema: extensions.reduce((served, one) => one.schema?.(served) ?? served, schema),
    upstream,
    logger,
    metrics,
    extensions,
    logSlowMs: config.process.logSlowMs,
    apiKey: config.backend.apiKey,
    warnings,
    explorer: {
      folder: EXPLORER_FOLDER,
      ...(backend.isEmbedded && { apiKey: EXAMPLE_API_KEY }),
      ...(hasSamplePage && { pageId: EXAMPLE_PAGE_ID }),
      ...(standIn && { apiKey: standIn.apiKey, note: standIn.note }),
    },
    plugins: await loadPlugins(config.process.plugins, config),
  });
  await gateway.open();
  const ports = await openPorts(gateway, http, logger);
  stopOnSignals(logger, config.process, async (times) => {
    const finished = await ports.close(times);
    await gateway.close();
    // Otherwise calls to a silent backend are cut at the shutdown timeout.
    if (finished) await upstream.close();
    await Promise.all(extensions.map(async ({ close }) => close?.()));
    await backend.close();
    return finished;
  });
  await announce({
    ...{ backend, standIn, userAgent, logger, warnings },
    url: `${ports.url}${http.basePath}/graphql`,
    readiness: gateway.readiness,
    graphiql: tools.graphiql,
  });
}
