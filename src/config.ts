/**
 * Environment → checked, frozen `Config`. Every variable is named here, once.
 *
 * A value that is not allowed stops the process instead of being guessed at: the error's one line
 * names the variable, what is allowed and what was found. The values of keys are never shown.
 */
import { availableParallelism } from 'node:os';
import { z } from 'zod';
import { ROUTE_SETS, type RouteSet } from './v0/routes.ts';

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
  /** `REQUEST_TIMEOUT_MS`: a whole GraphQL request, tries and pauses included. */
  readonly requestTimeoutMs: number;
  /** `MAX_UPSTREAM_CALLS`: REST calls that one GraphQL request may make. */
  readonly maxUpstreamCalls: number;
  /** `WORKERS`: processes that serve; more than one share the port. */
  readonly workers: number;
  /** `MAX_BODY_BYTES`: the largest request body that is read. */
  readonly maxBodyBytes: number;
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
  /** `LOG_LEVEL`: pino's. */
  readonly logLevel: (typeof LOG_LEVELS)[number];
  /** `BACKEND_DATABASE_URL`: libSQL URL of the embedded backend. */
  readonly backendDatabaseUrl: string;
  /** `BACKEND_TIMESTAMPS`: how the embedded backend writes instants. */
  readonly backendTimestamps: (typeof TIMESTAMP_FORMS)[number];
  /** `BACKEND_ROUTES`: which routes the embedded backend serves. */
  readonly backendRoutes: RouteSet;
}

/** A variable holds what is not allowed. The message is one line, fit for an operator. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
const TIMESTAMP_FORMS = ['document', 'iso'] as const;

/** Longest time that may be set, in milliseconds. */
const HOUR_MS = 3_600_000;

/** One variable: how it is read, what it is when unset, and what to tell whoever got it wrong. */
interface Variable<Value> {
  readonly schema: z.ZodType<Value, string>;
  readonly unset: Value;
  readonly allowed: string;
  /** True where the value must not be shown. */
  readonly secret?: boolean;
}

/**
 * Reads the settings.
 *
 * An empty variable counts as unset, as compose files write it. Variables not named here are ignored.
 *
 * @throws {ConfigError} for the first value that is not allowed.
 */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const read = <Value>(name: string, variable: Variable<Value>): Value =>
    readVariable(name, env[name], variable);
  return Object.freeze({
    host: read('HOST', HOST),
    port: read('PORT', wholeNumber(4_000, 0, 65_535)),
    upstreamUrl: read('UPSTREAM_URL', UPSTREAM_URL),
    upstreamApiKey: read('UPSTREAM_API_KEY', API_KEY),
    upstreamRoutes: read('UPSTREAM_ROUTES', oneOf(ROUTE_SETS, 'extended')),
    upstreamTimeoutMs: read('UPSTREAM_TIMEOUT_MS', wholeNumber(3_000, 1, HOUR_MS)),
    requestTimeoutMs: read('REQUEST_TIMEOUT_MS', wholeNumber(10_000, 1, HOUR_MS)),
    maxUpstreamCalls: read('MAX_UPSTREAM_CALLS', wholeNumber(250, 1, 100_000)),
    workers: read('WORKERS', WORKERS),
    maxBodyBytes: read('MAX_BODY_BYTES', wholeNumber(100_000, 1_000, 100_000_000)),
    shutdownTimeoutMs: read('SHUTDOWN_TIMEOUT_MS', wholeNumber(10_000, 0, HOUR_MS)),
    corsOrigins: read('CORS_ORIGINS', CORS_ORIGINS),
    graphiql: read('GRAPHIQL', SWITCH),
    introspection: read('INTROSPECTION', SWITCH),
    suggestions: read('SUGGESTIONS', SWITCH),
    logLevel: read('LOG_LEVEL', oneOf(LOG_LEVELS, 'info')),
    backendDatabaseUrl: read('BACKEND_DATABASE_URL', DATABASE_URL),
    backendTimestamps: read('BACKEND_TIMESTAMPS', oneOf(TIMESTAMP_FORMS, 'document')),
    backendRoutes: read('BACKEND_ROUTES', oneOf(ROUTE_SETS, 'extended')),
  });
}

function readVariable<Value>(
  name: string,
  value: string | undefined,
  { schema, unset, allowed, secret = false }: Variable<Value>,
): Value {
  if (value === undefined || value === '') return unset;
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const found = secret ? 'its value is not shown here' : `got ${JSON.stringify(shown(value))}`;
  throw new ConfigError(`${name} must be ${allowed}; ${found}.`);
}

/** A URL's password, or the token in its query, is nobody's business. */
const shown = (value: string): string =>
  value
    .replace(/\/\/[^/@]*@/, '//…@')
    .replace(/\?.*$/s, '?…')
    .slice(0, 200);

const HOST: Variable<string> = {
  schema: z.string().regex(/^[\w.:-]+$/),
  unset: '127.0.0.1',
  allowed: 'a host name or an IP address',
};

const SWITCH: Variable<boolean> = {
  schema: z.enum(['on', 'off']).transform((value) => value === 'on'),
  unset: true,
  allowed: '"on" or "off"',
};

const WORKERS: Variable<number> = {
  ...wholeNumber(1, 1, 128),
  schema: z
    .literal('auto')
    .transform(availableParallelism)
    .or(wholeNumber(1, 1, 128).schema),
  allowed: '"auto" or a whole number from 1 to 128',
};

const API_KEY: Variable<string | undefined> = {
  schema: z.string().regex(/^[\x21-\x7e]{1,1024}$/),
  unset: undefined,
  allowed: '1 to 1024 visible ASCII characters',
  secret: true,
};

const UPSTREAM_URL: Variable<URL | undefined> = {
  schema: z
    .string()
    .refine(URL.canParse)
    .transform((value) => new URL(value))
    .refine(
      (url) =>
        /^https?:$/.test(url.protocol) &&
        !`${url.username}${url.password}${url.search}${url.hash}` &&
        // The gateway writes `/v0` itself: with a second one every call would be a 404.
        !/\/v0\/*$/.test(url.pathname),
    ),
  unset: undefined,
  allowed:
    'the absolute http or https URL before "/v0", such as https://api.example.com or https://example.com/api, without user, query or fragment',
};

const DATABASE_URL: Variable<string> = {
  schema: z.string().regex(/^(?::memory:$|(?:file|libsql|https?|wss?):.)/),
  unset: 'file:.data/backend.db',
  allowed: 'a libSQL URL: file:…, :memory: or libsql://…',
};

const CORS_ORIGINS: Variable<readonly string[]> = {
  schema: z
    .string()
    .transform((list) => list.split(',').map((origin) => origin.trim()))
    .refine((origins) => origins.every(isOrigin)),
  unset: [],
  allowed: 'origins such as https://app.example.com, with commas between them',
};

/** Scheme, host and port as a browser sends them; `*` would let any page use a reader's network. */
const isOrigin = (text: string): boolean =>
  URL.canParse(text) && /^https?:/.test(text) && new URL(text).origin === text;

function wholeNumber(unset: number, min: number, max: number): Variable<number> {
  return {
    schema: z
      .string()
      .regex(/^\d{1,9}$/)
      .transform(Number)
      .refine((value) => value >= min && value <= max),
    unset,
    allowed: `a whole number from ${min} to ${max}`,
  };
}

function oneOf<const Name extends string>(names: readonly Name[], unset: Name): Variable<Name> {
  return {
    schema: z.enum(names),
    unset,
    allowed: names.map((name) => `"${name}"`).join(' or '),
  };
}
