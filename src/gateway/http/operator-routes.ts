/** Routes of operators: `/health`, `/ready` and `/metrics`. */
import type { Metrics } from '../observe/metrics/metrics.ts';
import type { Readiness } from '../observe/readiness.ts';
import { errorResponse } from '../operation/client-error.ts';
import { prefers } from '../operation/negotiation.ts';
import type { RouteHandler, RouteHandlers } from './site.ts';

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
