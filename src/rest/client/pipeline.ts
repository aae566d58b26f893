/**
 * The way of a call, from being shared to being sent: every layer in its place.
 *
 * The order is the design. Sharing is outermost, so that what is shared is parsed once. Retries
 * stand outside the breaker, which sees every try. A paused key waits before its try's time starts.
 * The breaker stands before the gate: while it is open nothing queues.
 */
import type { Dispatcher } from 'undici';
import {
  BackendBreaker,
  type Breaker,
  type BreakerOptions,
} from '../resilience/circuit-breaker.ts';
import { RetryBudget } from '../resilience/retry-budget.ts';
import { exchanging } from '../transport/exchange.ts';
import { Gate } from '../resilience/concurrency-limiter.ts';
import type { UpstreamObserver } from './observer.ts';
import { pausing } from '../resilience/rate-limit-pause.ts';
import { retrying } from '../resilience/retry.ts';
import type { Answer, Decoded, Layer, Outcome, Outgoing } from './send.ts';
import { sharing } from '../resilience/single-flight.ts';
import { inStages } from './stage.ts';
import { trying } from '../resilience/attempt.ts';
import { Unchanged } from '../decode/decode-cache.ts';

/** A call in, the checked body of its answer out. */
export type Pipeline = (outgoing: Outgoing) => Promise<unknown>;

export interface PipelineOptions {
  readonly dispatcher: Dispatcher;
  readonly timeoutMs: number;
  readonly maxResponseBytes: number;
  readonly connections: number;
  readonly maxQueue: number;
  readonly breaker: BreakerOptions;
  readonly observer: UpstreamObserver;
}

export function openPipeline(options: PipelineOptions): {
  readonly pipeline: Pipeline;
  readonly breaker: Breaker;
} {
  const { dispatcher, timeoutMs, maxResponseBytes, connections, maxQueue, observer } = options;
  const gate = new Gate({ connections, maxQueue, onShed: (route) => observer.onShed?.(route) });
  const breaker = new BackendBreaker(options.breaker, (state) => {
    if (state === 'open') gate.refuseAll((route) => breaker.refusal(route));
    observer.onBreaker?.(state);
  });

  const pauses = pausing((route) => observer.onPause?.(route));
  const tries = trying({ timeoutMs, observer });
  const exchange = exchanging(dispatcher, maxResponseBytes);
  const call = retrying(inStages([pauses, tries, breaker, gate], exchange), {
    budget: new RetryBudget(),
    timeoutMs,
    onExhausted: (route) => observer.onRetryBudgetExhausted?.(route),
    onUnreachable: () => breaker.gaveUp(),
  });
  const pipeline = sharing(decoding(call), (route) => observer.onShared?.(route));
  return { pipeline, breaker };
}

const decoding =
  (layer: Layer): Layer<Decoded> =>
  (settle) => {
    const unchanged = new Unchanged();
    return layer((outgoing, outcome) =>
      settle(outgoing, outcome instanceof Error ? outcome : decoded(outgoing, outcome)),
    );

    function decoded(outgoing: Outgoing, answer: Answer): Outcome<Decoded> {
      try {
        return unchanged.decode(outgoing, answer);
      } catch (error) {
        return error as Error;
      }
    }
  };
