/**
 * Environment → checked, frozen `Config`. Every variable is named here, once.
 *
 * A value that is not allowed stops the process instead of being guessed at: the error's one line
 * names the variable, what is allowed and what was found. The values of keys are never shown.
 */
import { statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { z } from 'zod';
import { API_KEY_FORM, isApiKey } from './lib/api-key.ts';
import { ROUTE_SETS } from './v0/routes.ts';

/** A variable holds what is not allowed. The message is one line, fit for an operator. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
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

export type Config = Readonly<ReturnType<typeof readSettings>> & {
  /** Sentences for the log: variables that are probably misspelt, and settings that conflict. */
  readonly warnings: readonly string[];
};

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
  const read = <Value>(name: string, kind: z.ZodType<Value>): Value => {
    names.push(name);
    return readVariable(name, env[name], kind);
  };
  const settings = readSettings(read);
  checkTimes(settings);
  checkPorts(settings);
  checkTrusted(settings);
  const warnings = misspelt(Object.keys(env), names);
  return Object.freeze({ ...settings, warnings });
}

/** Every setting; what a value may be is beside its name. */
function readSettings(read: <Value>(name: string, kind: z.ZodType<Value>) => Value) {
  const host = read('HOST', HOST);
  const upstreamApiKey = read('UPSTREAM_API_KEY', API_KEY);
  return {
    /** Where the gateway listens. */
    host,
    /** 0 takes any free one. */
    port: read('PORT', wholeNumber(4_000, 0, 65_535)),
    /** Base URL of a `/v0` deployment; undefined starts the embedded backend. */
    upstreamUrl: read('UPSTREAM_URL', UPSTREAM_URL),
    /** Sent for callers who send none. */
    upstreamApiKey,
    /** Which routes the deployment has; `auto` finds out. */
    upstreamRoutes: read('UPSTREAM_ROUTES', oneOf(['auto', ...ROUTE_SETS], 'auto')),
    /** One try of one REST call. */
    upstreamTimeoutMs: read('UPSTREAM_TIMEOUT_MS', wholeNumber(3_000, 1, HOUR_MS)),
    /** A whole GraphQL request, tries and pauses included; more than one try. */
    requestTimeoutMs: read('REQUEST_TIMEOUT_MS', wholeNumber(10_000, 1, HOUR_MS)),
    /** REST calls that one GraphQL request may make. */
    maxUpstreamCalls: read('MAX_UPSTREAM_CALLS', wholeNumber(250, 1, 100_000)),
    /** Fields and list items that one answer may hold. */
    maxResultValues: read('MAX_RESULT_VALUES', wholeNumber(50_000, 1_000, 100_000_000)),
    /** The text that one answer may hold. */
    maxResultBytes: read('MAX_RESULT_BYTES', wholeNumber(2_000_000, 10_000, 500_000_000)),
    /** Processes that serve; more than one share the port. */
    workers: read('WORKERS', WORKERS),
    /** The largest request body that is read. */
    maxBodyBytes: read('MAX_BODY_BYTES', wholeNumber(100_000, 1_000, 100_000_000)),
    /** Hosts that requests may name; undefined for any. */
    allowedHosts: read('ALLOWED_HOSTS', ALLOWED_HOSTS) ?? defaultHosts(host, upstreamApiKey),
    /** Where metrics and the details of readiness are; undefined for beside GraphQL. */
    adminPort: read('ADMIN_PORT', wholeNumber(undefined, 0, 65_535)),
    /** Who may ask what a request costs. */
    explain: read('EXPLAIN', oneOf(EXPLAIN_AUDIENCES, 'on')),
    /** For how long `/ready` says no, and everything is served as ever, before the port is closed. */
    drainDelayMs: read('DRAIN_DELAY_MS', wholeNumber(500, 0, HOUR_MS)),
    /** How long requests under way may take after that. */
    shutdownTimeoutMs: read('SHUTDOWN_TIMEOUT_MS', wholeNumber(10_000, 0, HOUR_MS)),
    /** Origins whose pages may read answers. */
    corsOrigins: read('CORS_ORIGINS', CORS_ORIGINS),
    /** Whether browsers get GraphiQL at `/graphql`. */
    graphiql: read('GRAPHIQL', SWITCH),
    /** Whether the schema can be asked for, and errors may name fields that were perhaps meant. */
    introspection: read('INTROSPECTION', SWITCH),
    /** The folder of the apps' manifests; undefined for none. */
    trustedDocuments: read('TRUSTED_DOCUMENTS', FOLDER),
    /** A module of Yoga or Envelop plugins, added to ours; undefined for none. */
    plugins: read('PLUGINS', MODULE),
    /** Whether every other document is refused. */
    trustedDocumentsOnly: read('TRUSTED_DOCUMENTS_ONLY', TRUE_OR_FALSE),
    /** For how long caches may reuse answers to trusted documents by GET without asking, in seconds. */
    cacheMaxAge: read('CACHE_MAX_AGE', wholeNumber(0, 0, MONTH_S)),
    /** The least and the most time between two polls of a version that is watched. */
    livePollMs: read('LIVE_POLL_MS', rangeOfMs(LIVE_POLL_MS, 10, HOUR_MS)),
    /** What may be sent over a WebSocket. */
    wsOperations: read('WS_OPERATIONS', oneOf(WS_OPERATIONS, 'subscriptions')),
    /** Operations that one WebSocket may have open. */
    maxSubscriptionsPerSocket: read('MAX_SUBSCRIPTIONS_PER_SOCKET', wholeNumber(100, 1, 100_000)),
    /** Subscriptions that one key may have open in one process. */
    maxSubscriptionsPerKey: read('MAX_SUBSCRIPTIONS_PER_KEY', wholeNumber(2_500, 1, 100_000)),
    /** The least severe level that is logged, in the words of pino. */
    logLevel: read('LOG_LEVEL', oneOf(LOG_LEVELS, 'info')),
    /** LibSQL URL of the embedded backend. */
    backendDatabaseUrl: read('BACKEND_DATABASE_URL', DATABASE_URL),
    /** How the embedded backend writes instants. */
    backendTimestamps: read('BACKEND_TIMESTAMPS', oneOf(TIMESTAMP_FORMS, 'document')),
    /** Which routes the embedded backend serves. */
    backendRoutes: read('BACKEND_ROUTES', oneOf(ROUTE_SETS, 'extended')),
  };
}

