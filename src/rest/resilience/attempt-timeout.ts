/**
 * The timeout of one attempt; also reports attempts to the journal and the observer.
 */
import { isRead, type Send, type Try } from '../call/call.ts';
import { failureOf } from '../call/errors.ts';
import type { UpstreamObserver } from '../call/observer.ts';

interface TimeoutOptions {
  /** One attempt from its queue to its last byte, in milliseconds. */
  readonly timeoutMs: number;
  readonly observer: UpstreamObserver;
}

export const attemptTimeout =
  ({ timeoutMs, observer }: TimeoutOptions, send: Send): Try =>
  async (flight, number, isFresh) => {
    const { call, cancel } = flight;
    const startMs = performance.now();
    // Callers of a read leave at their own deadlines; a write ends with its attempt.
    const isCutShort = !isRead(call) && flight.deadlineMs < startMs + timeoutMs;
    const untilMs = isCutShort ? flight.deadlineMs : startMs + timeoutMs;
    const timer = setTimeout(() => cancel.timeOut(), Math.max(0, Math.ceil(untilMs - startMs)));
    const entry = call.journal.begin(call.route, call.origin, 'unsent', number, startMs);
    const attempt = { flight, call, number, isFresh, entry, startMs, untilMs, isCutShort };
    const { settled, exchange } = await send(attempt);
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
    return settled;
  };
