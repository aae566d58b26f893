/**
 * Environment → checked, frozen `Config`. Every variable is named here, once.
 *
 * A value that is not allowed stops the process instead of being guessed at: the error's one line
 * names the variable, what is allowed and what was found. The values of keys are never shown.
 */
import {
  ALLOWED_HOSTS,
  API_KEY,
  ConfigError,
  CORS_ORIGINS,
  CURSOR_SECRET,
  DATABASE_URL,
  FOLDER,
  HOST,
  misspelt,
  numberOrOff,
  oneOf,
  rangeOfMs,
  readVariable,
  SWITCH,
  TRUE_OR_FALSE,
  UPSTREAM_URL,
  wholeNumber,
  WORKERS,
  type Variable,
} from './config-variable.ts';
import { ROUTE_SETS, type RouteSet } from './v0/routes.ts';

export { ConfigError };

export interface Config {
  /** `HOST`: where the gateway listens. */
  readonly host: string;
  /** `PORT`: 0 takes any free one. */
  readonly port: number;
  /** `UPSTREAM_URL`: base URL of a `/v0` deployment; undefined starts the embedded backend. */
  readonly upstreamUrl: URL | undefined;
  /** `UPSTREAM_API_KEY`: sent for callers who send none. */
  readonly upstreamApiKey: string | undefined;
  /** `UPSTREAM_ROUTES`: which routes the deployment has. */
  readonly upstreamRoutes: RouteSet;
  /** `UPSTREAM_TIMEOUT_MS`: one try of one REST call. */
  readonly upstreamTimeoutMs: number;
  /** `REQUEST_TIMEOUT_MS`: a whole GraphQL request, tries and pauses included; more than one try. */
  readonly requestTimeoutMs: number;
  /** `MAX_UPSTREAM_CALLS`: REST calls that one GraphQL request may make. */
  readonly maxUpstreamCalls: number;
  /** `MAX_RESULT_VALUES`: fields and list items that one answer may hold. */
  readonly maxResultValues: number;
  /** `MAX_RESULT_BYTES`: the text that one answer may hold. */
  readonly maxResultBytes: number;
  /** `CURSOR_SECRET`: what cursors are sealed with beside the caller's key. */
  readonly cursorSecret: string | undefined;
  /** `WORKERS`: processes that serve; more than one share the port. */
  readonly workers: number;
  /** `MAX_BODY_BYTES`: the largest request body that is read. */
  readonly maxBodyBytes: number;
  /** `MAX_CONNECTIONS_PER_ADDRESS`: undefined for the default, `Infinity` when it is off. */
  readonly maxConnectionsPerAddress: number | undefined;
  /** `ALLOWED_HOSTS`: hosts that requests may name; undefined for any. */
  readonly allowedHosts: readonly string[] | undefined;
  /** `ADMIN_PORT`: where metrics and the details of readiness are; undefined for beside GraphQL. */
  readonly adminPort: number | undefined;
  /** `EXPLAIN`: who may ask what a request costs. */
  readonly explain: (typeof EXPLAIN_AUDIENCES)[number];
  /** `SHUTDOWN_TIMEOUT_MS`: how long requests under way may take after SIGTERM. */
  readonly shutdownTimeoutMs: number;
  /** `CORS_ORIGINS`: origins whose pages may read answers. */
  readonly corsOrigins: readonly string[];
  /** `GRAPHIQL`: whether browsers get GraphiQL at `/graphql`. */
  readonly graphiql: boolean;
  /** `INTROSPECTION`: whether the schema can be asked for. */
  readonly introspection: boolean;
  /** `SUGGESTIONS`: whether errors may name fields that were perhaps meant. */
  readonly suggestions: boolean;
  /** `TRUSTED_DOCUMENTS`: the folder of the apps' manifests; undefined for none. */
  readonly trustedDocuments: string | undefined;
  /** `TRUSTED_DOCUMENTS_ONLY`: whether every other document is refused. */
  readonly trustedDocumentsOnly: boolean;
  /** `REUSE_MAX_BYTES`: memory for kept answers, in bytes; 0 keeps none. */
  readonly reuseMaxBytes: number;
  /**
   * `CACHE_MAX_AGE`: for how long caches may reuse answers to trusted documents by GET without
   * asking, in seconds.
   */
  readonly cacheMaxAge: number;
  /** `LIVE_POLL_MS`: the least and the most time between two polls of a version that is watched. */
  readonly livePollMs: { readonly least: number; readonly most: number };
  /** `LIVE_DRAIN_MS`: over what time subscriptions are ended after SIGTERM. */
  readonly liveDrainMs: number;
  /** `WS_OPERATIONS`: what may be sent over a WebSocket. */
  readonly wsOperations: (typeof WS_OPERATIONS)[number];
  /** `MAX_SUBSCRIPTIONS_PER_SOCKET`: operations that one WebSocket may have open. */
  readonly maxSubscriptionsPerSocket: number;
  /** `MAX_SUBSCRIPTIONS_PER_KEY`: subscriptions that one key may have open in one process. */
  readonly maxSubscriptionsPerKey: number;
  /** `WARM_UP_MS`: for how long a process answers queries of its own before it takes requests. */
  readonly warmUpMs: number;
  /** `LOG_LEVEL`: pino's. */
  readonly logLevel: (typeof LOG_LEVELS)[number];
  /** `BACKEND_DATABASE_URL`: libSQL URL of the embedded backend. */
  readonly backendDatabaseUrl: string;
  /** `BACKEND_TIMESTAMPS`: how the embedded backend writes instants. */
  readonly backendTimestamps: (typeof TIMESTAMP_FORMS)[number];
  /** `BACKEND_ROUTES`: which routes the embedded backend serves. */
  readonly backendRoutes: RouteSet;
  /** Sentences for the log: variables that are probably misspelt, and settings that conflict. */
  readonly warnings: readonly string[];
}

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
const TIMESTAMP_FORMS = ['document', 'iso'] as const;
const WS_OPERATIONS = ['subscriptions', 'all'] as const;
const EXPLAIN_AUDIENCES = ['on', 'keys', 'off'] as const;

