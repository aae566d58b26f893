/**
 * Operations over WebSocket in the protocol `graphql-transport-ws`, with `ws`.
 *
 * Each operation passes Yoga. The key (and `authorization`, if it is forwarded) is sent once per socket: with
 * the upgrade, or in `connection_init`, since browsers cannot set headers. The page's origin is checked, since browsers
 * send no preflight.
 *
 * Clients that lose their socket repeat operations without a result, even mutations. So a process that stops begins no
 * further operations, and closes a socket after the results of its queries and mutations.
 *
 * Source: https://github.com/enisdenjo/graphql-ws/blob/master/PROTOCOL.md
 */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { GraphQLSchema } from 'graphql';
import {
  CloseCode,
  GRAPHQL_TRANSPORT_WS_PROTOCOL,
  handleProtocols,
  MessageType,
  parseMessage,
  type ConnectionInitMessage,
  type Message,
  type SubscribePayload,
} from 'graphql-ws';
import { WebSocketServer, type WebSocket } from 'ws';
import { dictionary } from '../../lib/dictionary.ts';
import { withoutByteOrderMark } from '../../lib/byte-order-mark.ts';
import { API_KEY_HEADER, isApiKey } from '../../v0/api-key.ts';
import { errorResponse } from '../operation/client-error.ts';
import {
  arrive,
  CLIENT_NAME_HEADERS,
  CLIENT_VERSION_HEADERS,
  Operation,
  type HeaderFields,
  type Transport,
} from '../operation/operation.ts';
import type { Drainable, Subscriptions } from '../operation/subscriptions.ts';
import type { Logger } from '../observe/logs/logger.ts';
import { mayAsk, type OnForeignOrigin } from '../policies/cors.ts';
import type { OperationServer } from '../yoga/operation-server.ts';
import { SocketOperations } from './socket-operations.ts';

export interface WebSocketOptions {
  /** Kinds of operations served. */
  readonly socketOperations: 'subscriptions' | 'all';
  /** Maximum number of open operations per socket. */
  readonly maxPerSocket: number;
}

