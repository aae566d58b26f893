/**
 * Policies that track attempts: their call log entries, the list of attempts in flight, and their timeouts.
 */
import { failureOf } from '../call/errors.ts';
import { isRead, type Settled } from '../call/call.ts';
import type { UpstreamSettings } from '../call/options.ts';
import { Timeouts } from '../call/timeouts.ts';
import type { CallPolicy, RestCall } from '../rest-call.ts';

/** Records attempts in the call log, and notifies observers. */
export class Record implements CallPolicy {
  readonly #settings: UpstreamSettings;

  constructor(settings: UpstreamSettings) {
    this.#settings = settings;
  }

  before(call: RestCall): undefined {
    const { callLog } = call.from;
    call.startMs = call.startedMs - callLog.beganMs;
    call.endMs = undefined;
    callLog.add(call);
  }

  after(call: RestCall, settled: Settled): void {
    const { clock, observer } = this.#settings;
    if (call.endedMs === 0) call.endedMs = clock.now();
    call.endMs = call.endedMs - call.from.callLog.beganMs;
    const failed = settled instanceof Error;
    call.status = failed ? undefined : settled.status;
    call.failure = failed ? failureOf(settled) : undefined;
    observer.onCall?.({
      route: call.route,
      attempt: call.attempt,
      isSent: call.source === 'sent',
      status: call.status,
      failure: call.failure,
      durationMs: call.endedMs - call.startedMs,
      span: call.span,
    });
  }
}

/**
 * The attempts in the limiter's queue or in flight. An array with stored indexes, since the tables of a Set live until
 * a full garbage collection.
 */
export class UnderWay implements CallPolicy {
  readonly #calls: RestCall[] = [];

  get calls(): readonly RestCall[] {
    return this.#calls;
  }

  before(call: RestCall): undefined {
    call.index = this.#calls.length;
    this.#calls.push(call);
  }

  after(call: RestCall): void {
    const last = this.#calls.pop()!;
    if (last !== call) {
      this.#calls[call.index] = last;
      last.index = call.index;
    }
    call.index = -1;
  }
}

/** The timeout of an attempt, which covers the limiter's queue, the connection, and every byte of the response. */
export class AttemptTimeout implements CallPolicy {
  readonly #timeoutMs: number;
  readonly #timeouts: Timeouts;

  constructor({ clock, timeoutMs }: UpstreamSettings) {
    this.#timeoutMs = timeoutMs;
    this.#timeouts = new Timeouts(clock);
  }

  before(call: RestCall): undefined {
    const { startedMs, deadlineMs } = call;
    // Callers of a read stop waiting at their own deadlines; a write ends with its attempt.
    call.isCutShort = !isRead(call) && deadlineMs < startedMs + this.#timeoutMs;
    call.untilMs = call.isCutShort ? deadlineMs : startedMs + this.#timeoutMs;
    this.#timeouts.add(call, startedMs);
  }

  after(call: RestCall): void {
    this.#timeouts.delete(call);
  }
}
