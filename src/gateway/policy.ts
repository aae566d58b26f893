/**
 * Policies: one mechanism each, as handlers of the phases of an operation, which are named like the hooks of Yoga and
 * Envelop.
 *
 * The list is compiled once into an array per phase. Phases are synchronous unless they wait.
 */
import type { ExecutionResult } from 'graphql';
import type { MaybePromise } from '../execution/core/resolved-value.ts';
import type { Document, OperationDefinition } from './operation/document.ts';
import type { GatewayContext } from './operation/gateway-context.ts';
import type { Answered, Operation, ReadyOperation } from './operation/operation.ts';
import type { OperationParams } from './operation/params.ts';
import type { OperationResponse } from './operation/response.ts';

/** Results of a subscription: a `ResultStream`, possibly wrapped by plugins. */
export type Results = AsyncIterable<ExecutionResult>;

export type Executed = ExecutionResult | Results;

export type Next<Result> = (operation: ReadyOperation) => MaybePromise<Result>;

/** One mechanism. Handlers have no `this`. Client errors are thrown as `GraphQLError`s; other errors are masked. */
export interface Policy {
  /** Before parameters are read: rejects requests that are not GraphQL. */
  onRequestParse?(operation: Operation): void;
  /** After parameters are read: delays the parsing of the document. */
  onParams?(operation: Operation, params: OperationParams): Promise<void> | undefined;
  /** Before the document is parsed; may return the document. */
  onParse?(operation: Operation, params: OperationParams): Document | undefined;
  /** When the operation of the document is selected; again if a plugin replaces it. */
  onSelect?(operation: Operation): void;
  /** Before the document is validated. */
  onValidate?(operation: Operation, definition: OperationDefinition): void;
  /** Completes the context of resolvers. */
  onContextBuilding?(operation: Operation, context: GatewayContext): void;
  /** Wraps the execution of a query or mutation; the first policy is the outermost. */
  onExecute?(operation: ReadyOperation, next: Next<ExecutionResult>): MaybePromise<ExecutionResult>;
  /** Wraps the start of a subscription, in the same order. */
  onSubscribe?(operation: ReadyOperation, next: Next<Executed>): MaybePromise<Executed>;
  /**
   * After execution, in reverse order; may return another result. Cheaper than `onExecute`, which costs a promise per
   * policy.
   */
  onExecuteDone?(operation: ReadyOperation, result: ExecutionResult): ExecutionResult | undefined;
  /** Before a response is written over HTTP; may modify it. */
  onAnswer?(operation: Operation, response: OperationResponse): MaybePromise<void>;
  /** Called once, after the response; for a subscription after its start. */
  onAnswered?(operation: Operation, answered: Answered): void;
}

export type Policies = Readonly<Record<string, Policy>>;

export function compile(policies: readonly Policy[]) {
  const of = <Phase extends keyof Policy>(phase: Phase): NonNullable<Policy[Phase]>[] =>
    policies.flatMap((policy) => policy[phase] ?? []);
  const nothing = () => ({ data: null });
  return {
    onRequestParse: of('onRequestParse'),
    onParams: of('onParams'),
    onParse: of('onParse'),
    onSelect: of('onSelect'),
    onValidate: of('onValidate'),
    onContextBuilding: of('onContextBuilding'),
    execute: of('onExecute').reduceRight<Next<ExecutionResult>>(
      (next, handler) => (operation) => handler(operation, next),
      nothing,
    ),
    subscribe: of('onSubscribe').reduceRight<Next<Executed>>(
      (next, handler) => (operation) => handler(operation, next),
      nothing,
    ),
    onExecuteDone: of('onExecuteDone').reverse(),
    onAnswer: of('onAnswer'),
    onAnswered: of('onAnswered'),
  };
}

export type CompiledPolicies = ReturnType<typeof compile>;

/** Calls handlers one after the other, synchronously until one waits. */
export function inOrder<Subject>(
  handlers: readonly ((operation: Operation, subject: Subject) => MaybePromise<void> | undefined)[],
  operation: Operation,
  subject: Subject,
): Promise<void> | undefined {
  let waiting: Promise<void> | undefined;
  for (const handler of handlers) {
    waiting = waiting
      ? waiting.then(() => handler(operation, subject))
      : handler(operation, subject) || undefined;
  }
  return waiting;
}
