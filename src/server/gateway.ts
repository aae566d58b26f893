/**
 * The gateway: GraphQL at `/graphql`, and what operators ask at `/health`, `/ready` and `/metrics`.
 *
 * It opens no port and reads no environment: `fetch` is the whole of it, for tests and for whatever
 * server stands in front.
 */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { corsFor } from './http/cors.ts';
import { silentLogger, type Logger } from './observe/logger.ts';
import { Metrics } from './observe/metrics.ts';
import { Readiness, type Probe } from './observe/readiness.ts';
import { liveObserver, report } from './observe/request-report.ts';
import type { Pollers } from '../graph/live/pollers.ts';
import { API_KEY_HEADER } from '../lib/api-key.ts';
import { streamOf } from './live/event-stream.ts';
import type { Subscriptions } from './live/subscriptions.ts';
import { WebSocketCarrier, type WebSocketOptions } from './live/web-socket.ts';
import { negotiate, type MediaType } from './operation/media-type.ts';
import { OperationHandler, type OperationHandlerOptions } from './operation/operation-handler.ts';
import { parseJson } from './operation/params.ts';
import { refusalResponse } from './operation/refusal.ts';
import { writeReply, type WrittenReply } from './operation/reply.ts';
import { createRecord, type RequestRecord } from './operation/request-record.ts';
import type { TrustedObserver } from './trusted/trusted-documents.ts';
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
  readonly webSocket?: WebSocketOptions;
  /** Whether metrics and the details of readiness are told by `admin` alone. @default false */
  readonly hasAdminPort?: boolean;
}

/** A POST to `/graphql`, its body read. */
export interface Post {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** What an HTTP server serves on a port. */
export interface Site {
  readonly readiness: Readiness;
  readonly logger: Logger;
  /** What has to be ended when the process stops. */
  readonly subscriptions: Subscriptions;
  /** Requests as Yoga reads them fastest; Node's own cost three times as much. */
  readonly Request: typeof Request;
  /** The answer to a JSON body; undefined when `answer` is to be asked, with the same record. */
  answerPost(post: Post, record: RequestRecord): Promise<WrittenReply> | undefined;
  /**
   * Answers any request; never rejects.
   *
   * @param record begun before: what the HTTP server refuses by itself is reported like the rest.
   */
  answer(request: Request, record: RequestRecord): Promise<Response>;
  /** Takes a connection for WebSocket, or answers why not. */
  upgrade(incoming: IncomingMessage, socket: Duplex, head: Buffer): Response | undefined;
  /** Resolves when no request is being answered. */
  idle(): Promise<void>;
}

export interface Gateway extends Site {
  readonly metrics: Metrics;
  /** What watches objects for subscriptions and waits. */
  readonly pollers: Pollers;
  /** What operators ask, for a port of its own. */
  readonly admin: Site;
  /**
   * Reads what must be there before the first request, such as trusted documents.
   *
   * @throws when they cannot be read at all.
   */
  open(): Promise<void>;
  /** Ends what `open` began. */
  close(): void;
  /** Answers any request; never rejects. */
  fetch(request: Request): Promise<Response>;
}

type Route = (request: Request, record: RequestRecord) => Promise<Response>;

const JSON_TYPE = /^application\/json(?:; ?charset=(?:utf|UTF)-8)?$/;

export function createGateway(options: GatewayOptions): Gateway {
  const {
    probe = () => Promise.resolve(200),
    logger = silentLogger(),
    metrics = new Metrics(),
    corsOrigins = [],
    graphiql = {},
    hasAdminPort = false,
  } = options;
  const handler = new OperationHandler({
    trustedObserver: trustedObserver(logger),
    ...options,
    live: { observer: liveObserver(logger, metrics), ...options.live },
  });
  const readiness = new Readiness(probe, options.upstream.breaker, {
    onChange: (ready, reason) =>
      logger.warn(reason, ready ? 'Ready again: the backend answers' : NOT_READY),
    trustedDocuments: handler.trusted,
  });
  metrics.watch(options.upstream.breaker);
  metrics.watchLive(handler.pollers, handler.subscriptions);
  const webSocket = new WebSocketCarrier({
    ...options.webSocket,
    handler,
    corsOrigins,
    logger,
    metrics,
  });
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

  async function ready(withDetails: boolean): Promise<Response> {
    const report = await readiness.report();
    const body = withDetails ? report : { ready: report.ready };
    return Response.json(body, { status: report.ready ? 200 : 503 });
  }

  const health = forGet(async () => Response.json({ status: 'alive' }));
  const adminRoutes: Readonly<Record<string, Route>> = {
    '/health': health,
    '/ready': forGet(() => ready(true)),
    '/metrics': forGet(
      async () =>
        new Response(await gather(), { headers: { 'content-type': metrics.registry.contentType } }),
    ),
  };
  const publicRoutes = hasAdminPort
    ? { '/health': health, '/ready': forGet(() => ready(false)) }
    : adminRoutes;

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
      if (request.method === 'GET' && !streamOf(response))
        response.headers.set('cache-control', 'no-store');
      report({ logger, metrics, record, status: response.status });
      return withHeaders(response, cors.headersFor(origin));
    } finally {
      metrics.end();
    }
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

