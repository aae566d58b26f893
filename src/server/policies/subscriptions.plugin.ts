/**
 * Subscriptions: how many a key may have, and an answer to each event.
 *
 * Each event is executed as a request of its own: with its deadline, its budget and its loaders.
 */
import {
  createSourceEventStream,
  GraphQLError,
  locatedError,
  type ExecutionArgs,
  type ExecutionResult,
} from 'graphql';
import { isAsyncIterable } from 'graphql/jsutils/isAsyncIterable.js';
import { collectFields, fragmentsOf } from '../../execution/operation/collect-fields.ts';
import { coerceVariableValues } from '../../execution/operation/variables.ts';
import { Snapshot } from '../../live/live-object.ts';
import { Cancel } from '../../lib/cancel.ts';
import { translated, type Translate } from '../../operation/result/errors.ts';
import type { GatewayPlugin, OperationContext } from '../../operation/gateway-plugin.ts';
import type { Admit } from './admit.ts';
import { costExtensions, type ExplainAudience } from './budget.plugin.ts';
import type { OperationExecution } from './execution.plugin.ts';
import type { OperationTracer } from '../../observe/traces/tracer.ts';
import { notUnderstood } from '../../operation/refusal.ts';
import { ResultStream, type SubscriptionObserver } from '../../operation/result/result-stream.ts';
import type { Subscriptions } from '../../operation/result/subscriptions.ts';

interface SubscriptionOptions {
  readonly execution: OperationExecution;
  readonly admit: Admit;
  readonly subscriptions: Subscriptions;
  readonly translate: Translate;
  readonly explain: ExplainAudience;
  /** After how long without an event the last one is repeated, in milliseconds. @default 20_000 */
  readonly heartbeatMs?: number | undefined;
  readonly observers: readonly SubscriptionObserver[];
  /** @default no traces */
  readonly tracer?: OperationTracer | undefined;
}

export const useSubscriptions = (options: SubscriptionOptions): GatewayPlugin => ({
  onSubscribe({ setSubscribeFn }) {
    setSubscribeFn((args) => subscribe(args, options));
  },
});

/** @throws TOO_MANY_SUBSCRIPTIONS when the key has all it may have. */
async function subscribe(
  args: ExecutionArgs,
  options: SubscriptionOptions,
): Promise<ExecutionResult | ResultStream> {
  const { subscriptions, translate, observers, heartbeatMs = 20_000 } = options;
  const context = args.contextValue as OperationContext;
  const { record } = context;
  // Callers without a key share the deployment's limit.
  const release = subscriptions.admit(record.apiKey ?? '');
  // What is no error of GraphQL is masked, as in an answer.
  const source = await sourceOf(args).catch((error: unknown) => ({
    errors: [error instanceof GraphQLError ? error : notUnderstood(error)],
  }));
  if (!('events' in source)) {
    release();
    return translated(source, translate);
  }
  const { events, locate } = source;
  const leaving = new Cancel();
  const answer = async (event: unknown): Promise<ExecutionResult> => {
    const result = await executeEvent(args, event, leaving, options);
    const failure = event instanceof Snapshot && event.error ? [locate(event.error)] : [];
    const errors = [...(result.errors ?? []), ...failure];
    const extensions = costExtensions(context, options.explain);
    return translated(
      { ...result, ...(errors.length > 0 && { errors }), ...(extensions && { extensions }) },
      translate,
    );
  };
  const stream = new ResultStream({
    events,
    answer,
    heartbeatMs,
    onResult: (kind, result) => {
      for (const one of observers) one.onResult(kind, result, record);
    },
    onEnd: (cause) => {
      release();
      leaving.cancel();
      for (const one of observers) one.onEnd(cause, record);
    },
  });
  context.stream = stream;
  return stream;
}

interface Source {
  readonly events: AsyncIterator<unknown>;
  /** An error of the subscription's field. */
  readonly locate: (error: Error) => GraphQLError;
}

/** Where the events of a subscription come from, or why there are none. */
async function sourceOf(args: ExecutionArgs): Promise<Source | ExecutionResult> {
  const { schema, document, contextValue, variableValues: sent } = args;
  const operation = (contextValue as OperationContext).record.operation!; // parsed by now
  const { coerced: variableValues, errors } = coerceVariableValues(schema, operation, sent);
  if (!variableValues) return { errors: errors! };
  const source = await createSourceEventStream(args);
  if (!isAsyncIterable(source)) return source;
  const request = { schema, fragments: fragmentsOf(document), variableValues };
  const [field] = collectFields(request, schema.getSubscriptionType()!, [operation]);
  const { fieldNodes, key } = field!; // a subscription has one field
  return {
    events: source[Symbol.asyncIterator](),
    locate: (error) => locatedError(error, fieldNodes, [key]),
  };
}

/** Never rejects. */
async function executeEvent(
  args: ExecutionArgs,
  event: unknown,
  leaving: Cancel,
  { execution, admit, tracer }: SubscriptionOptions,
): Promise<ExecutionResult> {
  const context = args.contextValue as OperationContext;
  const { record, caller } = context;
  const startMs = performance.now();
  const trace = record.trace ? tracer?.beginEvent(record.trace) : undefined;
  const own = { ...context, ...execution.contextFor(context, startMs, leaving, trace) };
  let result: ExecutionResult;
  try {
    const place = await admit.enter(context, record.weighed?.weight ?? 1);
    try {
      result = await execution.execute({ ...args, rootValue: event, contextValue: own });
    } finally {
      // One event of a stream is written at a time.
      place.leave();
    }
  } catch (error) {
    result = { errors: [error as never] };
  }
  if (trace) {
    const { errors = [], data } = result;
    tracer!.end(trace, {
      ...{ record, startMs, errors },
      method: caller.method,
      isFailed: data == null && errors.length > 0,
      journal: own.rest.journal,
    });
  }
  return result;
}