/** Longest time that may be set, in milliseconds. */
const HOUR_MS = 3_600_000;

const LIVE_POLL_MS = { least: 500, most: 5_000 };

/** Longest time that caches may reuse an answer without asking, in seconds. */
const MONTH_S = 2_592_000;

/**
 * Reads the settings.
 *
 * An empty variable counts as unset, as compose files write it. Variables not named here are ignored,
 * with a warning where one was probably meant.
 *
 * @throws {ConfigError} for the first value that is not allowed.
 */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const names: string[] = [];
  const read = <Value>(name: string, variable: Variable<Value>): Value => {
    names.push(name);
    return readVariable(name, env[name], variable);
  };
  const host = read('HOST', HOST);
  const upstreamApiKey = read('UPSTREAM_API_KEY', API_KEY);
  const cursorSecret = read('CURSOR_SECRET', CURSOR_SECRET);
  const settings = {
    host,
    port: read('PORT', wholeNumber(4_000, 0, 65_535)),
    upstreamUrl: read('UPSTREAM_URL', UPSTREAM_URL),
    upstreamApiKey,
    upstreamRoutes: read('UPSTREAM_ROUTES', oneOf(ROUTE_SETS, 'extended')),
    upstreamTimeoutMs: read('UPSTREAM_TIMEOUT_MS', wholeNumber(3_000, 1, HOUR_MS)),
    requestTimeoutMs: read('REQUEST_TIMEOUT_MS', wholeNumber(10_000, 1, HOUR_MS)),
    maxUpstreamCalls: read('MAX_UPSTREAM_CALLS', wholeNumber(250, 1, 100_000)),
    maxResultValues: read('MAX_RESULT_VALUES', wholeNumber(200_000, 1_000, 100_000_000)),
    maxResultBytes: read('MAX_RESULT_BYTES', wholeNumber(5_000_000, 10_000, 500_000_000)),
    cursorSecret,
    workers: read('WORKERS', WORKERS),
    maxBodyBytes: read('MAX_BODY_BYTES', wholeNumber(100_000, 1_000, 100_000_000)),
    maxConnectionsPerAddress: read('MAX_CONNECTIONS_PER_ADDRESS', numberOrOff(1, 4_096)),
    allowedHosts: read('ALLOWED_HOSTS', ALLOWED_HOSTS) ?? defaultHosts(host, upstreamApiKey),
    adminPort: read('ADMIN_PORT', { ...wholeNumber(0, 0, 65_535), unset: undefined }),
    explain: read('EXPLAIN', oneOf(EXPLAIN_AUDIENCES, 'on')),
    warmUpMs: read('WARM_UP_MS', wholeNumber(400, 0, 60_000)),
    shutdownTimeoutMs: read('SHUTDOWN_TIMEOUT_MS', wholeNumber(10_000, 0, HOUR_MS)),
    corsOrigins: read('CORS_ORIGINS', CORS_ORIGINS),
    graphiql: read('GRAPHIQL', SWITCH),
    introspection: read('INTROSPECTION', SWITCH),
    suggestions: read('SUGGESTIONS', SWITCH),
    trustedDocuments: read('TRUSTED_DOCUMENTS', FOLDER),
    trustedDocumentsOnly: read('TRUSTED_DOCUMENTS_ONLY', TRUE_OR_FALSE),
    reuseMaxBytes: read('REUSE_MAX_BYTES', wholeNumber(16_000_000, 0, 4_000_000_000)),
    cacheMaxAge: read('CACHE_MAX_AGE', wholeNumber(0, 0, MONTH_S)),
    livePollMs: read('LIVE_POLL_MS', rangeOfMs(LIVE_POLL_MS, 10, HOUR_MS)),
    liveDrainMs: read('LIVE_DRAIN_MS', wholeNumber(5_000, 0, HOUR_MS)),
    wsOperations: read('WS_OPERATIONS', oneOf(WS_OPERATIONS, 'subscriptions')),
    maxSubscriptionsPerSocket: read('MAX_SUBSCRIPTIONS_PER_SOCKET', wholeNumber(100, 1, 100_000)),
    maxSubscriptionsPerKey: read('MAX_SUBSCRIPTIONS_PER_KEY', wholeNumber(2_500, 1, 100_000)),
    logLevel: read('LOG_LEVEL', oneOf(LOG_LEVELS, 'info')),
    backendDatabaseUrl: read('BACKEND_DATABASE_URL', DATABASE_URL),
    backendTimestamps: read('BACKEND_TIMESTAMPS', oneOf(TIMESTAMP_FORMS, 'document')),
    backendRoutes: read('BACKEND_ROUTES', oneOf(ROUTE_SETS, 'extended')),
  };
  checkTimes(settings);
  checkPorts(settings);
  checkTrusted(settings);
  const warnings = misspelt(Object.keys(env), names);
  if (upstreamApiKey !== undefined && cursorSecret === undefined) warnings.push(UNSEALED_CURSORS);
  return Object.freeze({ ...settings, warnings });
}

