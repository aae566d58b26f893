/**
 * The policies of attempts, from callers to the wire.
 */
import type { Call, DecodedResponse, RestResponse, Settled } from '../call/call.ts';
import { ApiKeys } from '../call/keys.ts';
import type { UpstreamSettings } from '../call/options.ts';
import { DecodeCache } from '../decode/decode-cache.ts';
import { AttemptLog, AttemptTimeout, UnderWay } from './attempts.ts';
import { CircuitBreaker } from './circuit-breaker.ts';
import { ConcurrencyLimiter } from './concurrency-limiter.ts';
import { RateLimitPauses } from './rate-limit-pauses.ts';
import { retries } from './retry.ts';
import type { Calls } from '../rest-call.ts';

export function openCalls(settings: UpstreamSettings) {
  const { observer, cache } = settings;
  const keys = new ApiKeys();
  const underWay = new UnderWay();
  const breaker = new CircuitBreaker(settings, keys, underWay);

  const policies = [
    new RateLimitPauses(settings),
    new AttemptLog(settings),
    breaker,
    underWay,
    new AttemptTimeout(settings),
    new ConcurrencyLimiter(settings, keys, underWay),
  ];

  const decodeCache = new DecodeCache();
  const decode = (call: Call, answer: RestResponse): DecodedResponse => {
    try {
      const read = decodeCache.decode(call, answer);
      for (const field of read.wrong) observer.onViolation?.(call.route, field);
      return read;
    } catch (error) {
      if (answer.status < 300) observer.onViolation?.(call.route, '');
      throw error;
    }
  };
  const decoded = (call: Call, settled: Settled): Settled<DecodedResponse> => {
    if (settled instanceof Error) return settled;
    try {
      return decode(call, settled);
    } catch (error) {
      return error as Error;
    }
  };
  const kept = cache?.layer({ answerTo: (flight) => flight.ask(), decode });
  const calls: Calls = {
    settings,
    policies,
    decoded,
    kept,
    inFlight: new Map(),
    retryOf: retries(settings, keys.routes),
  };
  return { calls, breaker, keys };
}
