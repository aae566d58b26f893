/**
 * Operations over WebSocket, in the protocol `graphql-transport-ws`.
 *
 * graphql-ws keeps the protocol and executes nothing: each operation goes to the operation handler, as
 * over every other carrier. The key comes once, in `connection_init`, because browsers cannot set
 * headers here; and because browsers ask no permission either, the page's origin is checked.
 *
 * Source: https://github.com/enisdenjo/graphql-ws/blob/master/PROTOCOL.md
 */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import {
  GraphQLError,
  parse,
  type ExecutionResult,
  type FormattedExecutionResult,
  type GraphQLFormattedError,
} from 'graphql';
import { CloseCode, handleProtocols, makeServer, type Context, type Server } from 'graphql-ws';
import { WebSocketServer, type WebSocket } from 'ws';
import { API_KEY_HEADER, isApiKey } from '../../lib/api-key.ts';
import type { Logger } from '../observe/logger.ts';
import type { Requests } from '../observe/requests.ts';
import type { OperationHandler } from '../operation/operation-handler.ts';
import { createRecord } from '../operation/request-record.ts';
import type { Drainable } from '../operation/subscriptions.ts';
import { refusal, refusalResponse } from '../reply/refusal.ts';
import { ReplyStream } from '../reply/reply-stream.ts';
import type { Reply } from '../reply/reply.ts';

export interface WebSocketOptions {
  /** What may be sent. @default subscriptions */
  readonly operations?: 'subscriptions' | 'all';
  /** Operations that one socket may have open. @default 100 */
  readonly maxPerSocket?: number;
  /** The largest message that is read. @default 100_000 */
  readonly maxPayloadBytes?: number;
}

interface WebSocketCarrierOptions extends WebSocketOptions {
  readonly handler: OperationHandler;
  /** Origins whose pages may connect, beside those of this very host. */
  readonly corsOrigins: readonly string[];
  readonly logger: Logger;
  readonly requests: Requests;
}

/** A socket that says nothing is asked whether it is there, and closed when it is not, in milliseconds. */
const PING_MS = 12_000;

/** How long a client may take to answer our close, in milliseconds. */
const CLOSE_MS = 2_000;

/** A client that has not read so much is not read from. */
const MAX_UNREAD_BYTES = 1_000_000;

/** "Service Restart", of the IANA registry: graphql-ws's client connects again. */
const SERVICE_RESTART = 1_012;

/** graphql-ws looks at the document for whether a stream or one result follows, and executes nothing. */
const STREAM = parse('subscription { carried }');
const RESULT = parse('{ carried }');

/** What a socket brings along. */
interface Extra {
  /** That of `connection_init`. */
  apiKey: string | undefined;
}

type Params = Record<string, unknown>;

export class WebSocketCarrier {
  readonly #options: Required<WebSocketOptions> & WebSocketCarrierOptions;
  readonly #sockets: WebSocketServer;
  readonly #protocol: Server<Extra>;

