/**
 * The table of the core's settings: name, kind, default, meaning and group. Source of configuration, documentation and
 * warnings, as the tables of extensions in their folders are.
 */
import { HEADER_NAMES } from './header-names.ts';
import {
  API_KEY,
  BASE_PATH,
  DATABASE_URL,
  HOST,
  HOSTS,
  MODULE,
  ORIGINS,
  PEM_FILE,
  rangeOfMs,
  SOCKET_PATH,
  UPSTREAM_URL,
} from './kinds.ts';
import {
  FOLDER,
  oneOf,
  ON_OR_OFF,
  switchOr,
  TEXT,
  UNQUOTED,
  wholeNumber,
} from '../../gateway/settings/kinds.ts';
import { group, secret, setting } from '../../gateway/settings/setting.ts';
import { ROUTE_SETS } from '../../v0/routes.ts';

/** Maximum of times, in milliseconds. */
const HOUR_MS = 3_600_000;

/** Minimum interval of polls, in milliseconds. */
const MIN_POLL_MS = 10;

/** Maximum of `max-age`, in seconds. */
const MONTH_S = 2_592_000;

const milliseconds = (least: number) => wholeNumber(least, HOUR_MS);

export const SETTINGS = {
  http: group('Listening', {
    host: setting('HOST', HOST, '127.0.0.1', 'address to listen on'),
    port: setting(
      'PORT',
      wholeNumber(0, 65_535),
      '4000',
      'port to listen on; 0 takes any free one',
    ),
    socketPath: setting(
      'UNIX_SOCKET',
      SOCKET_PATH,
      undefined,
      'unix socket to listen on, in place of `HOST` and `PORT`',
    ),
    reusePort: setting(
      'REUSE_PORT',
      ON_OR_OFF,
      'off',
      '`on`: other processes with this setting may listen on `PORT` too; on Linux and BSD, with Node 22.12, 23.1 or newer',
    ),
    basePath: setting(
      'BASE_PATH',
      BASE_PATH,
      '',
      'what all paths of this port begin with: `/content` for `/content/graphql`',
    ),
    adminPort: setting(
      'ADMIN_PORT',
      wholeNumber(0, 65_535),
      undefined,
      'port for `/metrics` and the details of `/ready`, which are then not on `PORT`',
    ),
    allowedHosts: setting(
      'ALLOWED_HOSTS',
      HOSTS,
      undefined,
      'host names without ports, separated by commas, that requests may name',
    ),
    corsOrigins: setting(
      'CORS_ORIGINS',
      ORIGINS,
      '',
      'origins, separated by commas, whose pages may read answers',
    ),
    maxBodyBytes: setting(
      'MAX_BODY_BYTES',
      wholeNumber(1_000, 100_000_000),
      '100000',
      'the largest request body, or message of a WebSocket, that is read',
    ),
  }),
  backend: group('The backend', {
    url: setting(
      'UPSTREAM_URL',
      UPSTREAM_URL,
      undefined,
      'base URL of a `/v0` deployment, without `/v0`; a path prefix is kept; unset: the embedded backend',
    ),
    apiKey: secret('UPSTREAM_API_KEY', API_KEY, undefined, 'key to send for callers who send none'),
    routeSet: setting(
      'UPSTREAM_ROUTES',
      oneOf(['auto', ...ROUTE_SETS]),
      'auto',
      "which of the six routes beside the REST document's 20 it has: `auto` finds out, `document`: none, `extended`: all",
    ),
    timeoutMs: setting(
      'UPSTREAM_TIMEOUT_MS',
      milliseconds(1),
      '3000',
      'one attempt of one REST call, its wait for a connection included; the embedded backend has `REQUEST_TIMEOUT_MS`',
    ),
    socketPath: setting(
      'UPSTREAM_UNIX_SOCKET',
      SOCKET_PATH,
      undefined,
      'the unix socket on which it listens, whatever host `UPSTREAM_URL` names',
    ),
    ca: setting(
      'UPSTREAM_CA_FILE',
      PEM_FILE,
      undefined,
      "the authorities that its certificate may be signed by (PEM), instead of Node's own",
    ),
    cert: setting(
      'UPSTREAM_CERT_FILE',
      PEM_FILE,
      undefined,
      'the certificate that this gateway shows to it (PEM)',
    ),
    key: setting('UPSTREAM_KEY_FILE', PEM_FILE, undefined, 'the key of that certificate (PEM)'),
    httpProxy: setting('HTTP_PROXY', TEXT, '', 'the proxy to a backend at `http:`, by CONNECT'),
    httpsProxy: setting(
      'HTTPS_PROXY',
      TEXT,
      '',
      'the proxy to a backend at `https:`; unset: `HTTP_PROXY`',
    ),
    noProxy: setting(
      'NO_PROXY',
      UNQUOTED,
      '',
      'names of hosts, and of what is below them, that are reached without; this machine always is',
    ),
  }),
  headers: group('Headers that pass the gateway', {
    forward: setting(
      'FORWARD_HEADERS',
      HEADER_NAMES,
      '',
      "names of callers' headers, separated by commas, that go to the backend with each call",
    ),
    expose: setting(
      'EXPOSE_HEADERS',
      HEADER_NAMES,
      '',
      "names of headers of the backend's answers, separated by commas, that go back to callers",
    ),
  }),
  limits: group('Limits of a request', {
    requestTimeoutMs: setting(
      'REQUEST_TIMEOUT_MS',
      milliseconds(1),
      '10000',
      'a whole GraphQL request, retries and pauses included; must be more than `UPSTREAM_TIMEOUT_MS`',
    ),
    maxUpstreamCalls: setting(
      'MAX_UPSTREAM_CALLS',
      wholeNumber(1, 100_000),
      '250',
      'REST calls that one GraphQL request may make',
    ),
    maxValues: setting(
      'MAX_RESULT_VALUES',
      wholeNumber(1_000, 100_000_000),
      '50000',
      'fields and list items that one answer may hold',
    ),
    maxTextBytes: setting(
      'MAX_RESULT_BYTES',
      wholeNumber(10_000, 500_000_000),
      '2000000',
      'the text that one answer may hold',
    ),
  }),
  documents: group('Documents and caches', {
    folder: setting(
      'TRUSTED_DOCUMENTS',
      FOLDER,
      undefined,
      'a folder with one manifest of trusted documents for each version of an app',
    ),
    only: setting(
      'TRUSTED_DOCUMENTS_ONLY',
      ON_OR_OFF,
      'false',
      '`true`: every other document is refused, introspection too',
    ),
    cacheMaxAge: setting(
      'CACHE_MAX_AGE',
      wholeNumber(0, MONTH_S),
      '0',
      'seconds for which answers to trusted documents by GET may be used without asking',
    ),
  }),
  live: group('Subscriptions', {
    pollMs: setting(
      'LIVE_POLL_MS',
      rangeOfMs(MIN_POLL_MS, HOUR_MS),
      '500..5000',
      'the least and the most milliseconds between two polls of a version that is watched',
    ),
    socketOperations: setting(
      'WS_OPERATIONS',
      oneOf(['subscriptions', 'all']),
      'all',
      'what may be sent over a WebSocket: `subscriptions` or `all`',
    ),
    maxPerSocket: setting(
      'MAX_SUBSCRIPTIONS_PER_SOCKET',
      wholeNumber(1, 100_000),
      '100',
      'operations that one WebSocket may have open',
    ),
    maxPerKey: setting(
      'MAX_SUBSCRIPTIONS_PER_KEY',
      wholeNumber(1, 100_000),
      '2500',
      'subscriptions that one key may have open in each process',
    ),
  }),
  tools: group('Browsers and tools', {
    graphiql: setting(
      'GRAPHIQL',
      ON_OR_OFF,
      'on',
      '`off`: browsers get a sentence instead of GraphiQL at `/graphql`',
    ),
    introspection: setting(
      'INTROSPECTION',
      switchOr('keys'),
      'on',
      'who may ask for the schema: `on`, `keys` (callers with a key of their own) or `off`; errors name fields that were perhaps meant with `on` alone',
    ),
    explain: setting(
      'EXPLAIN',
      switchOr('keys'),
      'on',
      'who may see what a request costs: `on`, `keys` (callers with a key of their own) or `off`; with `off`, errors name no route and no status of the backend',
    ),
  }),
  process: group('The process', {
    drainDelayMs: setting(
      'DRAIN_DELAY_MS',
      milliseconds(0),
      '500',
      'how long `/ready` is 503 and everything is served as ever before a process stops',
    ),
    shutdownTimeoutMs: setting(
      'SHUTDOWN_TIMEOUT_MS',
      milliseconds(0),
      '10000',
      'how long requests under way may take after that',
    ),
    logLevel: setting(
      'LOG_LEVEL',
      oneOf(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']),
      'info',
      '`trace`, `debug`, `info`, `warn`, `error`, `fatal` or `silent`; the backend and the address are logged at the start whatever it is',
    ),
    logSlowMs: setting(
      'LOG_SLOW_MS',
      milliseconds(1),
      undefined,
      'operations that take longer are logged at `warn`, with their calls',
    ),
    environment: setting(
      'NODE_ENV',
      UNQUOTED,
      '',
      '`production`: a name that is nearly a setting stops the start; without `UPSTREAM_URL`, the log and `/ready` warn of sample data',
    ),
    plugins: setting(
      'PLUGINS',
      MODULE,
      undefined,
      "a module of plugins, added to the gateway's own",
    ),
  }),
  embedded: group('The embedded backend', {
    databaseUrl: secret(
      'BACKEND_DATABASE_URL',
      DATABASE_URL,
      'file:.data/backend.db',
      'its libSQL database: `file:…`, `:memory:` or `libsql://…`',
    ),
    timestamps: setting(
      'BACKEND_TIMESTAMPS',
      oneOf(['document', 'iso']),
      'document',
      '`iso`: it writes ISO 8601 instead of `+` and digits',
    ),
    routes: setting(
      'BACKEND_ROUTES',
      oneOf(ROUTE_SETS),
      'extended',
      '`document`: it serves the 20 routes of the REST document only',
    ),
  }),
} as const;
