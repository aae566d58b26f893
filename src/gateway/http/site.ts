/** A site on a port: routes by path, and transports. Operators' routes are `/health`, `/ready` and `/metrics`. */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { GRAPHQL, type HttpTransport } from '../transports/http.ts';
import type { Logger } from '../observe/logs/logger.ts';
import type { Metrics } from '../observe/metrics/metrics.ts';
import type { Readiness } from '../observe/readiness.ts';
import { prefers } from '../operation/negotiation.ts';
import type { Arrival } from '../operation/operation.ts';
import type { Subscriptions } from '../operation/subscriptions.ts';
import { errorResponse, notFound } from '../operation/client-error.ts';
import { MASKED } from '../operation/error-translation.ts';
import type { Explorer } from './explorer.ts';

export interface Site {
  readonly readiness: Readiness;
  readonly logger: Logger;
  readonly subscriptions: Subscriptions;
  /** Serves `/graphql`; undefined on the operators' port. */
  readonly graphql?: HttpTransport | undefined;
  /** Serves any other request; never rejects. @param path as sent, while the request's URL is normalised. */
  respond(path: string, request: Request, arrival: Arrival): Promise<Response>;
  upgrade(incoming: IncomingMessage, socket: Duplex, head: Buffer): Response | undefined;
  readonly explorer?: Explorer;
  idle(): Promise<void>;
}

export type RouteHandler = (request: Request, arrival: Arrival) => Promise<Response>;

export type RouteHandlers = Readonly<Record<string, RouteHandler>>;

/** @param basePath prefix of callers' paths. */
export function createSite(
  parts: Pick<Site, 'readiness' | 'logger' | 'subscriptions' | 'idle' | 'graphql'>,
  routes: RouteHandlers,
  basePath = '',
): Site {
  const own = parts.graphql ? [GRAPHQL] : [];
  const paths = [...own, ...Object.keys(routes)].map((path) => basePath + path);
  return {
    ...parts,
    upgrade: () => notFound(paths),
    respond: async (path, request, arrival) => {
      const route = routes[path] ?? (async () => notFound(paths));
      const response = await route(request, arrival).catch((error: unknown) => {
        parts.logger.error(
          { err: error, requestId: arrival.requestId },
          'Request failed unexpectedly',
        );
        return errorResponse(500, 'INTERNAL_SERVER_ERROR', MASKED);
      });
      response.headers.set('x-request-id', arrival.requestId);
      return response;
    },
  };
}

/** A route for GET and HEAD whose responses are of the moment, so no proxy may cache them. */
const forOperators =
  (respond: (request: Request) => Promise<Response>): RouteHandler =>
  async (request) => {
    const { method } = request;
    if (method !== 'GET' && method !== 'HEAD') {
      return errorResponse(405, 'METHOD_NOT_ALLOWED', 'Method not allowed. Use GET.', {
        allow: 'GET, HEAD',
      });
    }
    const response = await respond(request);
    response.headers.set('cache-control', 'no-store');
    return response;
  };

const health = forOperators(async () => Response.json({ status: 'alive' }));

/** Whether a scraper accepts OpenMetrics by name, and prefers no other format. */
const wantsOpenMetrics = (accept: string | null): boolean =>
  accept !== null && prefers(accept, 'application/openmetrics-text', 'text/plain');

const readinessResponse = <Body extends { readonly ready: boolean }>(body: Body): Response =>
  Response.json(body, { status: body.ready ? 200 : 503 });

/** @param routes which routes the backend has, for the details of `/ready`. */
export const operatorRoutes = (
  readiness: Readiness,
  metrics: Metrics,
  routes: () => unknown,
): RouteHandlers => ({
  '/health': health,
  '/ready': forOperators(async () =>
    readinessResponse({ ...readiness.report(), routes: routes() }),
  ),
  '/metrics': forOperators(async ({ headers }) => {
    const { text, contentType } = await metrics.read(wantsOpenMetrics(headers.get('accept')));
    return new Response(text, { headers: { 'content-type': contentType } });
  }),
});

/** Routes for callers if operators have a separate port: without `/metrics` and details. */
export const publicRoutes = (readiness: Readiness): RouteHandlers => ({
  '/health': health,
  '/ready': forOperators(async () => readinessResponse({ ready: readiness.report().ready })),
});
