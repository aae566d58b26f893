/** Routes of operators: `/health`, `/ready` and `/metrics`. */
import type { Metrics } from '../observe/metrics/metrics.ts';
import type { Readiness } from '../observe/readiness.ts';
import { prefers } from '../operation/negotiation.ts';
import { forGet, type RouteHandler, type RouteHandlers } from './site.ts';

interface OperatorRoutesOptions {
  readonly readiness: Readiness;
  readonly metrics: Metrics;
  /** Which routes the backend has, for the details of `/ready`. */
  readonly routes: () => unknown;
}

/** A route whose responses are of the moment, so no proxy may cache them. */
const forOperators = (answer: (request: Request) => Promise<Response>): RouteHandler =>
  forGet(async (request) => {
    const response = await answer(request);
    response.headers.set('cache-control', 'no-store');
    return response;
  });

const health = forOperators(async () => Response.json({ status: 'alive' }));

/** Whether a scraper accepts OpenMetrics by name, and prefers no other format. */
const wantsOpenMetrics = (accept: string | null): boolean =>
  accept !== null && prefers(accept, 'application/openmetrics-text', 'text/plain');

const respond = <Body extends { readonly ready: boolean }>(body: Body): Response =>
  Response.json(body, { status: body.ready ? 200 : 503 });

export const operatorRoutes = ({
  readiness,
  metrics,
  routes,
}: OperatorRoutesOptions): RouteHandlers => ({
  '/health': health,
  '/ready': forOperators(async () => respond({ ...readiness.report(), routes: routes() })),
  '/metrics': forOperators(async ({ headers }) => {
    const { text, contentType } = await metrics.read(wantsOpenMetrics(headers.get('accept')));
    return new Response(text, { headers: { 'content-type': contentType } });
  }),
});

/** Routes for callers if operators have a port of their own: without `/metrics` and details. */
export const publicRoutes = (readiness: Readiness): RouteHandlers => ({
  '/health': health,
  '/ready': forOperators(async () => respond({ ready: readiness.report().ready })),
});
