/**
 * Policies that track attempts: their call log entries, the list of attempts in flight, and their timeouts.
 */
import { failureOf } from '../call/errors.ts';
import { isRead, type Settled } from '../call/call.ts';
import type { UpstreamSettings } from '../call/options.ts';
import { Timeouts } from '../call/timeouts.ts';
import type { Attempt, AttemptPolicy } from '../attempt.ts';

/** Records attempts in the call log, and notifies observers. */
export class AttemptLog implements AttemptPolicy {
  readonly #settings: UpstreamSettings;

  constructor(settings: UpstreamSettings) {
    this.#settings = settings;
  }

  before(attempt: Attempt): undefined {
    const { callLog } = attempt.from;
    attempt.startMs = attempt.startedMs - callLog.beganMs;
    callLog.add(attempt);
  }

  after(attempt: Attempt, settled: Settled): void {
    const { clock, observer } = this.#settings;
    if (attempt.endedMs === 0) attempt.endedMs = clock.now();
    attempt.endMs = attempt.endedMs - attempt.from.callLog.beganMs;
    const failed = settled instanceof Error;
    attempt.status = failed ? undefined : settled.status;
    attempt.failure = failed ? failureOf(settled) : undefined;
    observer.onCall?.({
      route: attempt.route,
      attempt: attempt.attempt,
      isSent: attempt.source === 'sent',
      status: attempt.status,
      failure: attempt.failure,
      durationMs: attempt.endedMs - attempt.startedMs,
      span: attempt.span,
    });
  }
}

/**
 * The attempts in the limiter's queue or in flight. An array with stored indexes, since the tables of a Set live until
 * a full garbage collection.
 */
export class UnderWay implements AttemptPolicy {
  readonly #attempts: Attempt[] = [];

  get attempts(): readonly Attempt[] {
    return this.#attempts;
  }

  before(attempt: Attempt): undefined {
    attempt.index = this.#attempts.length;
    this.#attempts.push(attempt);
  }

  after(attempt: Attempt): void {
    const last = this.#attempts.pop()!;
    if (last === attempt) return;
    this.#attempts[attempt.index] = last;
    last.index = attempt.index;
  }
}

/** The timeout of an attempt, which covers the limiter's queue, the connection, and every byte of the response. */
export class AttemptTimeout implements AttemptPolicy {
  readonly #timeoutMs: number;
  readonly #timeouts: Timeouts;

  constructor({ clock, timeoutMs }: UpstreamSettings) {
    this.#timeoutMs = timeoutMs;
    this.#timeouts = new Timeouts(clock);
  }

  before(attempt: Attempt): undefined {
    const { call, startedMs } = attempt;
    // Callers of a read stop waiting at their own deadlines; a write ends with its attempt.
    attempt.isCutShort = !isRead(call) && call.deadlineMs < startedMs + this.#timeoutMs;
    attempt.untilMs = attempt.isCutShort ? call.deadlineMs : startedMs + this.#timeoutMs;
    this.#timeouts.add(attempt, startedMs);
  }

  after(attempt: Attempt): void {
    this.#timeouts.delete(attempt);
  }
}
