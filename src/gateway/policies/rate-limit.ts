/**
 * `RATE_LIMIT`: how many REST calls a key may make. A request is counted by what its plan says that it surely costs,
 * at least one, before it begins, and by what it has cost beyond that when it is answered.
 *
 * What is refused by its document, its key or its price is not counted.
 */
import type { ExecutionResult, GraphQLError } from 'graphql';
import type { MaybePromise } from '../../execution/core/resolved-value.ts';
import type { Context } from '../../graph/context.ts';
import { certainCalls } from '../../plan/cost.ts';
import { clientError } from '../operation/client-error.ts';
import type { Operation } from '../operation/operation.ts';
import type { Policy } from '../pipeline.ts';
import { argsOf } from './execution.ts';

/** What a key may do. */
export interface RateLimit {
  /** REST calls in a window. */
  readonly calls: number;
  readonly windowMs: number;
}

export interface RateLimits {
  readonly limit: RateLimit;
  /** @returns how long a key has to wait before it may make so many calls, in milliseconds; 0 where it may. */
  take(apiKey: string, calls: number): number | Promise<number>;
  /** A key has made so many calls beyond those that it took. */
  owe(apiKey: string, calls: number): void;
}

export function rateLimit(limits: RateLimits): Policy {
  /** Runs an operation, or answers why it may not. */
  const limited = <Result>(
    operation: Operation,
    next: (operation: Operation) => MaybePromise<Result>,
  ): MaybePromise<Result | ExecutionResult> => {
    const { apiKey } = operation;
    // Without a key nothing is called.
    if (apiKey === undefined) return next(operation);
    const { least } = operation.document!; // parsed by now
    const context = operation.contextValue as Context;
    const known = operation.weighed?.calls ?? certainCalls(argsOf(operation), least, context);
    const calls = Math.max(1, known);
    const goOn = (waitMs: number): MaybePromise<Result | ExecutionResult> => {
      if (waitMs > 0) return { errors: [limitedError(limits.limit, waitMs)] };
      operation.callsTaken = calls;
      return next(operation);
    };
    const waitMs = limits.take(apiKey, calls);
    return typeof waitMs === 'number' ? goOn(waitMs) : waitMs.then(goOn);
  };

  return {
    execute: limited,
    subscribe: limited,
    end({ callsTaken, apiKey, rest }) {
      if (callsTaken === undefined || apiKey === undefined) return;
      const made = rest?.journal.calls ?? 0;
      if (made > callsTaken) limits.owe(apiKey, made - callsTaken);
    },
  };
}

function limitedError({ calls, windowMs }: RateLimit, waitMs: number): GraphQLError {
  const seconds = Math.ceil(waitMs / 1_000);
  const error = clientError(
    429,
    'RATE_LIMITED',
    `This key may make ${calls} REST calls in ${windowMs / 1_000} s: come back in ${seconds} s.`,
    {
      'retry-after': String(seconds),
      'ratelimit-limit': String(calls),
      'ratelimit-remaining': '0',
      'ratelimit-reset': String(seconds),
      'ratelimit-policy': `${calls};w=${windowMs / 1_000}`,
    },
  );
  error.extensions['retryAfterMs'] = waitMs;
  return error;
}
