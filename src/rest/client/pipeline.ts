/**
 * The layers that every REST call passes, in their order.
 */
import type { Call, Layer, Sender } from '../call/call.ts';
import type { BreakerChange } from '../call/observer.ts';
import { DecodeCache } from '../decode/decode-cache.ts';
import { attemptTimeout } from '../resilience/attempt-timeout.ts';
import { CircuitBreaker } from '../resilience/circuit-breaker.ts';
import { ConcurrencyLimiter } from '../resilience/concurrency-limiter.ts';
import { rateLimitPause } from '../resilience/rate-limit-pause.ts';
import { retry } from '../resilience/retry.ts';
import { singleFlight } from '../resilience/single-flight.ts';
import { exchange } from '../transport/exchange.ts';
import type { UpstreamOptions } from './options.ts';

/** A call in, the checked body of its answer out. */
export type Pipeline = (call: Call) => Promise<unknown>;

export function openPipeline(options: Required<UpstreamOptions>) {
  const { dispatcher, observer } = options;
  const limiter = new ConcurrencyLimiter(options);
  const tell = (change: BreakerChange) => observer.onBreaker?.(change);
  const breaker = new CircuitBreaker(options.breaker, tell, options.now);
  const decode = new DecodeCache().layer;

  // From the caller inwards:
  const layers: readonly Layer[] = [
    // handles the outcome of each attempt of a call;
    retry(options),
    // before the timeout: an attempt begins after the pause of its key;
    rateLimitPause(observer),
    // covers the time in queues;
    attemptTimeout(options),
    // before the limiter: nothing waits for an open circuit;
    breaker.layer,
    limiter.layer,
  ];
  const attempt = layers.reduceRight<Sender>(
    (inner, layer) => layer(inner),
    exchange(dispatcher, options.maxResponseBytes),
  );
  // Single-flight is outermost: a shared answer is decoded once.
  const pipeline: Pipeline = singleFlight(decode(attempt), observer);
  return { pipeline, breaker, limiter };
}
