/**
 * GraphQL over HTTP: POST with JSON or a form, and GET with a query string. Responses are single results, parts, or
 * events.
 */
import { dictionary } from '../../lib/dictionary.ts';
import {
  arrive,
  type Arrival,
  type HeaderFields,
  type Transport,
  type TransportRequest,
} from '../operation/operation.ts';
import { fetchResponseOf, type OperationResponse } from '../operation/response.ts';
import type { Cors, OnForeignOrigin } from '../policies/cors.ts';
import type { OperationServer } from '../yoga/operation-server.ts';

export const GRAPHQL = '/graphql';

const HTTP: Transport = {
  name: 'http',
  path: GRAPHQL,
  streams: 'accepted',
  onlySubscriptions: false,
};

type HttpRequest = TransportRequest & { readonly method: string };

/** Serves a request; rejects if there is no response to send. */
export type HttpTransport = (arrival: Arrival, request: HttpRequest) => Promise<OperationResponse>;

/** @param cors undefined if no other origin is allowed. */
export const createHttpTransport =
  (
    server: OperationServer,
    cors: Cors | undefined,
    onForeignOrigin: OnForeignOrigin,
  ): HttpTransport =>
  (arrival, request) => {
    const { method, headers: asked } = request;
    // Preflights are not operations.
    if (method === 'OPTIONS' && (cors || isPreflight(asked))) {
      const headers = [...(cors?.preflightHeaders(asked) ?? []), 'x-request-id', arrival.requestId];
      const isAllowed = headers.includes('access-control-allow-origin');
      if (isPreflight(asked) && !isAllowed) onForeignOrigin(asked['origin'] as string);
      return Promise.resolve({ status: 204, headers, text: '', mediaType: 'application/json' });
    }
    if (method === 'HEAD') {
      const operation = server.begin(HTTP, arrival, { ...request, method: 'GET' });
      return server.respond(operation).then(withoutStream);
    }
    return server.respond(server.begin(HTTP, arrival, request));
  };

const isPreflight = (headers: HeaderFields): boolean =>
  typeof headers['origin'] === 'string' && headers['access-control-request-method'] !== undefined;

/** For the head alone, which no more results follow. */
function withoutStream({ stream, ...head }: OperationResponse): OperationResponse {
  stream?.cancel();
  return head;
}

/**
 * The gateway as a handler of Fetch requests, which mounts in other servers.
 *
 * @param respond serves any other request; never rejects.
 */
export const createFetch =
  (
    graphql: HttpTransport,
    respond: (path: string, request: Request, arrival: Arrival) => Promise<Response>,
  ) =>
  async (request: Request): Promise<Response> => {
    const arrival = arrive(request.headers.get('x-request-id'));
    if (request.signal.aborted) arrival.cancel.cancel();
    else request.signal.addEventListener('abort', () => arrival.cancel.cancel());
    const { pathname, search } = new URL(request.url);
    if (pathname !== GRAPHQL) return respond(pathname, request, arrival);
    const { method } = request;
    const headers = dictionary(request.headers);
    const body = request.body ? await request.text() : undefined;
    const read = { method, url: pathname + search, headers, body };
    const fetched = fetchResponseOf(await graphql(arrival, read), Response);
    return method === 'HEAD' ? new Response(null, fetched) : fetched;
  };
