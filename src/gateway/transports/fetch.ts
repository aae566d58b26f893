/**
 * The gateway as a handler of Fetch requests, which mounts in other servers. Operations pass Yoga's own handler, with
 * all hooks of HTTP.
 */
import { dictionary } from '../../lib/dictionary.ts';
import { arrive, type Arrival, type HeaderFields } from '../operation/operation.ts';
import type { OperationResponse } from '../operation/response.ts';
import { fetchResponseOf } from '../yoga/fetch-response.ts';
import type { HttpTransport } from './http.ts';

interface FetchOptions {
  /** Path of operations. */
  readonly path: string;
  readonly graphql: HttpTransport;
  /** Serves any other request; never rejects. */
  readonly respond: (path: string, request: Request, arrival: Arrival) => Promise<Response>;
}

export const createFetch =
  ({ path, graphql, respond }: FetchOptions) =>
  async (request: Request): Promise<Response> => {
    const arrival = arrive(request.headers.get('x-request-id'));
    if (request.signal.aborted) arrival.cancel.cancel();
    else request.signal.addEventListener('abort', () => arrival.cancel.cancel());
    const { pathname, search } = new URL(request.url);
    if (pathname !== path) return respond(pathname, request, arrival);
    const { method } = request;
    const headers: HeaderFields = dictionary(request.headers);
    const body = request.body ? await request.text() : undefined;
    const read = { method, url: pathname + search, headers, body, fetched: request };
    const response = await new Promise<OperationResponse>((send, fail) => {
      graphql(arrival, read, { send, fail });
    });
    const fetched = fetchResponseOf(response, Response);
    return method === 'HEAD' ? new Response(null, fetched) : fetched;
  };
