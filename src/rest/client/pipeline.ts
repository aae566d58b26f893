/**
 * The layers that every REST call passes, in their order.
 */
import type { Attempt, BegunAttempt, Call, Sender } from '../call/call.ts';
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
  const { dispatcher, observer } = options;
  const limiter = new ConcurrencyLimiter(options);
  const breaker = new CircuitBreaker(options.breaker, observer, options.now);

  // From the backend outwards:
  let begun: Sender<BegunAttempt> = limiter.layer(exchange(dispatcher, options.maxResponseBytes));
  // before the limiter: nothing waits for an open circuit;
  begun = breaker.layer(begun);
  // covers the time in queues;
  let sender: Sender<Attempt> = attemptTimeout(options)(begun);
  // before the timeout: an attempt begins after the pause of its key;
  sender = rateLimitPause(observer)(sender);
  // handles how each attempt of a call ended;
  sender = retry(options)(sender);
  if (options.exposeHeaders.length > 0) sender = exposeHeaders(options.exposeHeaders)(sender);
  // Single-flight is outermost: a shared answer is decoded once.
  const pipeline: Pipeline = singleFlight(new DecodeCache().layer(sender), observer);
  return { pipeline, breaker, limiter };
}
