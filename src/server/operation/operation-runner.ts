/**
 * Runs the operations that the operation handler has admitted: their plan or the refusal of what they
 * cost, their execution, and the reply.
 */
import {
  locatedError,
  type ExecutionArgs,
  type GraphQLResolveInfo,
  type GraphQLSchema,
} from 'graphql';
import { createExecute, type Execute } from '../../execution/execute.ts';
import type { IncrementalResult, MaybePromise, Rest } from '../../execution/execution.ts';
import { createSourceEventStream } from '../../execution/subscribe.ts';
import { createContext, type Context } from '../../graph/context.ts';
import { Pollers, type LiveObserver, type PollRange } from '../../graph/live/pollers.ts';
import { Snapshot } from '../../graph/live/watcher.ts';
import { Cancel } from '../../lib/cancel.ts';
import { planFor, prepareCost, refuseCost } from '../../plan/cost.ts';
import { planDefers } from '../../plan/defers.ts';
import { explain, serverTiming } from '../../plan/explain.ts';
import type { Upstream } from '../../rest/client/client.ts';
import type { KnownDocument } from '../documents/documents.ts';
import type { OperationParams } from '../documents/params.ts';
import { incrementalReply } from '../reply/incremental-reply.ts';
import { announcesAll, incrementalFormatOf } from '../reply/negotiation.ts';
import { refusal } from '../reply/refusal.ts';
import { ReplyStream, type EndCause, type ReplyKind } from '../reply/reply-stream.ts';
import { Reply, replyOf, type Executed } from '../reply/reply.ts';
import type { RequestRecord } from './request-record.ts';
import { Subscriptions } from './subscriptions.ts';

export interface OperationRunnerOptions {
  readonly schema: GraphQLSchema;
  readonly upstream: Upstream;
  /** A whole request, from its arrival, in milliseconds. @default 10_000 */
  readonly requestTimeoutMs?: number | undefined;
  /** Backend calls that one request may make. @default 250 */
  readonly maxUpstreamCalls?: number | undefined;
  /** Fields and list items that one answer may have. @default 50,000 */
  readonly maxValues?: number | undefined;
  /** What keys and strings of one answer may take in JSON, in bytes. @default 2,000,000 */
  readonly maxTextBytes?: number | undefined;
  /** Who may see what a request costs: all callers, those who bring a key, or none. @default on */
  readonly explain?: 'on' | 'keys' | 'off';
  /** Whether messages may name what was perhaps meant. @default true */
  readonly suggestions?: boolean;
  /** What executes operations. @default the gateway's own executor */
  readonly execute?: Execute | undefined;
  readonly live?: LiveOptions | undefined;
}

interface LiveOptions {
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

export interface AdmittedOperation {
  readonly params: OperationParams;
  readonly known: KnownDocument;
  /** The key to call the backend with; undefined for what calls nothing. */
  readonly apiKey: string | undefined;
  readonly request: OperationRequest;
}

/** Runs a task when its turn comes; never rejects. */
type TakeTurn = (task: () => MaybePromise<Executed>) => Promise<Executed | Reply>;

/** Errors of one answer: a few ids asked for under many aliases make thousands. */
const MAX_ERRORS = 1_000;

/** For a caller who has left one error is enough: a hundred cost as much as an answer. */
const maxErrors = (context: unknown): number =>
  (context as { readonly record: RequestRecord }).record.leaving.cancelled ? 1 : MAX_ERRORS;

const DEFAULT_MAX_PER_KEY = 2_500;
const DEFAULT_HEARTBEAT_MS = 20_000;

type RequestContext = Context & { readonly record: RequestRecord };

export class OperationRunner {
  readonly pollers: Pollers;
  readonly subscriptions: Subscriptions;
  readonly #options: OperationRunnerOptions;
  readonly #execute: Execute;
  readonly #budget: { readonly calls: number; readonly values: number };

