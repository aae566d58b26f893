/**
 * `RATE_LIMIT`: how many REST calls a key may make. A request is counted by what its plan says that it surely costs,
 * at least one, before it begins, and by what it has cost beyond that when it is answered.
 *
 * It wraps what the other plugins run: what was refused before, by its document, its key or its price, is not counted.
 */
import type { ExecutionArgs, GraphQLError } from 'graphql';
import { certainCalls } from '../../plan/cost.ts';
import type { RateLimit, RateLimits } from '../../shared-state/rate-limits.ts';
import type { GatewayPlugin, OperationContext } from '../../operation/gateway-plugin.ts';
import { refusal } from '../../operation/refusal.ts';

export function useRateLimit(limits: RateLimits): GatewayPlugin {
  /** Runs a request, or answers its refusal. */
  const limited =
    (run: (args: ExecutionArgs) => unknown) =>
    (args: ExecutionArgs): unknown => {
      const context = args.contextValue as OperationContext;
      const { apiKey } = context.record;
      // Without a key nothing is called.
      if (apiKey === undefined) return run(args);
      const calls = Math.max(1, certainCalls(args, context));
      const goOn = (waitMs: number): unknown => {
        if (waitMs > 0) return { errors: [limitedError(limits.limit, waitMs)] };
        context.record.callsTaken = calls;
        return run(args);
      };
      const waitMs = limits.take(apiKey, calls);
      return typeof waitMs === 'number' ? goOn(waitMs) : waitMs.then(goOn);
    };

  return {
    onExecute: ({ executeFn, setExecuteFn }) => setExecuteFn(limited(executeFn)),
    onSubscribe: ({ subscribeFn, setSubscribeFn }) => setSubscribeFn(limited(subscribeFn)),
    onAnswered(_answered, { record }) {
      const { callsTaken, apiKey, rest } = record;
      if (callsTaken === undefined || apiKey === undefined) return;
      const made = rest?.journal.calls ?? 0;
      if (made > callsTaken) limits.owe(apiKey, made - callsTaken);
    },
  };
}

function limitedError({ calls, windowMs }: RateLimit, waitMs: number): GraphQLError {
  const seconds = Math.ceil(waitMs / 1_000);
  const error = refusal(
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
