/**
 * A request of Node's server and its response: a single one, parts, or server-sent events.
 *
 * Connections are handled in this folder only: the rest of the gateway gets whole bodies and returns responses.
 *
 * Not Yoga's writer of events: it sends `complete` when the process stops, after which clients do not reconnect; it lets
 * proxies buffer, and never ends stalled readers.
 */
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { GraphQLError } from 'graphql';
import { withoutByteOrderMark } from '../../lib/byte-order-mark.ts';
import { ByteCollector } from '../../lib/byte-collector.ts';
import type { Clock } from '../../lib/clock.ts';
import { clientError, errorResponse } from '../operation/client-error.ts';
import { arrive, releaseResponse, type Arrival } from '../operation/operation.ts';
import { OPENING, type OperationResponse, type ResponseStream } from '../operation/response.ts';
import { GRAPHQL } from '../transports/http.ts';
import { pathOf } from './address.ts';
import type { Port } from './drain.ts';
import { isExplorerFile } from './explorer.ts';

/** Time to read a response that does not fit into the system's buffers, in milliseconds. */
export const READ_WITHIN_MS = 30_000;

/**
 * Time after which a stalled reader of events is disconnected, in milliseconds; until then it misses events, except the
 * latest.
 */
export const STALLED_MS = 300_000;

/**
 * Idle time before TCP keep-alive probes, in milliseconds; the system closes the connection ten seconds later. Heartbeats to a
 * client that lost its network would otherwise be retransmitted for a quarter of an hour.
 */
const KEEPALIVE_MS = 5_000;

/**
 * Time for which the rest of a rejected body is read and discarded, in milliseconds: a reset would hide the response.
 */
const LINGER_MS = 1_000;

export function requestListener(port: Port): RequestListener {
  const pipelined = new PipelinedRequests();
  const begin = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    const exchange = new HttpExchange(incoming, outgoing, port);
    outgoing.on('close', () => pipelined.next(incoming.socket));
    exchange.begin();
  };
  return (incoming, outgoing) => {
    // Node gives its socket to one response at a time.
    if (outgoing.socket) begin(incoming, outgoing);
    else pipelined.add(incoming.socket, () => begin(incoming, outgoing));
  };
}

class HttpExchange {
  readonly #incoming: IncomingMessage;
  readonly #outgoing: ServerResponse;
  readonly #arrival: Arrival;
  readonly #port: Readonly<Port>;

  constructor(incoming: IncomingMessage, outgoing: ServerResponse, port: Readonly<Port>) {
    const arrival = arrive(incoming.headers['x-request-id'], () => outgoing.destroy());
    this.#incoming = incoming;
    this.#outgoing = outgoing;
    this.#port = port;
    this.#arrival = arrival;
    // `on` is cheaper than `once`.
    outgoing.on('close', () => {
      if (!outgoing.writableFinished) arrival.cancel.cancel();
      releaseResponse(arrival);
    });
  }

  begin(): void {
    try {
      const error = this.#port.checkAddress(this.#incoming);
      if (error) this.#reject(error);
      else this.#receive();
    } catch (error) {
      this.#fail(error);
    }
  }