interface WebSocketTransportOptions extends WebSocketOptions {
  readonly schema: GraphQLSchema;
  readonly server: OperationServer;
  readonly subscriptions: Subscriptions;
  /** Maximum size of a message, in bytes. */
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

/** Interval of pings, in milliseconds; sockets without an answer are closed. */
export const PING_MS = 12_000;

/** Time for a client to answer a close, in milliseconds. */
const CLOSE_MS = 2_000;

/** Unsent bytes above which no messages are read from a client. */
export const MAX_UNREAD_BYTES = 1_000_000;

/** Close code "Service Restart" of the IANA registry, after which graphql-ws's client reconnects. */
const SERVICE_RESTART = 1_012;

/** The subprotocol of the package subscriptions-transport-ws. */
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
  const { schema, server, subscriptions, corsOrigins, onForeignOrigin, forwarded, logger } =
    options;
  const { socketOperations, maxPerSocket, maxBodyBytes } = options;
  const transport: Transport = {
    name: 'websocket',
    path: '/graphql',
    streams: 'always',
    onlySubscriptions: socketOperations === 'subscriptions',
    readParams: ({ given }) => given,
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

  /** Returns the headers of all operations of a socket; undefined if it may not be used. */
  function headersOf(
    { payload }: ConnectionInitMessage,
    upgrade: IncomingHttpHeaders,
  ): HeaderFields | undefined {
    const params = new Map(
      Object.entries(payload ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
    );
    const authorization = params.get('authorization');
    const isForwarded = forwarded.includes('authorization');
    if (isForwarded && authorization != null && !isHeaderValue(authorization)) return undefined;
    // The upgrade's key takes precedence, since a proxy may have set it.
    const key = upgrade[API_KEY_HEADER] ?? params.get(API_KEY_HEADER);
    if (key != null && (typeof key !== 'string' || !isApiKey(key))) return undefined;
    return {
      ...(isForwarded && isHeaderValue(authorization) && { authorization }),
      ...dictionary(forwarded.flatMap((name) => pairOf(name, upgrade[name]))),
      ...(key != null && { [API_KEY_HEADER]: key }),
      [CLIENT_NAME_HEADERS[0]]: oneOf(params, CLIENT_NAME_HEADERS),
      [CLIENT_VERSION_HEADERS[0]]: oneOf(params, CLIENT_VERSION_HEADERS),
    };
  }

  const operationOf = (
    payload: SubscribePayload,
    headers: HeaderFields,
    connectionParams: ConnectionInitMessage['payload'],
  ): Operation =>
    new Operation(transport, arrive(null), schema, {
      headers: {
        ...headers,
        // Headers belong to the socket; traces to its operations.
        traceparent: textOf(payload.extensions, 'traceparent'),
        tracestate: textOf(payload.extensions, 'tracestate'),
      },
      given: payload,
      connectionParams,
    });

  function serve(socket: WebSocket, upgradeHeaders: IncomingHttpHeaders): void {
    // For example a message that is too large; `ws` closes the socket with the right code.
    socket.on('error', () => {});
    // Its client offered no subprotocol, or others alone.
    if (socket.protocol !== GRAPHQL_TRANSPORT_WS_PROTOCOL) {
      const offered = upgradeHeaders['sec-websocket-protocol'];
      // Others may be secrets of the client.
      const known = offered?.split(',').some((name) => name.trim() === LEGACY_PROTOCOL);
      logger.warn(
        { offered: known ? LEGACY_PROTOCOL : offered === undefined ? 'none' : 'others' },
        known ? LEGACY_REJECTED : PROTOCOL_REJECTED,
      );
      closeSoon(socket, CloseCode.SubprotocolNotAcceptable, 'Subprotocol not acceptable');
      return;
    }
    /** Headers of the upgrade, until `connection_init`: not retained for the life of the socket. */
    let upgrade: IncomingHttpHeaders | undefined = upgradeHeaders;
    /** Headers of all operations, after `connection_init`. */
    let headers: HeaderFields | undefined;
    /** For plugins: not retained without any. */
    let connectionParams: ConnectionInitMessage['payload'];
    let isThere = true;
    let isDraining = false;
    // Resolves when the message is written; only then is the next event awaited.
    const send = (message: string): Promise<void> =>
      new Promise((resolve) => {
        socket.send(message, () => {
          isThere = true;
          if (socket.isPaused && socket.bufferedAmount <= MAX_UNREAD_BYTES) socket.resume();
          resolve();
        });
      });
    const operations = new SocketOperations({
      server,
      maxPerSocket,
      send,
      cut: () => socket.terminate(),
    });
    const closeWhenDone = (): void => {
      if (!isDraining || operations.isBusy) return;
      // The last result is sent first.
      closeSoon(socket, SERVICE_RESTART, 'Service restart');
    };
    const connection: Drainable = {
      drain: () => {
        isDraining = true;
        closeWhenDone();
      },
    };
    const initialise = async (message: ConnectionInitMessage): Promise<void> => {
      if (!upgrade) {
        closeSoon(
          socket,
          CloseCode.TooManyInitialisationRequests,
          'Too many initialisation requests',
        );
        return;
      }
      clearTimeout(waiting);
      headers = headersOf(message, upgrade);
      upgrade = undefined;
      if (server.hasPlugins) connectionParams = message.payload;
      if (headers) await send(ACK);
      else closeSoon(socket, CloseCode.Forbidden, 'Forbidden');
    };
    const take = async (message: Message): Promise<void> => {
      switch (message.type) {
        case MessageType.ConnectionInit:
          return initialise(message);
        case MessageType.Ping:
          // Clients may take null for an invalid payload.
          return send(
            JSON.stringify({ type: MessageType.Pong, payload: message.payload ?? undefined }),
          );
        case MessageType.Pong:
          return undefined;
        case MessageType.Subscribe: {
          const { id, payload } = message;
          if (!headers) return closeSoon(socket, CloseCode.Unauthorized, 'Unauthorized');
          // Not begun, so its client repeats it on another socket.
          if (isDraining) return undefined;
          if (!operations.has(id))
            return operations.serve(id, operationOf(payload, headers, connectionParams));
          const reason = 'Subscriber already exists';
          return closeSoon(socket, CloseCode.SubscriberAlreadyExists, reason);
        }
        case MessageType.Complete:
          return operations.complete(message.id);
        default:
          // Messages of servers.
          return closeSoon(socket, CloseCode.BadRequest, 'Invalid message received');
      }
    };
    const waiting = setTimeout(() => {
      const reason = 'Connection initialisation timeout';
      closeSoon(socket, CloseCode.ConnectionInitialisationTimeout, reason);
    }, INIT_MS);
    const ping = setInterval(() => {
      if (!isThere) {
        socket.terminate();
        return;
      }
      isThere = false;
      socket.ping();
    }, PING_MS);
    subscriptions.add(connection);
    socket.on('message', (data) => {
      isThere = true;
      if (socket.readyState !== socket.OPEN) return;
      if (socket.bufferedAmount > MAX_UNREAD_BYTES) socket.pause();
      let message: Message;
      try {
        // `ws` passes a single buffer by default.
        message = parseMessage(withoutByteOrderMark((data as Buffer).toString()));
      } catch {
        closeSoon(socket, CloseCode.BadRequest, 'Invalid message received');
        return;
      }
      take(message).then(closeWhenDone, () => socket.terminate());
    });
    socket.on('pong', () => {
      isThere = true;
    });
    socket.once('close', () => {
      clearTimeout(waiting);
      clearInterval(ping);
      subscriptions.delete(connection);
      operations.close();
    });
  }

  /** Why `ws` does not take over a connection; set within `handleUpgrade`. */
  let malformed = '';
  sockets.on('wsClientError', ({ message }) => {
    malformed = message;
  });

  return (incoming, socket, head) => {
    const { method, url = '', headers } = incoming;
    if (!/^\/graphql(?:\?|$)/.test(url)) {
      return errorResponse(404, 'NOT_FOUND', 'Not found. Endpoints: /graphql.');
    }
    if (!mayAsk(headers.origin, headers.host, corsOrigins)) {
      onForeignOrigin(headers.origin!);
      return errorResponse(
        403,
        'ORIGIN_NOT_ALLOWED',
        'Origin not allowed. Add it to CORS_ORIGINS.',
      );
    }
    if (method !== 'GET') {
      const allow = { allow: 'GET' };
      return errorResponse(405, 'METHOD_NOT_ALLOWED', 'Use GET.', allow);
    }
    malformed = '';
    sockets.handleUpgrade(incoming, socket, head, (opened) => serve(opened, headers));
    if (malformed === '') return undefined;
    const versions = { 'sec-websocket-version': '13' };
    return errorResponse(
      400,
      'BAD_REQUEST',
      `Invalid WebSocket handshake: ${malformed}.`,
      versions,
    );
  };
}

const ACK = JSON.stringify({ type: MessageType.ConnectionAck });

const pairOf = (name: string, value: string | string[] | undefined) =>
  value === undefined ? [] : [[name, value] as const];

/** Returns the first string under one of two header names in `connection_init`. */
const oneOf = (
  params: ReadonlyMap<string, unknown>,
  names: readonly string[],
): string | undefined =>
  names.map((name) => params.get(name)).find((value) => typeof value === 'string');

/** Whether a value of `connection_init` can be a header. Its length is checked at the first operation. */
const isHeaderValue = (value: unknown): value is string =>
  typeof value === 'string' && /^[\x20-\x7e]+$/.test(value);

const textOf = (
  extensions: Readonly<Record<string, unknown>> | null | undefined,
  name: string,
): string | undefined => {
  const value = extensions?.[name];
  return typeof value === 'string' ? value : undefined;
};

/** Closes a socket, and terminates it if the client does not answer. */
function closeSoon(socket: WebSocket, code: number, reason?: string): void {
  socket.close(code, reason);
  setTimeout(() => socket.terminate(), CLOSE_MS).unref();
}
