/**
 * The gateway: GraphQL at `/graphql`, and what operators ask at `/health`, `/ready` and `/metrics`.
 *
 * It opens no port and reads no environment: `fetch` is the whole of it, for tests and for whatever
 * server stands in front.
 */
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { printSchema, type GraphQLSchema } from 'graphql';
import { corsFor } from './http/cors.ts';
import { createExplorer, type Explorer, type ExplorerSettings } from './http/explorer.ts';
import { multipart } from './http/multipart.ts';
import { represent } from './http/representation.ts';
import { silentLogger, type Logger } from './observe/logger.ts';
import { Metrics } from './observe/metrics.ts';
import { Readiness, type Probe } from './observe/readiness.ts';
import { liveObserver, report } from './observe/request-report.ts';
import type { Pollers } from '../graph/live/pollers.ts';
import { API_KEY_HEADER } from '../lib/api-key.ts';
import { streamOf } from './live/event-stream.ts';
import type { Subscriptions } from './live/subscriptions.ts';
import { WebSocketCarrier, type WebSocketOptions } from './live/web-socket.ts';
import { incrementalFormatOf, negotiate, type MediaType } from './operation/media-type.ts';
import { OperationHandler, type OperationHandlerOptions } from './operation/operation-handler.ts';
import { parseJson, readForm } from './operation/params.ts';
import { refusalResponse } from './operation/refusal.ts';
import { writeReply, type Reply, type WrittenReply } from './operation/reply.ts';
import { createRecord, type RequestRecord } from './operation/request-record.ts';
import type { TrustedObserver } from './trusted/trusted-documents.ts';
import { createGraphQLServer, CSRF_HEADERS } from './yoga/yoga.ts';

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
  /** For how long answers to trusted documents by GET may be used unasked, in seconds. @default 0 */
  readonly cacheMaxAge?: number;
}

export interface GraphiqlOptions {
  /** Where its build is. @default nowhere: browsers are told that it was not built */
  readonly folder?: string | undefined;
  /** The key the page sends until its user enters another. */
  readonly apiKey?: string | undefined;
  /** The page that the first query is about. */
  readonly pageId?: string | undefined;
}

