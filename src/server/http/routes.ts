/** Routes by their paths, as a site answers them. */
import { refusalResponse } from '../../operation/refusal.ts';
import type { RequestRecord } from '../../operation/request/request-record.ts';
import type { Site } from './site.ts';

/** Answers what is asked of one path. */
export type Route = (request: Request, record: RequestRecord) => Promise<Response>;

export type Routes = Readonly<Record<string, Route>>;

/** @param basePath what paths begin with for callers. */
export function createSite(
  parts: Pick<Site, 'readiness' | 'logger' | 'subscriptions' | 'Request' | 'idle'>,
  routes: Routes,
  basePath = '',
): Site {
  const paths = Object.keys(routes).map((path) => basePath + path);
  const notFound = () =>
    refusalResponse(404, 'NOT_FOUND', `Nothing is here: ask for ${paths.join(', ')}.`);
  return {
    ...parts,
    upgrade: notFound,
    answer: async (request, record) => {
      const route = routes[new URL(request.url).pathname] ?? (async () => notFound());
      const response = await route(request, record).catch((error: unknown) => {
        parts.logger.error(
          { err: error, requestId: record.requestId },
          'Request failed unexpectedly',
        );
        return refusalResponse(500, 'INTERNAL_SERVER_ERROR', 'Unexpected error.');
      });
      response.headers.set('x-request-id', record.requestId);
      return response;
    },
  };
}

/** A route that is asked with GET or HEAD. */
export const forGet =
  (answer: (request: Request) => Promise<Response>): Route =>
  async (request) => {
    const { method, url } = request;
    if (method === 'GET' || method === 'HEAD') return answer(request);
    return refusalResponse(405, 'METHOD_NOT_ALLOWED', `Ask ${new URL(url).pathname} with GET.`);
  };