  constructor(options: WebSocketCarrierOptions) {
    const { operations = 'subscriptions', maxPerSocket = 100, maxPayloadBytes = 100_000 } = options;
    this.#options = { ...options, operations, maxPerSocket, maxPayloadBytes };
    this.#sockets = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      // One message of a socket a turn: a socket that sends many at once does not hold up the others.
      allowSynchronousEvents: false,
      maxPayload: maxPayloadBytes,
      handleProtocols,
    });
    this.#protocol = makeServer<Params, Extra>({
      schema: undefined,
      onConnect: ({ connectionParams, extra }) => {
        const key = connectionParams?.[API_KEY_HEADER];
        if (key == null) return true;
        if (typeof key !== 'string' || !isApiKey(key)) return false;
        extra.apiKey = key;
        return true;
      },
      onSubscribe: (context, _id, payload) => this.#begin(context, payload),
      // The handler has executed it: its reply is the context.
      execute: ({ contextValue }) => contextValue as ExecutionResult,
      subscribe: ({ contextValue }) => contextValue as AsyncIterableIterator<never>,
      onNext: (_context, _id, _payload, _args, result) => bodyOf(result),
    });
  }

  /** Takes a connection over, or answers why not. */
  upgrade(incoming: IncomingMessage, socket: Duplex, head: Buffer): Response | undefined {
    const { url = '', headers } = incoming;
    if (!/^\/graphql(?:\?|$)/.test(url)) {
      return refusalResponse(404, 'NOT_FOUND', 'Nothing is here: connect to /graphql.');
    }
    if (!this.#isAllowed(headers.origin, headers.host)) {
      return refusalResponse(
        403,
        'ORIGIN_NOT_ALLOWED',
        'Pages of this origin may not connect: add it to CORS_ORIGINS.',
      );
    }
    this.#sockets.handleUpgrade(incoming, socket, head, (opened) => this.#serve(opened));
    return undefined;
  }

  /** Only browsers send an origin, and no page can forge one. */
  #isAllowed(origin: string | undefined, host: string | undefined): boolean {
    if (origin === undefined || this.#options.corsOrigins.includes(origin)) return true;
    return URL.canParse(origin) && new URL(origin).host === host;
  }

  #serve(socket: WebSocket): void {
    const { handler, logger } = this.#options;
    const fail = (error: unknown): void => {
      logger.error({ err: error }, 'WebSocket failed unexpectedly');
      socket.close(CloseCode.InternalServerError, 'Unexpected error');
    };
    let isThere = true;
    const ping = setInterval(() => {
      if (!isThere) {
        socket.terminate();
        return;
      }
      isThere = false;
      socket.ping();
    }, PING_MS);
    const connection: Drainable = {
      drain: () => {
        closeSoon(socket, SERVICE_RESTART, 'Service restart');
      },
    };
    handler.subscriptions.add(connection);
    const extra: Extra = { apiKey: undefined };
    const regulate = (): void => {
      if (socket.bufferedAmount > MAX_UNREAD_BYTES) socket.pause();
      else socket.resume();
    };
    const closed = this.#protocol.opened(
      {
        protocol: socket.protocol,
        // Resolves when the system has taken it: until then no further event is asked for.
        send: (text) =>
          new Promise<void>((resolve) => {
            socket.send(text, () => {
              regulate();
              resolve();
            });
          }),
        close: (code, reason) => closeSoon(socket, code ?? CloseCode.BadRequest, reason),
        onMessage: (take) => {
          socket.on('message', (data) => {
            isThere = true;
            // `ws` gives one buffer unless it is told otherwise.
            take((data as Buffer).toString()).catch(fail);
            regulate();
          });
        },
      },
      extra,
    );
    socket.on('pong', () => {
      isThere = true;
    });
    // Such as a message that is too large: `ws` closes the socket with the right code.
    socket.on('error', () => {});
    socket.once('close', (code, reason) => {
      clearInterval(ping);
      handler.subscriptions.delete(connection);
      closed(code, reason.toString()).catch(fail);
    });
  }

  async #begin({ subscriptions, extra }: Context<Params, Extra>, payload: object) {
    const { handler, requests, operations, maxPerSocket } = this.#options;
    const record = createRecord(null);
    const read = (): object => {
      if (Object.keys(subscriptions).length > maxPerSocket) throw tooMany(maxPerSocket);
      return payload;
    };
    const carried = await requests.run(record, () =>
      handler.handle(read, {
        method: 'POST',
        apiKey: extra.apiKey,
        explain: undefined,
        record,
        streams: true,
        onlySubscriptions: operations === 'subscriptions',
      }),
    );
    if (carried instanceof ReplyStream)
      return { ...NOTHING, document: STREAM, contextValue: carried };
    if ('data' in carried.body) return { ...NOTHING, document: RESULT, contextValue: carried };
    return (carried.body.errors ?? []).map((error) => new FormattedError(error));
  }
}

/** An error that is formatted already: graphql-ws takes errors as graphql-js makes them. */
class FormattedError extends GraphQLError {
  readonly #formatted: GraphQLFormattedError;

  constructor(formatted: GraphQLFormattedError) {
    super(formatted.message);
    this.#formatted = formatted;
  }

  override toJSON(): GraphQLFormattedError {
    return this.#formatted;
  }
}

/** What graphql-ws would otherwise look for itself. */
const NOTHING = { schema: undefined as never, rootValue: undefined };

const bodyOf = (carried: unknown): FormattedExecutionResult => (carried as Reply).body;

const tooMany = (max: number) =>
  refusal(
    429,
    'TOO_MANY_SUBSCRIPTIONS',
    `This socket has ${max} operations open, which is all it may have: end some first, or open another.`,
  );

/** A client that does not answer the close is cut. */
function closeSoon(socket: WebSocket, code: number, reason?: string): void {
  socket.close(code, reason);
  setTimeout(() => socket.terminate(), CLOSE_MS).unref();
}
