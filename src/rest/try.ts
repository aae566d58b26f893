/**
 * One try of a call: its own time, and word of it to the journal and the observer.
 *
 * The time starts here, before any queue: waiting for a connection is waiting.
 */
import type { UpstreamObserver } from './observer.ts';
import { isRead } from './send.ts';
import type { Stage } from './stage.ts';

export interface TryOptions {
  /** One try, in milliseconds. */
  readonly timeoutMs: number;
  readonly observer: UpstreamObserver;
}

export const trying = ({ timeoutMs, observer }: TryOptions): Stage => ({
  begin(outgoing) {
    const { route, origin, journal, attempt, deadlineMs } = outgoing;
    const startMs = performance.now();
    outgoing.startMs = startMs;
    // Those who wait for a read leave at their own deadlines; a write has nobody but its try.
    outgoing.cut = !isRead(outgoing) && deadlineMs < startMs + timeoutMs;
    outgoing.untilMs = outgoing.cut ? deadlineMs : startMs + timeoutMs;
    outgoing.entry = journal.begin(route, origin, 'unsent', attempt, startMs);
    return true;
  },

  end({ route, journal, entry, attempt, startMs, endMs }, outcome) {
    const failed = outcome instanceof Error;
    const status = failed ? undefined : outcome.status;
    const failure = failed ? outcome.name : undefined;
    if (entry) journal.end(entry, status, endMs);
    observer.onCall?.({ route, attempt, status, failure, durationMs: endMs - startMs });
  },
});
