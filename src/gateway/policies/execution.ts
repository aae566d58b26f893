/** Executes operations, with a REST client and loaders per request. */
import type { GraphQLResolveInfo } from 'graphql';
import type { Budget } from '../../plan/planner.ts';
import { createExecute, type Execute } from '../../execution/execute.ts';
import type { MaybePromise } from '../../execution/core/resolved-value.ts';
import type { IncrementalResult } from '../../execution/incremental/incremental-executor.ts';
import type { Context } from '../../graph/context.ts';
import type { Cancel } from '../../lib/cancel.ts';
import type { Pollers } from '../../live/pollers.ts';
import { NOW } from '../../rest/call/call.ts';
import type { CallTrace } from '../../rest/call/call-log.ts';
import type { RestClient } from '../../rest/client/client.ts';
import type { Upstream } from '../../rest/upstream.ts';
import { partsReaderOf } from '../operation/negotiation.ts';
import { GatewayContext } from '../operation/gateway-context.ts';
import type { Operation, ReadyOperation } from '../operation/operation.ts';
import { forwardedTrace } from '../operation/trace-context.ts';
import type { Policy } from '../policy.ts';
import type { Forwarding } from './headers.ts';

export interface RequestLimits {
  /** Deadline of a request after its arrival, in milliseconds. */
  readonly requestTimeoutMs: number;
  readonly maxUpstreamCalls: number;
  /** Maximum number of fields and list items of a result. */
  readonly maxValues: number;
  /** Maximum bytes of keys and strings of a result in JSON. */
  readonly maxTextBytes: number;
}

interface ExecutionOptions {
  readonly upstream: Upstream;
  readonly limits: RequestLimits;
  readonly pollers: Pollers;
  readonly forwarding: Forwarding;
  /** Whether errors may have suggestions ("Did you mean"). */
  readonly suggestions: boolean;
  /** Executes operations. @default the gateway's own executor */
  readonly execute?: Execute | undefined;
}

/** Maximum number of errors of a result: a few ids under many aliases make thousands. */
export const MAX_ERRORS = 1_000;

/** Context of a subscription's event, which is executed as a separate request. */
interface EventContext extends Context {
  readonly rest: RestClient;
  readonly cancel: Cancel;
}

export class OperationExecution {
  readonly budget: Budget;
  readonly #options: ExecutionOptions;
  readonly #execute: Execute;

  constructor(options: ExecutionOptions) {
    const { maxUpstreamCalls, maxValues } = options.limits;
    this.#options = options;
    this.budget = { calls: maxUpstreamCalls, values: maxValues };
    this.#execute = options.execute ?? createOwnExecute(options.limits);
  }

  /** The policy of queries and mutations. */
  readonly policy: Policy = {
    onContextBuilding: (operation, context) => this.#prepare(operation, context),
    onExecute: (operation) => this.execute(operation),
  };

  /** Sets the REST client and loaders of an operation. */
  #prepare(operation: Operation, context: GatewayContext): void {
    const { forwarding, pollers } = this.#options;
    const { apiKey = '', operationType, cancel, arrival } = operation;
    const forwarded = forwarding(operation);
    // A disconnect cancels queries. Mutations are finished, with all their fields.
    const leaving = operationType === 'query' ? cancel : undefined;
    const rest = this.#clientFor(operation, forwarded, arrival.startedMs, leaving, undefined);
    operation.rest = rest;
    context.rest = rest;
    context.identity = { apiKey, forwarded };
    context.pollers = pollers;
    context.reads = new Map();
    if (operationType === 'mutation') {
      operation.writes = new Map();
      context.writes = operation.writes;
    }
  }

  /**
   * Creates the context of an event, with its own deadline, REST client and loaders.
   *
   * @param trace the trace of its calls.
   */
  prepareEvent(
    operation: ReadyOperation,
    startMs: number,
    cancel: Cancel,
    trace: CallTrace | undefined,
  ): EventContext {
    const { record, contextValue: context } = operation;
    const rest = this.#clientFor(record, context.identity.forwarded, startMs, cancel, trace);
    // The operation reports the cost of the latest event.
    record.rest = rest;
    if (context instanceof GatewayContext) context.release();
    // Includes what plugins have added.
    const derived = Object.create(context) as Context;
    return Object.assign(derived, { rest, cancel, reads: new Map<unknown, unknown>() });
  }

  execute(
    operation: ReadyOperation,
    rootValue: unknown = operation.rootValue,
    contextValue: unknown = operation.contextValue,
  ): MaybePromise<IncrementalResult> {
    const { record, definition } = operation;
    const { isIncremental } = definition.document.facts;
    const reader = isIncremental ? partsReaderOf(record.accept) : undefined;
    return this.#execute({
      schema: operation.schema,
      document: operation.document,
      operation: operation.operation,
      operationName: operation.operationName,
      variableValues: operation.variableValues,
      contextValue,
      rootValue,
      onError: operation.onError,
      hideSuggestions: !this.#options.suggestions,
      isIncremental: reader !== undefined,
      fragmentDelivery: reader?.fragmentDelivery,
    });
  }

  #clientFor(
    operation: Operation,
    forwarded: ReturnType<Forwarding>,
    startMs: number,
    leaving: Cancel | undefined,
    trace: CallTrace | undefined,
  ): RestClient {
    const { upstream, limits } = this.#options;
    return upstream({
      apiKey: operation.apiKey,
      forwarded,
      requestId: operation.requestId,
      deadlineMs: startMs + limits.requestTimeoutMs,
      maxCalls: limits.maxUpstreamCalls,
      receive: (bytes) => operation.arrival.permit?.receive(bytes),
      leaving,
      // Events always read current data.
      newerThan: operation.operationType === 'subscription' ? NOW : operation.newerThan,
      trace: trace ?? operation.trace ?? forwardedTrace(operation),
    });
  }
}

const createOwnExecute = ({ maxValues, maxTextBytes }: RequestLimits): Execute =>
  createExecute({
    onIncremental: (context, isDeferred) => {
      // The origin of each call of the graph is the path of its field.
      (context as Context).rest.deferWhere((origin) =>
        isDeferred(origin as GraphQLResolveInfo['path']),
      );
    },
    limits: (context) => {
      const { rest, cancel, writes } = context as EventContext; // or that of an operation
      const { deadlineMs } = rest;
      return {
        maxValues,
        maxTextBytes,
        deadlineMs,
        // Errors of a cancelled operation are not read, and a hundred cost as much as a result.
        maxErrors: () => (cancel.cancelled ? 1 : MAX_ERRORS),
        hasWritten: () => (writes?.size ?? 0) > 0,
        onAbort: () => rest.abort(),
      };
    },
  });
