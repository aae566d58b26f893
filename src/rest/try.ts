/**
 * One try of a call: its own time, and word of it to the journal and the observer.
 *
 * The time starts here, before any queue: waiting for a connection is waiting.
 */
import type { UpstreamObserver } from './observer.ts';
import { isRead, type Send } from './send.ts';

export interface TryOptions {
  /** One try, in milliseconds. */
  readonly timeoutMs: number;
  readonly observer: UpstreamObserver;
}

export function trying(send: Send, { timeoutMs, observer }: TryOptions): Send {
  return async (outgoing) => {
    const { route, attempt, deadlineMs } = outgoing;
    const startMs = performance.now();
    // Those who wait for a read leave at their own deadlines; a write has nobody but its try.
    outgoing.cut = !isRead(outgoing) && deadlineMs < startMs + timeoutMs;
    outgoing.untilMs = outgoing.cut ? deadlineMs : startMs + timeoutMs;
    const ended = outgoing.onTry(attempt);
    let status: number | undefined;
    let failure: string | undefined;
    try {
      const answer = await send(outgoing);
      status = answer.status;
      return answer;
    } catch (error) {
      failure = error instanceof Error ? error.name : 'unknown';
      throw error;
    } finally {
      ended(status);
      observer.onCall?.({
        route,
        attempt,
        status,
        failure,
        durationMs: performance.now() - startMs,
      });
    }
  };
}
