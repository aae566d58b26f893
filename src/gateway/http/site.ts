/** A site on a port: routes by their paths, and transports beside them. */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { HttpTransport } from '../transports/http.ts';
import type { Logger } from '../observe/logs/logger.ts';
import type { Readiness } from '../observe/readiness.ts';
import type { Arrival } from '../operation/operation.ts';
import type { Subscriptions } from '../operation/subscriptions.ts';
import { errorResponse } from '../operation/client-error.ts';
import type { Explorer } from './explorer.ts';

export interface Site {
  readonly readiness: Readiness;
  readonly logger: Logger;
  /** Ended when the process stops. */
  readonly subscriptions: Subscriptions;
  /** Serves `/graphql`, where that is. */
  readonly graphql?: HttpTransport | undefined;
  /** Serves any other request; never rejects. */
  answer(request: Request, arrival: Arrival): Promise<Response>;
  /** Takes a connection for WebSocket, or returns why not. */
  upgrade(incoming: IncomingMessage, socket: Duplex, head: Buffer): Response | undefined;
  /** GraphiQL, where it is served. */
  readonly explorer?: Explorer;
  /** Resolves when no GraphQL request is under way. */
  idle(): Promise<void>;
}

/** The path that operations are sent to. */
export const GRAPHQL = '/graphql';

/** Serves one path. */
export type Route = (request: Request, arrival: Arrival) => Promise<Response>;

export type Routes = Readonly<Record<string, Route>>;

/** @param basePath what paths begin with for callers. */
export function createSite(
  parts: Pick<Site, 'readiness' | 'logger' | 'subscriptions' | 'idle' | 'graphql'>,
  routes: Routes,
  basePath = '',
): Site {
  const own = parts.graphql ? [GRAPHQL] : [];
  const paths = [...own, ...Object.keys(routes)].map((path) => basePath + path);
  const notFound = () =>
    errorResponse(404, 'NOT_FOUND', `Nothing is here: ask for ${paths.join(', ')}.`);
  return {
    ...parts,
    upgrade: notFound,
    answer: async (request, arrival) => {
      const route = routes[new URL(request.url).pathname] ?? (async () => notFound());
      const response = await route(request, arrival).catch((error: unknown) => {
        parts.logger.error(
          { err: error, requestId: arrival.requestId },
          'Request failed unexpectedly',
        );
        return errorResponse(500, 'INTERNAL_SERVER_ERROR', 'Unexpected error.');
      });
      response.headers.set('x-request-id', arrival.requestId);
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
    return errorResponse(405, 'METHOD_NOT_ALLOWED', `Ask ${new URL(url).pathname} with GET.`);
  };
