/**
 * Makes one attempt of a call: what stands before it, the exchange, and what is counted after it.
 *
 * One function instead of a layer for each mechanism: their order can be read here.
 */
import {
  isRead,
  type Attempt,
  type Flight,
  type Outcome,
  type Settled,
  type Try,
} from '../call/call.ts';
import { failureOf } from '../call/errors.ts';
import type { UpstreamSettings } from '../call/options.ts';
import type { CircuitBreaker } from './circuit-breaker.ts';
import type { ConcurrencyLimiter } from './concurrency-limiter.ts';
import { rateLimitPauses } from './rate-limit-pauses.ts';

export function attempts(
  breaker: CircuitBreaker,
  limiter: ConcurrencyLimiter,
  settings: UpstreamSettings,
): Try {
  const { clock, observer, timeoutMs } = settings;
  const pauses = rateLimitPauses(settings);

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
    const attempt = begin(flight, number, isFresh);
    // Nothing waits for an open circuit.
    const open = breaker.begin(attempt);
    if (open) {
      report(attempt, { settled: open });
      return onSettled(open);
    }
    const leftMs = Math.max(0, Math.ceil(attempt.untilMs - attempt.startMs));
    const timer = clock.setTimeout(() => flight.cancel.timeOut(), leftMs);
    limiter.send(attempt, (outcome) => {
      clock.clearTimeout(timer);
      breaker.end(attempt, outcome);
      report(attempt, outcome);
      pauses.note(flight.call, outcome.settled);
      onSettled(outcome.settled);
    });
  }

  function begin(flight: Flight, number: number, isFresh: boolean): Attempt {
    const { call, deadlineMs } = flight;
    const startMs = clock.now();
    // Callers of a read leave at their own deadlines; a write ends with its attempt.
    const isCutShort = !isRead(call) && deadlineMs < startMs + timeoutMs;
    const untilMs = isCutShort ? deadlineMs : startMs + timeoutMs;
    const entry = call.journal.begin(call.route, call.origin, 'unsent', number, startMs);
    return { flight, call, number, isFresh, entry, startMs, untilMs, isCutShort };
  }

  /** Tells the journal and the observer how an attempt ended. */
  function report({ call, entry, number, startMs }: Attempt, { settled, exchange }: Outcome): void {
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
}
