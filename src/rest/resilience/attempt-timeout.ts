/**
 * The timeout of one attempt; also reports attempts to the journal and the observer.
 */
import { isRead, type Attempt, type BegunAttempt, type Flight, type Layer } from '../call/call.ts';
import { failureOf } from '../call/errors.ts';
import type { UpstreamObserver } from '../call/observer.ts';

interface TimeoutOptions {
  /** One attempt from its queue to its last byte, in milliseconds. */
  readonly timeoutMs: number;
  readonly observer: UpstreamObserver;
}

export const attemptTimeout =
  ({ timeoutMs, observer }: TimeoutOptions): Layer<Attempt, BegunAttempt> =>
  (inner) =>
  (settle) => {
    const send = inner((attempt, settled, exchange) => {
      const { call, number, entry, startMs, timer } = attempt;
      clearTimeout(timer);
      const endMs = exchange ? exchange.endedMs : performance.now();
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
      settle(attempt, settled);
    });

    return ({ flight, call, number, isFresh }) => {
      const startMs = performance.now();
      // Callers of a read leave at their own deadlines; a write ends with its attempt.
      const isCutShort = !isRead(call) && flight.deadlineMs < startMs + timeoutMs;
      const untilMs = isCutShort ? flight.deadlineMs : startMs + timeoutMs;
      const timer = setTimeout(timeOut, Math.max(0, Math.ceil(untilMs - startMs)), flight);
      const entry = call.journal.begin(call.route, call.origin, 'unsent', number, startMs);
      send({ flight, call, number, isFresh, startMs, untilMs, isCutShort, timer, entry });
    };
  };

const timeOut = ({ cancel }: Flight): void => cancel.timeOut();