/** A POST to `/graphql`, its body read. */
export interface Post {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A GET of `/graphql` with a query string. */
export interface Get {
  readonly headers: IncomingHttpHeaders;
  /** Without the question mark. */
  readonly search: string;
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
  /** The same for a query string, unless a browser may want the page. */
  answerGet(get: Get, record: RequestRecord): Promise<WrittenReply> | undefined;
  /**
   * Answers any request; never rejects.
   *
   * @param record begun before: what the HTTP server refuses by itself is reported like the rest.
   */
  answer(request: Request, record: RequestRecord): Promise<Response>;
  /** Takes a connection for WebSocket, or answers why not. */
  upgrade(incoming: IncomingMessage, socket: Duplex, head: Buffer): Response | undefined;
  /** GraphiQL, where it is served. */
  readonly explorer?: Explorer;
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
  const yoga = createGraphQLServer(handler);
  const { folder, ...example } = graphiql || {};
  const explorerSettings = (): ExplorerSettings => {
    const { schema, introspection = true, explain = 'on', apiKey } = options;
    return {
      introspection,
      explain,
      needsKey: apiKey === undefined,
      ...(introspection && { schemaId: schemaIdOf(schema) }),
      ...example,
    };
  };
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
      const { reply } = record;
      const answer = reply?.parts ? response : await representation(request, response, record);
      underWay += 1;
      whenFinished(record.reply, () => {
        report({ logger, metrics, record, status: answer.status });
        ended();
      });
      return withHeaders(answer, cors.headersFor(origin));
    } finally {
      metrics.end();
    }
  }

  /** Of what Yoga has written whole; streams go out as they are. */
  async function representation(
    { method, headers }: Request,
    response: Response,
    record: RequestRecord,
  ): Promise<Response> {
    const mediaType = negotiate(headers.get('accept')) ?? 'application/json';
    const isWhole = response.headers.get('content-type')?.startsWith(mediaType) ?? false;
    if (!isWhole || !record.reply) {
      // A cache that does not know the key's header would give one tenant's data to another.
      if (method === 'GET' && !streamOf(response)) {
        response.headers.set('cache-control', 'no-store');
      }
      return response;
    }
    const conditions = {
      method,
      acceptEncoding: headers.get('accept-encoding'),
      ifNoneMatch: headers.get('if-none-match'),
      apiKey: headers.get(API_KEY_HEADER),
      explain: headers.get('x-explain'),
    };
    const written = writeReply(record.reply, mediaType);
    const answer = await represent(written, mediaType, record, conditions, options);
    const bytes = answer.bytes && new Uint8Array(answer.bytes);
    const body = answer.status === 304 ? null : (bytes ?? answer.text);
    const { Response } = yoga.fetchAPI;
    return withHeaders(new Response(body, { status: answer.status }), answer.headers);
  }

  /** Without the Fetch API, whose requests, responses and hooks cost more than a small query. */
  async function answerWritten(
    method: 'GET' | 'POST',
    read: () => unknown,
    headers: IncomingHttpHeaders,
    mediaType: MediaType,
    record: RequestRecord,
  ): Promise<WrittenReply> {
    underWay += 1;
    metrics.begin();
    let isOpen = false;
    try {
      const conditions = {
        method,
        acceptEncoding: headers['accept-encoding'],
        ifNoneMatch: headers['if-none-match'],
        // What is sent twice is joined by Node.
        apiKey: headers[API_KEY_HEADER] as string | undefined,
        explain: headers['x-explain'] as string | undefined,
        accept: headers.accept,
        record,
      };
      const reply = await handler.handle(read, conditions);
      const own = ['x-request-id', record.requestId, ...cors.headersFor(headers.origin)];
      if (reply.parts) {
        const first = writeReply(reply, mediaType, incrementalFormatOf(headers.accept));
        isOpen = true;
        whenFinished(reply, () => {
          report({ logger, metrics, record, status: first.status });
          metrics.end();
          ended();
        });
        first.headers.push(...own);
        return first;
      }
      const written = writeReply(reply, mediaType);
      const representing = represent(written, mediaType, record, conditions, options);
      // Most are written at once, and to wait for nothing takes a turn.
      const answer = representing instanceof Promise ? await representing : representing;
      report({ logger, metrics, record, status: answer.status });
      answer.headers.push(...own);
      return answer;
    } finally {
      if (!isOpen) {
        metrics.end();
        ended();
      }
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
      answerGet: () => undefined,
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
    explorer: createExplorer(folder, graphiql ? explorerSettings : undefined),
    pollers: handler.pollers,
    upgrade: (incoming, socket, head) => webSocket.upgrade(incoming, socket, head),
    admin: siteOf(adminRoutes),
    open: async () => handler.trusted?.open(),
    close: () => handler.trusted?.close(),
    answerPost: (post, record) => {
      const { headers, body } = post;
      const isJson = JSON_TYPE.test(headers['content-type'] ?? '');
      const isPlain = isJson && !mayStream(headers.accept, body);
      const mediaType = isPlain ? negotiate(headers.accept) : undefined;
      return mediaType && answerWritten('POST', () => parseJson(body), headers, mediaType, record);
    },
    answerGet: ({ headers, search }, record) => {
      // What a foreign page can send without asking is refused elsewhere.
      const isOwn = CSRF_HEADERS.some((name) => headers[name] !== undefined);
      const isPlain =
        isOwn && !headers.accept?.includes('text/html') && !mayStream(headers.accept, search);
      const mediaType = isPlain ? negotiate(headers.accept) : undefined;
      const read = () => readForm(search);
      return mediaType && answerWritten('GET', read, headers, mediaType, record);
    },
    fetch: (request) => {
      const record = createRecord(request.headers.get('x-request-id'));
      if (request.signal.aborted) record.leaving.cancel();
      else request.signal.addEventListener('abort', () => record.leaving.cancel());
      return site.answer(request, record).then((response) => streamed(response, record));
    },
  };
}

/** At once for an answer that is whole, or else when its last part was made. */
function whenFinished(reply: Reply | undefined, then: () => void): void {
  if (reply?.parts) void reply.parts.finished.then(then);
  else then();
}

/** The response with all parts of its answer, for those who read it without an HTTP server. */
function streamed(response: Response, { reply }: RequestRecord): Response {
  const parts = reply?.parts;
  if (!parts) return response;
  const chunks = multipart(reply.text, parts);
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      const { value, done } = await chunks.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    cancel: () => parts.cancel(),
  });
  return new Response(body, { status: response.status, headers: response.headers });
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

const schemaIdOf = (schema: GraphQLSchema): string =>
  createHash('sha256').update(printSchema(schema)).digest('base64url');

/** Whether the answer may be a stream: some clients accept one for every operation. */
const mayStream = (accept: string | undefined, text: string): boolean =>
  accept?.includes('text/event-stream') === true && text.includes('subscription');

/** Said in the log, with the reason beside it. */
export const NOT_READY = 'Not ready: the backend cannot be used';

function withHeaders(response: Response, headers: readonly string[]): Response {
  for (let i = 0; i < headers.length; i += 2) {
    const [name, value] = [headers[i]!, headers[i + 1]!];
    // The one header that several parties add to.
    if (name === 'vary') response.headers.append(name, value);
    else response.headers.set(name, value);
  }
  return response;
}
