/** What an HTTP server serves on a port: routes by their paths, and what carriers bring beside them. */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { PlainLane } from '../carriers/plain-lane.ts';
import type { Logger } from '../../observe/logs/logger.ts';
import type { Readiness } from '../../observe/readiness.ts';
import type { RequestRecord } from '../../operation/request/request-record.ts';
import type { Subscriptions } from '../../operation/result/subscriptions.ts';
import { refusalResponse } from '../../operation/refusal.ts';
import type { Explorer } from './explorer.ts';

export interface Site {
  readonly readiness: Readiness;
  readonly logger: Logger;
  /** Ended when the process stops. */
  readonly subscriptions: Subscriptions;
  /** Requests as Yoga reads them fastest; Node's own cost three times as much. */
  readonly Request: typeof Request;
  /** Answers a plain request, if it is one; other requests go to `answer`, with the same record. */
  readonly answerPlain?: PlainLane | undefined;
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
  /** Resolves when no GraphQL request is being answered. */
  idle(): Promise<void>;
}

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
