/**
 * What executes operations: our executor, and the context with which resolvers reach the backend.
 */
import type { ExecutionArgs, GraphQLResolveInfo } from 'graphql';
import { createExecute, type Execute } from '../../execution/execute.ts';
import type { MaybePromise } from '../../execution/core/resolved-value.ts';
import type { IncrementalResult } from '../../execution/incremental/incremental-executor.ts';
import { createContext, type Context } from '../../graph/context.ts';
import type { Pollers } from '../../graph/live/pollers.ts';
import type { Cancel } from '../../lib/cancel.ts';
import type { Upstream } from '../../rest/client/client.ts';
import { announcesAll, incrementalFormatOf } from '../operation/negotiation.ts';
import { factsOf } from '../documents/documents.ts';
import type { OperationContext, ServerContext } from '../operation/gateway-plugin.ts';

export interface ExecutionOptions {
  readonly upstream: Upstream;
  /** A whole request, from its arrival, in milliseconds. @default 10_000 */
  readonly requestTimeoutMs?: number | undefined;
  /** Backend calls that one request may make. @default 250 */
  readonly maxUpstreamCalls?: number | undefined;
  /** Fields and list items that one answer may have. @default 50,000 */
  readonly maxValues?: number | undefined;
  /** What keys and strings of one answer may take in JSON, in bytes. @default 2,000,000 */
  readonly maxTextBytes?: number | undefined;
  /** Whether errors may name what was perhaps meant. @default true */
  readonly introspection?: boolean | undefined;
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
   */
  contextFor(context: ServerContext, startMs: number, leaving: Cancel | undefined): Context;
  execute(args: ExecutionArgs): MaybePromise<IncrementalResult>;
}

export function createExecution(options: ExecutionOptions, pollers: Pollers): OperationExecution {
  const { upstream, requestTimeoutMs = 10_000, introspection = true } = options;
  const { maxUpstreamCalls = 250, maxValues = 50_000, maxTextBytes = 2_000_000 } = options;
  const execute =
    options.execute ??
    createExecute({
      // For a caller who has left one error is enough: a hundred cost as much as an answer.
      maxErrors: (context) =>
        (context as OperationContext).record.leaving.cancelled ? 1 : MAX_ERRORS,
      onIncremental: (context, isDeferred) => {
        // Every call of the graph has the path of its field as its origin.
        (context as Context).rest.deferWhere((origin) =>
          isDeferred(origin as GraphQLResolveInfo['path']),
        );
      },
      limits: (context) => {
        const { rest, record } = context as OperationContext;
        const { deadlineMs } = rest;
        const isLeft = () => record.operationType === 'query' && record.leaving.cancelled;
        return { maxValues, maxTextBytes, deadlineMs, isLeft, giveUp: () => rest.giveUp() };
      },
    });
  return {
    budget: { calls: maxUpstreamCalls, values: maxValues },
    contextFor: ({ record }, startMs, leaving) => {
      record.rest = upstream({
        apiKey: record.apiKey,
        requestId: record.requestId,
        deadlineMs: startMs + requestTimeoutMs,
        maxCalls: maxUpstreamCalls,
        leaving,
      });
      return createContext(record.rest, { apiKey: record.apiKey, pollers });
    },
    execute: (args) => {
      const { schema, document, contextValue, variableValues, operationName } = args;
      const { params, caller } = contextValue as OperationContext;
      const { isIncremental } = factsOf(document);
      return execute({
        schema,
        document,
        contextValue,
        variableValues,
        operationName,
        rootValue: args.rootValue,
        onError: params.onError,
        hideSuggestions: !introspection,
        isIncremental: isIncremental && incrementalFormatOf(caller.accept) !== undefined,
        announcesAll: isIncremental && announcesAll(caller.accept),
      });
    },
  };
}
