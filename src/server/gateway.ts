/**
 * The gateway: GraphQL at `/graphql`, and what operators ask at `/health`, `/ready` and `/metrics`.
 *
 * It opens no port and reads no environment: `fetch` is the whole of it, for tests and for whatever
 * server stands in front.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { corsFor } from './http/cors.ts';
import { silentLogger, type Logger } from './observe/logger.ts';
import { Metrics } from './observe/metrics.ts';
import { Readiness, type Probe } from './observe/readiness.ts';
import { report } from './observe/request-report.ts';
import { API_KEY_HEADER } from '../lib/api-key.ts';
import { negotiate, type MediaType } from './operation/media-type.ts';
import { OperationHandler, type OperationHandlerOptions } from './operation/operation-handler.ts';
import { badRequest } from './operation/params.ts';
import { refusalResponse } from './operation/refusal.ts';
import { writeReply, type WrittenReply } from './operation/reply.ts';
import { createRecord, type RequestRecord } from './operation/request-record.ts';
import type { GraphiqlOptions } from './yoga/graphiql.ts';
import { createGraphQLServer } from './yoga/yoga.ts';

export interface GatewayOptions extends OperationHandlerOptions {
  /** Asks the backend whether it is there. @default always there */
  readonly probe?: Probe;
  /** @default silence */
  readonly logger?: Logger;
  readonly metrics?: Metrics;
  /** Origins whose pages may read answers. @default none */
  readonly corsOrigins?: readonly string[];
  /** False: browsers get no GraphiQL. */
  readonly graphiql?: GraphiqlOptions | false;
}

/** A POST to `/graphql`, its body read. */
export interface Post {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Gateway {
  readonly metrics: Metrics;
  readonly readiness: Readiness;
  readonly logger: Logger;
  /** Requests as Yoga reads them fastest; Node's own cost three times as much. */
  readonly Request: typeof Request;
  /** Answers any request; never rejects. */
  fetch(request: Request): Promise<Response>;
  /** The answer to a JSON body; undefined when `answer` is to be asked, with the same record. */
  answerPost(post: Post, record: RequestRecord): Promise<WrittenReply> | undefined;
  /**
   * As `fetch`, with a record that was begun before: what the HTTP server refuses by itself is
   * reported like the rest.
   */
  answer(request: Request, record: RequestRecord): Promise<Response>;
  /** Resolves when no request is being answered. */
  idle(): Promise<void>;
}

const JSON_TYPE = /^application\/json(?:; ?charset=(?:utf|UTF)-8)?$/;

export function createGateway(options: GatewayOptions): Gateway {
  const {
    probe = () => Promise.resolve(200),
    logger = silentLogger(),
    metrics = new Metrics(),
    corsOrigins = [],
    graphiql = {},
  } = options;
  const readiness = new Readiness(probe, options.upstream.breaker);
  metrics.watch(options.upstream.breaker);
  const handler = new OperationHandler(options);
  const yoga = createGraphQLServer(handler, graphiql);
  const cors = corsFor(corsOrigins);
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
    const origin = request.headers.get('origin');
    if (request.method === 'OPTIONS') {
      const requested = request.headers.get('access-control-request-headers');
      const headers = cors.preflightHeadersFor(origin, requested);
      return withHeaders(new Response(null, { status: 204 }), headers);
    }
    metrics.begin();
    try {
      const response = await yoga.handleRequest(request, { record });
      if (isPage(response)) return withHeaders(response, PAGE_HEADERS);
      // A cache that does not know the key's header would give one tenant's data to another.
      if (request.method === 'GET') response.headers.set('cache-control', 'no-store');
      report({ logger, metrics, record, status: response.status });
      return withHeaders(response, cors.headersFor(origin));
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

  /** Without the Fetch API, whose requests, responses and hooks cost more than a small query. */
  async function answerJson(
    { headers, body }: Post,
    mediaType: MediaType,
    record: RequestRecord,
  ): Promise<WrittenReply> {
    underWay += 1;
    metrics.begin();
    try {
      const reply = await handler.handle(() => parseJson(body), {
        method: 'POST',
        // What is sent twice is joined by Node.
        apiKey: headers[API_KEY_HEADER] as string | undefined,
        explain: headers['x-explain'] as string | undefined,
        record,
      });
      const answer = writeReply(reply, mediaType);
      report({ logger, metrics, record, status: answer.status });
      answer.headers.push('x-request-id', record.requestId, ...cors.headersFor(headers.origin));
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
    answerPost: (post, record) => {
      const isJson = JSON_TYPE.test(post.headers['content-type'] ?? '');
      const mediaType = isJson ? negotiate(post.headers.accept) : undefined;
      return mediaType && answerJson(post, mediaType, record);
    },
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

/** @throws BAD_REQUEST */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw badRequest();
  }
}

/** No other page may show it in a frame, and lead somebody to press Play. */
const PAGE_HEADERS = [
  'content-security-policy',
  "frame-ancestors 'none'",
  'x-frame-options',
  'DENY',
];

/** Whether it is GraphiQL. */
export const isPage = (response: Response): boolean =>
  response.headers.get('content-type')?.startsWith('text/html') ?? false;

function withHeaders(response: Response, headers: readonly string[]): Response {
  for (let i = 0; i < headers.length; i += 2) response.headers.set(headers[i]!, headers[i + 1]!);
  return response;
}
