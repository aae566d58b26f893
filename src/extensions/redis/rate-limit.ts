/**
 * `RATE_LIMIT`: limits REST calls per key. An operation is charged its least planned cost (at least 1) before it
 * begins, and the rest of its actual cost at its end.
 *
 * Operations rejected by their document, key or cost do not count.
 */
import type { ExecutionResult, GraphQLError } from 'graphql';
import type { MaybePromise } from '../../execution/core/resolved-value.ts';
import type { Context } from '../../graph/context.ts';
import { certainCalls } from '../../plan/cost.ts';
import type { Extension } from '../../gateway/extension.ts';
import { clientError } from '../../gateway/operation/client-error.ts';
import type { Operation } from '../../gateway/operation/operation.ts';
import { StateKey } from '../../gateway/operation/state.ts';
import type { Policy } from '../../gateway/policy.ts';
import { argsOf } from '../../gateway/policies/execution.ts';

/** Limit of a key. */
export interface RateLimit {
  /** REST calls per window. */
  readonly calls: number;
  readonly windowMs: number;
}

export interface RateLimits {
  readonly limit: RateLimit;
  /** Maximum calls at once. */
  readonly burst: number;
  /** @returns time until the key may make the calls, in milliseconds; 0 if it may now. */
  take(apiKey: string, calls: number): number | Promise<number>;
  /** Charges calls beyond those taken. */
  owe(apiKey: string, calls: number): void;
}

/** REST calls charged in advance. */
const CALLS_TAKEN = new StateKey<number>();

/** The policy of a limit, and its headers. */
export const limiting = (limits: RateLimits): Extension => ({
  headers: {
    readable: ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset', 'ratelimit-policy'],
  },
  policies: { rateLimit: rateLimit(limits) },
});

function rateLimit(limits: RateLimits): Policy {
  /** Executes an operation, or returns an error at the limit. */
  const limited = <Result>(
    operation: Operation,
    next: (operation: Operation) => MaybePromise<Result>,
  ): MaybePromise<Result | ExecutionResult> => {
    const { apiKey } = operation;
    // Operations without a key make no calls.
    if (apiKey === undefined) return next(operation);
    const { least } = operation.document!; // set by `parse`
    const context = operation.contextValue as Context;
    const known = operation.weighed?.calls ?? certainCalls(argsOf(operation), least, context);
    const calls = Math.max(1, known);
    const goOn = (waitMs: number): MaybePromise<Result | ExecutionResult> => {
      if (waitMs > 0) return { errors: [limitedError(limits, waitMs)] };
      CALLS_TAKEN.set(operation, calls);
      return next(operation);
    };
    const waitMs = limits.take(apiKey, calls);
    return typeof waitMs === 'number' ? goOn(waitMs) : waitMs.then(goOn);
  };

  return {
    onExecute: limited,
    onSubscribe: limited,
    onAnswered(operation) {
      const { apiKey, rest } = operation;
      const callsTaken = CALLS_TAKEN.get(operation);
      if (callsTaken === undefined || apiKey === undefined) return;
      const made = rest?.callLog.calls ?? 0;
      if (made > callsTaken) limits.owe(apiKey, made - callsTaken);
    },
  };
}

function limitedError({ limit, burst }: RateLimits, waitMs: number): GraphQLError {
  const { calls, windowMs } = limit;
  const seconds = Math.ceil(waitMs / 1_000);
  const error = clientError(
    429,
    'RATE_LIMITED',
    `This key may make ${calls} REST calls in ${windowMs / 1_000} s, ${burst} of them at once: come back in ${seconds} s.`,
    {
      'retry-after': String(seconds),
      'ratelimit-limit': String(calls),
      'ratelimit-remaining': '0',
      'ratelimit-reset': String(seconds),
      'ratelimit-policy': `${calls};w=${windowMs / 1_000};burst=${burst}`,
    },
  );
  error.extensions['retryAfterMs'] = waitMs;
  return error;
}
