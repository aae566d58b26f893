/**
 * The pipeline that every operation passes, over whichever transport: parameters, document, limits, key, plan and
 * budget, run or subscribe, errors, response.
 *
 * Policies are compiled once into an array for each phase. Nothing is a promise but what waits.
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

export type Execute = (operation: Operation) => MaybePromise<ExecutionResult>;
export type Subscribe = (operation: Operation) => MaybePromise<ExecutionResult | Results>;

/** The results of a subscription: a `ResultStream`, or what plugins have made of it. */
export type Results = AsyncIterable<ExecutionResult>;

/**
 * A mechanism, by the phases that it takes part in. Client errors are thrown, as `GraphQLError`s; whatever else is
 * thrown is masked.
 */
export interface Policy {
  /** Before parameters are read: what is no GraphQL request at all. */
  params?(operation: Operation): void;
  /** Parameters are there: what has to be waited for before the document is looked at. */
  wait?(operation: Operation): Promise<void> | undefined;
  /** Finds the document: it may set `operation.document`. */
  parse?(operation: Operation): void;
  /** The operation is known; its document is validated after all policies. */
  validate?(operation: Operation): void;
  /** Makes what resolvers get. */
  context?(operation: Operation): void;
  /** Around the execution of a query or mutation; the first policy of the list is the outermost. */
  execute?(operation: Operation, next: Execute): MaybePromise<ExecutionResult>;
  /** Around the start of a subscription, in the same order. */
  subscribe?(operation: Operation, next: Subscribe): MaybePromise<ExecutionResult | Results>;
  /**
   * `operation.result` is there, and may be replaced. The last policy of the list is the first. To wait for it in
   * `execute` would cost a promise for each policy.
   */
  result?(operation: Operation): void;
  /** Before a response is written over HTTP: what is changed of it is sent. */
  respond?(operation: Operation, response: OperationResponse): MaybePromise<void>;
  /** Called once, after the response: for a subscription when it has begun. */
  end?(operation: Operation): void;
}

/** By their names. */
export type Policies = Readonly<Record<string, Policy>>;

/** Executes an operation that is valid; may throw. */
export type Perform = () => MaybePromise<ExecutionResult | Results>;

/** Performs operations in place of the pipeline, whose phases it calls: the host of operators' plugins. */
export interface Host {
  readonly run: (operation: Operation) => Promise<ExecutionResult | Results>;
  readonly prepare: (operation: Operation) => Promise<readonly GraphQLError[] | Perform>;
}

interface PipelineOptions {
  readonly policies: readonly Policy[];
  readonly documents: Documents;
  readonly translate: Translate;
}

type Phase = (operation: Operation) => void;
type Respond = (operation: Operation, response: OperationResponse) => MaybePromise<void>;

export class Pipeline {
  readonly documents: Documents;
  readonly translate: Translate;
  /** Set once, where plugins of operators are loaded. */
  host: Host | undefined;
  readonly #params: readonly Phase[];
  readonly #wait: readonly ((operation: Operation) => Promise<void> | undefined)[];
  readonly #parse: readonly Phase[];
  readonly #validate: readonly Phase[];
  readonly #context: readonly Phase[];
  readonly #result: readonly Phase[];
  readonly #respond: readonly Respond[];
  readonly #end: readonly Phase[];
  readonly #execute: Execute;
  readonly #subscribe: Subscribe;
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
    this.#execute = policies.reduceRight<Execute>(
      (next, policy) => (policy.execute ? (operation) => policy.execute!(operation, next) : next),
      nothing,
    );
    this.#subscribe = policies.reduceRight<Subscribe>(
      (next, policy) =>
        policy.subscribe ? (operation) => policy.subscribe!(operation, next) : next,
      nothing,
    );
  }

  /** Operations under way. */
  get underWay(): number {
    return this.#underWay;
  }

  /** Resolves when none is under way. */
  idle(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#underWay === 0) resolve();
      else this.#whenIdle.push(resolve);
    });
  }

  /** Every operation that begins must `end`. */
  begin(): void {
    this.#underWay += 1;
  }

  /**
   * The result of an operation, or its results.
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
   * The same for a transport that executes later.
   *
   * @returns what executes it, or the errors of its document.
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

  /** @throws the client error of what is no GraphQL request. */
  checkRequest(operation: Operation): void {
    for (const phase of this.#params) phase(operation);
  }

  setParams(operation: Operation, params: OperationParams): void {
    operation.params = params;
    operation.variables = params.variables;
    // They may be as large as the body.
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

  /** Finds the document, which may be one that does not parse. */
  parse(operation: Operation): void {
    for (const phase of this.#parse) phase(operation);
    operation.document ??= this.documents.find(operation.params.query);
  }

  /** Chooses the operation of the document. @throws why there is none. */
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

  /** The result of the executor, or of something in its place, after the policies. */
  resultOf(operation: Operation, result: ExecutionResult): ExecutionResult {
    operation.result = result;
    operation.isFinal = true;
    for (const phase of this.#result) phase(operation);
    return operation.result;
  }

  /** Records the result as callers are told it, with errors in their words. */
  settle(operation: Operation, result: ExecutionResult): ExecutionResult {
    const isNew = operation.hasBegun && !operation.isFinal;
    const final = isNew ? this.resultOf(operation, result) : result;
    return recordResult(final, operation, this.translate);
  }

  /**
   * The response over HTTP. There is no other way out: what is one result is translated, passes all policies and gets
   * its headers here.
   *
   * @param results those of a subscription, or one result.
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

  /** Reports an operation: at once, or after the last part of a response in parts. */
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
    // A plugin has put another result in its place.
    stream?.close('left');
    const result = this.settle(operation, results as ExecutionResult);
    // The policies have made them of the result.
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
    // The connection of a slow reader keeps the operation.
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
): Phase[] => policies.flatMap((policy) => policy[name]?.bind(policy) ?? []);

function finished(operation: Operation, response: OperationResponse): OperationResponse {
  response.headers.push('x-request-id', operation.requestId);
  finish(response);
  if (!response.events) {
    if (!response.parts) response.text = framed(response);
    operation.bytes = response.bytes?.length ?? Buffer.byteLength(response.text);
  }
  return response;
}

/** Names that a message has. */
const MAX_NAMES = 10;

/** The error of a name that the document's operations do not have. */
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
