/**
 * Operations over WebSocket, in the protocol `graphql-transport-ws`: `graphql-ws` over `ws`.
 *
 * Each operation passes the plugins' phases, as over every other carrier. The key comes once, with the upgrade or, because
 * browsers cannot set headers there, in `connection_init`; so may `authorization`, where it is forwarded. And because
 * browsers ask no permission either, the page's origin is checked.
 *
 * A client that loses its socket sends what was not answered again, a mutation too. So a process that stops closes a
 * socket when its queries and mutations are answered, and begins no other.
 *
 * Source: https://github.com/enisdenjo/graphql-ws/blob/master/PROTOCOL.md
 */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type {
  DocumentNode,
  ExecutionArgs,
  ExecutionResult,
  GraphQLError,
  GraphQLSchema,
} from 'graphql';
import {
  CloseCode,
  handleProtocols,
  makeServer,
  type Context,
  type SubscribePayload,
} from 'graphql-ws';
import type { YogaServerInstance } from 'graphql-yoga';
import { WebSocketServer, type WebSocket } from 'ws';
import { withoutByteOrderMark } from '../../lib/byte-order-mark.ts';
import { API_KEY_HEADER, isApiKey } from '../../v0/api-key.ts';
import type { ForwardedHeaders } from '../../rest/call/forwarded-headers.ts';
import { formatted, formattedError, statusOf } from '../../operation/result/answer.ts';
import type { Translate } from '../../operation/result/errors.ts';
import { recordResult } from '../../operation/result/outcome.ts';
import {
  CLIENT_NAME_HEADERS,
  CLIENT_VERSION_HEADERS,
  type Forwarding,
} from '../../operation/request/caller.ts';
import type { AwaitDocument } from '../policies/admission.plugin.ts';
import { mayAsk } from './cors.plugin.ts';
import { refusal, refusalResponse } from '../../operation/refusal.ts';
import { readParams } from '../../operation/request/params.ts';
import type { ServerContext } from '../../operation/gateway-plugin.ts';
import type { Requests } from '../../observe/requests.ts';
import {
  answerHasLeft,
  createRecord,
  type RequestRecord,
} from '../../operation/request/request-record.ts';
import type { Drainable, Subscriptions } from '../../operation/result/subscriptions.ts';

export interface WebSocketOptions {
  /** What may be sent. */
  readonly socketOperations: 'subscriptions' | 'all';
  /** Operations that one socket may have open. */
  readonly maxPerSocket: number;
}

interface WebSocketCarrierOptions extends WebSocketOptions {
  readonly yoga: Pick<YogaServerInstance<ServerContext, ServerContext>, 'getEnveloped'>;
  readonly translate: Translate;
  readonly forwarding: Forwarding | undefined;
  readonly requests: Requests;
  readonly subscriptions: Subscriptions;
  readonly awaitDocument: AwaitDocument;
  /** The largest message that is read. */
  readonly maxBodyBytes: number;
  /** Origins whose pages may connect, beside those of this very host. */
  readonly corsOrigins: readonly string[];
}

/** A socket that says nothing is asked whether it is there, and closed when it is not, in milliseconds. */
const PING_MS = 12_000;

/** How long a client may take to answer our close, in milliseconds. */
const CLOSE_MS = 2_000;

/** From a client that has not read so much nothing more is read. */
const MAX_UNREAD_BYTES = 1_000_000;

/** "Service Restart", of the IANA registry: graphql-ws's client connects again. */
const SERVICE_RESTART = 1_012;

type Params = Record<string, unknown>;

interface Extra {
  /** Of the upgrade, until `connection_init`. */
  headers?: IncomingHttpHeaders;
  forwarded?: ForwardedHeaders;
  apiKey?: string;
  open?: () => Open;
  /** Those of `connection_init`. */
  clientName?: string;
  clientVersion?: string;
}

type SocketContext = Context<Params, Extra>;

/** Operations that are open, by their ids; null for one that has not begun to be executed. */
type Open = SocketContext['subscriptions'];

type Enveloped = ReturnType<WebSocketCarrierOptions['yoga']['getEnveloped']>;

/** What graphql-ws is given to execute. */
interface Prepared extends ExecutionArgs {
  readonly rootValue: { readonly server: ServerContext; readonly enveloped: Enveloped };
}