  function siteOf(routes: Readonly<Record<string, Route>>): Site {
    const paths = Object.keys(routes).join(', ');
    const notFound: Route = async () =>
      refusalResponse(404, 'NOT_FOUND', `Nothing is here: ask for ${paths}.`);
    return {
      readiness,
      logger,
      subscriptions: handler.subscriptions,
      Request: yoga.fetchAPI.Request,
      answerPost: () => undefined,
      upgrade: () => refusalResponse(404, 'NOT_FOUND', `Nothing is here: ask for ${paths}.`),
      answer: async (request, record) => {
        underWay += 1;
        const { pathname } = new URL(request.url);
        const route = routes[pathname] ?? notFound;
        const response = await route(request, record).catch((error: unknown) => {
          logger.error({ err: error, requestId: record.requestId }, 'Request failed unexpectedly');
          return refusalResponse(500, 'INTERNAL_SERVER_ERROR', 'Unexpected error.');
        });
        response.headers.set('x-request-id', record.requestId);
        ended();
        return response;
      },
      idle: () =>
        new Promise((resolve) => {
          if (underWay === 0) resolve();
          else whenIdle.push(resolve);
        }),
    };
  }

  const site = siteOf({ '/graphql': graphql, ...publicRoutes });
  return {
    ...site,
    metrics,
    pollers: handler.pollers,
    upgrade: (incoming, socket, head) => webSocket.upgrade(incoming, socket, head),
    admin: siteOf(adminRoutes),
    open: async () => handler.trusted?.open(),
    close: () => handler.trusted?.close(),
    answerPost: (post, record) => {
      const isJson = JSON_TYPE.test(post.headers['content-type'] ?? '');
      const mediaType = isJson ? negotiate(post.headers.accept) : undefined;
      return mediaType && answerJson(post, mediaType, record);
    },
    fetch: (request) => {
      const record = createRecord(request.headers.get('x-request-id'));
      if (request.signal.aborted) record.leaving.cancel();
      else request.signal.addEventListener('abort', () => record.leaving.cancel());
      return site.answer(request, record);
    },
  };
}

const forGet =
  (answer: () => Promise<Response>): Route =>
  async ({ method, url }) => {
    if (method === 'GET' || method === 'HEAD') return answer();
    return refusalResponse(405, 'METHOD_NOT_ALLOWED', `Ask ${new URL(url).pathname} with GET.`);
  };

const trustedObserver = (logger: Logger): TrustedObserver => ({
  onRead: ({ files, documents }) => logger.info({ files, documents }, 'Trusted documents are read'),
  onBadFile: (bad) =>
    logger.error(bad, 'Bad file of trusted documents: its last good content is served, if any'),
  onInvalidDocument: (document) =>
    logger.warn(document, 'The schema does not serve a trusted document'),
});

/** Said in the log, with the reason beside it. */
export const NOT_READY = 'Not ready: the backend cannot be used';

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
