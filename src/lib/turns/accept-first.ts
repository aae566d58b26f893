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

/** What work is put off for. */
export const connections = (): number => accepted;
export const connectionsAndRequests = (): number => accepted + begun;

/** One for each kind of work that is put off. */
export class AcceptFirst {
  readonly #came: () => number;
  #seen: number;
  #sinceMs: number | undefined;

  /** @param came counts what the work is put off for. */
  constructor(came: () => number) {
    this.#came = came;
    this.#seen = came();
  }

  /** Whether something came since it was last asked. */
  get isAccepting(): boolean {
    return this.#came() !== this.#seen;
  }

  /** Whether this turn is left to what came: asked once a turn, before the work. */
  leaves(nowMs: number): boolean {
    const { isAccepting } = this;
    this.#seen = this.#came();
    if (isAccepting) {
      this.#sinceMs ??= nowMs;
      if (nowMs - this.#sinceMs < ACCEPT_MS) return true;
    }
    this.#sinceMs = undefined;
    return false;
  }
}
