/**
 * The one way of every operation, however it arrived: parameters → document → limits → key →
 * validation → plan and budget → execution → masked reply.
 *
 * Carriers read a request and write an reply. What an operation may do is decided here and nowhere
 * else, so that no carrier can skip a check.
 */
import {
  locatedError,
  OperationTypeNode,
  type ExecutionArgs,
  type GraphQLResolveInfo,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import { API_KEY_HEADER } from '../../lib/api-key.ts';
import { assertExecutable } from '../../execution/assert-executable.ts';
import { createExecute, type Execute } from '../../execution/execute.ts';
import type { MaybePromise } from '../../execution/execution.ts';
import { createSourceEventStream } from '../../execution/subscribe.ts';
import { createContext, type Context } from '../../graph/context.ts';
import { Pollers, type LiveObserver, type PollRange } from '../../graph/live/pollers.ts';
import { Snapshot } from '../../graph/live/watcher.ts';
import { Cancel } from '../../lib/cancel.ts';
import { planFor, refuseCost } from '../../plan/cost.ts';
import { planDefers } from '../../plan/defers.ts';
import { explain, serverTiming } from '../../plan/explain.ts';
import type { Upstream } from '../../rest/client/client.ts';
import type { IncrementalResult, Rest } from '../../execution/execution.ts';
import { ReplyStream, type EndCause, type ReplyKind } from '../live/reply-stream.ts';
import { Subscriptions } from '../live/subscriptions.ts';
import {
  refuseId,
  TrustedDocuments,
  type TrustedDocument,
  type TrustedDocumentsOptions,
  type TrustedObserver,
} from '../trusted/trusted-documents.ts';
import { checkApiKey } from './api-key.ts';
import { Documents, KnownDocument, type DocumentsOptions } from './documents.ts';
import { FairQueue, QueueFullError } from './fair-queue.ts';
import { Reply, replyOf, overloaded, type Executed } from './reply.ts';
import { incrementalReply } from './incremental-reply.ts';
import { announcesAll, incrementalFormatOf } from './media-type.ts';
import { readParams, type OperationParams } from './params.ts';
import { refusal } from './refusal.ts';
import type { RequestRecord } from './request-record.ts';

export interface OperationHandlerOptions extends DocumentsOptions {
  readonly upstream: Upstream;
  /** Sent for callers who send no key. */
  readonly apiKey?: string | undefined;
  /** Seals cursors, together with the caller's key. @default the key alone */
  readonly cursorSecret?: string | undefined;
  /** A whole request, from its arrival, in milliseconds. @default 10_000 */
  readonly requestTimeoutMs?: number | undefined;
  /** Backend calls that one request may make. @default 250 */
  readonly maxUpstreamCalls?: number | undefined;
  /** Fields and list items that one answer may have. @default 200,000 */
  readonly maxValues?: number | undefined;
  /** What keys and strings of one answer may take in JSON, in bytes. @default 5,000,000 */
  readonly maxTextBytes?: number | undefined;
  /** Who is told what a request costs: everybody, those who bring a key, or nobody. @default on */
  readonly explain?: 'on' | 'keys' | 'off';
  /** Where trusted documents are, and whether others are refused. @default none, and nothing is refused */
  readonly trustedDocuments?: TrustedDocumentsOptions | undefined;
  /** Hears of trusted documents being read. */
  readonly trustedObserver?: TrustedObserver | undefined;
  /** What executes operations. @default the gateway's own executor */
  readonly execute?: Execute | undefined;
  readonly live?: LiveOptions | undefined;
}

export interface LiveOptions {
  /** The least and the most time between two polls of an object, in milliseconds. @default 500, 5,000 */
  readonly pollMs?: PollRange | undefined;
  /** Subscriptions that one key may have open. @default 2,500 */
  readonly maxPerKey?: number | undefined;
  /** After how long without an event the last one is repeated, in milliseconds. @default 20,000 */
  readonly heartbeatMs?: number | undefined;
  readonly observer?: SubscriptionObserver | undefined;
}

/** Every method must return quickly and not throw. */
export interface SubscriptionObserver extends LiveObserver {
  onReply?(kind: ReplyKind, reply: Reply, record: RequestRecord): void;
  onEnd?(cause: EndCause, record: RequestRecord): void;
}

/** What a carrier has read of a request, beside its parameters. */
export interface OperationRequest {
  /** By GET nothing is written. */
  readonly method: string;
  /** The `x-api-key` header. */
  readonly apiKey: string | null | undefined;
  /** The `x-explain` header. */
  readonly explain: string | null | undefined;
  /** The `Accept` header. */
  readonly accept?: string | null | undefined;
  readonly record: RequestRecord;
  /** Whether nothing but subscriptions is taken. @default false */
  readonly onlySubscriptions?: boolean;
}

/** Of a carrier that can write more than one reply. */
export interface StreamingRequest extends OperationRequest {
  readonly streams: true;
}

type AnyRequest = OperationRequest & { readonly streams?: boolean };

/** Errors of one answer: a few ids asked for under many aliases make thousands. */
const MAX_ERRORS = 1_000;

/** For a caller who has left one error is enough: a hundred cost as much as an answer. */
const maxErrors = (context: unknown): number =>
  (context as { readonly record: RequestRecord }).record.leaving.cancelled ? 1 : MAX_ERRORS;

/** @throws METHOD_NOT_ALLOWED, NOT_ACCEPTABLE for what the carrier does not take. */
function refuseKind(
  kind: OperationTypeNode,
  { streams = false, onlySubscriptions = false }: AnyRequest,
): void {
  if (kind !== OperationTypeNode.SUBSCRIPTION) {
    if (!onlySubscriptions) return;
    throw refusal(
      405,
      'METHOD_NOT_ALLOWED',
      'Send queries and mutations by POST: this WebSocket takes subscriptions alone.',
    );
  }
  if (streams) return;
  throw refusal(
    406,
    'NOT_ACCEPTABLE',
    'Accept text/event-stream, or open a WebSocket: a subscription has more than one answer.',
  );
}

/** Answers to introspection that are kept, in characters. */
const MAX_INTROSPECTED = 8_000_000;

/** How long the queue tells callers to stay away when it is full, in milliseconds. */
const QUEUE_FULL_WAIT_MS = 1_000;

const DEFAULT_MAX_PER_KEY = 2_500;
const DEFAULT_HEARTBEAT_MS = 20_000;

const NOBODY: TrustedObserver = {
  onRead: () => {},
  onBadFile: () => {},
  onInvalidDocument: () => {},
};

export class OperationHandler {
  readonly pollers: Pollers;
  readonly subscriptions: Subscriptions;
  readonly trusted: TrustedDocuments | undefined;
  readonly #options: OperationHandlerOptions;
  readonly #documents: Documents;
  readonly #execute: Execute;
  readonly #budget: { readonly calls: number; readonly values: number };
  readonly #queue = new FairQueue();
  /** The schema does not change, and tools ask for all of it. */
  readonly #introspected = new LRUCache<string, Reply>({ maxSize: MAX_INTROSPECTED });

  constructor(options: OperationHandlerOptions) {
    assertExecutable(options.schema);
    this.#options = options;
    this.#documents = new Documents(options);
    const { trustedDocuments, trustedObserver = NOBODY } = options;
    this.trusted =
      trustedDocuments && new TrustedDocuments(trustedDocuments, this.#documents, trustedObserver);
    const { maxUpstreamCalls: calls = 250, maxValues: values = 200_000 } = options;
    const { maxTextBytes = 5_000_000 } = options;
    this.#budget = { calls, values };
    const { upstream, requestTimeoutMs, live = {} } = options;
    const { pollMs, observer = {}, maxPerKey = DEFAULT_MAX_PER_KEY } = live;
    this.pollers = new Pollers({ upstream, pollMs, timeoutMs: requestTimeoutMs, observer });
    this.subscriptions = new Subscriptions(maxPerKey);
    this.#execute =
      options.execute ??
      createExecute({
        maxErrors,
        onIncremental: (contextValue, isDeferred) => {
          // Every call of the graph has the path of its field as its origin.
          (contextValue as Context).rest.deferWhere((origin) =>
            isDeferred(origin as GraphQLResolveInfo['path']),
          );
        },
        limits: (contextValue) => {
          const { rest } = contextValue as Context;
          const giveUp = () => rest.giveUp();
          return { maxValues: values, maxTextBytes, deadlineMs: rest.deadlineMs, giveUp };
        },
      });
  }

  /**
   * Never rejects.
   *
   * @param read reads the request's parameters, unchecked; may throw a refusal.
   * @returns a stream for a subscription, to carriers that can write one.
   */
  handle(read: () => unknown, request: StreamingRequest): Promise<Reply | ReplyStream>;
  handle(read: () => unknown, request: OperationRequest): Promise<Reply>;
  async handle(read: () => unknown, request: AnyRequest): Promise<Reply | ReplyStream> {
    const flow = this.#flowOf(request);
    let result: Executed | Reply | ReplyStream;
    try {
      result = await this.#queue.run(flow, () => this.#operate(read, request));
    } catch (error) {
      result =
        error instanceof QueueFullError ? overloaded(QUEUE_FULL_WAIT_MS) : { errors: [error] };
    }
    if (result instanceof ReplyStream) return result;
    const startMs = performance.now();
    const reply = this.#replyOf(result, request);
    request.record.reply = reply;
    const { length } = reply.text;
    this.#queue.charge(flow, length > 0 ? performance.now() - startMs : 0);
    return reply;
  }

  /** Up to the first wait for the backend. */
  #operate(read: () => unknown, request: AnyRequest): MaybePromise<Reply | Executed | ReplyStream> {
    const { record, method } = request;
    const params = readParams(read());
    const trusted = this.#trustedFor(params);
    record.trusted = trusted !== undefined;
    const shed = this.#shed(trusted, params.query, request);
    if (shed) return shed;
    // Without an id there is a text.
    const known = trusted?.known ?? this.#documents.read(params.query!);
    if (!(known instanceof KnownDocument)) return known;
    const operation = known.operation(params.operationName);
    if (!operation) {
      throw refusal(
        400,
        'OPERATION_RESOLUTION_FAILURE',
        'Send a document with one operation, or name one of its operations as "operationName".',
      );
    }
    record.operationName = operation.name?.value;
    record.operationType = operation.operation;
    if (operation.operation === OperationTypeNode.MUTATION && method === 'GET') {
      throw refusal(405, 'METHOD_NOT_ALLOWED', 'Send a mutation by POST.', { allow: 'POST' });
    }
    refuseKind(operation.operation, request);
    const apiKey = this.#keyFor(request, known);
    const invalid = this.#documents.validate(known);
    if (invalid) return invalid;
    if (operation.operation === OperationTypeNode.SUBSCRIPTION) {
      return this.#subscribe(params, known, apiKey, request);
    }
    return known.introspects && !known.isIncremental && request.explain == null
      ? this.#introspect(params, known, apiKey, request)
      : this.#run(params, known, apiKey, request);
  }

  /** All requests without a key, or with one that the backend has not accepted yet, are one flow. */
  #flowOf({ apiKey }: OperationRequest): string {
    return apiKey != null && this.#options.upstream.isAccepted(apiKey) ? apiKey : '';
  }

  /** @throws for what may not be asked. */
  #trustedFor(params: OperationParams): TrustedDocument | undefined {
    if (this.trusted) return this.trusted.find(params);
    refuseId(params);
    return undefined;
  }

  /** The refusal of what would find the queue of its key full: before anything is spent on it. */
  #shed(
    trusted: TrustedDocument | undefined,
    query: string | undefined,
    { apiKey }: OperationRequest,
  ): Reply | undefined {
    const key = apiKey ?? this.#options.apiKey;
    const waitMs = key === undefined ? undefined : this.#options.upstream.shedMs(key);
    if (waitMs === undefined) return undefined;
    const isOfSchema = trusted
      ? 'isOfSchema' in trusted.known && trusted.known.isOfSchema
      : this.#documents.isOfSchema(query!);
    if (isOfSchema) return undefined;
    return overloaded(waitMs);
  }

  /**
   * The key to call the backend with; undefined for what calls nothing.
   *
   * @throws UNAUTHENTICATED where one is needed and not there.
   */
  #keyFor({ apiKey }: OperationRequest, { isOfSchema }: KnownDocument): string | undefined {
    // A bad key never falls back to the deployment's: its owner meant to be somebody.
    if (apiKey != null) {
      checkApiKey(apiKey);
      return apiKey;
    }
    const { apiKey: fallback } = this.#options;
    if (fallback === undefined && !isOfSchema) {
      throw refusal(401, 'UNAUTHENTICATED', `Send your key as the header ${API_KEY_HEADER}.`);
    }
    return fallback;
  }

  /** As `#run`, for what is the same every time. */
  #introspect(
    params: OperationParams,
    known: KnownDocument,
    apiKey: string | undefined,
    request: OperationRequest,
  ): Reply | Promise<Reply> {
    const { operationName, variables } = params;
    const key = JSON.stringify([known.source, operationName, variables]);
    const found = this.#introspected.get(key);
    if (found) return found;
    const keep = (result: Executed): Reply => {
      const reply = this.#replyOf(result, request);
      this.#introspected.set(key, reply, { size: key.length + reply.text.length });
      return reply;
    };
    const result = this.#run(params, known, apiKey, request);
    return result instanceof Promise ? result.then(keep) : keep(result);
  }

  #run(
    { operationName, variables: variableValues, onError }: OperationParams,
    { document, isIncremental }: KnownDocument,
    apiKey: string | undefined,
    request: OperationRequest,
  ): Executed | Promise<Executed> {
    const { schema } = this.#options;
    const { record } = request;
    // Who leaves gives up what they were reading. A write is finished, and so is what follows it.
    const leaving = record.operationType === 'query' ? record.leaving : undefined;
    const contextValue = this.#contextOf(apiKey, record, leaving, record.startedAt);
    const args = {
      ...{ schema, document, operationName, variableValues, contextValue, onError },
      isIncremental: isIncremental && incrementalFormatOf(request.accept) !== undefined,
      announcesAll: isIncremental && announcesAll(request.accept),
    };
    return this.#refuse(args, contextValue, request) ?? this.#execute(args);
  }

  /** The plan, where that is all that was asked for, or the refusal of what costs too much. */
  #refuse(
    args: ExecutionArgs,
    contextValue: Context,
    request: OperationRequest,
  ): Executed | undefined {
    if (request.explain === 'plan') {
      // Who asks for a plan does not expect to write.
      if (!this.#explains(request)) throw this.#notExplained();
      const plan = planFor(args, contextValue);
      // Clients take an answer without `data` and `errors` for a broken one.
      if (plan) {
        const defers = planDefers(args, contextValue);
        const extensions = { plan: { ...plan, ...defers, budget: this.#budget } };
        return { data: null, extensions };
      }
    } else {
      const excess = refuseCost(args, contextValue, this.#budget);
      if (excess) return { errors: [excess] };
    }
    return undefined;
  }

  /** @param startMs when what it is for began, on `performance.now()`'s clock. */
  #contextOf(
    apiKey: string | undefined,
    record: RequestRecord,
    leaving: Cancel | undefined,
    startMs: number,
  ): Context & { readonly record: RequestRecord } {
    const { upstream, cursorSecret, requestTimeoutMs = 10_000 } = this.#options;
    const { pollers } = this;
    record.rest = upstream({
      apiKey,
      requestId: record.requestId,
      deadlineMs: startMs + requestTimeoutMs,
      maxCalls: this.#budget.calls,
      leaving,
    });
    return { record, ...createContext(record.rest, { apiKey, cursorSecret, pollers }) };
  }

  /** Each event is executed as a request of its own: with its deadline, its budget and its loaders. */
  async #subscribe(
    { operationName, variables: variableValues, onError }: OperationParams,
    { document }: KnownDocument,
    apiKey: string | undefined,
    request: OperationRequest,
  ): Promise<Executed | ReplyStream> {
    const { schema, live: { observer, heartbeatMs = DEFAULT_HEARTBEAT_MS } = {} } = this.#options;
    const { record } = request;
    const leaving = new Cancel();
    const contextValue = this.#contextOf(apiKey, record, leaving, performance.now());
    const args = { schema, document, operationName, variableValues, contextValue, onError };
    const refused = this.#refuse(args, contextValue, request);
    if (refused) return refused;
    // Without a key there is nothing but the deployment's to count by.
    const release = this.subscriptions.admit(apiKey ?? '');
    const source = await createSourceEventStream(args);
    if (!('events' in source)) {
      release();
      return { errors: source };
    }
    const { events, field } = source;
    const flow = this.#flowOf(request);
    const execute = (event: unknown) =>
      this.#queue.run(flow, () =>
        this.#execute({
          ...args,
          rootValue: event,
          contextValue: this.#contextOf(apiKey, record, leaving, performance.now()),
        }),
      );
    const answer = async (event: unknown): Promise<Reply> => {
      let result: Executed;
      try {
        result = await execute(event);
      } catch (error) {
        if (error instanceof QueueFullError) return overloaded(QUEUE_FULL_WAIT_MS);
        result = { errors: [error] };
      }
      if (event instanceof Snapshot && event.error) {
        const failure = locatedError(event.error, field.fieldNodes, [field.key]);
        result = { ...result, errors: [...(result.errors ?? []), failure] };
      }
      return this.#replyOf(result, request);
    };
    return new ReplyStream({
      events,
      answer,
      heartbeatMs,
      onReply: (kind, reply) => observer?.onReply?.(kind, reply, record),
      onEnd: (cause) => {
        release();
        leaving.cancel();
        observer?.onEnd?.(cause, record);
      },
    });
  }

  /** With what the request has cost, for whoever may know, and where to go on when it was too much. */
  #replyOf(result: Executed | Reply, request: OperationRequest): Reply {
    if (result instanceof Reply) return result;
    const { suggestions = true } = this.#options;
    const journal = this.#explains(request) ? request.record.rest?.journal : undefined;
    const format = result.rest && incrementalFormatOf(request.accept);
    if (result.rest && format) {
      return incrementalReply(result as IncrementalResult & { rest: Rest }, {
        format,
        presentation: { suggestions },
        lastExtensions: () =>
          journal && request.explain === 'true'
            ? { upstream: { ...explain(journal), budget: this.#budget } }
            : undefined,
      });
    }
    const headers = journal && ['server-timing', serverTiming(journal)];
    const reply = replyOf(result, { suggestions, headers });
    if (journal && request.explain === 'true')
      return reply.extended({ upstream: explain(journal) });
    return reply;
  }

  #notExplained() {
    return refusal(
      403,
      'EXPLAIN_NOT_ALLOWED',
      this.#options.explain === 'keys'
        ? 'Plans are told to callers with a key of their own (EXPLAIN=keys): send x-api-key, or leave out x-explain.'
        : 'This gateway tells no plans (EXPLAIN=off): leave out x-explain, or run "npm run plan".',
    );
  }

  #explains({ apiKey }: OperationRequest): boolean {
    const { explain: audience = 'on' } = this.#options;
    return audience === 'on' || (audience === 'keys' && apiKey != null);
  }
}
