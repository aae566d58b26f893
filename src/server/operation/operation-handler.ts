/**
 * Handles every operation, however it arrived: parameters → document → limits → key →
 * validation → plan and budget → execution → masked reply.
 *
 * Carriers read a request and write a reply. What an operation may do is decided here and nowhere
 * else, so that no carrier can skip a check.
 */
import { OperationTypeNode } from 'graphql';
import { LRUCache } from 'lru-cache';
import { assertExecutable } from '../../execution/assert-executable.ts';
import type { MaybePromise } from '../../execution/execution.ts';
import type { Pollers } from '../../graph/live/pollers.ts';
import { API_KEY_FORM, API_KEY_HEADER, isApiKey } from '../../lib/api-key.ts';
import { Turns } from '../../lib/turns/turns.ts';
import { Documents, KnownDocument, type DocumentsOptions } from '../documents/documents.ts';
import { readParams, type OperationParams } from '../documents/params.ts';
import {
  refuseId,
  TrustedDocuments,
  type TrustedDocument,
  type TrustedDocumentsOptions,
  type TrustedObserver,
} from '../documents/trusted-documents.ts';
import { refusal } from '../reply/refusal.ts';
import { ReplyStream } from '../reply/reply-stream.ts';
import { overloaded, type Content, type Executed, type Reply } from '../reply/reply.ts';
import { FairQueue, QueueFullError } from './fair-queue.ts';
import {
  OperationRunner,
  type AdmittedOperation,
  type OperationRequest,
  type OperationRunnerOptions,
} from './operation-runner.ts';
import type { Subscriptions } from './subscriptions.ts';

export interface OperationHandlerOptions extends OperationRunnerOptions, DocumentsOptions {
  /** Sent for callers who send no key. */
  readonly apiKey?: string | undefined;
  /** Where trusted documents are, and whether others are refused. @default none */
  readonly trustedDocuments?: TrustedDocumentsOptions | undefined;
  readonly trustedObserver?: TrustedObserver | undefined;
}

/** Of a carrier that can write more than one reply. */
interface StreamingRequest extends OperationRequest {
  readonly streams: true;
}

type AnyRequest = OperationRequest & { readonly streams?: boolean };

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

/** After so long the next step of an operation waits for its turn, in milliseconds. */
const STEP_MS = 2;

/**
 * What a flow pays for each request, in milliseconds: about what reading it and writing, logging and
 * counting its answer take, which is not measured. Most of what a request costs that is refused at once.
 */
const REQUEST_MS = 0.1;

/** `Retry-After` when the queue is full, in milliseconds. */
const QUEUE_FULL_WAIT_MS = 1_000;

export class OperationHandler {
  readonly trusted: TrustedDocuments | undefined;
  readonly #options: OperationHandlerOptions;
  readonly #documents: Documents;
  readonly #runner: OperationRunner;
  readonly #queue = new FairQueue();
  readonly #introspected = new LRUCache<string, Reply>({ maxSize: MAX_INTROSPECTED });

  constructor(options: OperationHandlerOptions) {
    assertExecutable(options.schema);
    this.#options = options;
    this.#documents = new Documents(options);
    this.#runner = new OperationRunner(options);
    const { trustedDocuments, trustedObserver = {} } = options;
    this.trusted =
      trustedDocuments &&
      new TrustedDocuments(trustedDocuments, (text) => this.#prepare(text), trustedObserver);
  }

  get pollers(): Pollers {
    return this.#runner.pollers;
  }

  get subscriptions(): Subscriptions {
    return this.#runner.subscriptions;
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
    const { record } = request;
    const flow = this.#flowOf(request);
    record.turns = new Turns((ms) => this.#queue.charge(flow, ms), flow);
    const result = await this.#inTurn(flow, () => {
      this.#queue.charge(flow, REQUEST_MS);
      return this.#operate(read, request);
    });
    if (result instanceof ReplyStream) return result;
    const startMs = performance.now();
    const reply = this.#runner.replyOf(result, request);
    record.reply = reply;
    const writing = reply.content.write(record.turns);
    if (writing) await writing;
    else this.#queue.charge(flow, performance.now() - startMs);
    return reply;
  }

  /**
   * Runs what a carrier does for a caller before there is an operation, when the caller's turn comes.
   *
   * @throws {QueueFullError} when too many tasks wait.
   */
  takeTurn(apiKey: string | undefined, task: () => void): MaybePromise<void> {
    return this.#queue.run(this.#flowOf({ apiKey }), task);
  }

