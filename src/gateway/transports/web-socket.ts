/**
 * Operations over WebSocket in the protocol `graphql-transport-ws`, with `graphql-ws` and `ws`.
 *
 * Each operation passes the pipeline. The key (and `authorization`, if it is forwarded) is sent once per socket: with
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
import type { ExecutionArgs, ExecutionResult, GraphQLError, GraphQLSchema } from 'graphql';
import {
  CloseCode,
  handleProtocols,
  makeServer,
  type Context,
  type SubscribePayload,
} from 'graphql-ws';
import { WebSocketServer, type WebSocket } from 'ws';
import { dictionary } from '../../lib/dictionary.ts';
import { withoutByteOrderMark } from '../../lib/byte-order-mark.ts';
import { API_KEY_HEADER, isApiKey } from '../../v0/api-key.ts';
import { clientError, errorResponse } from '../operation/client-error.ts';
import {
  arrive,
  CLIENT_NAME_HEADERS,
  CLIENT_VERSION_HEADERS,
  Operation,
  responseHasLeft,
  type HeaderFields,
  type Transport,
} from '../operation/operation.ts';
import { formatted, formattedError, statusOf } from '../operation/response.ts';
import type { Drainable, Subscriptions } from '../operation/subscriptions.ts';
import type { Perform, Pipeline, Results } from '../pipeline.ts';
import { mayAsk } from '../policies/cors.ts';

export interface WebSocketOptions {
  /** Kinds of operations served. */
  readonly socketOperations: 'subscriptions' | 'all';
  /** Maximum number of open operations per socket. */
  readonly maxPerSocket: number;
}

interface WebSocketTransportOptions extends WebSocketOptions {
  readonly schema: GraphQLSchema;
  readonly pipeline: Pipeline;
  readonly subscriptions: Subscriptions;
  /** Maximum size of a message, in bytes. */
  readonly maxBodyBytes: number;
  /** Allowed origins of pages, in addition to the gateway's own. */
  readonly corsOrigins: readonly string[];
  /** Forwarded headers, in lower case. */
  readonly forwarded: readonly string[];
}

/** Interval of pings, in milliseconds; sockets without an answer are closed. */
const PING_MS = 12_000;

/** Time for a client to answer a close, in milliseconds. */
const CLOSE_MS = 2_000;

/** Unsent bytes above which no messages are read from a client. */
const MAX_UNREAD_BYTES = 1_000_000;

/** Close code "Service Restart" of the IANA registry, after which graphql-ws's client reconnects. */
const SERVICE_RESTART = 1_012;

type Params = Record<string, unknown>;

interface Extra {
  /** Headers of the upgrade, until `connection_init`. */
  upgrade?: IncomingHttpHeaders;
  /** Headers of all operations, after `connection_init`. */
  headers?: HeaderFields;
  open?: () => OpenOperations;
  /** Sends a message; resolves when it is written. */
  send?: (text: string) => Promise<void>;
}

type SocketContext = Context<Params, Extra>;

/** Open operations by id; null before execution. */
type OpenOperations = SocketContext['subscriptions'];

/** Arguments that graphql-ws passes back for execution. */
interface Prepared extends ExecutionArgs {
  readonly rootValue: Begun;
}

interface Begun {
  readonly operation: Operation;
  readonly perform: Perform;
  /** Sends a result in JSON; resolves when it is written. */
  readonly send: (json: string) => Promise<void>;
}

/** Takes over a connection, or returns the error response. */
export type Upgrade = (
  incoming: IncomingMessage,
  socket: Duplex,
  head: Buffer,
) => Response | undefined;

