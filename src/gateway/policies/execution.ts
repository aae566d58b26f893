/** Executes operations, with a REST client and loaders per request. */
import type { GraphQLResolveInfo } from 'graphql';
import type { Budget } from '../../plan/planner.ts';
import { createExecute, type Execute } from '../../execution/execute.ts';
import type { Context } from '../../graph/context.ts';
import type { Cancel } from '../../lib/cancel.ts';
import type { Pollers } from '../../live/pollers.ts';
import { NOW } from '../../rest/call/call.ts';
import type { CallTrace } from '../../rest/call/call-log.ts';
import type { RestClient } from '../../rest/client/client.ts';
import type { Upstream } from '../../rest/upstream.ts';
import type { GatewayContext } from '../operation/gateway-context.ts';
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
  readonly execute: Execute;
  readonly #options: ExecutionOptions;

  constructor(options: ExecutionOptions) {
    const { maxUpstreamCalls, maxValues } = options.limits;
    this.#options = options;
    this.budget = { calls: maxUpstreamCalls, values: maxValues };
    this.execute = options.execute ?? createOwnExecute(options);
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
    // Includes what plugins have added.
    const derived = Object.create(context) as Context;
    return Object.assign(derived, { rest, cancel, reads: new Map<unknown, unknown>() });
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

const createOwnExecute = ({ limits, suggestions }: ExecutionOptions): Execute =>
  createExecute({
    hideSuggestions: !suggestions,
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
        maxValues: limits.maxValues,
        maxTextBytes: limits.maxTextBytes,
        deadlineMs,
        // Errors of a cancelled operation are not read, and a hundred cost as much as a result.
        maxErrors: () => (cancel.cancelled ? 1 : MAX_ERRORS),
        // Mutations are finished even if the client disconnects.
        isCancelled: () => cancel.cancelled && !writes,
        hasWritten: () => (writes?.size ?? 0) > 0,
        onAbort: () => rest.abort(),
      };
    },
  });
