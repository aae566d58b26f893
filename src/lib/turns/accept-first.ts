/**
 * What large work leaves to callers who come: turns of the event loop in which their connections are
 * accepted and their first requests begin.
 *
 * libuv accepts one connection a turn. While turns are long, each of many that come together would wait
 * for a long turn of its own, and so would a probe behind them. So a turn in which one came is followed by
 * one without large work, for a bounded time.
 */

/** How long work may be put off, in milliseconds; a short turn takes a tenth of one. */
const ACCEPT_MS = 4;

let accepted = 0;
let begun = 0;

/** A connection was accepted. */
export function noteAccepted(): void {
  accepted += 1;
}

/** The first request of a connection has begun. */
export function noteBegun(): void {
  begun += 1;
}

/** Counts what work is put off for: accepted connections, or their first requests as well. */
export const countAccepted = (): number => accepted;
export const countAcceptedAndBegun = (): number => accepted + begun;

/** One for each kind of work that is put off. */
export class AcceptFirst {
  readonly #count: () => number;
  #seen: number;
  #sinceMs: number | undefined;

  constructor(count: () => number) {
    this.#count = count;
    this.#seen = count();
  }

  /** Whether something came since it was last asked. */
  get isAccepting(): boolean {
    return this.#count() !== this.#seen;
  }

  /** Whether this turn is left to what came: asked once a turn, before the work. */
  leaves(nowMs: number): boolean {
    const { isAccepting } = this;
    this.#seen = this.#count();
    if (isAccepting) {
      this.#sinceMs ??= nowMs;
      if (nowMs - this.#sinceMs < ACCEPT_MS) return true;
    }
    this.#sinceMs = undefined;
    return false;
  }
}
