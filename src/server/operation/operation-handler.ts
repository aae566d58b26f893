/**
 * Handles every operation, however it arrived: parameters → document → limits → key →
 * validation → plan and budget → execution → masked reply.
 *
 * Carriers read a request and write a reply. What an operation may do is decided here and nowhere
 * else, so that no carrier can skip a check.
 */
import { OperationTypeNode } from 'graphql';
import { assertExecutable } from '../../execution/assert-executable.ts';
import type { MaybePromise } from '../../execution/execution.ts';
import type { Pollers } from '../../graph/live/pollers.ts';
import { API_KEY_FORM, API_KEY_HEADER, isApiKey } from '../../lib/api-key.ts';
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
import { overloaded, type Executed, type Reply } from '../reply/reply.ts';
import { Admission, AdmissionError } from './admission.ts';
import {
  OperationRunner,
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

/** `Retry-After` when too many operations wait, in milliseconds. */
const QUEUE_FULL_WAIT_MS = 1_000;

export class OperationHandler {
  readonly trusted: TrustedDocuments | undefined;
  readonly #options: OperationHandlerOptions;
  readonly #documents: Documents;
  readonly #runner: OperationRunner;
  readonly #admission = new Admission();

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
    let result: Reply | Executed | ReplyStream;
    try {
      result = await this.#operate(read, request);
    } catch (error) {
      result = refusedBy(error);
    }
    if (result instanceof ReplyStream) return result;
    return (request.record.reply = this.#runner.replyOf(result, request));
  }

  #operate(read: () => unknown, request: AnyRequest): MaybePromise<Reply | Executed | ReplyStream> {
    const params = readParams(read());
    const trusted = this.#trustedFor(params);
    request.record.trusted = trusted !== undefined;
    const shed = this.#shed(trusted, params.query, request);
    if (shed) return shed;
    const known = trusted?.known ?? this.#documents.read(params.query!);
    return known instanceof KnownDocument ? this.#check(params, known, request) : known;
  }

  #check(
    params: OperationParams,
    known: KnownDocument,
    request: AnyRequest,
  ): MaybePromise<Reply | Executed | ReplyStream> {
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
    const key = this.#admissionKeyOf(request);
    const run = (task: () => MaybePromise<Executed>) => this.#admit(key, task);
    return operation.operation === OperationTypeNode.SUBSCRIPTION
      ? this.#runner.subscribe(admitted, (task) => run(task).catch(refusedBy))
      : run(() => this.#runner.run(admitted));
  }

  /**
   * Runs a task when its key may have one more under way.
   *
   * @throws {AdmissionError} when too many wait.
   */
  async #admit<Result>(key: string, task: () => MaybePromise<Result>): Promise<Result> {
    const waiting = this.#admission.enter(key);
    if (waiting) await waiting;
    try {
      return await task();
    } finally {
      this.#admission.leave(key);
    }
  }

  #prepare(text: string): KnownDocument | Reply {
    const known = this.#documents.prepare(text);
    if (known instanceof KnownDocument && known.refusal === null) this.#runner.prepare(known);
    return known;
  }

  /** Requests without a key, and with keys that the backend has not accepted yet, are of one key. */
  #admissionKeyOf({ apiKey }: OperationRequest): string {
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
}

const refusedBy = (error: unknown): Executed | Reply =>
  error instanceof AdmissionError ? overloaded(QUEUE_FULL_WAIT_MS) : { errors: [error] };
