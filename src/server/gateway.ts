/**
 * The gateway: GraphQL at `/graphql`, and what operators read at `/health`, `/ready` and `/metrics`.
 *
 * It opens no port and reads no environment: tests, and servers other than ours, call `fetch`.
 */
import { createHash } from 'node:crypto';
import { printSchema, type GraphQLSchema } from 'graphql';
import type { Pollers } from '../graph/live/pollers.ts';
import { corsFor } from './carriers/cors.ts';
import { PlainCarrier } from './carriers/plain-carrier.ts';
import { WebSocketCarrier, type WebSocketOptions } from './carriers/web-socket.ts';
import { YogaCarrier } from './carriers/yoga-carrier.ts';
import type { TrustedObserver } from './documents/trusted-documents.ts';
import { createExplorer, type Explorer } from './http/explorer.ts';
import type { Site } from './http/site.ts';
import { silentLogger, type Logger } from './observe/logger.ts';
import { Metrics } from './observe/metrics.ts';
import { Readiness } from './observe/readiness.ts';
import { liveObserver, Requests } from './observe/requests.ts';
import { OperationHandler, type OperationHandlerOptions } from './operation/operation-handler.ts';
import { createRecord, type RequestRecord } from './operation/request-record.ts';
import { refusalResponse } from './reply/refusal.ts';

export interface GatewayOptions extends OperationHandlerOptions {
  /** @default silence */
  readonly logger?: Logger;
  readonly metrics?: Metrics;
  /** Origins whose pages may read answers. @default none */
  readonly corsOrigins?: readonly string[];
  /** False: browsers get no GraphiQL. */
  readonly graphiql?: GraphiqlOptions | false;
  readonly webSocket?: WebSocketOptions;
  /** Whether only `admin` serves metrics and the details of readiness. @default false */
  readonly hasAdminPort?: boolean;
  /**
   * For how long caches may reuse answers to trusted documents by GET without asking, in seconds.
   * @default 0
   */
  readonly cacheMaxAge?: number;
}

interface GraphiqlOptions {
  /** Where its build is. @default none: a page says that it was not built */
  readonly folder?: string | undefined;
  /** The key the page sends until its user enters another. */
  readonly apiKey?: string | undefined;
  /** The page that the first query is about. */
  readonly pageId?: string | undefined;
}

export interface Gateway extends Site {
  readonly metrics: Metrics;
  /** Watches objects for subscriptions and for mutations that wait. */
  readonly pollers: Pollers;
  /** The operators' routes, for a port of their own. */
  readonly admin: Site;
  /**
   * Reads what must be there before the first request, such as trusted documents.
   *
   * @throws {TrustedDocumentsError} for a bad file among them.
   */
  open(): Promise<void>;
  /** Ends what `open` began. */
  close(): void;
  /** Answers any request; never rejects. */
  fetch(request: Request): Promise<Response>;
}

type Route = (request: Request, record: RequestRecord) => Promise<Response>;
type Routes = Readonly<Record<string, Route>>;

export function createGateway(options: GatewayOptions): Gateway {
  const {
    logger = silentLogger(),
    metrics = new Metrics(),
    corsOrigins = [],
    hasAdminPort = false,
  } = options;
  const handler = new OperationHandler({
    trustedObserver: trustedObserver(logger),
    ...options,
    live: { observer: liveObserver(logger, metrics), ...options.live },
  });
  const { pollers, subscriptions, trusted } = handler;
  const { breaker } = options.upstream;
  const readiness = new Readiness(breaker, trusted);
  const requests = new Requests(logger, metrics);
  metrics.watch({ requests, breaker, pollers, subscriptions });

  const carrying = { ...options, handler, requests, cors: corsFor(corsOrigins) };
  const plain = new PlainCarrier(carrying);
  const yoga = new YogaCarrier(carrying);
  const webSocket = new WebSocketCarrier({
    ...options.webSocket,
    ...{ handler, requests, corsOrigins, logger },
  });

  const health = forGet(async () => Response.json({ status: 'alive' }));
  const adminRoutes: Routes = {
    '/health': health,
    '/ready': forGet(async () => ready(true)),
    '/metrics': forGet(
      async () =>
        new Response(await metrics.text(), {
          headers: { 'content-type': metrics.registry.contentType },
        }),
    ),
  };
  const site = siteOf({
    '/graphql': (request, record) => yoga.answer(request, record),
    ...(hasAdminPort
      ? { '/health': health, '/ready': forGet(async () => ready(false)) }
      : adminRoutes),
  });
  return {
    ...site,
    metrics,
    pollers,
    explorer: explorerOf(options),
    answerPlain: (request, record) => plain.answer(request, record),
    upgrade: (incoming, socket, head) => webSocket.upgrade(incoming, socket, head),
    admin: siteOf(adminRoutes),
    open: async () => trusted?.open(),
    close: () => trusted?.close(),
    fetch: (request) => {
      const record = createRecord(request.headers.get('x-request-id'));
      if (request.signal.aborted) record.leaving.cancel();
      else request.signal.addEventListener('abort', () => record.leaving.cancel());
      return site.answer(request, record);
    },
  };

  function ready(withDetails: boolean): Response {
    const report = readiness.report();
    const body = withDetails
      ? { ...report, routes: options.upstream.routes() }
      : { ready: report.ready };
    return Response.json(body, { status: report.ready ? 200 : 503 });
  }

  function siteOf(routes: Routes): Site {
    const notFound = () =>
      refusalResponse(
        404,
        'NOT_FOUND',
        `Nothing is here: ask for ${Object.keys(routes).join(', ')}.`,
      );
    return {
      readiness,
      logger,
      subscriptions,
      Request: yoga.Request,
      upgrade: notFound,
      answer: async (request, record) => {
        const route = routes[new URL(request.url).pathname] ?? (async () => notFound());
        const response = await route(request, record).catch((error: unknown) => {
          logger.error({ err: error, requestId: record.requestId }, 'Request failed unexpectedly');
          return refusalResponse(500, 'INTERNAL_SERVER_ERROR', 'Unexpected error.');
        });
        response.headers.set('x-request-id', record.requestId);
        return response;
      },
      idle: () => requests.idle(),
    };
  }
}

const forGet =
  (answer: () => Promise<Response>): Route =>
  async ({ method, url }) => {
    if (method === 'GET' || method === 'HEAD') return answer();
    return refusalResponse(405, 'METHOD_NOT_ALLOWED', `Ask ${new URL(url).pathname} with GET.`);
  };

/** GraphiQL, or the page that says why it is not here. */
function explorerOf(options: GatewayOptions): Explorer {
  const { schema, introspection = true, explain = 'on', graphiql = {} } = options;
  if (!graphiql) return createExplorer(undefined, undefined);
  const { folder, ...example } = graphiql;
  return createExplorer(folder, () => ({
    ...{ introspection, explain, needsKey: options.apiKey === undefined },
    ...(introspection && { schemaId: schemaIdOf(schema) }),
    ...example,
  }));
}

const schemaIdOf = (schema: GraphQLSchema): string =>
  createHash('sha256').update(printSchema(schema)).digest('base64url');

const trustedObserver = (logger: Logger): TrustedObserver => ({
  onRead: ({ files, documents }) => logger.info({ files, documents }, 'Trusted documents are read'),
  onBadFile: (bad) =>
    logger.error(bad, 'Bad file of trusted documents: the last good set is served'),
  onInvalidDocument: (document) =>
    logger.warn(document, 'The schema does not serve a trusted document'),
});
