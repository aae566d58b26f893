/**
 * The timeout of one attempt; also reports attempts to the journal and the observer.
 */
import { isRead, type Attempt, type Layer } from '../call/call.ts';
import { failureOf } from '../call/errors.ts';
import type { UpstreamObserver } from '../call/observer.ts';

interface TimeoutOptions {
  /** One attempt from its queue to its last byte, in milliseconds. */
  readonly timeoutMs: number;
  readonly observer: UpstreamObserver;
}

export const attemptTimeout =
  ({ timeoutMs, observer }: TimeoutOptions): Layer =>
  (inner) =>
  (settle) => {
    const send = inner((attempt, outcome) => {
      const { call, number, entry, startMs, timer } = attempt;
      clearTimeout(timer);
      const endMs = attempt.endMs || performance.now();
      const failed = outcome instanceof Error;
      const status = failed ? undefined : outcome.status;
      const failure = failed ? failureOf(outcome) : undefined;
      if (entry) call.journal.end(entry, status, failure, endMs);
      observer.onCall?.({
        route: call.route,
        attempt: number,
        isSent: entry?.source === 'sent',
        status,
        failure,
        durationMs: endMs - startMs,
      });
      settle(attempt, outcome);
    });

    return (attempt) => {
      const { call, flight, number } = attempt;
      const startMs = performance.now();
      attempt.startMs = startMs;
      // Callers of a read leave at their own deadlines; a write ends with its attempt.
      attempt.isCutShort = !isRead(call) && flight.deadlineMs < startMs + timeoutMs;
      attempt.untilMs = attempt.isCutShort ? flight.deadlineMs : startMs + timeoutMs;
      const leftMs = Math.max(0, Math.ceil(attempt.untilMs - startMs));
      attempt.timer = setTimeout(timeOut, leftMs, attempt);
      attempt.entry = call.journal.begin(call.route, call.origin, 'unsent', number, startMs);
      send(attempt);
    };
  };

const timeOut = ({ flight }: Attempt): void => flight.cancel.timeOut();