const UNSEALED_CURSORS =
  'CURSOR_SECRET is not set: cursors are sealed with UPSTREAM_API_KEY alone, so anyone with a cursor can test guesses of that key offline. Set CURSOR_SECRET to 16 or more random characters.';

/**
 * A read whose callers have all left does not count as a failure of the backend. If callers left
 * before an attempt times out, the circuit of a silent backend would never open.
 */
function checkTimes({
  requestTimeoutMs,
  upstreamTimeoutMs,
}: Pick<Config, 'requestTimeoutMs' | 'upstreamTimeoutMs'>): void {
  if (requestTimeoutMs > upstreamTimeoutMs) return;
  throw new ConfigError(
    `REQUEST_TIMEOUT_MS must be more than UPSTREAM_TIMEOUT_MS, which is ${upstreamTimeoutMs}, or a silent backend is never left alone; got ${requestTimeoutMs}.`,
  );
}

function checkPorts({ port, adminPort }: Pick<Config, 'port' | 'adminPort'>): void {
  if (adminPort === undefined || adminPort === 0 || adminPort !== port) return;
  throw new ConfigError(`ADMIN_PORT must be another port than PORT, which is ${port}.`);
}

function checkTrusted({
  trustedDocuments,
  trustedDocumentsOnly,
}: Pick<Config, 'trustedDocuments' | 'trustedDocumentsOnly'>): void {
  if (!trustedDocumentsOnly || trustedDocuments !== undefined) return;
  throw new ConfigError(
    'TRUSTED_DOCUMENTS_ONLY needs TRUSTED_DOCUMENTS, the folder of what is trusted, or nothing would be served.',
  );
}

/**
 * Where callers need no key and only this machine is served, a page could point its own host name
 * at this machine (DNS rebinding) and read with the deployment's key. So the host name is checked.
 */
function defaultHosts(host: string, apiKey: string | undefined): readonly string[] | undefined {
  if (apiKey === undefined || !/^(?:localhost|127\..*|::1)$/.test(host)) return undefined;
  return [...new Set([...LOOPBACK_HOSTS, host])];
}

const LOOPBACK_HOSTS = ['localhost', '127.0.0.1', '[::1]'];
