/**
 * Subscriptions: a limit per key, and the execution of events.
 *
 * Each event is executed as a separate request with its own deadline, budget and loaders.
 */
import { createSourceEventStream, locatedError, type ExecutionResult } from 'graphql';
import { isAsyncIterable } from 'graphql/jsutils/isAsyncIterable.js';
import { collectFields, fragmentsOf } from '../../execution/operation/collect-fields.ts';
import { coerceVariableValues } from '../../execution/operation/variables.ts';
import { isGraphQLError } from '../../graph/errors.ts';
import { Cancel } from '../../lib/cancel.ts';
import type { Clock } from '../../lib/clock.ts';
import { Snapshot } from '../../live/pollers.ts';
import type { CallTrace } from '../../rest/call/call-log.ts';
import type { RestClient } from '../../rest/client/client.ts';
import { GatewayContext } from '../operation/gateway-context.ts';
import { notUnderstood } from '../operation/client-error.ts';
import { translateResult, type Translate } from '../operation/error-translation.ts';
import type { Operation, ReadyOperation } from '../operation/operation.ts';
import { ResultStream } from '../operation/result-stream.ts';
import type { EventCost, SubscriptionObserver, Subscriptions } from '../operation/subscriptions.ts';
import type { Policy } from '../policy.ts';
import type { CallerLimits } from './admission.ts';
import { costExtensions, type ExplainAudience } from './explain.ts';
import type { OperationExecution } from './execution.ts';

export interface EventObserver {
  /** Returns the trace of its calls; undefined for the operation's trace. */
  begin(operation: Operation): CallTrace | undefined;
  end(
    operation: Operation,
    trace: CallTrace,
    event: { readonly result: ExecutionResult; readonly rest: RestClient },
  ): void;
}

/** Time without an event until the last result is repeated, in milliseconds. */
export const HEARTBEAT_MS = 20_000;

interface SubscriptionOptions {
  readonly clock: Clock;
  readonly execution: OperationExecution;
  readonly callerLimits: CallerLimits;
  readonly subscriptions: Subscriptions;
  readonly translate: Translate;
  readonly explain: ExplainAudience;
  /** @default `HEARTBEAT_MS` */
  readonly heartbeatMs?: number | undefined;
  readonly observers: readonly SubscriptionObserver[];
  /** @default none */
  readonly events?: EventObserver | undefined;
}

export const subscriptions = (options: SubscriptionOptions): Policy => ({
  onSubscribe: (operation) => subscribe(operation, options),
});

/** @throws TOO_MANY_SUBSCRIPTIONS at the key's limit. */
async function subscribe(
  operation: ReadyOperation,
  options: SubscriptionOptions,
): Promise<ExecutionResult | ResultStream> {
  const { clock, translate, observers, heartbeatMs = HEARTBEAT_MS } = options;
  const { record } = operation;
  // Callers without a key share the deployment's limit.
  const release = options.subscriptions.admit(record.apiKey ?? '');
  // Errors are masked like those of results.
  const source = await sourceOf(operation).catch((error: unknown) => ({
    errors: [isGraphQLError(error) ? error : notUnderstood(error)],
  }));
  if (!('events' in source)) {
    release();
    return translateResult(source, translate);
  }
  const { events, locate } = source;
  const cancel = new Cancel();
  const cost: EventCost = { calls: 0, rounds: 0 };
  const resultOf = async (event: unknown): Promise<ExecutionResult> => {
    const result = await executeEvent(operation, event, cancel, cost, options);
    const failure = event instanceof Snapshot && event.error ? [locate(event.error)] : [];
    const errors = [...(result.errors ?? []), ...failure];
    const extensions = costExtensions(record, options.explain);
    return translateResult(
      { ...result, ...(errors.length > 0 && { errors }), ...(extensions && { extensions }) },
      translate,
    );
  };
  const stream = new ResultStream({
    events,
    resultOf,
    clock,
    heartbeatMs,
    onResult: (kind, result) => {
      for (const one of observers) one.onResult(kind, result, record);
    },
    onEnd: (cause) => {
      release();
      options.subscriptions.delete(stream);
      cancel.cancel();
      for (const one of observers) one.onEnd(cause, record, cost);
    },
  });
  record.stream = stream;
  // The first event may be hours away.
  if (operation.contextValue instanceof GatewayContext) operation.contextValue.release();
  // A socket ends its streams itself.
  if (record.transport.streams === 'accepted') options.subscriptions.add(stream);
  return stream;
}

/** Returns the source of a subscription's events, or errors. */
async function sourceOf(operation: ReadyOperation) {
  const { schema, document, operation: node, variableValues: given } = operation;
  const { coerced: variableValues, errors } = coerceVariableValues(schema, node, given);
  if (!variableValues) return { errors: errors! };
  const source = await createSourceEventStream(operation);
  if (!isAsyncIterable(source)) return source;
  const request = { schema, fragments: fragmentsOf(document), variableValues };
  const [field] = collectFields(request, schema.getSubscriptionType()!, [node]).fields;
  const { fieldNodes, key } = field!; // a subscription has one field
  return {
    events: source[Symbol.asyncIterator](),
    locate: (error: Error) => locatedError(error, fieldNodes, [key]),
  };
}

/** Never rejects. */
async function executeEvent(
  operation: ReadyOperation,
  event: unknown,
  cancel: Cancel,
  cost: EventCost,
  { execution, callerLimits, events }: SubscriptionOptions,
): Promise<ExecutionResult> {
  const startMs = performance.now();
  const { record } = operation;
  const trace = events?.begin(record);
  const context = execution.prepareEvent(operation, startMs, cancel, trace);
  let result: ExecutionResult;
  try {
    const permit = await callerLimits.enter(record);
    // Events of a stream are executed and written one at a time.
    record.arrival.permit = permit;
    try {
      result = await execution.execute({ ...operation, rootValue: event, contextValue: context });
    } finally {
      permit.release();
      callerLimits.learn(record, permit.received);
    }
  } catch (error) {
    result = { errors: [error as never] };
  }
  const { calls, rounds } = context.rest.callLog;
  cost.calls += calls;
  cost.rounds += rounds;
  if (trace) events!.end(record, trace, { result, rest: context.rest });
  return result;
}
