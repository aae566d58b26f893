/**
 * Large work leaves turns of the event loop to connections that wait to be accepted.
 *
 * libuv accepts one connection a turn. While turns are long, each of many that come together would wait
 * for a long turn of its own, and so would a probe behind them. So a turn that accepted one is followed by
 * one without large work, for a bounded time.
 */

/** How long large work may be put off, in milliseconds; a short turn takes a tenth of one. */
const ACCEPT_MS = 4;

let accepted = 0;

/** A connection was accepted. */
export function noteAccepted(): void {
  accepted += 1;
}

/** One for each kind of large work. */
export class AcceptFirst {
  #seen = accepted;
  #sinceMs: number | undefined;

  /** Whether a connection was accepted since it was last asked. */
  get isAccepting(): boolean {
    return accepted !== this.#seen;
  }

  /** Whether this turn is left to connections: asked once a turn, before large work. */
  leaves(nowMs: number): boolean {
    const { isAccepting } = this;
    this.#seen = accepted;
    if (isAccepting) {
      this.#sinceMs ??= nowMs;
      if (nowMs - this.#sinceMs < ACCEPT_MS) return true;
    }
    this.#sinceMs = undefined;
    return false;
  }
}
