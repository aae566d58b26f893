/**
 * The gateway: GraphQL at `/graphql`, and what operators ask at `/health`, `/ready` and `/metrics`.
 *
 * It opens no port and reads no environment: `fetch` is the whole of it, for tests and for whatever
 * server stands in front.
 */
import { FastPath, type FastAnswer } from './operation/fast-path.ts';
import { createGraphQL, type GraphQLServerOptions } from './yoga/graphql-server.ts';
import { silentLogger, type Logger } from './observe/logger.ts';
import { Metrics } from './observe/metrics.ts';
import type { Post } from './operation/post.ts';
import { Readiness, type Probe } from './observe/readiness.ts';
import { refusalResponse } from './operation/refusal.ts';
import { report } from './observe/request-report.ts';
import { createRecord, type RequestRecord } from './operation/request-record.ts';

export interface GatewayOptions extends GraphQLServerOptions {
  /** Asks the backend whether it is there. @default always there */
  readonly probe?: Probe;
  /** @default silence */
  readonly logger?: Logger;
  readonly metrics?: Metrics;
  /** False leaves every request to Yoga, for comparison. @default true */
  readonly fastPath?: boolean;
}

export interface Gateway {
  readonly metrics: Metrics;
  readonly readiness: Readiness;
  readonly logger: Logger;
  /** Requests as Yoga reads them fastest; Node's own cost three times as much. */
  readonly Request: typeof Request;
  /** Answers any request; never rejects. */
  fetch(request: Request): Promise<Response>;
  /** The answer to a plain query; undefined when `answer` is to be asked, with the same record. */
  answerPost(post: Post, record: RequestRecord): Promise<FastAnswer | undefined>;
  /**
   * As `fetch`, with a record that was begun before: what the HTTP server refuses by itself is
   * reported like the rest.
   */
  answer(request: Request, record: RequestRecord): Promise<Response>;
  /** Resolves when no request is being answered. */
  idle(): Promise<void>;
}

export function createGateway(options: GatewayOptions): Gateway {
  const {
    probe = () => Promise.resolve(200),
    logger = silentLogger(),
    metrics = new Metrics(),
    fastPath = true,
  } = options;
  const readiness = new Readiness(probe, options.upstream.breaker);
  metrics.watch(options.upstream.breaker);
  const server = createGraphQL(options);
  const { yoga } = server;
  const fast = new FastPath(server, { cors: (options.corsOrigins ?? []).length > 0 });
  // Counted, not collected: a set that lives long keeps what it held from being freed young.
  let underWay = 0;
  const whenIdle: (() => void)[] = [];

  // Whoever asks meanwhile gets the same: many who ask at once must not cost as much each.
  let metricsText: Promise<string> | undefined;
  const gather = (): Promise<string> =>
    (metricsText ??= metrics.gather().finally(() => {
      metricsText = undefined;
    }));

  const routes: Readonly<Record<string, (request: Request) => Promise<Response>>> = {
    '/health': async () => Response.json({ status: 'alive' }),
    '/ready': async () => {
      const report = await readiness.report();
      return Response.json(report, { status: report.ready ? 200 : 503 });
    },
    '/metrics': async () =>
      new Response(await gather(), {
        headers: { 'content-type': metrics.registry.contentType },
      }),
  };

  async function graphql(request: Request, record: RequestRecord): Promise<Response> {
    metrics.begin();
    try {
      const response = withBody(await yoga.handleRequest(request, { record }));
      if (isPage(response)) {
        for (const [name, value] of PAGE_HEADERS) response.headers.set(name, value);
        return response;
      }
      // A cache that does not know the key's header would give one tenant's data to another.
      if (request.method === 'GET') response.headers.set('cache-control', 'no-store');
      if (request.method !== 'OPTIONS') {
        report({ logger, metrics, record, status: response.status });
      }
      fast.learn(request.headers.get('accept'), response, record);
      return response;
    } finally {
      metrics.end();
    }
  }

  async function route(request: Request, record: RequestRecord): Promise<Response> {
    const { pathname } = new URL(request.url);
    if (pathname === '/graphql') return graphql(request, record);
    const handle = routes[pathname];
    if (!handle) {
      return refusalResponse(404, 'NOT_FOUND', 'Nothing is here: GraphQL is at /graphql.');
    }
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return refusalResponse(405, 'METHOD_NOT_ALLOWED', `Ask ${pathname} with GET.`);
    }
    return handle(request);
  }

  async function answerPost(post: Post, record: RequestRecord): Promise<FastAnswer | undefined> {
    if (!fastPath) return undefined;
    underWay += 1;
    metrics.begin();
    try {
      const answer = await fast.answer(post, record);
      if (answer) report({ logger, metrics, record, status: 200 });
      answer?.headers.push('x-request-id', record.requestId);
      return answer;
    } finally {
      metrics.end();
      ended();
    }
  }

  function ended(): void {
    underWay -= 1;
    if (underWay === 0) for (const resolve of whenIdle.splice(0)) resolve();
  }

  async function answer(request: Request, record: RequestRecord): Promise<Response> {
    underWay += 1;
    try {
      const response = await route(request, record).catch((error: unknown) => {
        logger.error({ err: error, requestId: record.requestId }, 'Request failed unexpectedly');
        return refusalResponse(500, 'INTERNAL_SERVER_ERROR', 'Unexpected error.');
      });
      response.headers.set('x-request-id', record.requestId);
      return response;
    } finally {
      ended();
    }
  }

  return {
    metrics,
    readiness,
    logger,
    Request: yoga.fetchAPI.Request,
    answerPost,
    answer,
    fetch: (request) => {
      const record = createRecord(request.headers.get('x-request-id'));
      if (request.signal.aborted) record.leaving.cancel();
      else request.signal.addEventListener('abort', () => record.leaving.cancel());
      return answer(request, record);
    },
    idle: () =>
      new Promise((resolve) => {
        if (underWay === 0) resolve();
        else whenIdle.push(resolve);
      }),
  };
}

/** No other page may show it in a frame, and lead somebody to press Play. */
const PAGE_HEADERS = [
  ['content-security-policy', "frame-ancestors 'none'"],
  ['x-frame-options', 'DENY'],
] as const;

/** Whether it is GraphiQL. */
export const isPage = (response: Response): boolean =>
  response.headers.get('content-type')?.startsWith('text/html') ?? false;

/** Some refusals of Yoga's (406, 415) are a bare status: they get words and a code. */
function withBody(response: Response): Response {
  if (response.status < 400 || response.headers.get('content-type')) return response;
  const [code, message] =
    response.status === 415
      ? (['UNSUPPORTED_MEDIA_TYPE', 'Send the body as application/json.'] as const)
      : response.status === 406
        ? (['NOT_ACCEPTABLE', 'Accept application/graphql-response+json.'] as const)
        : (['BAD_REQUEST', response.statusText] as const);
  const refusal = refusalResponse(response.status, code, message);
  response.headers.forEach((value, name) => {
    if (name !== 'content-length') refusal.headers.set(name, value);
  });
  return refusal;
}
