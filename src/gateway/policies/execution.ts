/**
 * Execution by our executor, with what resolvers of each request reach the backend with.
 */
import type { GraphQLResolveInfo } from 'graphql';
import { createExecute, type Execute } from '../../execution/execute.ts';
import type { MaybePromise } from '../../execution/core/resolved-value.ts';
import type { IncrementalResult } from '../../execution/incremental/incremental-executor.ts';
import type { Context } from '../../graph/context.ts';
import type { Cancel } from '../../lib/cancel.ts';
import type { Pollers } from '../../live/pollers.ts';
import { NOW } from '../../rest/call/call.ts';
import type { CallTrace } from '../../rest/call/trace.ts';
import type { RestClient, Upstream } from '../../rest/client/client.ts';
import { partsReaderOf } from '../operation/negotiation.ts';
import type { Operation } from '../operation/operation.ts';
import { forwardedTrace } from '../operation/trace-context.ts';
import type { Policy } from '../pipeline.ts';
import type { Forwarding } from './headers.ts';

/** Limits of one request. */
export interface RequestLimits {
  /** A whole request, from its arrival, in milliseconds. */
  readonly requestTimeoutMs: number;
  /** Backend calls that one request may make. */
  readonly maxUpstreamCalls: number;
  /** Fields and list items that one result may have. */
  readonly maxValues: number;
  /** Bytes of keys and strings of one result in JSON. */
  readonly maxTextBytes: number;
}

/** REST calls and values of one request. */
export interface Budget {
  readonly calls: number;
  readonly values: number;
}

interface ExecutionOptions {
  readonly upstream: Upstream;
  readonly limits: RequestLimits;
  readonly pollers: Pollers;
  readonly forwarding: Forwarding;
  /** Whether errors may name what was perhaps meant. */
  readonly suggestions: boolean;
  /** Executes operations. @default the gateway's own executor */
  readonly execute?: Execute | undefined;
}

/** Errors of one result: a few ids under many aliases make thousands. */
const MAX_ERRORS = 1_000;

/** The part of a context that the executor reads: of an operation, of a plugin, or of an event. */
interface ExecutionContext {
  readonly rest: RestClient;
  readonly cancel: Cancel;
}

/** An event of a subscription, which is executed as a request of its own. */
export interface EventContext extends Context, ExecutionContext {}

export interface OperationExecution {
  readonly budget: Budget;
  /** Makes what resolvers get. */
  readonly prepare: (operation: Operation) => void;
  /** The same for an event, with calls, a deadline and loaders of its own. @param trace what its calls belong to. */
  readonly prepareEvent: (
    operation: Operation,
    startMs: number,
    cancel: Cancel,
    trace: CallTrace | undefined,
  ) => EventContext;
  readonly execute: (
    operation: Operation,
    rootValue?: unknown,
    contextValue?: unknown,
  ) => MaybePromise<IncrementalResult>;
}

/** The arguments of graphql-js for an operation, with its definition. */
export const argsOf = (operation: Operation) => ({
  schema: operation.schema,
  document: operation.document!.syntax, // it is parsed before all that asks for this
  operation: operation.definition?.node,
  operationName: operation.params.operationName ?? null,
  variableValues: operation.variables ?? null,
  contextValue: operation.contextValue,
});

export function createExecution(options: ExecutionOptions): OperationExecution {
  const { upstream, pollers, suggestions, forwarding } = options;
  const { requestTimeoutMs, maxUpstreamCalls, maxValues, maxTextBytes } = options.limits;
  const execute =
    options.execute ??
    createExecute({
      onIncremental: (context, isDeferred) => {
        // Every call of the graph has the path of its field as its origin.
        (context as Context).rest.deferWhere((origin) =>
          isDeferred(origin as GraphQLResolveInfo['path']),
        );
      },
      limits: (context) => {
        const { rest, cancel } = context as ExecutionContext;
        const { deadlineMs } = rest;
        return {
          maxValues,
          maxTextBytes,
          deadlineMs,
          // One error is enough of what is cancelled: a hundred cost as much as a result.
          maxErrors: () => (cancel.cancelled ? 1 : MAX_ERRORS),
          onAbort: () => rest.abort(),
        };
      },
    });
  const clientFor = (
    operation: Operation,
    forwarded: ReturnType<Forwarding>,
    startMs: number,
    leaving: Cancel | undefined,
    trace: CallTrace | undefined,
  ): RestClient =>
    upstream({
      apiKey: operation.apiKey,
      forwarded,
      requestId: operation.requestId,
      deadlineMs: startMs + requestTimeoutMs,
      maxCalls: maxUpstreamCalls,
      leaving,
      newerThan: newerThanOf(operation),
      trace:
        trace ??
        operation.trace ??
        (operation.traceparent === undefined ? undefined : forwardedTrace(operation)),
    });
  return {
    budget: { calls: maxUpstreamCalls, values: maxValues },
    prepare(operation) {
      const { apiKey = '', operationType, cancel, startedMs } = operation;
      const forwarded = forwarding(operation);
      // Reads are cancelled with their operation. A write is finished, and so is what follows it.
      const leaving = operationType === 'query' ? cancel : undefined;
      operation.rest = clientFor(operation, forwarded, startedMs, leaving, undefined);
      operation.identity = { apiKey, forwarded };
      operation.pollers = pollers;
      operation.reads = new Map();
    },
    prepareEvent(operation, startMs, cancel, trace) {
      const rest = clientFor(operation, operation.identity!.forwarded, startMs, cancel, trace);
      // An event's cost is that of its own calls.
      operation.rest = rest;
      return {
        // With additions of plugins.
        ...(operation.contextValue as Context),
        rest,
        cancel,
        reads: new Map(),
      };
    },
    execute(operation, rootValue = operation.rootValue, contextValue = operation.contextValue) {
      const document = operation.document!;
      const reader = document.facts.isIncremental ? partsReaderOf(operation.accept) : undefined;
      return execute({
        schema: operation.schema,
        document: document.syntax,
        operation: operation.definition?.node,
        contextValue,
        variableValues: operation.variables ?? null,
        operationName: operation.params.operationName ?? null,
        rootValue,
        onError: operation.params.onError,
        hideSuggestions: !suggestions,
        isIncremental: reader !== undefined,
        announcesAll: reader?.announcesAll,
      });
    },
  };
}

export const execution = ({ prepare, execute }: OperationExecution): Policy => ({
  context: prepare,
  execute: (operation) => execute(operation),
});

/** A token of a form that is not ours names a write that nothing is known of. An event is of what is now. */
function newerThanOf(operation: Operation): string | undefined {
  if (operation.operationType === 'subscription') return NOW;
  const token = operation.header('x-consistency');
  if (token === undefined) return undefined;
  return /^[\w.-]{1,64}$/.test(token) ? token : NOW;
}
