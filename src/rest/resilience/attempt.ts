/**
 * One try of a call: its own time, and word of it to the journal and the observer.
 *
 * The time starts here, before any queue: waiting for a connection is waiting.
 */
import type { End } from '../client/cancel.ts';
import { RestOverloadedError, RestTimeoutError } from '../client/errors.ts';
import type { UpstreamObserver } from '../client/observer.ts';
import { timedOut } from '../client/request-deadline.ts';
import { isRead, type Outgoing } from '../client/send.ts';
import type { Stage } from '../client/stage.ts';

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
    outgoing.sentMs = 0;
    const left = outgoing.cut ? Math.max(0, Math.ceil(deadlineMs - startMs)) : timeoutMs;
    outgoing.timer = setTimeout(expire, left, outgoing);
    outgoing.entry = journal.begin(route, origin, 'unsent', attempt, startMs);
    return true;
  },

  end({ route, journal, entry, attempt, timer, startMs, endMs }, outcome) {
    clearTimeout(timer);
    const failed = outcome instanceof Error;
    const status = failed ? undefined : outcome.status;
    const failure = failed ? outcome.name : undefined;
    if (entry) journal.end(entry, status, endMs);
    observer.onCall?.({ route, attempt, status, failure, durationMs: endMs - startMs });
  },
});

function expire({ cancel, sentMs, cut }: Outgoing): void {
  const waited = cut ? noConnection : noRoom;
  cancel.tell(sentMs === 0 ? waited : timedOut);
}

const noRoom: End = (route) => new RestOverloadedError(route);

const noConnection: End = (route) => new RestTimeoutError('No connection came free in time', route);
