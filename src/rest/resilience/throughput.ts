/**
 * How many calls end in a millisecond, lately.
 *
 * Unlike the time one call takes it does not grow with our own delays: a process that is late to
 * read an answer is late for all of them, and ends as many.
 */

/** What "lately" is: this long, and up to as long again, in milliseconds. */
const SPAN_MS = 500;

export class Throughput {
  #beganMs = 0;
  #ended = 0;
  #beforeMs = 0;
  #endedBefore = 0;

  /** Notes that a call has ended. */
  note(nowMs: number): void {
    this.#rotate(nowMs);
    this.#ended += 1;
  }

  /** Calls a millisecond; 0 when none has ended lately. */
  perMs(nowMs: number): number {
    this.#rotate(nowMs);
    const spanMs = nowMs - (this.#endedBefore > 0 ? this.#beforeMs : this.#beganMs);
    // Too short a time to judge by: a first answer would look like a flood.
    return spanMs < SPAN_MS / 10 ? 0 : (this.#ended + this.#endedBefore) / spanMs;
  }

  #rotate(nowMs: number): void {
    if (nowMs - this.#beganMs < SPAN_MS) return;
    const recent = nowMs - this.#beganMs < 2 * SPAN_MS;
    this.#beforeMs = this.#beganMs;
    this.#endedBefore = recent ? this.#ended : 0;
    this.#beganMs = nowMs;
    this.#ended = 0;
  }
}
