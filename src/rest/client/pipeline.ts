/**
 * The layers that every REST call passes, in their order.
 */
import type { Call } from '../call/call.ts';
import { DecodeCache } from '../decode/decode-cache.ts';
import { attemptTimeout } from '../resilience/attempt-timeout.ts';
import { CircuitBreaker } from '../resilience/circuit-breaker.ts';
import { ConcurrencyLimiter } from '../resilience/concurrency-limiter.ts';
import { rateLimitPause } from '../resilience/rate-limit-pause.ts';
import { retry } from '../resilience/retry.ts';
import { singleFlight } from '../resilience/single-flight.ts';
import { exchange } from '../transport/exchange.ts';
import { exposeHeaders } from '../transport/exposed-headers.ts';
import type { UpstreamOptions } from './options.ts';

/** A call in, the checked body of its answer out. */
export type Pipeline = (call: Call) => Promise<unknown>;

export function openPipeline(options: Required<UpstreamOptions>) {
  const { dispatcher, observer, exposeHeaders: names } = options;
  const limiter = new ConcurrencyLimiter(options);
  const breaker = new CircuitBreaker(options.breaker, observer, options.now);
  const cache = new DecodeCache();

  // From the backend outwards:
  const limited = limiter.layer(exchange(dispatcher, options.maxResponseBytes));
  // The breaker is before the limiter: nothing waits for an open circuit.
  const guarded = breaker.layer(limited);
  // The timeout covers the time in queues. An attempt begins after the pause of its key.
  const attempt = rateLimitPause(observer, options.pauses, attemptTimeout(options, guarded));
  let answerTo = retry(options, attempt);
  if (names.length > 0) answerTo = exposeHeaders(names, answerTo);
  // Single-flight is outermost: a shared answer is decoded once.
  const pipeline: Pipeline = singleFlight(async (flight) => {
    const settled = await answerTo(flight);
    if (settled instanceof Error) throw settled;
    return cache.decode(flight.call, settled);
  }, observer);
  return { pipeline, breaker, limiter };
}
