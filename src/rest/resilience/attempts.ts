/**
 * Makes one attempt of a call: what stands before it, the exchange, and what is counted after it.
 *
 * One function instead of a layer for each mechanism: their order can be read here.
 */
import type { Clock } from '../../lib/clock.ts';
import {
  isRead,
  type Attempt,
  type Flight,
  type Outcome,
  type Send,
  type Settled,
  type Try,
} from '../call/call.ts';
import { failureOf } from '../call/errors.ts';
import type { UpstreamObserver } from '../call/observer.ts';
import type { CircuitBreaker } from './circuit-breaker.ts';
import type { ConcurrencyLimiter, Load } from './concurrency-limiter.ts';
import type { RateLimitPauses } from './rate-limit-pauses.ts';

interface AttemptOptions {
  /** One attempt from its queue to its last byte, in milliseconds. */
  readonly timeoutMs: number;
  readonly pauses: RateLimitPauses;
  readonly breaker: CircuitBreaker;
  readonly limiter: ConcurrencyLimiter;
  readonly send: Send;
  readonly observer: UpstreamObserver;
  readonly clock: Clock;
}

export function attempts(options: AttemptOptions): Try {
  const { timeoutMs, pauses, breaker, limiter, send, observer, clock } = options;

  return (flight, number, isFresh, onSettled) => {
    // The time of an attempt begins after the pause of its key, and covers the limiter's queue.
    if (!pauses.isPaused(flight.call)) return start(flight, number, isFresh, onSettled);
    void pauses.wait(flight).then((refusal) => {
      if (refusal) onSettled(refusal);
      else start(flight, number, isFresh, onSettled);
    });
  };

  function start(
    flight: Flight,
    number: number,
    isFresh: boolean,
    onSettled: (settled: Settled) => void,
  ): void {
    const attempt = begin(flight, number, isFresh, clock.now(), timeoutMs);
    const leftMs = Math.max(0, Math.ceil(attempt.untilMs - attempt.startMs));
    const timer = clock.setTimeout(() => flight.cancel.timeOut(), leftMs);
    const end = (outcome: Outcome): void => {
      clock.clearTimeout(timer);
      report(attempt, outcome, observer, clock);
      pauses.note(attempt.call, outcome.settled);
      onSettled(outcome.settled);
    };
    const onTurn = (load: Load | Error): void => {
      if (load instanceof Error) {
        breaker.end(attempt, { settled: load });
        end({ settled: load });
        return;
      }
      send(attempt, (outcome) => {
        try {
          limiter.end(attempt, load, outcome);
          breaker.end(attempt, outcome);
          end(outcome);
        } catch (mistake) {
          // Of our own: it costs this call, and not the connection on which undici has read its answer.
          flight.land(mistake as Error);
        }
      });
    };
    // Nothing waits for an open circuit.
    const open = breaker.begin(attempt);
    if (open) end({ settled: open });
    else limiter.begin(attempt, onTurn);
  }
}

function begin(
  flight: Flight,
  number: number,
  isFresh: boolean,
  startMs: number,
  timeoutMs: number,
): Attempt {
  const { call, deadlineMs } = flight;
  // Callers of a read leave at their own deadlines; a write ends with its attempt.
  const isCutShort = !isRead(call) && deadlineMs < startMs + timeoutMs;
  const untilMs = isCutShort ? deadlineMs : startMs + timeoutMs;
  const entry = call.journal.begin(call.route, call.origin, 'unsent', number, startMs);
  return { flight, call, number, isFresh, entry, startMs, untilMs, isCutShort };
}

/** Tells the journal and the observer how an attempt ended. */
function report(
  { call, entry, number, startMs }: Attempt,
  { settled, exchange }: Outcome,
  observer: UpstreamObserver,
  clock: Clock,
): void {
  const endMs = exchange ? exchange.endedMs : clock.now();
  const failed = settled instanceof Error;
  const status = failed ? undefined : settled.status;
  const failure = failed ? failureOf(settled) : undefined;
  call.journal.end(entry, status, failure, endMs);
  observer.onCall?.({
    route: call.route,
    attempt: number,
    isSent: entry.source === 'sent',
    status,
    failure,
    durationMs: endMs - startMs,
    span: entry.span,
  });
}
