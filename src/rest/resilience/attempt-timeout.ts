/**
 * The time of an attempt, which covers the limiter's queue, the connection, and every byte of the answer.
 */
import { isRead } from '../call/call.ts';
import type { UpstreamSettings } from '../call/options.ts';
import { Timeouts } from '../call/timeouts.ts';
import type { CallPolicy, RestCall } from '../rest-call.ts';

export class AttemptTimeout implements CallPolicy {
  readonly #timeoutMs: number;
  readonly #timeouts: Timeouts;

  constructor({ clock, timeoutMs }: UpstreamSettings) {
    this.#timeoutMs = timeoutMs;
    this.#timeouts = new Timeouts(clock);
  }

  before(call: RestCall): undefined {
    const { startedMs, deadlineMs } = call;
    // Callers of a read leave at their own deadlines; a write ends with its attempt.
    call.isCutShort = !isRead(call) && deadlineMs < startedMs + this.#timeoutMs;
    call.untilMs = call.isCutShort ? deadlineMs : startedMs + this.#timeoutMs;
    this.#timeouts.add(call, startedMs);
  }

  after(call: RestCall): void {
    this.#timeouts.delete(call);
  }
}
