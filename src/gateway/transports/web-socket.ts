/**
 * Operations over WebSocket in the protocol `graphql-transport-ws`, with `ws`.
 *
 * The API key (and `authorization`, if it is forwarded) is sent once per socket: with the upgrade, or in
 * `connection_init`, since browsers cannot set headers. The page's origin is checked, since browsers send no preflight.
 *
 * Source: https://github.com/enisdenjo/graphql-ws/blob/master/PROTOCOL.md
 */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import {
  CloseCode,
  GRAPHQL_TRANSPORT_WS_PROTOCOL,
  handleProtocols,
  MessageType,
  parseMessage,
  type ConnectionInitMessage,
  type Message,
  type SubscribeMessage,
} from 'graphql-ws';
import { WebSocketServer, type WebSocket } from 'ws';
import { dictionary } from '../../lib/dictionary.ts';
import { withoutByteOrderMark } from '../../lib/byte-order-mark.ts';
import { API_KEY_HEADER, isApiKey } from '../../v0/api-key.ts';
import { clientError, errorResponse, notFound } from '../operation/client-error.ts';
import {
  arrive,
  CLIENT_NAME_HEADERS,
  CLIENT_VERSION_HEADERS,
  releaseResponse,
  type HeaderFields,
  type Operation,
  type Transport,
} from '../operation/operation.ts';
import { formatError, formatResult, statusOf } from '../operation/response.ts';
import type { Drainable, Subscriptions } from '../operation/subscriptions.ts';
import type { Logger } from '../observe/logs/logger.ts';
import { mayAsk, type OnForeignOrigin } from '../policies/cors.ts';
import type { Executed, Results } from '../policy.ts';
import type { OperationServer } from '../yoga/operation-server.ts';

export interface WebSocketOptions {
  readonly socketOperations: 'subscriptions' | 'all';
  readonly maxPerSocket: number;
}

interface WebSocketTransportOptions extends WebSocketOptions {
  readonly server: OperationServer;
  readonly subscriptions: Subscriptions;
  readonly maxBodyBytes: number;
  /** Allowed origins of pages, in addition to the gateway's own. */
  readonly corsOrigins: readonly string[];
  readonly onForeignOrigin: OnForeignOrigin;
  readonly logger: Logger;
  /** Forwarded headers, in lower case. */
  readonly forwarded: readonly string[];
}

/** Time for a client to send `connection_init`, in milliseconds. */
export const INIT_MS = 3_000;

/** Interval of pings, in milliseconds; unresponsive sockets are closed. */
export const PING_MS = 12_000;

/** Time for a client to respond to a close, in milliseconds. */
const CLOSE_MS = 2_000;

/** Unsent bytes above which no messages are read from a client. */
export const MAX_UNREAD_BYTES = 1_000_000;

/** Close code "Service Restart" of the IANA registry, after which graphql-ws's client reconnects. */
const SERVICE_RESTART = 1_012;

const LEGACY_PROTOCOL = 'graphql-ws';

const PROTOCOL_REJECTED = `WebSocket rejected: the client does not offer the subprotocol ${GRAPHQL_TRANSPORT_WS_PROTOCOL}.`;

const LEGACY_REJECTED = `${PROTOCOL_REJECTED} Replace the package subscriptions-transport-ws with graphql-ws.`;

/** Takes over a connection, or returns the error response. */
export type Upgrade = (
  incoming: IncomingMessage,
  socket: Duplex,
  head: Buffer,
) => Response | undefined;

