/** HTTP around the handlers: routes, request ids, keys, parsing and validation, statuses and errors. */
import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { eq } from 'drizzle-orm';
import { Hono, type Context } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { methodNotAllowed } from 'hono/method-not-allowed';
import type { z } from 'zod';
import { API_KEY_HEADER } from '../../v0/api-key.ts';
import type { ErrorBody } from '../../v0/error.ts';
import {
  servedRoutes,
  successOf,
  type Route,
  type RouteName,
  type RouteSet,
} from '../../v0/routes.ts';
import type { Database } from '../database/database.ts';
import { now } from '../database/rows.ts';
import { CODES, failureOf, invalid, Problem, type Failure } from '../errors.ts';
import { apiKeys, hashKey } from '../database/tables.ts';
import { presenter, type Handlers, type Present, type TimestampForm } from './handler.ts';
import { openApiDocument } from './openapi.ts';

/** Maximum size of a body, in bytes. Assumed: the API spec shows no limit. */
const MAX_BODY_BYTES = 1_048_576;

const DESCRIPTION = '/v0/openapi.json';

export interface AppOptions {
  readonly timestamps: TimestampForm;
  readonly routes: RouteSet;
  /** Delay of every response, in milliseconds, for measurements of callers. @default 0 */
  readonly latencyMs?: number;
  /** Called for each request of `/v0` with `GET /v0/pages/p1?limit=3`; never with a key. */
  readonly onRequest?: (line: string) => void;
  /** Called for each 500 and each failed publishing step. */
  readonly onFailure?: (failure: Failure) => void;
}

interface Service {
  readonly handlers: Handlers;
  readonly database: Database;
  readonly publishLater: (versionId: string) => void;
}

type Env = { Variables: { requestId: string; tenantId: string; route: string } };

export function createApp(service: Service, options: AppOptions): Hono<Env> {
  const { latencyMs = 0, onRequest, onFailure } = options;
  const findTenant = tenantFinder(service.database);
  const app = new Hono<Env>();

  app.use(async (context, next) => {
    const given = context.req.header('x-request-id') ?? '';
    const requestId = /^[\w.:-]{1,128}$/.test(given) ? given : randomUUID();
    context.set('requestId', requestId);
    context.header('x-request-id', requestId);
    const { pathname, search } = new URL(context.req.url);
    if (pathname !== DESCRIPTION) {
      // Otherwise a cache may hand the response of one key to another.
      context.header('cache-control', 'private, no-cache');
      context.header('vary', API_KEY_HEADER);
    }
    if (pathname.startsWith('/v0/')) onRequest?.(`${context.req.method} ${pathname}${search}`);
    if (latencyMs > 0) await wait(latencyMs);
    await next();
  });

  // Public; created at the first request, since it takes some 20 ms.
  let description: object | undefined;
  app.get(DESCRIPTION, (context) => {
    description ??= openApiDocument(options);
    return context.json({ ...description, servers: [{ url: new URL(context.req.url).origin }] });
  });

  app.use('/v0/*', async (context, next) => {
    const key = context.req.header(API_KEY_HEADER);
    if (!key) throw new Problem(401, 'Missing API key. Send it in the `x-api-key` header');
    const tenantId = await findTenant(key);
    if (tenantId === undefined) throw new Problem(401, 'Unknown API key in `x-api-key`');
    context.set('tenantId', tenantId);
    await next();
  });

  const onMethodNotAllowed = (context: Context<Env>, methods: readonly string[]): Response => {
    const allow = methods.join(', ');
    return reject(context, new Problem(405, `Method not allowed. Use ${allow}`, {}, { allow }));
  };
  app.use('/v0/*', methodNotAllowed({ app, onMethodNotAllowed }));

  addRoutes(app, service, options);

  app.notFound((context) => reject(context, new Problem(404, `Not found: ${context.req.path}`)));
  app.onError((error, context) => {
    if (error instanceof Problem) return reject(context, error);
    onFailure?.(failureOf(context.get('route') ?? context.req.method, error));
    return reject(context, new Problem(500, 'Internal error, not caused by the request'));
  });
  return app;
}

function tenantFinder(database: Database) {
  // Cached forever: keys are never removed at runtime. Unknown keys are not cached, which bounds memory.
  const tenants = new Map<string, string>();
  return async (key: string): Promise<string | undefined> => {
    const keyHash = hashKey(key);
    const known = tenants.get(keyHash);
    if (known !== undefined) return known;
    const row = await database.read((db) =>
      db.select().from(apiKeys).where(eq(apiKeys.keyHash, keyHash)).get(),
    );
    if (row) tenants.set(keyHash, row.tenantId);
    return row?.tenantId;
  };
}

function addRoutes(app: Hono<Env>, service: Service, { routes, timestamps }: AppOptions): void {
  const onError = () => {
    // The rest of the body is not read, so the connection must close.
    const close = { connection: 'close' };
    throw new Problem(413, `Body too large. Limit: ${MAX_BODY_BYTES} bytes`, {}, close);
  };
  const limit = bodyLimit({ maxSize: MAX_BODY_BYTES, onError });
  const present = presenter(timestamps);
  // Hono uses the first match, so `/search` must precede `/{account_id}`.
  const served = servedRoutes(routes).sort(
    ([, a], [, b]) => Number(a.path.includes('{')) - Number(b.path.includes('{')),
  );
  for (const [name, route] of served) {
    const pattern = route.path.replaceAll(/\{(\w+)\}/g, ':$1');
    app.on(route.method, pattern, limit, (context) =>
      handle(context, name, route, service, present),
    );
  }
}

