/**
 * The pipeline of all operations, over every transport: parameters, document, limits, key, plan and budget, execution
 * or subscription, errors, response.
 *
 * Policies are compiled once into an array per phase. Phases are synchronous unless they wait.
 */
import type { ExecutionResult, GraphQLError } from 'graphql';
import type { MaybePromise } from '../execution/core/resolved-value.ts';
import type { Documents } from './documents/documents.ts';
import { clientError } from './operation/client-error.ts';
import type { Document } from './operation/document.ts';
import type { Translate } from './operation/errors.ts';
import { negotiateMediaType } from './operation/negotiation.ts';
import type { Operation } from './operation/operation.ts';
import { framed } from './operation/framing.ts';
import { outcomeOf, recordResult } from './operation/outcome.ts';
import { readParams, type OperationParams } from './operation/params.ts';
import {
  finish,
  responseInEvents,
  responseInParts,
  responseOf,
  type OperationResponse,
} from './operation/response.ts';

export type ExecuteNext = (operation: Operation) => MaybePromise<ExecutionResult>;
export type SubscribeNext = (operation: Operation) => MaybePromise<ExecutionResult | Results>;

/** Results of a subscription: a `ResultStream`, possibly wrapped by plugins. */
export type Results = AsyncIterable<ExecutionResult>;

/** One mechanism, as handlers of phases. Client errors are thrown as `GraphQLError`s; other errors are masked. */
export interface Policy {
  /** Before parameters are read: rejects requests that are not GraphQL. */
  params?(operation: Operation): void;
  /** After parameters are read: delays the parsing of the document. */
  wait?(operation: Operation): Promise<void> | undefined;
  /** Looks up the document; may set `operation.document`. */
  parse?(operation: Operation): void;
  /** After the operation is selected, before its document is validated. */
  validate?(operation: Operation): void;
  /** Creates the context of resolvers. */
  context?(operation: Operation): void;
  /** Wraps the execution of a query or mutation; the first policy is the outermost. */
  execute?(operation: Operation, next: ExecuteNext): MaybePromise<ExecutionResult>;
  /** Wraps the start of a subscription, in the same order. */
  subscribe?(operation: Operation, next: SubscribeNext): MaybePromise<ExecutionResult | Results>;
  /**
   * After execution, in reverse order; may replace `operation.result`. Cheaper than `execute`, which costs a promise
   * per policy.
   */
  result?(operation: Operation): void;
  /** Before a response is written over HTTP; may modify it. */
  respond?(operation: Operation, response: OperationResponse): MaybePromise<void>;
  /** Called once, after the response; for a subscription after its start. */
  end?(operation: Operation): void;
}

/** Policies by name. */
export type Policies = Readonly<Record<string, Policy>>;

/** Executes a valid operation; may throw. */
export type Perform = () => MaybePromise<ExecutionResult | Results>;

/** Host of operators' plugins: executes operations in place of the pipeline, whose phases it calls. */
export interface OperationHost {
  readonly run: (operation: Operation) => Promise<ExecutionResult | Results>;
  readonly prepare: (operation: Operation) => Promise<readonly GraphQLError[] | Perform>;
}

interface PipelineOptions {
  readonly policies: readonly Policy[];
  readonly documents: Documents;
  readonly translate: Translate;
}

type PhaseHandler = (operation: Operation) => void;
type Respond = (operation: Operation, response: OperationResponse) => MaybePromise<void>;

export class Pipeline {
  readonly documents: Documents;
  readonly translate: Translate;
  /** Set once if operators' plugins are loaded. */
  host: OperationHost | undefined;
  readonly #params: readonly PhaseHandler[];
  readonly #wait: readonly ((operation: Operation) => Promise<void> | undefined)[];
  readonly #parse: readonly PhaseHandler[];
  readonly #validate: readonly PhaseHandler[];
  readonly #context: readonly PhaseHandler[];
  readonly #result: readonly PhaseHandler[];
  readonly #respond: readonly Respond[];
  readonly #end: readonly PhaseHandler[];
  readonly #execute: ExecuteNext;
  readonly #subscribe: SubscribeNext;
  readonly #whenIdle: (() => void)[] = [];
  #underWay = 0;

