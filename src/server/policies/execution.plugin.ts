/**
 * Execution by our executor, with a context of each request's own with which resolvers reach the backend.
 */
import type { ExecutionArgs, GraphQLResolveInfo } from 'graphql';
import { createExecute, type Execute } from '../../execution/execute.ts';
import type { MaybePromise } from '../../execution/core/resolved-value.ts';
import type { IncrementalResult } from '../../execution/incremental/incremental-executor.ts';
import { createContext, type Context } from '../../graph/context.ts';
import type { Pollers } from '../../live/pollers.ts';
import type { Cancel } from '../../lib/cancel.ts';
import { NOW } from '../../rest/call/call.ts';
import type { Upstream } from '../../rest/client/client.ts';
import type { CallTrace } from '../../rest/call/trace.ts';
import { forwardedTrace } from '../../operation/request/trace-context.ts';
import { partsReaderOf } from '../../operation/result/negotiation.ts';
import { factsOf } from '../../documents/documents.ts';
import type {
  GatewayPlugin,
  OperationContext,
  ServerContext,
} from '../../operation/gateway-plugin.ts';

/** What one request may cost. */
export interface RequestLimits {
  /** A whole request, from its arrival, in milliseconds. */
  readonly requestTimeoutMs: number;
  /** Backend calls that one request may make. */
  readonly maxUpstreamCalls: number;
  /** Fields and list items that one answer may have. */
  readonly maxValues: number;
  /** What keys and strings of one answer may take in JSON, in bytes. */
  readonly maxTextBytes: number;
}

interface ExecutionOptions {
  readonly upstream: Upstream;
  readonly limits: RequestLimits;
  readonly pollers: Pollers;
  /** Whether errors may name what was perhaps meant. */
  readonly suggestions: boolean;
  /** What executes operations. @default the gateway's own executor */
  readonly execute?: Execute | undefined;
}

/** Errors of one answer: a few ids asked for under many aliases make thousands. */
const MAX_ERRORS = 1_000;

export interface OperationExecution {
  readonly budget: { readonly calls: number; readonly values: number };
  /**
   * A context for resolvers: with calls, a deadline and loaders of its own.
   *
   * @param startMs when the deadline starts, on `performance.now()`'s clock.
   * @param leaving gives up the calls.
   * @param trace what the calls belong to. @default the request's
   */
  readonly contextFor: (
    context: ServerContext,
    startMs: number,
    leaving: Cancel | undefined,
    trace?: CallTrace,
  ) => Context;
  readonly execute: (args: ExecutionArgs) => MaybePromise<IncrementalResult>;
}

export function createExecution(options: ExecutionOptions): OperationExecution {
  const { upstream, pollers, suggestions } = options;
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
        const { rest, record } = context as OperationContext;
        const { deadlineMs } = rest;
        return {
          ...{ maxValues, maxTextBytes, deadlineMs },
          // For a caller who has left one error is enough: a hundred cost as much as an answer.
          maxErrors: () => (record.leaving.cancelled ? 1 : MAX_ERRORS),
          onAbort: () => rest.abort(),
        };
      },
    });
  return {
    budget: { calls: maxUpstreamCalls, values: maxValues },
    contextFor: ({ record, caller }, startMs, leaving, trace) => {
      const { forwarded } = caller;
      record.rest = upstream({
        apiKey: record.apiKey,
        forwarded,
        requestId: record.requestId,
        deadlineMs: startMs + requestTimeoutMs,
        maxCalls: maxUpstreamCalls,
        leaving,
        newerThan: newerThanOf(record, caller),
        trace:
          trace ??
          record.trace ??
          (caller.traceparent == null ? undefined : forwardedTrace(caller)),
      });
      return createContext(record.rest, { apiKey: record.apiKey, forwarded, pollers });
    },
    execute: (args) => {
      const { schema, document, contextValue, variableValues, operationName } = args;
      const { params, caller } = contextValue as OperationContext;
      const reader = factsOf(document).isIncremental ? partsReaderOf(caller.accept) : undefined;
      return execute({
        schema,
        document,
        contextValue,
        variableValues,
        operationName,
        rootValue: args.rootValue,
        onError: params.onError,
        hideSuggestions: !suggestions,
        isIncremental: reader !== undefined,
        announcesAll: reader?.announcesAll,
      });
    },
  };
}

export const useExecution = ({ contextFor, execute }: OperationExecution): GatewayPlugin => ({
  onContextBuilding({ context, extendContext }) {
    const { record } = context;
    // A caller who leaves gives up a read. A write is finished, and so is what follows it.
    const leaving = record.operationType === 'query' ? record.leaving : undefined;
    extendContext(contextFor(context, record.startedAt, leaving));
  },
  onExecute({ setExecuteFn }) {
    setExecuteFn(execute);
  },
});

/** A token of a form that is not ours names a write that nothing is known of. An event is of what is now. */
function newerThanOf(
  { operationType }: ServerContext['record'],
  { consistency }: ServerContext['caller'],
): string | undefined {
  if (operationType === 'subscription') return NOW;
  if (consistency == null) return undefined;
  return /^[\w.-]{1,64}$/.test(consistency) ? consistency : NOW;
}