async function handle(
  context: Context<Env>,
  name: RouteName,
  route: Route,
  { handlers, database, publishLater }: Service,
  present: Present,
): Promise<Response> {
  const tenantId = context.get('tenantId');
  context.set('route', `${route.method} ${route.path}`);
  const params = readParams(context.req.param());
  const query = route.query ? readQuery(route.query, context.req.queries()) : {};
  const body = route.body ? await readBody(route.body, context.req) : undefined;
  const { cursor, limit, ...filters } = query;
  const scope = JSON.stringify([tenantId, name, params, Object.entries(filters).sort()]);
  const list = { scope, cursor, limit };
  // Safe cast: query and body were validated by the route's schemas.
  const handler = handlers[name] as (call: unknown) => Promise<object>;
  const run = route.method === 'GET' ? database.read : database.write;
  const result = await run((db) =>
    handler({ db, tenantId, params, query, body, list, nowMs: now(), present, publishLater }),
  );
  return context.json(result, successOf(name));
}

function reject(context: Context<Env>, problem: Problem): Response {
  const { status, message, details, headers } = problem;
  const requestId = context.get('requestId');
  const body: ErrorBody = { code: CODES[status], message, requestId, details: { ...details } };
  context.header('cache-control', 'no-store');
  for (const [name, value] of Object.entries(headers)) context.header(name, value);
  return context.json(body, status);
}

/** Maximum length of a query parameter, in characters. Assumed: the API spec shows no limit. */
const MAX_PARAMETER_LENGTH = 2_000;

/**
 * Reads the ids of a path.
 *
 * @throws {Problem} 404 for strings that cannot be stored.
 */
function readParams(params: Record<string, string>): Record<string, string> {
  const [field] = unstorableFields(params);
  if (field !== undefined) {
    throw new Problem(404, `No object has this ${field}`, { field, reason: UNSTORABLE });
  }
  return params;
}

/**
 * Parses a query string by its schema; unknown parameters are dropped.
 *
 * @param query all values of each parameter.
 *
 * @throws {Problem} 400 naming the parameter.
 */
function readQuery(
  schema: z.ZodObject,
  query: Readonly<Record<string, readonly string[]>>,
): Record<string, unknown> {
  const given: Record<string, string> = {};
  for (const field of Object.keys(schema.shape)) {
    const [value, another] = query[field] ?? [];
    if (value === undefined) continue;
    if (another !== undefined) throw invalid(400, 'query', field, 'sent more than once');
    if (value.length > MAX_PARAMETER_LENGTH) {
      throw invalid(400, 'query', field, `longer than ${MAX_PARAMETER_LENGTH} characters`);
    }
    given[field] = value;
  }
  return accept(400, 'query', schema.safeParse(given));
}

/**
 * Parses a JSON body by its schema.
 *
 * @throws {Problem} 415 for another media type or a content coding, 400 for invalid UTF-8 or JSON, 422 naming the field.
 */
async function readBody(
  schema: z.ZodType,
  request: { header(name: string): string | undefined; arrayBuffer(): Promise<ArrayBuffer> },
): Promise<unknown> {
  if (!/^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(request.header('content-type') ?? '')) {
    const message = 'Unsupported media type. Send the body as `application/json`';
    throw new Problem(415, message, { field: 'content-type', reason: 'not JSON' });
  }
  if (!/^(?:identity)?$/i.test(request.header('content-encoding') ?? '')) {
    const message = 'Unsupported content encoding. Send the body uncompressed';
    throw new Problem(415, message, { field: 'content-encoding', reason: 'not identity' });
  }
  return accept(422, 'body', schema.safeParse(parseJson(await request.arrayBuffer())));
}

/** Fatal, since lenient decoding would store other characters than those sent. */
const utf8 = new TextDecoder('utf-8', { fatal: true });

function parseJson(body: ArrayBuffer): unknown {
  try {
    return JSON.parse(utf8.decode(body));
  } catch {
    const details = { field: 'body', reason: 'malformed JSON' };
    throw new Problem(400, 'The body is not valid JSON in UTF-8', details);
  }
}

function accept<Value>(
  status: 400 | 422,
  what: string,
  result: z.ZodSafeParseResult<Value>,
): Value {
  if (result.success) {
    const [field] = unstorableFields(result.data);
    if (field === undefined) return result.data;
    throw invalid(status, what, field, UNSTORABLE);
  }
  const [issue] = result.error.issues;
  const unknownKey = issue?.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : [];
  const field = [...(issue?.path ?? []), ...unknownKey].join('.') || 'body';
  throw invalid(status, what, field, issue?.message ?? 'not valid');
}

const UNSTORABLE = 'contains a null character or an unpaired surrogate';

/**
 * Returns fields with strings that SQLite would truncate or change. Recursive, since values accepted by a schema are
 * shallow.
 */
function unstorableFields(value: unknown, path: readonly string[] = []): string[] {
  if (typeof value === 'string') return /[\0\p{Surrogate}]/u.test(value) ? [path.join('.')] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, part]) => unstorableFields(part, [...path, name]));
}