export function createWebSocketTransport(options: WebSocketTransportOptions): Upgrade {
  const { corsOrigins, onForeignOrigin, maxBodyBytes, socketOperations, logger } = options;
  const transport: Transport = {
    name: 'websocket',
    path: '/graphql',
    streams: 'always',
    onlySubscriptions: socketOperations === 'subscriptions',
  };
  const sockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    // One message of a socket per turn, so busy sockets do not block others.
    allowSynchronousEvents: false,
    maxPayload: maxBodyBytes,
    handleProtocols,
  });
  /** Why `ws` rejects a handshake; set within `handleUpgrade`. */
  let malformed = '';
  sockets.on('wsClientError', ({ message }) => {
    malformed = message;
  });
  const onOpen = (socket: WebSocket, headers: IncomingHttpHeaders): void => {
    // For example a message that is too large; `ws` closes the socket with the right code.
    socket.on('error', () => {});
    if (socket.protocol === GRAPHQL_TRANSPORT_WS_PROTOCOL) {
      void new SocketConnection(socket, headers, transport, options);
    } else {
      logRejectedProtocol(logger, headers['sec-websocket-protocol']);
      closeSoon(socket, CloseCode.SubprotocolNotAcceptable, 'Subprotocol not acceptable');
    }
  };
  return (incoming, socket, head) => {
    const { method, url = '', headers } = incoming;
    if (!/^\/graphql(?:\?|$)/.test(url)) {
      return notFound(['/graphql']);
    }
    if (!mayAsk(headers.origin, headers.host, corsOrigins)) {
      onForeignOrigin(headers.origin!);
      const message = 'Origin not allowed. Add it to CORS_ORIGINS.';
      return errorResponse(403, 'ORIGIN_NOT_ALLOWED', message);
    }
    if (method !== 'GET') {
      return errorResponse(405, 'METHOD_NOT_ALLOWED', 'Method not allowed. Use GET.', {
        allow: 'GET',
      });
    }
    malformed = '';
    sockets.handleUpgrade(incoming, socket, head, (opened) => onOpen(opened, headers));
    if (malformed === '') return undefined;
    const message = `Invalid WebSocket handshake: ${malformed}.`;
    return errorResponse(400, 'BAD_REQUEST', message, { 'sec-websocket-version': '13' });
  };
}

function logRejectedProtocol(logger: Logger, offered: string | undefined): void {
  if (offered?.split(',').some((name) => name.trim() === LEGACY_PROTOCOL)) {
    logger.warn({ offered: LEGACY_PROTOCOL }, LEGACY_REJECTED);
  } else {
    // Other protocols may be secrets of the client.
    logger.warn({ offered: offered === undefined ? 'none' : 'others' }, PROTOCOL_REJECTED);
  }
}

const ACK = JSON.stringify({ type: MessageType.ConnectionAck });

interface LastMessage {
  readonly type: MessageType.Next | MessageType.Error;
  /** In JSON. */
  readonly payload: string;
}

/**
 * A socket and its operations.
 *
 * Not graphql-ws' server, which ends operations by id: a client may use an id again after `complete`, while the first
 * operation is still executed.
 *
 * Clients that lose their socket repeat operations without a result, even mutations. So while the process stops, no
 * operations begin, and the socket is closed after the results of its queries and mutations.
 */
class SocketConnection implements Drainable {
  readonly #socket: WebSocket;
  readonly #options: WebSocketTransportOptions;
  readonly #transport: Transport;
  /** Open operations, by the ids of its client. */
  readonly #open = new Map<string, Operation>();
  /** Headers of the upgrade, until `connection_init`: not retained for the life of the socket. */
  #upgrade: IncomingHttpHeaders | undefined;
  /** Headers of all operations, after `connection_init`. */
  #headers: HeaderFields | undefined;
  /** For plugins: not retained without any. */
  #connectionParams: ConnectionInitMessage['payload'];
  /** Whether the client has responded since the last ping. */
  #isAlive = true;
  #isDraining = false;
  readonly #initTimer: NodeJS.Timeout;
  readonly #cut = (): void => this.#socket.terminate();

