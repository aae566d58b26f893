/** A site on a port: routes by path, and transports. */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { GRAPHQL, type HttpTransport } from '../transports/http.ts';
import type { Logger } from '../observe/logs/logger.ts';
import type { Readiness } from '../observe/readiness.ts';
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
