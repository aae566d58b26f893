/**
 * Serves a request of Node's server: reads its body, and sends the response.
 *
 * Connections are handled in this folder only: the rest of the gateway gets whole bodies and returns responses.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { errorResponse } from '../operation/client-error.ts';
import { GRAPHQL } from '../transports/http.ts';
import { pathOf, type CheckAddress } from './address.ts';
import type { Stopping } from './drain.ts';
import { isExplorerFile } from './explorer.ts';
import { HttpExchange } from './http-exchange.ts';
import { readBody } from './request-body.ts';
import type { Site } from './site.ts';

export function requestListener(
  site: Site,
  checkAddress: CheckAddress,
  maxBodyBytes: number,
  stopping: Readonly<Stopping>,
): RequestListener {
  const pipelined = new PipelinedRequests();
  const begin = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    const exchange = new HttpExchange(incoming, outgoing, site, stopping);
    outgoing.on('close', () => pipelined.next(incoming.socket));
    try {
      const error = checkAddress(incoming);
      if (error) exchange.reject(error);
      else receive(exchange, site, maxBodyBytes);
    } catch (error) {
      exchange.fail(error);
    }
  };
  return (incoming, outgoing) => {
    // Node gives its socket to one response at a time.
    if (outgoing.socket) begin(incoming, outgoing);
    else pipelined.add(incoming.socket, () => begin(incoming, outgoing));
  };
}

function receive(exchange: HttpExchange, site: Site, maxBodyBytes: number): void {
  const { incoming, outgoing, arrival } = exchange;
  const { method = 'GET', url = '/' } = incoming;
  if (site.explorer && isRead(method)) {
    const page = site.explorer.page(incoming);
    if (page) return exchange.sendResponse(page);
    if (isExplorerFile(pathOf(url))) {
      exchange.prepareFile();
      if (site.explorer.file(incoming, outgoing)) return undefined;
    }
  }
  if (!hasBody(incoming)) return serve(exchange, site, undefined);
  readBody(incoming, maxBodyBytes, (read) => {
    if (read === undefined) return; // connection closed
    if (typeof read !== 'string') arrival.unreadable = read;
    serve(exchange, site, typeof read === 'string' ? read : undefined);
  });
  return undefined;
}

function serve(exchange: HttpExchange, site: Site, body: string | undefined): void {
  const { incoming, arrival } = exchange;
  const { method = 'GET', url = '/', headers } = incoming;
  const path = pathOf(url);
  const fail = (error: unknown): void => exchange.fail(error);
  if (site.graphql && path === GRAPHQL) {
    const response = site.graphql(arrival, { method, url, headers, body });
    response.then((sent) => exchange.sendOperation(sent), fail);
    return;
  }
  if (!url.startsWith('/')) {
    const message = 'Invalid request target. Use a path, such as /graphql.';
    exchange.reject(errorResponse(400, 'BAD_REQUEST', message));
    return;
  }
  if (NOT_OF_FETCH.has(method)) {
    // Not 405, whose `Allow` depends on the path.
    const message = `Method ${method} is not supported.`;
    exchange.reject(errorResponse(501, 'METHOD_NOT_ALLOWED', message));
    return;
  }
  const init = { method, headers: headers as Record<string, string>, body: body ?? null };
  // Only the caller's path: neither its address nor its `Host` goes into the URL.
  const request = new Request(`http://gateway${url}`, init);
  site.respond(path, request, arrival).then((response) => exchange.sendResponse(response), fail);
}

/**
 * Requests that arrived before the response to an earlier one of their connection was sent. They are served one by one,
 * so that at most one response is buffered for a client that reads nothing, and reading from it is paused meanwhile.
 */
class PipelinedRequests {
  readonly #waiting = new Map<Socket, (() => void)[]>();

  add(socket: Socket, begin: () => void): void {
    const waiting = this.#waiting.get(socket);
    if (waiting) {
      waiting.push(begin);
    } else {
      this.#waiting.set(socket, [begin]);
      socket.on('resume', this.#pause);
    }
    socket.pause();
  }

  /** Serves the next request of a connection, unless it is closed. */
  next(socket: Socket): void {
    const waiting = this.#waiting.get(socket);
    if (!waiting) return;
    const begin = socket.destroyed ? undefined : waiting.shift();
    if (!begin || waiting.length === 0) {
      this.#waiting.delete(socket);
      socket.off('resume', this.#pause).resume();
    }
    begin?.();
  }

  /** Node resumes a connection at the end of each request. */
  readonly #pause = function (this: Socket): void {
    this.pause();
  };
}

const isRead = (method: string): boolean => method === 'GET' || method === 'HEAD';

const hasBody = ({ method = 'GET', headers }: IncomingMessage): boolean =>
  !isRead(method) &&
  (headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined);

const NOT_OF_FETCH = new Set(['CONNECT', 'TRACE', 'TRACK']);