  constructor(
    socket: WebSocket,
    upgrade: IncomingHttpHeaders,
    transport: Transport,
    options: WebSocketTransportOptions,
  ) {
    this.#socket = socket;
    this.#upgrade = upgrade;
    this.#transport = transport;
    this.#options = options;
    const { subscriptions } = options;
    this.#initTimer = setTimeout(() => {
      const code = CloseCode.ConnectionInitialisationTimeout;
      closeSoon(socket, code, 'Connection initialisation timeout');
    }, INIT_MS);
    const pings = setInterval(() => {
      if (!this.#isAlive) return socket.terminate();
      this.#isAlive = false;
      return socket.ping();
    }, PING_MS);
    subscriptions.add(this);
    // `ws` passes a single buffer by default.
    socket.on('message', (data) => this.#onMessage(data as Buffer));
    socket.on('pong', () => {
      this.#isAlive = true;
    });
    socket.once('close', () => {
      clearTimeout(this.#initTimer);
      clearInterval(pings);
      subscriptions.delete(this);
      for (const id of this.#open.keys()) this.#complete(id);
    });
  }

  drain(): void {
    this.#isDraining = true;
    this.#closeWhenDone();
  }

  #closeWhenDone(): void {
    if (!this.#isDraining) return;
    // A query or mutation, or an operation that may become one.
    for (const { stream } of this.#open.values()) if (!stream) return;
    // The last result is sent first.
    closeSoon(this.#socket, SERVICE_RESTART, 'Service restart');
  }

  #onMessage(data: Buffer): void {
    const socket = this.#socket;
    this.#isAlive = true;
    if (socket.readyState !== socket.OPEN) return;
    if (socket.bufferedAmount > MAX_UNREAD_BYTES) socket.pause();
    let message: Message;
    try {
      message = parseMessage(withoutByteOrderMark(data.toString()));
    } catch {
      closeSoon(socket, CloseCode.BadRequest, 'Invalid message received');
      return;
    }
    this.#handle(message).then(
      () => this.#closeWhenDone(),
      () => socket.terminate(),
    );
  }

  async #handle(message: Message): Promise<void> {
    switch (message.type) {
      case MessageType.ConnectionInit:
        return this.#initialise(message);
      case MessageType.Ping:
        // Clients may take null for an invalid payload.
        return this.#send(
          JSON.stringify({ type: MessageType.Pong, payload: message.payload ?? undefined }),
        );
      case MessageType.Pong:
        return undefined;
      case MessageType.Subscribe:
        return this.#subscribe(message);
      case MessageType.Complete:
        return this.#complete(message.id);
      default:
        // Messages of servers.
        return closeSoon(this.#socket, CloseCode.BadRequest, 'Invalid message received');
    }
  }

  async #initialise(message: ConnectionInitMessage): Promise<void> {
    const upgrade = this.#upgrade;
    if (!upgrade) {
      const code = CloseCode.TooManyInitialisationRequests;
      return closeSoon(this.#socket, code, 'Too many initialisation requests');
    }
    clearTimeout(this.#initTimer);
    const { forwarded, server } = this.#options;
    this.#headers = headersOf(message, upgrade, forwarded);
    this.#upgrade = undefined;
    if (server.hasPlugins) this.#connectionParams = message.payload;
    return this.#headers
      ? this.#send(ACK)
      : closeSoon(this.#socket, CloseCode.Forbidden, 'Forbidden');
  }

  async #subscribe({ id, payload }: SubscribeMessage): Promise<void> {
    if (!this.#headers) return closeSoon(this.#socket, CloseCode.Unauthorized, 'Unauthorized');
    // Not begun, so its client repeats it on another socket.
    if (this.#isDraining) return undefined;
    if (this.#open.has(id)) {
      const code = CloseCode.SubscriberAlreadyExists;
      return closeSoon(this.#socket, code, 'Subscriber already exists');
    }
    const { traceparent, tracestate } = payload.extensions ?? {};
    const operation = this.#options.server.begin(this.#transport, arrive(null), {
      headers: {
        ...this.#headers,
        // Headers belong to the socket; traces to its operations.
        traceparent: stringOf(traceparent),
        tracestate: stringOf(tracestate),
      },
      body: payload,
      connectionParams: this.#connectionParams,
    });
    return this.#serve(id, operation);
  }

  /** Ends an operation for its client, which receives no more of it. Mutations are executed to their end. */
  #complete(id: string): void {
    const operation = this.#open.get(id);
    if (!operation) return;
    this.#open.delete(id);
    operation.cancel.cancel();
    operation.stream?.close('left');
    releaseResponse(operation.arrival);
  }

  /** Executes an operation and sends its results. Resolves at its end. */
  async #serve(id: string, operation: Operation): Promise<void> {
    this.#open.set(id, operation);
    const executed = await this.#execute(operation);
    const last =
      Symbol.asyncIterator in executed ? await this.#sendAll(id, operation, executed) : executed;
    if (last) await this.#sendResult(id, operation, last.type, last.payload);
    releaseResponse(operation.arrival);
    if (this.#open.get(id) !== operation) return;
    this.#open.delete(id);
    // An error is the last message of its operation.
    if (last?.type !== MessageType.Error) {
      await this.#send(JSON.stringify({ id, type: MessageType.Complete }));
    }
  }

  /** Executes and reports an operation. Returns its results or its only message. */
  async #execute(operation: Operation): Promise<Results | LastMessage> {
    const { server, maxPerSocket } = this.#options;
    let status = 500;
    let type: LastMessage['type'] = MessageType.Error;
    const run = async (): Promise<Executed> => {
      if (this.#open.size > maxPerSocket) throw tooMany(maxPerSocket);
      const perform = await server.prepare(operation);
      if (typeof perform !== 'function') return { errors: perform };
      type = MessageType.Next;
      // Its client left before it began.
      return operation.cancel.cancelled ? { data: null } : perform();
    };
    try {
      const executed = await run().catch((error: unknown) => ({
        errors: [server.translate(error)],
      }));
      if (Symbol.asyncIterator in executed) {
        status = 200;
        // Its client left before it had a stream.
        if (operation.cancel.cancelled) operation.stream?.close('left');
        return executed;
      }
      // A plugin replaced the stream by a single result.
      operation.stream?.close('left');
      const result = server.settle(operation, executed);
      status = statusOf(result);
      const payload = JSON.stringify(
        type === MessageType.Error ? result.errors!.map(formatError) : formatResult(result),
      );
      operation.bytes = Buffer.byteLength(payload);
      operation.arrival.cut = operation.cancel.cancelled ? undefined : this.#cut;
      return { type, payload };
    } finally {
      server.end(operation, status);
    }
  }

  /** Sends the results of a subscription. @returns the last message if a plugin fails. */
  async #sendAll(
    id: string,
    operation: Operation,
    results: Results,
  ): Promise<LastMessage | undefined> {
    try {
      for await (const result of results) {
        if (operation.cancel.cancelled) break;
        // The next event is awaited when this one is written.
        await this.#sendResult(
          id,
          operation,
          MessageType.Next,
          JSON.stringify(formatResult(result)),
        );
      }
      return undefined;
    } catch (error) {
      operation.stream?.close('left');
      const translated = formatError(this.#options.server.translate(error));
      return { type: MessageType.Error, payload: JSON.stringify([translated]) };
    }
  }

  /** Sends a result to a client that still waits for it, serialised once. */
  async #sendResult(
    id: string,
    operation: Operation,
    type: MessageType,
    payload: string,
  ): Promise<void> {
    if (operation.cancel.cancelled) return;
    await this.#send(`{"id":${JSON.stringify(id)},"type":"${type}","payload":${payload}}`);
  }

  /** Resolves when the message is written; only then is the next event awaited. */
  #send(message: string): Promise<void> {
    const socket = this.#socket;
    return new Promise((resolve) => {
      socket.send(message, () => {
        this.#isAlive = true;
        if (socket.isPaused && socket.bufferedAmount <= MAX_UNREAD_BYTES) socket.resume();
        resolve();
      });
    });
  }
}