  #receive(): void {
    const incoming = this.#incoming;
    const { explorer } = this.#port.site;
    const { method = 'GET', url = '/' } = incoming;
    if (explorer && isRead(method)) {
      const page = explorer.page(incoming);
      if (page) return this.#sendResponse(page);
      if (isExplorerFile(pathOf(url))) {
        this.#outgoing.setHeader('x-request-id', this.#arrival.requestId);
        if (this.#port.isClosed) this.#outgoing.setHeader('connection', 'close');
        if (explorer.file(incoming, this.#outgoing)) return undefined;
      }
    }
    if (!hasBody(incoming)) return this.#serve(undefined);
    readBody(incoming, this.#port.maxBodyBytes, (read) => {
      if (read === undefined) return; // connection closed
      if (typeof read !== 'string') this.#arrival.unreadable = read;
      this.#serve(typeof read === 'string' ? read : undefined);
    });
    return undefined;
  }

  #serve(body: string | undefined): void {
    const { site } = this.#port;
    const { method = 'GET', url = '/', headers } = this.#incoming;
    const path = pathOf(url);
    const fail = (error: unknown): void => this.#fail(error);
    if (site.graphql && path === GRAPHQL) {
      const response = site.graphql(this.#arrival, { method, url, headers, body });
      response.then((sent) => this.#sendOperation(sent), fail);
      return;
    }
    if (!url.startsWith('/')) {
      const message = 'Invalid request target. Use a path, such as /graphql.';
      this.#reject(errorResponse(400, 'BAD_REQUEST', message));
      return;
    }
    if (NOT_OF_FETCH.has(method)) {
      // Not 405, whose `Allow` depends on the path.
      const message = `Method ${method} is not supported.`;
      this.#reject(errorResponse(501, 'METHOD_NOT_ALLOWED', message));
      return;
    }
    const init = { method, headers: headers as Record<string, string>, body: body ?? null };
    // Only the caller's path: neither its address nor its `Host` goes into the URL.
    const request = new Request(`http://gateway${url}`, init);
    site
      .respond(path, request, this.#arrival)
      .then((response) => this.#sendResponse(response), fail);
  }

  /** Logs an unexpected error, and closes the connection without a response. */
  #fail(error: unknown): void {
    const { requestId } = this.#arrival;
    this.#port.site.logger.error({ err: error, requestId }, 'Response could not be sent');
    this.#outgoing.destroy();
  }

  /** Responds without reading the rest of the request. */
  #reject(response: Response): void {
    this.#sendResponse(response, this.#incoming.complete ? 0 : LINGER_MS);
  }

  #sendOperation({ status, headers, text, bytes, stream }: OperationResponse): void {
    if (!stream) {
      this.#sendWhole(status, headers, bytes ?? text, this.#lingerMs());
      return;
    }
    if (this.#port.isClosed) headers.push('connection', 'close');
    writeStream(this.#outgoing, status, headers, stream, this.#port).catch((error: unknown) =>
      this.#fail(error),
    );
  }

  #sendResponse(response: Response, lingerMs = this.#lingerMs()): void {
    response.headers.set('x-request-id', this.#arrival.requestId);
    response.headers.delete('content-length');
    const headers = [...response.headers].flat();
    response.text().then(
      (text) => this.#sendWhole(response.status, headers, text, lingerMs),
      (error: unknown) => this.#fail(error),
    );
  }

  #lingerMs(): number {
    return this.#arrival.unreadable ? LINGER_MS : 0;
  }

  /**
   * @param headers name, value, name, value; modified.
   * @param lingerMs time to read on, for callers that are still sending.
   */
  #sendWhole(status: number, headers: string[], body: string | Buffer, lingerMs = 0): void {
    // Batches the responses of one turn of the event loop.
    setImmediate(() => {
      if (!this.#outgoing.destroyed) this.#writeWhole(status, headers, body, lingerMs);
    });
  }

  #writeWhole(status: number, headers: string[], body: string | Buffer, lingerMs: number): void {
    const [incoming, outgoing] = [this.#incoming, this.#outgoing];
    const size = typeof body === 'string' ? Buffer.byteLength(body) : body.length;
    // The length of a stream is unknown to HEAD, too.
    const isHeadOfStream = incoming.method === 'HEAD' && size === 0;
    if (status !== 204 && status !== 304 && !isHeadOfStream) {
      headers.push('content-length', String(size));
    }
    if (lingerMs > 0 || this.#port.isClosed) headers.push('connection', 'close');
    outgoing.writeHead(status, headers);
    if (lingerMs === 0) {
      // ASCII is the same in both encodings, and latin1 is a plain copy.
      endWith(outgoing, body, size === body.length ? 'latin1' : 'utf8');
      destroyIfUnread(outgoing, this.#port.clock);
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
}

/** Writes the frames of a stream as they become available; cancels it when the connection closes. */
async function writeStream(
  outgoing: ServerResponse,
  status: number,
  headers: string[],
  stream: ResponseStream,
  port: Readonly<Port>,
): Promise<void> {
  const { clock } = port;
  const { socket } = outgoing;
  outgoing.writeHead(status, headers);
  outgoing.on('close', () => {
    stream.cancel();
    // A head written before the port closed allows keep-alive: its client would reuse the connection to this process.
    if (port.isClosed) socket?.end();
  });
  if (outgoing.destroyed) stream.cancel();
  if (stream.isOfEvents) {
    socket?.setKeepAlive(true, KEEPALIVE_MS);
    outgoing.write(OPENING);
  }
  for await (const frame of stream.frames) {
    if (outgoing.destroyed) return;
    // Parts are buffered, since the end of their operation does not depend on its reader.
    if (outgoing.write(frame) || !stream.isOfEvents || (await hasDrained(outgoing, clock)))
      continue;
    stream.cancel('stalled');
    outgoing.destroy();
  }
  outgoing.end();
  destroyIfUnread(outgoing, clock);
}

/** Waits until the buffer drains; resolves to false for a stalled reader. */
function hasDrained(outgoing: ServerResponse, clock: Clock): Promise<boolean> {
  return new Promise((resolve) => {
    const settle = (drained: boolean) => (): void => {
      clock.clearTimeout(timer);
      outgoing.off('drain', onDrain).off('close', onDrain);
      resolve(drained);
    };
    const onDrain = settle(true);
    const timer = clock.setTimeout(settle(false), STALLED_MS);
    outgoing.on('drain', onDrain).on('close', onDrain);
  });
}

/** The write timeout. */
function destroyIfUnread(outgoing: ServerResponse, clock: Clock): void {
  // Usually the whole response is in the system's buffers.
  if (!outgoing.socket?.writableLength) return;
  const timer = clock.setTimeout(() => outgoing.destroy(), READ_WITHIN_MS);
  timer.unref();
  outgoing.once('close', () => clock.clearTimeout(timer));
}

/** Writes head and body together. */
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

/** Called once: with the body, with a client error, or with undefined if the connection closed early. */
type OnBody = (body: string | GraphQLError | undefined) => void;

function readBody(request: IncomingMessage, maxBytes: number, done: OnBody): void {
  const { 'content-encoding': encoding, 'content-length': length } = request.headers;
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    const message = `Content encoding "${encoding.slice(0, 32)}" is not supported. Send the body uncompressed.`;
    done(clientError(415, 'UNSUPPORTED_MEDIA_TYPE', message));
    return;
  }
  if (Number(length ?? 0) > maxBytes) {
    done(tooLarge(maxBytes));
    return;
  }
  const bytes = new ByteCollector();
  let isDone = false;
  const end = (body: string | GraphQLError | undefined): void => {
    if (isDone) return;
    isDone = true;
    done(body);
  };
  request.on('data', (chunk: Buffer) => {
    if (bytes.size + chunk.length <= maxBytes) bytes.add(chunk);
    else end(tooLarge(maxBytes));
  });
  // `on` instead of `once`, which costs more than the rest of this function.
  request.on('end', () => {
    if (!isDone) end(decode(bytes.take()));
  });
  request.on('close', () => end(undefined));
  request.on('error', () => end(undefined));
}

const decode = (bytes: Buffer): string | GraphQLError =>
  isUtf8(bytes)
    ? withoutByteOrderMark(bytes.toString('utf8'))
    : clientError(400, 'BAD_REQUEST', 'The body is not valid UTF-8. Encode it as UTF-8.');

const tooLarge = (maxBytes: number): GraphQLError =>
  clientError(
    413,
    'BODY_TOO_LARGE',
    `The body exceeds the limit of ${maxBytes} bytes. Send a shorter one.`,
  );
