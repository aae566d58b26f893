/**
 * The table of the core's settings: name, kind, default, meaning and group, after the kinds that only it uses. Source of
 * configuration, documentation and warnings, as the tables of extensions in their folders are.
 */
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { z } from 'zod';
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
import { orUndefined } from '../../lib/or-undefined.ts';
import { API_KEY_FORM, isApiKey } from '../../v0/api-key.ts';
import { ROUTE_SETS } from '../../v0/routes.ts';

const HOUR_MS = 3_600_000;

const MONTH_S = 2_592_000;

const milliseconds = (least: number) => wholeNumber(least, HOUR_MS);

const HOST = z
  .string()
  .refine((text) => isIP(text) > 0 || /^[\w.-]+$/.test(text))
  .describe('a host name or an IP address, without brackets');

/** Existence is checked on loading. */
const MODULE = z
  .string()
  .regex(/\.m?js$/)
  .describe('the path of a .js or .mjs module, such as ./plugins.mjs');

/** Content of a PEM file. */
const PEM_FILE = z
  .string()
  .transform((path) => orUndefined(() => readFileSync(path, 'utf8')) ?? '')
  .refine((text) => text.includes('-----BEGIN '))
  .describe('the path of a readable PEM file');

/** Longer paths are cut by the system. */
const SOCKET_PATH = z
  .string()
  .regex(/^\/./)
  .refine((path) => Buffer.byteLength(path) <= 103)
  .describe('an absolute path of at most 103 bytes, such as /run/backend.sock');

/** URL path that the gateway is mounted at. */
const BASE_PATH = z
  .string()
  .regex(/^(?:\/(?!\.\.?(?:\/|$))[\w.~-]{1,64}){0,8}$/)
  .describe(
    'a path such as /content, which begins but does not end with "/" and contains no "." or ".." segments',
  );

/** `500..5000`: minimum and maximum, in milliseconds. */
const rangeOfMs = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,9}\.\.\d{1,9}$/)
    .transform((text) => {
      const [least = 0, most = 0] = text.split('..').map(Number);
      return { least, most };
    })
    .refine(({ least, most }) => min <= least && least <= most && most <= max)
    .describe(`two whole numbers from ${min} to ${max}, the smaller first, such as "500..5000"`);

const API_KEY = z.string().refine(isApiKey).describe(API_KEY_FORM);

