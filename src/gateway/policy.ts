/**
 * Policies: one mechanism each, as handlers of the phases of an operation, which are named like the hooks of Yoga and
 * Envelop.
 *
 * The list is compiled once into an array per phase. Phases are synchronous unless they wait.
 */
import type { ExecutionResult } from 'graphql';
import type { MaybePromise } from '../execution/core/resolved-value.ts';
import type { Document } from './operation/document.ts';
import type { OperationContext } from './operation/operation-context.ts';
import type { Operation } from './operation/operation.ts';
import type { OperationResponse } from './operation/response.ts';

/** Results of a subscription: a `ResultStream`, possibly wrapped by plugins. */
export type Results = AsyncIterable<ExecutionResult>;

export type ExecuteNext = (operation: Operation) => MaybePromise<ExecutionResult>;
export type SubscribeNext = (operation: Operation) => MaybePromise<ExecutionResult | Results>;

/** One mechanism. Client errors are thrown as `GraphQLError`s; other errors are masked. */
export interface Policy {
  /** Before parameters are read: rejects requests that are not GraphQL. */
  onRequestParse?(operation: Operation): void;
  /** After parameters are read: delays the parsing of the document. */
  onParams?(operation: Operation): Promise<void> | undefined;
  /** Before the document is parsed; may return the document. */
  onParse?(operation: Operation): Document | undefined;
  /** When the operation of the document is selected; again if a plugin replaces it. */
  onSelect?(operation: Operation): void;
  /** Before the document is validated. */
  onValidate?(operation: Operation): void;
  /** Completes the context of resolvers. */
  onContextBuilding?(operation: Operation, context: OperationContext): void;
  /** Wraps the execution of a query or mutation; the first policy is the outermost. */
  onExecute?(operation: Operation, next: ExecuteNext): MaybePromise<ExecutionResult>;
  /** Wraps the start of a subscription, in the same order. */
  onSubscribe?(operation: Operation, next: SubscribeNext): MaybePromise<ExecutionResult | Results>;
  /**
   * After execution, in reverse order; may return another result. Cheaper than `onExecute`, which costs a promise per
   * policy.
   */
  onExecuteDone?(operation: Operation, result: ExecutionResult): ExecutionResult | undefined;
  /** Before a response is written over HTTP; may modify it. */
  onAnswer?(operation: Operation, response: OperationResponse): MaybePromise<void>;
  /** Called once, after the response; for a subscription after its start. */
  onAnswered?(operation: Operation): void;
}

/** Policies by name. */
export type Policies = Readonly<Record<string, Policy>>;

type Handlers<Phase extends keyof Policy> = readonly NonNullable<Policy[Phase]>[];

export class CompiledPolicies {
  readonly onRequestParse: Handlers<'onRequestParse'>;
  readonly onParams: Handlers<'onParams'>;
  readonly onParse: Handlers<'onParse'>;
  readonly onSelect: Handlers<'onSelect'>;
  readonly onValidate: Handlers<'onValidate'>;
  readonly onContextBuilding: Handlers<'onContextBuilding'>;
  readonly onExecuteDone: Handlers<'onExecuteDone'>;
  readonly onAnswer: Handlers<'onAnswer'>;
  readonly onAnswered: Handlers<'onAnswered'>;
  readonly execute: ExecuteNext;
  readonly subscribe: SubscribeNext;

  constructor(policies: readonly Policy[]) {
    const of = <Phase extends keyof Policy>(phase: Phase): NonNullable<Policy[Phase]>[] =>
      policies.flatMap((policy) => {
        const handler: Policy[Phase] = policy[phase];
        return handler ? [handler.bind(policy) as NonNullable<Policy[Phase]>] : [];
      });
    this.onRequestParse = of('onRequestParse');
    this.onParams = of('onParams');
    this.onParse = of('onParse');
    this.onSelect = of('onSelect');
    this.onValidate = of('onValidate');
    this.onContextBuilding = of('onContextBuilding');
    this.onExecuteDone = of('onExecuteDone').reverse();
    this.onAnswer = of('onAnswer');
    this.onAnswered = of('onAnswered');
    const nothing = () => ({ data: null });
    this.execute = of('onExecute').reduceRight<ExecuteNext>(
      (next, handler) => (operation) => handler(operation, next),
      nothing,
    );
    this.subscribe = of('onSubscribe').reduceRight<SubscribeNext>(
      (next, handler) => (operation) => handler(operation, next),
      nothing,
    );
  }
}