const HOST = z
  .string()
  .regex(/^[\w.:-]+$/)
  .default('127.0.0.1')
  .describe('a host name or an IP address');

const SWITCH = z
  .enum(['on', 'off'])
  .transform((value) => value === 'on')
  .default(true)
  .describe('"on" or "off"');

const TRUE_OR_FALSE = z
  .enum(['true', 'false'])
  .transform((value) => value === 'true')
  .default(false)
  .describe('"true" or "false"');

/** Whether there is such a file is told when it is loaded. */
const MODULE = z
  .string()
  .regex(/\.m?js$/)
  .optional()
  .describe('the path of a module, such as ./plugins.mjs');

const FOLDER = z
  .string()
  .refine((path) => statSync(path, { throwIfNoEntry: false })?.isDirectory())
  .optional()
  .describe('a folder that is there');

const WORKERS = z
  .literal('auto')
  .transform(availableParallelism)
  .or(wholeNumberFrom(1, 128))
  .default(1)
  .describe('"auto" or a whole number from 1 to 128');

const API_KEY = z.string().refine(isApiKey).optional().describe(API_KEY_FORM);

/** Kinds whose values are never shown. */
const SECRETS: ReadonlySet<z.ZodType> = new Set([API_KEY]);

const UPSTREAM_URL = z
  .string()
  .refine(URL.canParse)
  .transform((value) => new URL(value))
  .refine(
    (url) =>
      /^https?:$/.test(url.protocol) &&
      !`${url.username}${url.password}${url.search}${url.hash}` &&
      // The gateway writes `/v0` itself: with a second one every call would be a 404.
      !/\/v0\/*$/.test(url.pathname),
  )
  .optional()
  .describe(
    'the absolute http or https URL before "/v0", such as https://api.example.com or https://example.com/api, without user, query or fragment',
  );

const DATABASE_URL = z
  .string()
  .regex(/^(?::memory:$|(?:file|libsql|https?|wss?):.)/)
  .default('file:.data/backend.db')
  .describe('a libSQL URL: file:…, :memory: or libsql://…');

const LIST = z
  .string()
  .transform((list) => list.split(',').map((item) => item.trim().toLowerCase()));

const ALLOWED_HOSTS = LIST.refine((hosts) =>
  hosts.every((host) => /^(?:[\w.-]+|\[[\da-f:.]+\])$/.test(host)),
)
  .optional()
  .describe(
    'host names without ports, such as gateway.example.com or [::1], with commas between them',
  );

const CORS_ORIGINS = LIST.refine((origins) => origins.every(isOrigin))
  .default([])
  .describe('origins such as https://app.example.com, with commas between them');

/** Scheme, host and port as a browser sends them; `*` would let any page use a reader's network. */
function isOrigin(text: string): boolean {
  return URL.canParse(text) && /^https?:/.test(text) && new URL(text).origin === text;
}

function wholeNumberFrom(min: number, max: number) {
  return z
    .string()
    .regex(/^\d{1,9}$/)
    .transform(Number)
    .refine((value) => value >= min && value <= max);
}

/** @param unset what it is when unset; undefined for a setting that is off then. */
const wholeNumber = <Unset extends number | undefined>(unset: Unset, min: number, max: number) =>
  wholeNumberFrom(min, max)
    .optional()
    .transform((value) => value ?? unset)
    .describe(`a whole number from ${min} to ${max}`);

/** `500..5000`: the least and the most, in milliseconds. */
const rangeOfMs = (
  unset: { readonly least: number; readonly most: number },
  min: number,
  max: number,
) =>
  z
    .string()
    .regex(/^\d{1,9}\.\.\d{1,9}$/)
    .transform((text) => {
      const [least = 0, most = 0] = text.split('..').map(Number);
      return { least, most };
    })
    .refine(({ least, most }) => min <= least && least <= most && most <= max)
    .default(unset)
    .describe(
      `two whole numbers from ${min} to ${max}, the smaller one first, such as "${unset.least}..${unset.most}"`,
    );

const oneOf = <const Name extends string>(names: readonly Name[], unset: Name) =>
  z
    .enum(names)
    .optional()
    .transform((name) => name ?? unset)
    .describe(names.map((name) => `"${name}"`).join(' or '));

/**
 * Reads a variable; an empty one counts as unset.
 *
 * @param kind a schema of its text, with what it is when unset and, as its description, what is allowed.
 * @throws {ConfigError} when the variable holds what is not allowed.
 */
function readVariable<Value>(
  name: string,
  value: string | undefined,
  kind: z.ZodType<Value>,
): Value {
  const result = kind.safeParse(value === '' ? undefined : value);
  if (result.success) return result.data;
  const found = SECRETS.has(kind)
    ? 'its value is not shown here'
    : `got ${JSON.stringify(shown(value ?? ''))}`;
  throw new ConfigError(`${name} must be ${kind.description}; ${found}.`);
}

/** Hides a URL's password and the token in its query. */
const shown = (value: string): string =>
  value
    .replace(/\/\/[^/@]*@/, '//…@')
    .replace(/\?.*$/s, '?…')
    .slice(0, 200);

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

/** Prefixes that variables of other programs hardly have. */
const OWN_PREFIX = /^(?:UPSTREAM|BACKEND)_/;

/** What Kubernetes sets for a service of that name. */
const OF_A_SERVICE = /_SERVICE_(?:HOST|PORT)|_PORT(?:_\d+_(?:TCP|UDP).*)?$/;

/** A sentence for each variable that is not read and looks like a misspelt one of ours. */
function misspelt(given: readonly string[], known: readonly string[]): string[] {
  return given.flatMap((name) => {
    if (known.includes(name) || OF_A_SERVICE.test(name)) return [];
    const meant = known.find((one) => isNear(name, one));
    if (meant) return [`${name} is not a setting: was ${meant} meant?`];
    return OWN_PREFIX.test(name) ? [`${name} is not a setting: it has no effect.`] : [];
  });
}

/** Whether two names differ by one edit, or by two where the name is long. */
function isNear(name: string, known: string): boolean {
  const edits = known.length < 10 ? 1 : 2;
  if (Math.abs(name.length - known.length) > edits) return false;
  // A short name is close to many variables of other programs.
  if (known.length < 5 && name.length <= known.length) return false;
  return distance(name.toUpperCase(), known) <= edits;
}

/** Edits (Levenshtein) between two texts. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const swap = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(swap, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[b.length]!;
}