const tooMany = (max: number) =>
  clientError(
    429,
    'TOO_MANY_SUBSCRIPTIONS',
    `Limit of ${max} open operations per WebSocket reached. Complete some, or open another WebSocket.`,
  );

/** Returns the headers of all operations of a socket; undefined if it may not be used. */
function headersOf(
  { payload }: ConnectionInitMessage,
  upgrade: IncomingHttpHeaders,
  forwarded: readonly string[],
): HeaderFields | undefined {
  const params = new Map(
    Object.entries(payload ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
  );
  const firstOf = (names: readonly string[]) =>
    names.map((name) => stringOf(params.get(name))).find((value) => value !== undefined);
  const authorization = params.get('authorization');
  const isForwarded = forwarded.includes('authorization');
  if (isForwarded && authorization != null && !isHeaderValue(authorization)) return undefined;
  // The upgrade's key takes precedence, since a proxy may have set it.
  const key = upgrade[API_KEY_HEADER] ?? params.get(API_KEY_HEADER);
  if (key != null && (typeof key !== 'string' || !isApiKey(key))) return undefined;
  return {
    ...(isForwarded && isHeaderValue(authorization) && { authorization }),
    ...dictionary(
      forwarded.flatMap((name) =>
        upgrade[name] === undefined ? [] : [[name, upgrade[name]] as const],
      ),
    ),
    ...(key != null && { [API_KEY_HEADER]: key }),
    [CLIENT_NAME_HEADERS[0]]: firstOf(CLIENT_NAME_HEADERS),
    [CLIENT_VERSION_HEADERS[0]]: firstOf(CLIENT_VERSION_HEADERS),
  };
}

/** Whether a value of `connection_init` can be a header. Its length is checked at the first operation. */
const isHeaderValue = (value: unknown): value is string =>
  typeof value === 'string' && /^[\x20-\x7e]+$/.test(value);

const stringOf = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined;

/** Closes a socket, and terminates it if the client does not respond. */
function closeSoon(socket: WebSocket, code: number, reason: string): void {
  socket.close(code, reason);
  setTimeout(() => socket.terminate(), CLOSE_MS).unref();
}