/** Runs a phase of an operation, and reports the operation. */
type Run = (
  prepared: Prepared,
  phaseOf: (enveloped: Enveloped) => (args: ExecutionArgs) => unknown,
) => Promise<ExecutionResult>;

/** Takes a connection over, or answers why not. */
export type Upgrade = (
  incoming: IncomingMessage,
  socket: Duplex,
  head: Buffer,
) => Response | undefined;

export function createWebSocketCarrier(options: WebSocketCarrierOptions): Upgrade {
  const { yoga, translate, forwarding, requests, subscriptions, corsOrigins } = options;
  const { socketOperations, maxPerSocket, maxBodyBytes } = options;
  const sockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    // One message of a socket a turn: a socket that sends many at once does not hold up the others.
    allowSynchronousEvents: false,
    maxPayload: maxBodyBytes,
    handleProtocols,
  });
  const protocol = makeServer<Params, Extra>({
    onConnect: (context) => {
      const { connectionParams, extra } = context;
      extra.open = () => context.subscriptions;
      const { headers = {} } = extra;
      delete extra.headers; // the socket may stay for hours
      const params = new Map(
        Object.entries(connectionParams ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
      );
      Object.assign(extra, {
        clientName: oneOf(params, CLIENT_NAME_HEADERS),
        clientVersion: oneOf(params, CLIENT_VERSION_HEADERS),
      });
      if (forwarding) {
        const authorization = params.get('authorization');
        if (authorization != null && !isHeaderValue(authorization)) return false;
        const own = (name: string) => (name === 'authorization' ? authorization : undefined);
        extra.forwarded = forwarding((name) => headers[name] ?? own(name));
      }
      // What came with the upgrade counts: a proxy may have set it.
      const key = headers[API_KEY_HEADER] ?? params.get(API_KEY_HEADER);
      if (key == null) return true;
      if (typeof key !== 'string' || !isApiKey(key)) return false;
      extra.apiKey = key;
      return true;
    },
    onSubscribe: async (socket, _id, payload) => prepare(socket, payload),
    execute: (args) => new OneAnswer(args as Prepared, run),
    subscribe: (args) => run(args as Prepared, ({ subscribe }) => subscribe),
    onNext: (_socket, _id, _payload, _args, result) => formatted(result as ExecutionResult),
    onError: (_socket, _id, _payload, errors) => errors.map(formattedError) as never,
  });

  /** As graphql-ws' adapter for `ws` does, which prints a stack for each message to a client that has left. */
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
    const closeOnceAnswered = (): void => {
      if (!isDraining || isAnswering(extra.open?.())) return;
      // What has just been answered is sent before.
      closeSoon(socket, SERVICE_RESTART, 'Service restart');
    };
    const connection: Drainable = {
      drain: () => {
        isDraining = true;
        closeOnceAnswered();
      },
    };
    const extra: Extra = { headers };
    subscriptions.add(connection);
    const closed = protocol.opened(
      {
        protocol: socket.protocol,
        // Resolves when the system has taken it: until then no further event is asked for.
        send: (text) =>
          new Promise<void>((resolve) => {
            socket.send(text, () => {
              isThere = true;
              if (socket.isPaused && socket.bufferedAmount <= MAX_UNREAD_BYTES) socket.resume();
              resolve();
            });
          }),
        close: (code, reason) => closeSoon(socket, code ?? CloseCode.BadRequest, reason),
        onMessage: (take) => {
          socket.on('message', (data) => {
            isThere = true;
            // Not begun: its client sends it again, over another socket.
            if (isDraining || socket.readyState !== socket.OPEN) return;
            if (socket.bufferedAmount > MAX_UNREAD_BYTES) socket.pause();
            // `ws` gives one buffer unless it is told otherwise.
            const text = withoutByteOrderMark((data as Buffer).toString());
            take(text).then(closeOnceAnswered, () => socket.terminate());
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
      subscriptions.delete(connection);
      void closed(code, reason.toString());
    });
  }

  /** @returns the errors of an operation that is refused. */
  async function prepare(
    { subscriptions: open, extra }: SocketContext,
    payload: SubscribePayload,
  ): Promise<Prepared | readonly GraphQLError[]> {
    const server: ServerContext = {
      record: createRecord(null),
      caller: {
        method: undefined,
        apiKey: extra.apiKey,
        // A socket has headers once, its operations a trace each.
        traceparent: textOf(payload.extensions, 'traceparent'),
        tracestate: textOf(payload.extensions, 'tracestate'),
        clientName: extra.clientName,
        clientVersion: extra.clientVersion,
        forwarded: extra.forwarded,
        explain: undefined,
        accept: undefined,
        streams: true,
        onlySubscriptions: socketOperations === 'subscriptions',
      },
    };
    try {
      if (Object.keys(open).length > maxPerSocket) throw tooMany(maxPerSocket);
      const params = readParams(payload);
      await options.awaitDocument(server, params);
      const enveloped = yoga.getEnveloped(Object.assign(server, { params }));
      const document = enveloped.parse(params.query) as DocumentNode;
      const errors = enveloped.validate(enveloped.schema, document) as readonly GraphQLError[];
      if (errors.length > 0) return await refuse(server, errors);
      return {
        schema: enveloped.schema as GraphQLSchema,
        document,
        operationName: params.operationName ?? null,
        variableValues: params.variables ?? null,
        contextValue: await enveloped.contextFactory(),
        rootValue: { server, enveloped },
      };
    } catch (error) {
      return refuse(server, [error]);
    }
  }

  /** Reports an operation that is not executed. */
  async function refuse(
    server: ServerContext,
    errors: readonly unknown[],
  ): Promise<readonly GraphQLError[]> {
    const shown = errors.map(translate);
    server.record.errors = shown;
    await requests.run(server, () => Promise.resolve({ status: statusOf({ errors: shown }) }));
    return shown;
  }

  /** Never rejects: graphql-ws would close the socket. */
  async function run(
    { rootValue, ...args }: Prepared,
    phaseOf: (enveloped: Enveloped) => (args: ExecutionArgs) => unknown,
  ): Promise<ExecutionResult> {
    const { server, enveloped } = rootValue;
    let result!: ExecutionResult;
    await requests.run(server, async () => {
      try {
        result = (await phaseOf(enveloped)(args)) as ExecutionResult;
      } catch (error) {
        result = { errors: [translate(error)] };
      }
      result = recordResult(result, server.record, translate);
      return { status: statusOf(result) };
    });
    return result;
  }

  return (incoming, socket, head) => {
    const { url = '', headers } = incoming;
    if (!/^\/graphql(?:\?|$)/.test(url)) {
      return refusalResponse(404, 'NOT_FOUND', 'Nothing is here: connect to /graphql.');
    }
    if (!mayAsk(headers.origin, headers.host, corsOrigins)) {
      return refusalResponse(
        403,
        'ORIGIN_NOT_ALLOWED',
        'Pages of this origin may not connect: add it to CORS_ORIGINS.',
      );
    }
    sockets.handleUpgrade(incoming, socket, head, (opened) => serve(opened, headers));
    return undefined;
  };
}

/**
 * The answer to a query or mutation, as a stream of one: the protocol ends a stream when its client wants no more, or has
 * left, and tells nothing of the sort to who executes an operation.
 */
class OneAnswer implements AsyncIterableIterator<ExecutionResult, undefined> {
  readonly #prepared: Prepared;
  readonly #run: Run;
  #isAsked = false;

  constructor(prepared: Prepared, run: Run) {
    this.#prepared = prepared;
    this.#run = run;
  }

  async next(): Promise<IteratorResult<ExecutionResult, undefined>> {
    if (this.#isAsked) {
      // The system has taken the one answer by now.
      answerHasLeft(this.#record);
      return DONE;
    }
    this.#isAsked = true;
    this.#record.isSending = true;
    const value = await this.#run(this.#prepared, ({ execute }) => execute);
    return this.#record.leaving.cancelled ? DONE : { done: false, value };
  }

  return(): Promise<typeof DONE> {
    this.#record.leaving.cancel();
    answerHasLeft(this.#record);
    return Promise.resolve(DONE);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  get #record(): RequestRecord {
    return this.#prepared.rootValue.server.record;
  }
}

const DONE = { done: true, value: undefined } as const;

/** Whether a query or mutation is under way, or what may become one. */
const isAnswering = (open: Open = {}): boolean =>
  Object.values(open).some((one) => one === null || one instanceof OneAnswer);

/** The first text under one of two names, which are headers everywhere else. */
const oneOf = (
  params: ReadonlyMap<string, unknown>,
  names: readonly string[],
): string | undefined =>
  names.map((name) => params.get(name)).find((value) => typeof value === 'string');

/** Whether a value of `connection_init` can be a header; how long it may be is told with the first operation. */
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