const UPSTREAM_URL = z
  .string()
  .refine(URL.canParse)
  .transform((value) => new URL(value))
  .refine(
    (url) =>
      /^https?:$/.test(url.protocol) &&
      !`${url.username}${url.password}${url.search}${url.hash}` &&
      // The gateway adds `/v0`; with a second one every call would be a 404.
      !/\/v0\/*$/.test(url.pathname),
  )
  .describe(
    'an absolute http or https URL without "/v0", user, query or fragment, such as https://api.example.com or https://example.com/api',
  );

const DATABASE_URL = z
  .string()
  .regex(/^(?::memory:$|(?:file|libsql|https?|wss?):.)/)
  .describe('a libSQL URL: file:…, :memory: or libsql://…');

/** @param read returns the canonical form of an item; empty for an invalid one. */
const listOf = (read: (item: string) => string) =>
  z
    .string()
    .transform((list): readonly string[] =>
      list === '' ? [] : list.split(',').map((item) => read(item.trim())),
    )
    .refine((items) => items.every((item) => item !== ''));

const HOSTS = listOf(canonicalHost).describe(
  'comma-separated host names in full, without ports, such as gateway.example.com or [::1]',
);

export const MAX_HEADER_NAMES = 16;

/** Lower-case names without duplicates. */
const HEADER_NAMES = listOf((name) =>
  /^[a-z\d!#$%&'*+.^_`|~-]{1,64}$/i.test(name) ? name.toLowerCase() : '',
)
  .transform((names): readonly string[] => [...new Set(names)])
  .refine((names) => names.length <= MAX_HEADER_NAMES)
  .describe(`at most ${MAX_HEADER_NAMES} comma-separated header names, such as accept-language`);

/** Canonical form, as in URLs of browsers; empty for an invalid name. */
function canonicalHost(text: string): string {
  if (!/^(?:[\w.-]+|\[[\da-f:.]+\])$/i.test(text)) return '';
  return URL.canParse(`http://${text}`) ? new URL(`http://${text}`).hostname : '';
}

const ORIGINS = listOf(originOf).describe(
  'comma-separated origins in full, without "*" or a path, such as https://app.example.com or capacitor://localhost',
);

/**
 * Canonical origin, as browsers send it; empty for an invalid one.
 *
 * Apps in a web view and browser extensions have their own schemes. Invalid here: `null`, the shared origin of files and
 * sandboxed pages.
 */
function originOf(text: string): string {
  if (!URL.canParse(text) || text.includes('*')) return '';
  const { protocol, host, origin } = new URL(text);
  const own = origin === 'null' ? `${protocol}//${host}` : origin;
  return host !== '' && own.toLowerCase() === text.toLowerCase() ? own : '';
}

export const SETTINGS = {
  http: group('Listening', {
    host: setting('HOST', HOST, 'Address to listen on.', '127.0.0.1'),
    port: setting(
      'PORT',
      wholeNumber(0, 65_535),
      'Port to listen on. `0` picks a free port.',
      '4000',
    ),
    socketPath: setting(
      'UNIX_SOCKET',
      SOCKET_PATH,
      'Unix socket to listen on instead of `HOST` and `PORT`.',
    ),
    reusePort: setting(
      'REUSE_PORT',
      ON_OR_OFF,
      'Lets several processes listen on the same `PORT`. Needs Linux or BSD, and Node 22.12, 23.1 or later.',
      'off',
    ),
    basePath: setting(
      'BASE_PATH',
      BASE_PATH,
      'Prefix of all paths on this port, such as `/content` for `/content/graphql`.',
      '',
    ),
    adminPort: setting(
      'ADMIN_PORT',
      wholeNumber(0, 65_535),
      'Separate port for `/metrics` and the details of `/ready`. `PORT` then serves neither.',
    ),
    allowedHosts: setting(
      'ALLOWED_HOSTS',
      HOSTS,
      'Comma-separated host names, without ports, that requests may use.',
    ),
    corsOrigins: setting(
      'CORS_ORIGINS',
      ORIGINS,
      'Comma-separated origins whose pages may read responses.',
      '',
    ),
    maxBodyBytes: setting(
      'MAX_BODY_BYTES',
      wholeNumber(1_000, 100_000_000),
      'Maximum size of a request body or a WebSocket message, in bytes.',
      '100000',
    ),
  }),
  backend: group('Backend', {
    url: setting(
      'UPSTREAM_URL',
      UPSTREAM_URL,
      'Base URL of a `/v0` deployment, without `/v0`. May contain a path prefix. If unset, the embedded backend is used.',
    ),
    apiKey: secret('UPSTREAM_API_KEY', API_KEY, 'API key for requests that have none.'),
    routeSet: setting(
      'UPSTREAM_ROUTES',
      oneOf(['auto', ...ROUTE_SETS]),
      'Which of the six optional routes the backend has: `auto` detects them, `document` means none, `extended` means all.',
      'auto',
    ),
    timeoutMs: setting(
      'UPSTREAM_TIMEOUT_MS',
      milliseconds(1),
      'Timeout of one attempt of a REST call, including the wait for a connection. The embedded backend uses `REQUEST_TIMEOUT_MS`.',
      '3000',
    ),
    socketPath: setting(
      'UPSTREAM_UNIX_SOCKET',
      SOCKET_PATH,
      'Unix socket to connect to, whatever the host in `UPSTREAM_URL`.',
    ),
    ca: setting(
      'UPSTREAM_CA_FILE',
      PEM_FILE,
      "Certificate authorities to trust (PEM), instead of Node's.",
    ),
    cert: setting('UPSTREAM_CERT_FILE', PEM_FILE, 'Client certificate (PEM).'),
    key: setting('UPSTREAM_KEY_FILE', PEM_FILE, 'Private key of the client certificate (PEM).'),
    httpProxy: setting('HTTP_PROXY', TEXT, 'Proxy for an `http:` backend, used with CONNECT.', ''),
    httpsProxy: setting(
      'HTTPS_PROXY',
      TEXT,
      'Proxy for an `https:` backend, used with CONNECT. If unset, `HTTP_PROXY` is used.',
      '',
    ),
    noProxy: setting(
      'NO_PROXY',
      UNQUOTED,
      'Hosts (and their subdomains) that bypass the proxy. Loopback always does.',
      '',
    ),
  }),
  headers: group('Headers', {
    forward: setting(
      'FORWARD_HEADERS',
      HEADER_NAMES,
      'Comma-separated names of request headers to forward to the backend.',
      '',
    ),
    expose: setting(
      'EXPOSE_HEADERS',
      HEADER_NAMES,
      'Comma-separated names of backend response headers to return to clients.',
      '',
    ),
  }),
  limits: group('Request limits', {
    requestTimeoutMs: setting(
      'REQUEST_TIMEOUT_MS',
      milliseconds(1),
      'Timeout of a whole GraphQL request, including retries. Must be greater than `UPSTREAM_TIMEOUT_MS`.',
      '10000',
    ),
    maxUpstreamCalls: setting(
      'MAX_UPSTREAM_CALLS',
      wholeNumber(1, 100_000),
      'Maximum number of REST calls per GraphQL request.',
      '250',
    ),
    maxValues: setting(
      'MAX_RESULT_VALUES',
      wholeNumber(1_000, 100_000_000),
      'Maximum number of fields and list items in a response.',
      '50000',
    ),
    maxTextBytes: setting(
      'MAX_RESULT_BYTES',
      wholeNumber(10_000, 500_000_000),
      'Maximum total size of the strings in a response, in bytes.',
      '2000000',
    ),
  }),
  documents: group('Documents and caching', {
    folder: setting(
      'TRUSTED_DOCUMENTS',
      FOLDER,
      'Folder with one manifest of trusted documents per app version.',
    ),
    only: setting(
      'TRUSTED_DOCUMENTS_ONLY',
      ON_OR_OFF,
      'Rejects all other documents, including introspection.',
      'false',
    ),
    cacheMaxAge: setting(
      'CACHE_MAX_AGE',
      wholeNumber(0, MONTH_S),
      '`max-age` of responses to trusted documents requested by GET, in seconds.',
      '0',
    ),
  }),
  live: group('Subscriptions', {
    pollMs: setting(
      'LIVE_POLL_MS',
      rangeOfMs(10, HOUR_MS),
      'Minimum and maximum interval between polls of a watched version, in milliseconds.',
      '500..5000',
    ),
    socketOperations: setting(
      'WS_OPERATIONS',
      oneOf(['subscriptions', 'all']),
      'Operations accepted over WebSocket: `subscriptions` or `all`.',
      'all',
    ),
    maxPerSocket: setting(
      'MAX_SUBSCRIPTIONS_PER_SOCKET',
      wholeNumber(1, 100_000),
      'Maximum number of open operations per WebSocket.',
      '100',
    ),
    maxPerKey: setting(
      'MAX_SUBSCRIPTIONS_PER_KEY',
      wholeNumber(1, 100_000),
      'Maximum number of open subscriptions per API key and process.',
      '2500',
    ),
  }),
  tools: group('Browsers and tools', {
    graphiql: setting('GRAPHIQL', ON_OR_OFF, 'Serves GraphiQL to browsers at `/graphql`.', 'on'),
    introspection: setting(
      'INTROSPECTION',
      switchOr('keys'),
      'Who may query the schema: `on` (everyone), `keys` (callers with their own API key) or `off`. Errors suggest field names with `on` only.',
      'on',
    ),
    explain: setting(
      'EXPLAIN',
      switchOr('keys'),
      'Who may see request costs: `on` (everyone), `keys` (callers with their own API key) or `off`, which also hides REST routes in errors.',
      'on',
    ),
  }),
  process: group('Process', {
    drainDelayMs: setting(
      'DRAIN_DELAY_MS',
      milliseconds(0),
      'Time before shutdown in which requests are served as usual while `/ready` returns 503.',
      '500',
    ),
    shutdownTimeoutMs: setting(
      'SHUTDOWN_TIMEOUT_MS',
      milliseconds(0),
      'Maximum time to finish requests in flight after `DRAIN_DELAY_MS`.',
      '10000',
    ),
    logLevel: setting(
      'LOG_LEVEL',
      oneOf(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']),
      'Minimum level: `trace`, `debug`, `info`, `warn`, `error`, `fatal` or `silent`. The backend and the address are always logged at start.',
      'info',
    ),
    logSlowMs: setting(
      'LOG_SLOW_MS',
      milliseconds(1),
      'Operations that take longer are logged at `warn`, with their REST calls.',
    ),
    environment: setting(
      'NODE_ENV',
      UNQUOTED,
      'With `production`, misspelt settings prevent the start, and the embedded backend causes a warning in the log and in `/ready`.',
      '',
    ),
    plugins: setting('PLUGINS', MODULE, 'Module of Yoga or Envelop plugins.'),
  }),
  embedded: group('Embedded backend', {
    databaseUrl: secret(
      'BACKEND_DATABASE_URL',
      DATABASE_URL,
      'libSQL database: `file:…`, `:memory:` or `libsql://…`.',
      'file:.data/backend.db',
    ),
    timestamps: setting(
      'BACKEND_TIMESTAMPS',
      oneOf(['document', 'iso']),
      'Format of timestamps: `document` (`+` and digits, as in the API spec) or `iso` (ISO 8601).',
      'document',
    ),
    routes: setting(
      'BACKEND_ROUTES',
      oneOf(ROUTE_SETS),
      'Routes to serve: `document` (the 20 of the API spec) or `extended` (optional routes too).',
      'extended',
    ),
  }),
} as const;
