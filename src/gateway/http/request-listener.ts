/**
 * Serves a request of Node's server: reads its body, and sends the response.
 *
 * Connections are handled in this folder only: the rest of the gateway gets whole bodies and returns responses.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '../../lib/clock.ts';
import { errorResponse } from '../operation/client-error.ts';
import { arrive, responseHasLeft, type Arrival } from '../operation/operation.ts';
import type { EventStream, OperationResponse, ResponseParts } from '../operation/response.ts';
import { writeEvents } from '../transports/event-stream.ts';
import { multipart } from '../operation/multipart.ts';
import { pathOf, type CheckAddress } from './address.ts';
import type { Stopping } from './drain.ts';
import { isExplorerFile, type Explorer, type ExplorerResponse } from './explorer.ts';
import { readBody } from './request-body.ts';
import { GRAPHQL, type Site } from './site.ts';

/** Time to read a response that does not fit into the system's buffers, in milliseconds. */
export const READ_WITHIN_MS = 30_000;

/**
 * Time for which the rest of a rejected body is read and discarded, in milliseconds: a reset would hide the response.
 */
const LINGER_MS = 1_000;

interface RequestListenerOptions {
  readonly site: Site;
  readonly checkAddress: CheckAddress;
  readonly maxBodyBytes: number;
  readonly stopping: Readonly<Stopping>;
}

export function requestListener(options: RequestListenerOptions): RequestListener {
  const { site, checkAddress, maxBodyBytes, stopping } = options;
  const pipelined = new PipelinedRequests();
  return (incoming, outgoing) => {
    // Node gives its socket to one response at a time.
    if (outgoing.socket) begin(incoming, outgoing);
    else pipelined.add(incoming.socket, () => begin(incoming, outgoing));
  };

  function begin(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const arrival = arrive(incoming.headers['x-request-id']);
    arrival.cut = () => outgoing.destroy();
    const exchange = { incoming, outgoing, arrival };
    // `on` is cheaper than `once`.
    outgoing.on('close', () => {
      if (!outgoing.writableFinished) arrival.cancel.cancel();
      responseHasLeft(arrival);
      pipelined.next(incoming.socket);
    });
    try {
      serve(exchange);
    } catch (error) {
      fail(exchange, error);
    }
  }

  function fail({ outgoing, arrival: { requestId } }: HttpExchange, error: unknown): void {
    site.logger.error({ err: error, requestId }, 'Response could not be sent');
    outgoing.destroy();
  }

  function serve(exchange: HttpExchange): void {
    const { incoming, arrival } = exchange;
    const error = checkAddress(incoming);
    if (error) return reject(exchange, error);
    const { method = 'GET', url = '/' } = incoming;
    if (site.explorer && isRead(method)) {
      const page = site.explorer.page(incoming);
      if (page) return sendPage(exchange, page);
      if (isExplorerFile(pathOf(url)) && sendFile(exchange, site.explorer)) return undefined;
    }
    if (!hasBody(incoming)) return handle(exchange, undefined);
    readBody(incoming, maxBodyBytes, (read) => {
      if (read === undefined) return; // connection closed
      if (typeof read !== 'string') arrival.unreadable = read;
      handle(exchange, typeof read === 'string' ? read : undefined);
    });
    return undefined;
  }

  function handle(exchange: HttpExchange, body: string | undefined): void {
    const { incoming, arrival } = exchange;
    const { method = 'GET', url = '/', headers } = incoming;
    const path = pathOf(url);
    if (site.graphql && path === GRAPHQL) {
      site.graphql(
        arrival,
        { method, url, headers, body },
        {
          send: (response) => sendOperation(exchange, response),
          fail: (error) => fail(exchange, error),
        },
      );
      return;
    }
    if (!url.startsWith('/')) {
      reject(
        exchange,
        errorResponse(400, 'BAD_REQUEST', 'Invalid request target. Use a path, such as /graphql.'),
      );
      return;
    }
    if (NOT_OF_FETCH.has(method)) {
      // Not 405, whose `Allow` depends on the path.
      reject(
        exchange,
        errorResponse(501, 'METHOD_NOT_ALLOWED', `Method ${method} is not supported.`),
      );
      return;
    }
    const init = { method, headers: headers as Record<string, string>, body: body ?? null };
    site
      // Only the caller's path: neither its address nor its `Host` goes into the URL.
      .answer(path, new Request(`http://gateway${url}`, init), arrival)
      .then((response) => sendResponse(exchange, response))
      .catch((error: unknown) => fail(exchange, error));
  }

  /** Responds without reading the rest of the request. */
  function reject(exchange: HttpExchange, response: Response): void {
    response.headers.set('x-request-id', exchange.arrival.requestId);
    sendResponse(exchange, response, exchange.incoming.complete ? 0 : LINGER_MS).catch(
      (error: unknown) => fail(exchange, error),
    );
  }

  function sendPage(exchange: HttpExchange, { status, headers, body }: ExplorerResponse): void {
    const own = ['x-request-id', exchange.arrival.requestId];
    sendWhole(exchange, status, [...headers, ...own], body);
  }

  function sendFile(exchange: HttpExchange, explorer: Explorer): boolean {
    const { incoming, outgoing, arrival } = exchange;
    outgoing.setHeader('x-request-id', arrival.requestId);
    if (stopping.isPortClosed) outgoing.setHeader('connection', 'close');
    return explorer.file(incoming, outgoing);
  }

  function sendOperation(exchange: HttpExchange, response: OperationResponse): void {
    const { status, headers, text, bytes, parts, events } = response;
    const lingerMs = exchange.arrival.unreadable ? LINGER_MS : 0;
    if (!parts && !events) return sendWhole(exchange, status, headers, bytes ?? text, lingerMs);
    const sending = parts
      ? sendParts(exchange, response, parts)
      : sendEvents(exchange, response, events!);
    sending.catch((error: unknown) => fail(exchange, error));
    return undefined;
  }

  async function sendResponse(
    exchange: HttpExchange,
    response: Response,
    lingerMs = exchange.arrival.unreadable ? LINGER_MS : 0,
  ): Promise<void> {
    const { status } = response;
    response.headers.delete('content-length');
    const headers = [...response.headers].flat();
    sendWhole(exchange, status, headers, await response.text(), lingerMs);
  }

  /**
   * @param headers name, value, name, value; modified.
   * @param lingerMs time to read on, for callers that are still sending.
   */
  function sendWhole(
    exchange: HttpExchange,
    status: number,
    headers: string[],
    body: string | Buffer,
    lingerMs = 0,
  ): void {
    // Batches the responses of one turn of the event loop.
    setImmediate(() => {
      if (!exchange.outgoing.destroyed) writeWhole(exchange, status, headers, body, lingerMs);
    });
  }

  function writeWhole(
    { incoming, outgoing }: HttpExchange,
    status: number,
    headers: string[],
    body: string | Buffer,
    lingerMs: number,
  ): void {
    const size = typeof body === 'string' ? Buffer.byteLength(body) : body.length;
    // The length of a stream is unknown to HEAD, too.
    const isHeadOfStream = incoming.method === 'HEAD' && size === 0;
    if (status !== 204 && status !== 304 && !isHeadOfStream) {
      headers.push('content-length', String(size));
    }
    if (lingerMs > 0 || stopping.isPortClosed) headers.push('connection', 'close');
    outgoing.writeHead(status, headers);
    if (lingerMs === 0) {
      // ASCII is the same in both encodings, and latin1 is a plain copy.
      endWith(outgoing, body, size === body.length ? 'latin1' : 'utf8');
      cutWhereUnread(outgoing, stopping.clock);
      return;
    }
    // Sends the whole response now; the connection closes after the rest of the request.
    outgoing.write(body);
    if (incoming.readableEnded) {
      outgoing.end();
      return;
    }
    incoming.removeAllListeners('data').resume();
    const timer = setTimeout(() => outgoing.end(), lingerMs);
    incoming.once('end', () => outgoing.end());
    outgoing.once('close', () => clearTimeout(timer));
  }

  /** Sends parts as they become available; cancels the rest when the connection closes. */
  async function sendParts(
    exchange: HttpExchange,
    { status, headers }: OperationResponse,
    parts: ResponseParts,
  ): Promise<void> {
    const { outgoing } = exchange;
    outgoing.on('close', () => parts.cancel());
    if (outgoing.destroyed) parts.cancel();
    if (stopping.isPortClosed) headers.push('connection', 'close');
    outgoing.writeHead(status, headers);
    for await (const chunk of multipart(parts)) {
      if (outgoing.destroyed) return;
      outgoing.write(chunk);
    }
    outgoing.end();
    cutWhereUnread(outgoing, stopping.clock);
  }

  /** Does not await the end of the stream, which would retain the request. */
  function sendEvents(
    { outgoing }: HttpExchange,
    { status, headers }: OperationResponse,
    events: EventStream,
  ): Promise<void> {
    const { socket } = outgoing;
    if (stopping.isPortClosed) headers.push('connection', 'close');
    outgoing.writeHead(status, headers);
    // A head written before the port closed allows keep-alive: its client would come back to this process.
    outgoing.on('close', () => stopping.isPortClosed && socket?.end());
    return writeEvents(outgoing, events, site.subscriptions, stopping.clock);
  }
}