export function createWebSocketTransport(options: WebSocketTransportOptions): Upgrade {
  const { schema, pipeline, subscriptions, corsOrigins, forwarded } = options;
  const { socketOperations, maxPerSocket, maxBodyBytes } = options;
  const transport: Transport = {
    name: 'websocket',
    path: '/graphql',
    streams: true,
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
  const protocol = makeServer<Params, Extra>({
    onConnect: (context) => {
      const { connectionParams, extra } = context;
      extra.open = () => context.subscriptions;
      const { upgrade = {} } = extra;
      delete extra.upgrade; // not retained for the life of the socket
      const params = new Map(
        Object.entries(connectionParams ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
      );
      const authorization = params.get('authorization');
      const isForwarded = forwarded.includes('authorization');
      if (isForwarded && authorization != null && !isHeaderValue(authorization)) return false;
      // The upgrade's key takes precedence, since a proxy may have set it.
      const key = upgrade[API_KEY_HEADER] ?? params.get(API_KEY_HEADER);
      if (key != null && (typeof key !== 'string' || !isApiKey(key))) return false;
      extra.headers = {
        ...(isForwarded && isHeaderValue(authorization) && { authorization }),
        ...dictionary(forwarded.flatMap((name) => pairOf(name, upgrade[name]))),
        ...(key != null && { [API_KEY_HEADER]: key }),
        [CLIENT_NAME_HEADERS[0]]: oneOf(params, CLIENT_NAME_HEADERS),
        [CLIENT_VERSION_HEADERS[0]]: oneOf(params, CLIENT_VERSION_HEADERS),
      };
      return true;
    },
    onSubscribe: (socket, id, payload) => prepare(socket, id, payload),
    execute: (args) => new OneResult((args as Prepared).rootValue, run),
    subscribe: (args) => subscribe((args as Prepared).rootValue),
    onNext: (_socket, _id, _payload, _args, result) => formatted(result as ExecutionResult),
    onError: (_socket, _id, _payload, errors) => errors.map(formattedError) as never,
  });

  /** Replaces graphql-ws' adapter for `ws`, which prints a stack for each message to a closed socket. */
  function serve(socket: WebSocket, headers: IncomingHttpHeaders): void {
    let isThere = true;
    const ping = setInterval(() => {
      if (!isThere) {
        socket.terminate();
        return;
      }
      isThere = false;
      socket.ping();
    }, PING_MS);
    let isDraining = false;
    const closeWhenDone = (): void => {
      if (!isDraining || isBusy(extra.open?.())) return;
      // The last result is sent first.
      closeSoon(socket, SERVICE_RESTART, 'Service restart');
    };
    const connection: Drainable = {
      drain: () => {
        isDraining = true;
        closeWhenDone();
      },
    };
    // Resolves when the message is written; only then is the next event awaited.
    const send = (text: string): Promise<void> =>
      new Promise((resolve) => {
        socket.send(text, () => {
          isThere = true;
          if (socket.isPaused && socket.bufferedAmount <= MAX_UNREAD_BYTES) socket.resume();
          resolve();
        });
      });
    const extra: Extra = { upgrade: headers, send };
    subscriptions.add(connection);
    const closed = protocol.opened(
      {
        protocol: socket.protocol,
        send,
        close: (code, reason) => closeSoon(socket, code ?? CloseCode.BadRequest, reason),
        onMessage: (take) => {
          socket.on('message', (data) => {
            isThere = true;
            // Not begun, so its client repeats it on another socket.
            if (isDraining || socket.readyState !== socket.OPEN) return;
            if (socket.bufferedAmount > MAX_UNREAD_BYTES) socket.pause();
            // `ws` passes a single buffer by default.
            const text = withoutByteOrderMark((data as Buffer).toString());
            take(text).then(closeWhenDone, () => socket.terminate());
          });
        },
      },
      extra,
    );
    socket.on('pong', () => {
      isThere = true;
    });
    // For example a message that is too large; `ws` closes the socket with the right code.
    socket.on('error', () => {});
    socket.once('close', (code, reason) => {
      clearInterval(ping);
      subscriptions.delete(connection);
      void closed(code, reason.toString());
    });
  }

  /** @returns errors of an operation that is not executed. */
  async function prepare(
    { subscriptions: open, extra }: SocketContext,
    id: string,
    payload: SubscribePayload,
  ): Promise<Prepared | readonly GraphQLError[]> {
    const operation = new Operation(transport, arrive(null), schema, {
      headers: {
        ...extra.headers,
        // Headers belong to the socket; traces to its operations.
        traceparent: textOf(payload.extensions, 'traceparent'),
        tracestate: textOf(payload.extensions, 'tracestate'),
      },
      given: payload,
    });
    // Serialises here, since graphql-ws would serialise the result again after its bytes are counted.
    const send = async (json: string): Promise<void> => {
      if (id in open)
        await extra.send!(`{"id":${JSON.stringify(id)},"type":"next","payload":${json}}`);
    };
    try {
      if (Object.keys(open).length > maxPerSocket) throw tooMany(maxPerSocket);
      const perform = await pipeline.prepare(operation);
      if (typeof perform !== 'function') return reject(operation, perform);
      return {
        schema,
        document: operation.document!.syntax, // validated before
        operationName: operation.params.operationName ?? null,
        rootValue: { operation, perform, send },
      };
    } catch (error) {
      return reject(operation, [error]);
    }
  }

  /** Reports an operation that is not executed, and returns its errors. */
  function reject(operation: Operation, given: readonly unknown[]): readonly GraphQLError[] {
    pipeline.begin();
    const { errors = [] } = pipeline.settle(operation, { errors: given.map(pipeline.translate) });
    operation.bytes = Buffer.byteLength(JSON.stringify(formatted({ errors })));
    pipeline.end(operation, statusOf({ errors }));
    return errors;
  }

  /** Never rejects, since graphql-ws would close the socket. */
  async function begin({ perform }: Begun): Promise<ExecutionResult | Results> {
    pipeline.begin();
    try {
      return await perform();
    } catch (error) {
      return { errors: [pipeline.translate(error)] };
    }
  }

  /** Reports an operation with a single result, and sends the result unless it is cancelled. */
  function end({ operation, send }: Begun, executed: ExecutionResult): Promise<void> | undefined {
    const result = pipeline.settle(operation, executed);
    const json = JSON.stringify(formatted(result));
    operation.bytes = Buffer.byteLength(json);
    pipeline.end(operation, statusOf(result));
    return operation.cancel.cancelled ? undefined : send(json);
  }

  async function run(begun: Begun): Promise<void> {
    // Not a subscription.
    await end(begun, (await begin(begun)) as ExecutionResult);
  }

  async function subscribe(begun: Begun): Promise<Results> {
    const results = await begin(begun);
    if (!(Symbol.asyncIterator in results)) {
      await end(begun, results);
      return NO_RESULTS;
    }
    pipeline.end(begun.operation, 200);
    return results;
  }

  return (incoming, socket, head) => {
    const { url = '', headers } = incoming;
    if (!/^\/graphql(?:\?|$)/.test(url)) {
      return errorResponse(404, 'NOT_FOUND', 'Nothing is here: connect to /graphql.');
    }
    if (!mayAsk(headers.origin, headers.host, corsOrigins)) {
      return errorResponse(
        403,
        'ORIGIN_NOT_ALLOWED',
        'Pages of this origin may not connect: add it to CORS_ORIGINS.',
      );
    }
    sockets.handleUpgrade(incoming, socket, head, (opened) => serve(opened, headers));
    return undefined;
  };
}

/** A query or mutation as a stream that sends its single result itself, since graphql-ws can cancel only streams. */
class OneResult implements AsyncIterableIterator<ExecutionResult, undefined> {
  readonly #begun: Begun;
  readonly #run: (begun: Begun) => Promise<void>;

  constructor(begun: Begun, run: (begun: Begun) => Promise<void>) {
    this.#begun = begun;
    this.#run = run;
  }

  async next(): Promise<typeof DONE> {
    const { arrival } = this.#begun.operation;
    arrival.isSending = true;
    await this.#run(this.#begun);
    responseHasLeft(arrival);
    return DONE;
  }

  return(): Promise<typeof DONE> {
    const { arrival } = this.#begun.operation;
    arrival.cancel.cancel();
    responseHasLeft(arrival);
    return Promise.resolve(DONE);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}

const DONE = { done: true, value: undefined } as const;

const NO_RESULTS: Results = {
  [Symbol.asyncIterator]: () => ({ next: () => Promise.resolve(DONE) }),
};

/** Whether a query or mutation, or an operation that may become one, is in flight. */
const isBusy = (open: OpenOperations = {}): boolean =>
  Object.values(open).some((one) => one === null || one instanceof OneResult);

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

const tooMany = (max: number) =>
  clientError(
    429,
    'TOO_MANY_SUBSCRIPTIONS',
    `This socket has ${max} operations open, which is all it may have: end some first, or open another.`,
  );

/** Closes a socket, and terminates it if the client does not answer. */
function closeSoon(socket: WebSocket, code: number, reason?: string): void {
  socket.close(code, reason);
  setTimeout(() => socket.terminate(), CLOSE_MS).unref();
}
