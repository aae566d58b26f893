/**
 * A request of Node's server and its response: a single one, parts, or server-sent events.
 *
 * Not Yoga's writer of events: it sends `complete` when the process stops, after which clients do not reconnect; it lets
 * proxies buffer, and never ends stalled readers.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../../lib/clock.ts';
import { arrive, releaseResponse, type Arrival } from '../operation/operation.ts';
import { OPENING, type OperationResponse, type ResponseStream } from '../operation/response.ts';
import type { Stopping } from './drain.ts';
import type { Site } from './site.ts';

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

export class HttpExchange {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly arrival: Arrival;
  readonly #site: Site;
  readonly #stopping: Readonly<Stopping>;

  constructor(
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    site: Site,
    stopping: Readonly<Stopping>,
  ) {
    this.incoming = incoming;
    this.outgoing = outgoing;
    this.#site = site;
    this.#stopping = stopping;
    this.arrival = arrive(incoming.headers['x-request-id']);
    this.arrival.cut = () => outgoing.destroy();
    // `on` is cheaper than `once`.
    outgoing.on('close', () => {
      if (!outgoing.writableFinished) this.arrival.cancel.cancel();
      releaseResponse(this.arrival);
    });
  }

  /** Logs an unexpected error, and closes the connection without a response. */
  fail(error: unknown): void {
    const { requestId } = this.arrival;
    this.#site.logger.error({ err: error, requestId }, 'Response could not be sent');
    this.outgoing.destroy();
  }

  /** Responds without reading the rest of the request. */
  reject(response: Response): void {
    this.sendResponse(response, this.incoming.complete ? 0 : LINGER_MS);
  }

  /** Sets the headers of a file that is sent by other means. */
  prepareFile(): void {
    this.outgoing.setHeader('x-request-id', this.arrival.requestId);
    if (this.#stopping.isPortClosed) this.outgoing.setHeader('connection', 'close');
  }

  sendOperation({ status, headers, text, bytes, stream }: OperationResponse): void {
    if (!stream) {
      this.#sendWhole(status, headers, bytes ?? text, this.#lingerMs());
      return;
    }
    const stopping = this.#stopping;
    if (stopping.isPortClosed) headers.push('connection', 'close');
    writeStream(this.outgoing, status, headers, stream, stopping).catch((error: unknown) =>
      this.fail(error),
    );
  }

  sendResponse(response: Response, lingerMs = this.#lingerMs()): void {
    response.headers.set('x-request-id', this.arrival.requestId);
    response.headers.delete('content-length');
    const headers = [...response.headers].flat();
    response.text().then(
      (text) => this.#sendWhole(response.status, headers, text, lingerMs),
      (error: unknown) => this.fail(error),
    );
  }

  #lingerMs(): number {
    return this.arrival.unreadable ? LINGER_MS : 0;
  }

  /**
   * @param headers name, value, name, value; modified.
   * @param lingerMs time to read on, for callers that are still sending.
   */
  #sendWhole(status: number, headers: string[], body: string | Buffer, lingerMs = 0): void {
    // Batches the responses of one turn of the event loop.
    setImmediate(() => {
      if (!this.outgoing.destroyed) this.#writeWhole(status, headers, body, lingerMs);
    });
  }

  #writeWhole(status: number, headers: string[], body: string | Buffer, lingerMs: number): void {
    const { incoming, outgoing } = this;
    const size = typeof body === 'string' ? Buffer.byteLength(body) : body.length;
    // The length of a stream is unknown to HEAD, too.
    const isHeadOfStream = incoming.method === 'HEAD' && size === 0;
    if (status !== 204 && status !== 304 && !isHeadOfStream) {
      headers.push('content-length', String(size));
    }
    if (lingerMs > 0 || this.#stopping.isPortClosed) headers.push('connection', 'close');
    outgoing.writeHead(status, headers);
    if (lingerMs === 0) {
      // ASCII is the same in both encodings, and latin1 is a plain copy.
      endWith(outgoing, body, size === body.length ? 'latin1' : 'utf8');
      destroyIfUnread(outgoing, this.#stopping.clock);
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
  stopping: Readonly<Stopping>,
): Promise<void> {
  const { clock } = stopping;
  const { socket } = outgoing;
  outgoing.writeHead(status, headers);
  outgoing.on('close', () => {
    stream.cancel();
    // A head written before the port closed allows keep-alive: its client would reuse the connection to this process.
    if (stopping.isPortClosed) socket?.end();
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