/**
 * Requests that arrived before the response to an earlier one of their connection was sent. They are served one after
 * the other, so that a client that reads nothing makes the gateway hold one response. Nothing more is read from its
 * connection meanwhile.
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

/** The write timeout. */
function cutWhereUnread(outgoing: ServerResponse, clock: Clock): void {
  // Usually the whole response is in the system's buffers.
  if (!outgoing.socket?.writableLength) return;
  const timer = clock.setTimeout(() => outgoing.destroy(), READ_WITHIN_MS);
  timer.unref();
  outgoing.once('close', () => clock.clearTimeout(timer));
}

/** Writes head and body at once. */
function endWith(
  outgoing: ServerResponse,
  body: string | Buffer,
  encoding: 'latin1' | 'utf8',
): void {
  // Node's `end(text)` writes a second, empty chunk, which costs a sixth of a bare server's CPU.
  const { socket } = outgoing;
  socket?.cork();
  outgoing.write(body, encoding);
  socket?.uncork();
  outgoing.end();
}

interface HttpExchange {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly arrival: Arrival;
}

const isRead = (method: string): boolean => method === 'GET' || method === 'HEAD';

const hasBody = ({ method = 'GET', headers }: IncomingMessage): boolean =>
  !isRead(method) &&
  (headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined);

/** Methods forbidden by the Fetch API. */
const NOT_OF_FETCH = new Set(['CONNECT', 'TRACE', 'TRACK']);
