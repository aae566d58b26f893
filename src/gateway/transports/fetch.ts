/**
 * The gateway as a handler of Fetch requests, which mounts in other servers. Operations pass Yoga's own handler, with
 * all hooks of HTTP.
 */
import { dictionary } from '../../lib/dictionary.ts';
import { arrive, type Arrival } from '../operation/operation.ts';
import { fetchResponseOf } from '../yoga/fetch-response.ts';
import { GRAPHQL, type HttpTransport } from './http.ts';

/** @param respond serves any other request; never rejects. */
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
    const read = { method, url: pathname + search, headers, body, fetched: request };
    const fetched = fetchResponseOf(await graphql(arrival, read), Response);
    return method === 'HEAD' ? new Response(null, fetched) : fetched;
  };