  /** Runs a task when the turn of its flow comes; never rejects. */
  async #inTurn<Result>(
    flow: string,
    task: () => MaybePromise<Result>,
  ): Promise<Result | Executed | Reply> {
    try {
      return await this.#queue.run(flow, task);
    } catch (error) {
      return error instanceof QueueFullError ? overloaded(QUEUE_FULL_WAIT_MS) : { errors: [error] };
    }
  }

  /** Goes on in a later turn where this one has taken its time; no part of it can be interrupted. */
  #step<Result>(
    request: AnyRequest,
    startMs: number,
    next: () => MaybePromise<Result>,
  ): MaybePromise<Result> {
    return performance.now() - startMs > STEP_MS
      ? this.#queue.later(this.#flowOf(request), next)
      : next();
  }

  /** Up to the first wait for the backend, or for the next turn. */
  #operate(
    read: () => unknown,
    request: AnyRequest,
  ): MaybePromise<Reply | Executed | Content | ReplyStream> {
    const startMs = performance.now();
    const params = readParams(read());
    const trusted = this.#trustedFor(params);
    request.record.trusted = trusted !== undefined;
    const shed = this.#shed(trusted, params.query, request);
    if (shed) return shed;
    const known = trusted?.known ?? this.#documents.read(params.query!);
    if (!(known instanceof KnownDocument)) return known;
    return this.#step(request, startMs, () => this.#admit(params, known, request));
  }

  #admit(
    params: OperationParams,
    known: KnownDocument,
    request: AnyRequest,
  ): MaybePromise<Reply | Executed | Content | ReplyStream> {
    const startMs = performance.now();
    const { record, method } = request;
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
    const admitted = { params, known, apiKey, request };
    return this.#step(request, startMs, () => this.#start(admitted, operation.operation));
  }

  #start(
    admitted: AdmittedOperation,
    kind: OperationTypeNode,
  ): MaybePromise<Reply | Executed | Content | ReplyStream> {
    const { known, request } = admitted;
    if (kind === OperationTypeNode.SUBSCRIPTION) {
      const flow = this.#flowOf(request);
      return this.#runner.subscribe(admitted, (task) => this.#inTurn(flow, task));
    }
    return known.introspects && !known.isIncremental && request.explain == null
      ? this.#introspect(admitted)
      : this.#runner.run(admitted);
  }

  #prepare(text: string): KnownDocument | Reply {
    const known = this.#documents.prepare(text);
    if (known instanceof KnownDocument && known.refusal === null) this.#runner.prepare(known);
    return known;
  }

  /** All requests without a key, or with one that the backend has not accepted yet, are one flow. */
  #flowOf({ apiKey }: Pick<OperationRequest, 'apiKey'>): string {
    return apiKey != null && this.#options.upstream.isAccepted(apiKey) ? apiKey : '';
  }

  /** @throws for an unknown id, or a text where only trusted documents are served. */
  #trustedFor(params: OperationParams): TrustedDocument | undefined {
    if (this.trusted) return this.trusted.find(params);
    refuseId(params);
    return undefined;
  }

  /** The refusal of an operation whose calls would be shed, before it costs anything. */
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
   * @throws UNAUTHENTICATED where one is needed and not there, or cannot be used.
   */
  #keyFor({ apiKey }: OperationRequest, { isOfSchema }: KnownDocument): string | undefined {
    // A bad key is refused: its sender did not ask for the deployment's own key.
    if (apiKey != null) {
      // A header sent twice arrives with ", " between its values: the space gives it away.
      if (isApiKey(apiKey)) return apiKey;
      const message = `Send one ${API_KEY_HEADER} header of ${API_KEY_FORM}.`;
      throw refusal(401, 'UNAUTHENTICATED', message);
    }
    const { apiKey: fallback } = this.#options;
    if (fallback === undefined && !isOfSchema) {
      throw refusal(401, 'UNAUTHENTICATED', `Send your key as the header ${API_KEY_HEADER}.`);
    }
    return fallback;
  }

  /** Runs it once for all who send the same: the schema does not change, and tools ask for all of it. */
  #introspect(admitted: AdmittedOperation): MaybePromise<Reply> {
    const { params, known, request } = admitted;
    const key = JSON.stringify([known.source, params.operationName, params.variables]);
    const found = this.#introspected.get(key);
    if (found) return found;
    const keep = (result: Executed | Content): Reply => {
      const reply = this.#runner.replyOf(result, request);
      // Different variables may be the same in JSON: 1e999 is null there.
      if (reply.errorCodes.length > 0) return reply;
      this.#introspected.set(key, reply, { size: key.length + reply.text.length });
      return reply;
    };
    const result = this.#runner.run(admitted);
    return result instanceof Promise ? result.then(keep) : keep(result);
  }
}