  constructor({ policies, documents, translate }: PipelineOptions) {
    this.documents = documents;
    this.translate = translate;
    this.#params = phasesOf(policies, 'params');
    this.#wait = policies.flatMap((policy) => policy.wait?.bind(policy) ?? []);
    this.#parse = phasesOf(policies, 'parse');
    this.#validate = phasesOf(policies, 'validate');
    this.#context = phasesOf(policies, 'context');
    this.#result = phasesOf(policies, 'result').reverse();
    this.#respond = policies.flatMap((policy) => policy.respond?.bind(policy) ?? []);
    this.#end = phasesOf(policies, 'end');
    const nothing = () => ({ data: null });
    this.#execute = policies.reduceRight<ExecuteNext>(
      (next, policy) => (policy.execute ? (operation) => policy.execute!(operation, next) : next),
      nothing,
    );
    this.#subscribe = policies.reduceRight<SubscribeNext>(
      (next, policy) =>
        policy.subscribe ? (operation) => policy.subscribe!(operation, next) : next,
      nothing,
    );
  }

  /** Number of operations in flight. */
  get underWay(): number {
    return this.#underWay;
  }

  /** Resolves when no operation is in flight. */
  idle(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#underWay === 0) resolve();
      else this.#whenIdle.push(resolve);
    });
  }

  /** Counts an operation; each must `end`. */
  begin(): void {
    this.#underWay += 1;
  }

  /**
   * Executes an operation.
   *
   * @throws client errors: at once, or as a rejection.
   */
  run(operation: Operation): MaybePromise<ExecutionResult | Results> {
    if (this.host) return this.host.run(operation);
    const waiting = this.#receive(operation);
    return waiting
      ? waiting.then(() => this.#understandAndPerform(operation))
      : this.#understandAndPerform(operation);
  }

  /**
   * Prepares an operation for a transport that executes later.
   *
   * @returns a function that executes it, or validation errors.
   * @throws client errors: as a rejection.
   */
  async prepare(operation: Operation): Promise<readonly GraphQLError[] | Perform> {
    if (this.host) return this.host.prepare(operation);
    await this.#receive(operation);
    const errors = this.#understand(operation);
    return errors.length > 0 ? errors : () => this.#perform(operation);
  }

  #receive(operation: Operation): Promise<void> | undefined {
    this.checkRequest(operation);
    this.setParams(operation, readParams(operation.transport.readParams(operation)));
    return this.wait(operation);
  }

  #understand(operation: Operation): readonly GraphQLError[] {
    this.parse(operation);
    this.choose(operation);
    this.validate(operation);
    const errors = this.documents.validate(operation.document!, operation.schema);
    if (errors.length === 0) this.context(operation);
    return errors;
  }

  #understandAndPerform(operation: Operation): MaybePromise<ExecutionResult | Results> {
    const errors = this.#understand(operation);
    return errors.length > 0 ? { errors } : this.#perform(operation);
  }

  #perform(operation: Operation): MaybePromise<ExecutionResult | Results> {
    return operation.operationType === 'subscription'
      ? this.subscribe(operation)
      : this.execute(operation);
  }

  /** @throws a client error if the request is not GraphQL. */
  checkRequest(operation: Operation): void {
    for (const phase of this.#params) phase(operation);
  }

  setParams(operation: Operation, params: OperationParams): void {
    operation.params = params;
    operation.variables = params.variables;
    // Releases values that may be as large as the body.
    operation.given = undefined;
    operation.body = undefined;
  }

  wait(operation: Operation): Promise<void> | undefined {
    let waiting: Promise<void> | undefined;
    for (const wait of this.#wait) {
      waiting = waiting ? waiting.then(() => wait(operation)) : wait(operation);
    }
    return waiting;
  }

  /** Looks up the document, which may have a syntax error. */
  parse(operation: Operation): void {
    for (const phase of this.#parse) phase(operation);
    operation.document ??= this.documents.find(operation.params.query);
  }

  /** Selects the operation of the document. @throws a client error if there is none. */
  choose(operation: Operation): void {
    const { document, params } = operation;
    if (document!.failure) throw document!.failure;
    const definition = document!.operation(params.operationName);
    if (!definition) throw noOperation(document!, params.operationName);
    operation.definition = definition;
    operation.operationName = definition.name;
    operation.operationType = definition.type;
  }

  validate(operation: Operation): void {
    for (const phase of this.#validate) phase(operation);
  }

  context(operation: Operation): void {
    for (const phase of this.#context) phase(operation);
  }

  execute(operation: Operation): MaybePromise<ExecutionResult> {
    operation.hasBegun = true;
    return this.#execute(operation);
  }

  subscribe(operation: Operation): MaybePromise<ExecutionResult | Results> {
    operation.hasBegun = true;
    return this.#subscribe(operation);
  }

  /** Passes a result through the policies. */
  resultOf(operation: Operation, result: ExecutionResult): ExecutionResult {
    operation.result = result;
    operation.isFinal = true;
    for (const phase of this.#result) phase(operation);
    return operation.result;
  }

  /** Translates and records a result. */
  settle(operation: Operation, result: ExecutionResult): ExecutionResult {
    const isNew = operation.hasBegun && !operation.isFinal;
    const final = isNew ? this.resultOf(operation, result) : result;
    return recordResult(final, operation, this.translate);
  }

  /**
   * Creates the HTTP response. Every single result is translated, passes all policies and gets its headers here.
   *
   * @param results of a subscription, or a single result.
   */
  respond(
    operation: Operation,
    results: ExecutionResult | Results,
  ): MaybePromise<OperationResponse> {
    const response = this.#toResponse(operation, results);
    operation.response = response;
    for (let i = 0; i < this.#respond.length; i++) {
      const waiting = this.#respond[i]!(operation, response);
      if (waiting) return this.#respondLater(operation, response, waiting, i + 1);
    }
    return finished(operation, response);
  }

  /** Reports an operation as ended; a response in parts after its last part. */
  end(operation: Operation, status: number): void {
    const { parts } = operation;
    if (parts && !parts.isOver) parts.onEnd = () => this.#report(operation, status);
    else this.#report(operation, status);
  }

  #toResponse(operation: Operation, results: ExecutionResult | Results): OperationResponse {
    const { stream } = operation;
    if (stream && Symbol.asyncIterator in results) {
      return responseInEvents({ results, stream });
    }
    // A plugin replaced the stream by a single result.
    stream?.close('left');
    const result = this.settle(operation, results as ExecutionResult);
    // Set by a policy of `result`.
    const { parts } = operation;
    return parts
      ? responseInParts(parts.written(result))
      : responseOf(result, negotiateMediaType(operation.accept) ?? 'application/json');
  }

  async #respondLater(
    operation: Operation,
    response: OperationResponse,
    waiting: Promise<void>,
    next: number,
  ): Promise<OperationResponse> {
    await waiting;
    for (const respond of this.#respond.slice(next)) await respond(operation, response);
    return finished(operation, response);
  }

  #report(operation: Operation, status: number): void {
    operation.status = status;
    operation.outcome = outcomeOf(operation, status);
    operation.durationMs = performance.now() - operation.startedMs;
    for (const phase of this.#end) phase(operation);
    const { isSending, permit } = operation.arrival;
    if (isSending) permit?.answered(operation.bytes ?? 0);
    else permit?.leave();
    // The operation is retained while a slow reader reads the response.
    operation.rest = undefined;
    operation.reads = undefined;
    operation.errors = undefined;
    operation.result = undefined;
    this.#underWay -= 1;
    if (this.#underWay === 0) for (const resolve of this.#whenIdle.splice(0)) resolve();
  }
}

const phasesOf = (
  policies: readonly Policy[],
  name: 'params' | 'parse' | 'validate' | 'context' | 'result' | 'end',
): PhaseHandler[] => policies.flatMap((policy) => policy[name]?.bind(policy) ?? []);

function finished(operation: Operation, response: OperationResponse): OperationResponse {
  response.headers.push('x-request-id', operation.requestId);
  finish(response);
  if (!response.events) {
    if (!response.parts) response.text = framed(response);
    operation.bytes = response.bytes?.length ?? Buffer.byteLength(response.text);
  }
  return response;
}

/** Maximum number of names in a message. */
const MAX_NAMES = 10;

/** The client error of an unknown operation name. */
function noOperation({ operations }: Document, asked: string | null | undefined): GraphQLError {
  const names = operations.map(({ name }) =>
    name === undefined ? 'one without a name' : JSON.stringify(name),
  );
  const more = names.length > MAX_NAMES ? `, and ${names.length - MAX_NAMES} more` : '';
  const list = `the document has ${names.slice(0, MAX_NAMES).join(', ')}${more}`;
  const message =
    names.length === 0
      ? 'Send a document with an operation: there are fragments alone.'
      : asked
        ? `There is no operation ${JSON.stringify(asked)}: ${list}.`
        : `Name one of the operations as "operationName": ${list}.`;
  return clientError(400, 'OPERATION_RESOLUTION_FAILURE', message);
}
