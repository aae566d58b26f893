/**
 * Admission of operations that are executed, and 503 for those that find too much waiting.
 *
 * Whatever was refused before, by its document, its key or its price, takes no place.
 */
import { GraphQLError, type ExecutionResult } from 'graphql';
import type { MaybePromise } from '../../execution/core/resolved-value.ts';
import { RestOverloadedError } from '../../rest/call/errors.ts';
import type { GatewayPlugin, OperationContext } from '../../operation/gateway-plugin.ts';
import { Admission } from './admission.ts';

/** The longest wait that a refusal asks for, in seconds. */
const MAX_RETRY_AFTER_S = 60;

/** `Retry-After` where too many operations wait, in milliseconds. */
const QUEUE_FULL_WAIT_MS = 1_000;

/** Whether the backend has accepted a key. */
type IsAccepted = (apiKey: string) => boolean;

/** Runs a task when its key may have one more under way. */
export type Admit = <Value>(
  context: OperationContext,
  task: () => MaybePromise<Value>,
) => MaybePromise<Value>;

/**
 * @param isAccepted requests without a key, and with keys that the backend has not accepted yet, are of one
 * key.
 * @throws 503 when too many wait.
 */
export function createAdmit(isAccepted: IsAccepted): Admit {
  const admission = new Admission();
  return (context, task) => {
    const { apiKey } = context.caller;
    const key = apiKey != null && isAccepted(apiKey) ? apiKey : '';
    const leave = (): void => admission.leave(key);
    const waiting = admission.enter(key);
    if (!waiting) return runThen(task, leave);
    return waiting.then((isAdmitted) => {
      if (!isAdmitted) throw overloaded(QUEUE_FULL_WAIT_MS);
      return runThen(task, leave);
    });
  };
}

/** Runs a task, and what follows whether it succeeds or fails. */
function runThen<Value>(task: () => MaybePromise<Value>, done: () => void): MaybePromise<Value> {
  let result: MaybePromise<Value> | undefined;
  try {
    result = task();
  } finally {
    if (!(result instanceof Promise)) done();
  }
  return result instanceof Promise ? result.finally(done) : result;
}

export const useAdmission = (admit: Admit): GatewayPlugin => ({
  onExecute({ executeFn, setExecuteFn, context }) {
    setExecuteFn((args) => {
      const result = admit(context, () => executeFn(args) as MaybePromise<ExecutionResult>);
      return result instanceof Promise ? result.then(orOverloaded) : orOverloaded(result);
    });
  },
});

/** A refusal in place of a result that has no data because too many calls wait. */
function orOverloaded(result: ExecutionResult): ExecutionResult {
  const waitMs = result.errors && shedMs(result);
  return waitMs === undefined ? result : { errors: [overloaded(waitMs)] };
}

/**
 * 503 and `Retry-After`, which load balancers and clients' libraries understand without reading the
 * body: for a request of which nothing was done.
 */
function overloaded(waitMs: number): GraphQLError {
  const seconds = Math.min(MAX_RETRY_AFTER_S, Math.max(1, Math.ceil(waitMs / 1_000)));
  return new GraphQLError(`Too many calls are waiting: come back in ${seconds} s.`, {
    extensions: {
      code: 'UPSTREAM_UNAVAILABLE',
      retryAfterMs: seconds * 1_000,
      http: { status: 503, headers: { 'retry-after': String(seconds) } },
    },
  });
}

/** How long to wait, where there is no data because too many calls wait; undefined otherwise. */
function shedMs({ data, errors = [] }: ExecutionResult): number | undefined {
  for (const name in data) if (data[name] !== null) return undefined;
  let waitMs: number | undefined;
  for (const { originalError } of errors) {
    if (!(originalError instanceof RestOverloadedError)) return undefined;
    waitMs = Math.max(waitMs ?? 0, originalError.retryAfterMs ?? 0);
  }
  return waitMs;
}
