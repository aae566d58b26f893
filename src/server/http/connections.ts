/**
 * Limits on what callers can hold: connections, requests on each, and answers they do not read.
 *
 * Requests of one connection are answered one after the other. Node would begin all that arrive, and
 * hold every answer that a caller asks for and does not read.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { noteAccepted } from '../../lib/turns/accept-first.ts';
import { FirstRequests } from './first-requests.ts';
import { isProbe } from './probes.ts';

/** Requests that may wait on a connection; more than any client sends ahead. */
const MAX_PIPELINED = 64;

/** Requests that wait on all connections, past which one may have no more than a few: each costs parsing. */
const CROWDED = 256;
const MAX_PIPELINED_WHEN_CROWDED = 8;

/** How long a caller may take to read an answer that does not fit into the system's buffers. */
const READ_WITHIN_MS = 30_000;

/** Connections from one address by default: a quarter of all, so that none has every connection. */
const MAX_PER_ADDRESS = 1_024;

/** Proxies and tools on this machine. */
const LOOPBACK = /^(?:::ffff:)?127\.|^::1$/;

/**
 * Bytes of such answers, of all callers: past it, the connection that has waited longest is cut.
 */
const MAX_UNREAD_BYTES = 64_000_000;

/** Answers a request. @returns what to do when it was answered, or its caller has left. */
export type Serve = (incoming: IncomingMessage, outgoing: ServerResponse) => () => void;

interface Connection {
  /** Whether no request was read yet. */
  isNew: boolean;
  isBusy: boolean;
  /** Serve the requests that wait behind another. */
  readonly waiting: (() => void)[];
}

/** What Node calls for each request, when its headers are parsed. */
interface ParsedSocket extends Socket {
  parser?: { onIncoming: () => number } | null;
}

/** The answer by which it tells the parser that no further HTTP follows. */
const NO_HTTP_FOLLOWS = 2;

/**
 * Closes the connection of a caller who has sent too much ahead. Node would go on to make a request of
 * each that has arrived with it, of up to 64 KB, as nothing else stops its parser.
 */
function cut(socket: ParsedSocket): void {
  if (socket.parser) socket.parser.onIncoming = () => NO_HTTP_FOLLOWS;
  socket.destroy();
}

export class Connections {
  readonly #perAddress: number | undefined;
  readonly #open = new Map<Socket, Connection>();
  readonly #counts = new Map<string, number>();
  readonly #first = new FirstRequests();
  readonly #unread = new Map<ServerResponse, number>();
  #unreadBytes = 0;
  /** Requests that wait, on all connections. */
  #waiting = 0;

  /** @param perAddress connections from one address; 1,024 when undefined, and any number from this machine. */
  constructor(perAddress: number | undefined) {
    this.#perAddress = perAddress;
  }

  /** A connection was made. */
  readonly take = (socket: Socket): void => {
    noteAccepted();
    // A connection that is closed already has no address.
    const { remoteAddress: address = '' } = socket;
    const count = (this.#counts.get(address) ?? 0) + 1;
    const limit = this.#perAddress ?? (LOOPBACK.test(address) ? Infinity : MAX_PER_ADDRESS);
    if (count > limit) {
      socket.destroy();
      return;
    }
    this.#counts.set(address, count);
    const connection: Connection = { isNew: true, isBusy: false, waiting: [] };
    this.#open.set(socket, connection);
    // Node makes an error for each request that is not answered then; nothing reads their stacks.
    const { stackTraceLimit } = Error;
    socket.prependOnceListener('close', () => {
      Error.stackTraceLimit = 0;
    });
    socket.once('close', () => {
      Error.stackTraceLimit = stackTraceLimit;
      this.#open.delete(socket);
      this.#waiting -= connection.waiting.splice(0).length;
      const left = this.#counts.get(address)! - 1;
      if (left > 0) this.#counts.set(address, left);
      else this.#counts.delete(address);
    });
  };

  /** A request was read, as far as its headers: it is served when those before it are answered. */
  receive(incoming: IncomingMessage, outgoing: ServerResponse, serve: Serve): void {
    const { socket } = incoming;
    const connection = this.#open.get(socket);
    if (!connection) return; // the connection has closed
    const start = (): void => {
      connection.isBusy = true;
      const onClose = serve(incoming, outgoing);
      // It comes once; `once` costs more. A second listener would make a list of them, which V8 may make
      // among its old objects: each would keep its request until the next full collection.
      outgoing.on('close', () => {
        onClose();
        this.#next(connection, socket);
      });
    };
    const { isNew } = connection;
    connection.isNew = false;
    if (isNew && !isProbe(incoming.url)) {
      connection.isBusy = true;
      this.begin(socket, start);
      return;
    }
    const limit = this.#waiting < CROWDED ? MAX_PIPELINED : MAX_PIPELINED_WHEN_CROWDED;
    if (!connection.isBusy) {
      start();
    } else if (connection.waiting.length < limit) {
      connection.waiting.push(start);
      this.#waiting += 1;
      socket.pause();
    } else {
      cut(socket);
    }
  }

  /** Begins the first request of a connection when its turn comes, unless the connection has closed. */
  begin(socket: Duplex, start: () => void): void {
    this.#first.add(() => {
      if (!socket.destroyed) start();
    });
  }

  /** Whether requests wait behind the one that is answered. */
  hasWaiting(socket: Socket): boolean {
    return (this.#open.get(socket)?.waiting.length ?? 0) > 0;
  }

  /** Bounds what the reader of an answer that was handed over makes us hold. */
  watch(outgoing: ServerResponse): void {
    const bytes = outgoing.socket?.writableLength ?? 0;
    // Usually the system's buffers take all of it.
    if (bytes === 0) return;
    const timer = setTimeout(() => outgoing.destroy(), READ_WITHIN_MS).unref();
    this.#unread.set(outgoing, bytes);
    this.#unreadBytes += bytes;
    outgoing.once('close', () => {
      clearTimeout(timer);
      this.#forget(outgoing);
    });
    for (const [longest] of this.#unread) {
      if (this.#unreadBytes <= MAX_UNREAD_BYTES) return;
      this.#forget(longest);
      longest.destroy();
    }
  }

  /** Closes connections on which nothing was ever sent, which Node does not count as idle. */
  closeSilent(): void {
    for (const socket of this.#open.keys()) if (socket.bytesRead === 0) socket.destroy();
  }

  /** Resolves when every connection that is open now has closed. */
  async closed(): Promise<void> {
    await Promise.all(
      [...this.#open.keys()].map(
        (socket) => new Promise<void>((resolve) => socket.once('close', () => resolve())),
      ),
    );
  }

  #next(connection: Connection, socket: Socket): void {
    connection.isBusy = false;
    const start = connection.waiting.shift();
    if (!start) return;
    this.#waiting -= 1;
    if (socket.destroyed) return;
    // Node resumes the socket to read the rest of a request.
    if (connection.waiting.length > 0) socket.pause();
    else socket.resume();
    start();
  }

  #forget(outgoing: ServerResponse): void {
    this.#unreadBytes -= this.#unread.get(outgoing) ?? 0;
    this.#unread.delete(outgoing);
  }
}
