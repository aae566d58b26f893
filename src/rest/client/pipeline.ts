/**
 * The way of a call from its caller to the backend and back: every layer in its place.
 */
import { DecodeCache } from '../decode/decode-cache.ts';
import { attemptTimeout } from '../resilience/attempt-timeout.ts';
import { CircuitBreaker, type BreakerOptions } from '../resilience/circuit-breaker.ts';
import { ConcurrencyLimiter } from '../resilience/concurrency-limiter.ts';
import { rateLimitPause } from '../resilience/rate-limit-pause.ts';
import { retry } from '../resilience/retry.ts';
import { singleFlight } from '../resilience/single-flight.ts';
import type { BackendDispatcher } from '../transport/dispatcher.ts';
import { exchange } from '../transport/exchange.ts';
import type { Call, Layer, Sender } from './call.ts';
import type { UpstreamObserver } from './observer.ts';

/** A call in, the checked body of its answer out. */
export type Pipeline = (call: Call) => Promise<unknown>;

export interface PipelineOptions {
  readonly dispatcher: Pick<BackendDispatcher, 'dispatch'>;
  readonly timeoutMs: number;
  readonly maxResponseBytes: number;
  readonly connections: number;
  readonly maxQueue: number;
  readonly breaker: BreakerOptions;
  readonly observer: UpstreamObserver;
}

export function openPipeline(options: PipelineOptions) {
  const { dispatcher, observer } = options;
  const limiter = new ConcurrencyLimiter(options);
  const breaker = new CircuitBreaker(options.breaker, {
    onChange: (change) => observer.onBreaker?.(change),
    onOpen: () => limiter.refuse((attempt) => breaker.refusalOf(attempt.call)),
  });
  const decode = new DecodeCache().layer;

  // From the caller inwards. The order is the design:
  const layers: readonly Layer[] = [
    // sees what all attempts of a call came to;
    retry({ ...options, onUnreachable: (attempt) => breaker.gaveUp(attempt) }),
    // before the timeout: while a key is paused the attempt has not begun;
    rateLimitPause(observer),
    // covers every queue: waiting for a connection is waiting;
    attemptTimeout(options),
    // before the limiter: while a circuit is open nothing queues;
    breaker.layer,
    limiter.layer,
  ];
  const attempt = layers.reduceRight<Sender>(
    (inner, layer) => layer(inner),
    exchange(dispatcher, options.maxResponseBytes),
  );
  // Outermost: what is shared is also decoded once.
  const pipeline: Pipeline = singleFlight(decode(attempt), observer);
  return { pipeline, breaker, limiter };
}