  constructor(options: OperationRunnerOptions) {
    this.#options = options;
    const { maxUpstreamCalls: calls = 250, maxValues: values = 50_000 } = options;
    const { maxTextBytes = 2_000_000 } = options;
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
          const { rest, record } = contextValue as RequestContext;
          const { deadlineMs } = rest;
          const { leaving, operationType } = record;
          return {
            ...{ maxValues: values, maxTextBytes, deadlineMs },
            isLeft: () => operationType === 'query' && leaving.cancelled,
            giveUp: () => rest.giveUp(),
          };
        },
      });
  }

  /**
   * The result, the plan where that is all that was asked for, or the refusal of what costs too much.
   */
  run(operation: AdmittedOperation): MaybePromise<Executed> {
    const { request } = operation;
    const { record, accept } = request;
    // A caller who leaves gives up a read. A write is finished, and so is what follows it.
    const leaving = record.operationType === 'query' ? record.leaving : undefined;
    const args = this.#argsOf(operation, leaving, record.startedAt, accept);
    return this.#refuse(args, request) ?? this.#execute(args);
  }

  /** Works out ahead what does not change from one request of a valid document to the next. */
  prepare({ document }: KnownDocument): void {
    prepareCost(document);
    this.#execute.prepare?.(this.#options.schema, document);
  }

  /** Each event is executed as a request of its own: with its deadline, its budget and its loaders. */
  async subscribe(
    operation: AdmittedOperation,
    takeTurn: TakeTurn,
  ): Promise<Executed | ReplyStream> {
    const { observer, heartbeatMs = DEFAULT_HEARTBEAT_MS } = this.#options.live ?? {};
    const { apiKey, request } = operation;
    const { record } = request;
    const leaving = new Cancel();
    const args = this.#argsOf(operation, leaving, performance.now());
    const refused = this.#refuse(args, request);
    if (refused) return refused;
    // Callers without a key share the deployment's limit.
    const release = this.subscriptions.admit(apiKey ?? '');
    const source = await createSourceEventStream(args);
    if (!('events' in source)) {
      release();
      return { errors: source };
    }
    const { events, field } = source;
    const answer = async (event: unknown): Promise<Reply> => {
      const result = await takeTurn(() =>
        this.#execute({
          ...this.#argsOf(operation, leaving, performance.now()),
          rootValue: event,
        }),
      );
      if (result instanceof Reply || !(event instanceof Snapshot) || !event.error) {
        return this.replyOf(result, request);
      }
      const failure = locatedError(event.error, field.fieldNodes, [field.key]);
      return this.replyOf({ ...result, errors: [...(result.errors ?? []), failure] }, request);
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

  /**
   * @param startMs when the deadline starts, on `performance.now()`'s clock.
   * @param accept absent where nothing may come in parts.
   */
  #argsOf(
    { params, known, apiKey, request: { record } }: AdmittedOperation,
    leaving: Cancel | undefined,
    startMs: number,
    accept?: string | null,
  ) {
    const { schema, upstream, requestTimeoutMs = 10_000 } = this.#options;
    const { pollers } = this;
    record.rest = upstream({
      apiKey,
      requestId: record.requestId,
      deadlineMs: startMs + requestTimeoutMs,
      maxCalls: this.#budget.calls,
      leaving,
    });
    const { operationName, variables: variableValues, onError } = params;
    const contextValue: RequestContext = {
      record,
      ...createContext(record.rest, { apiKey, pollers }),
    };
    const { document, isIncremental } = known;
    return {
      ...{ schema, document, operationName, variableValues, contextValue, onError },
      isIncremental: isIncremental && incrementalFormatOf(accept) !== undefined,
      announcesAll: isIncremental && announcesAll(accept),
    };
  }

  /** The plan, where that is all that was asked for, or the refusal of what costs too much. */
  #refuse(
    args: ExecutionArgs & { readonly contextValue: Context },
    request: OperationRequest,
  ): Executed | undefined {
    const { contextValue } = args;
    if (request.explain !== 'plan') {
      const excess = refuseCost(args, contextValue, this.#budget);
      return excess && { errors: [excess] };
    }
    // A caller who asks for a plan does not expect a write: without one, nothing runs.
    if (!this.#explains(request)) throw this.#notExplained();
    const plan = planFor(args, contextValue);
    if (!plan) return undefined;
    const defers = planDefers(args, contextValue);
    // Clients take an answer without `data` and `errors` for a broken one.
    return { data: null, extensions: { plan: { ...plan, ...defers, budget: this.#budget } } };
  }

  /** The reply, with what the request has cost for callers who may know. */
  replyOf(result: Executed | Reply, request: OperationRequest): Reply {
    if (result instanceof Reply) return result;
    const { suggestions = true } = this.#options;
    const journal = this.#explains(request) ? request.record.rest?.journal : undefined;
    const headers = journal ? ['server-timing', serverTiming(journal)] : [];
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
        ? 'Plans are for callers with a key of their own (EXPLAIN=keys): send x-api-key, or leave out x-explain.'
        : 'Plans are switched off here (EXPLAIN=off): leave out x-explain, or run "npm run plan".',
    );
  }

  #explains({ apiKey }: OperationRequest): boolean {
    const { explain: audience = 'on' } = this.#options;
    return audience === 'on' || (audience === 'keys' && apiKey != null);
  }
}
