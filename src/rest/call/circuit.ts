/**
 * What a circuit counts, and when it opens; circuit-breaker.ts says for whom.
 */
import type { Route } from '../../v0/routes.ts';

/** Attempts are counted within this time; a circuit that no call asks for is forgotten after it. */
export const WINDOW_MS = 10_000;

interface Bounds {
  /** Fewer attempts in the window never open a circuit, nor fewer failures in a row. */
  readonly volume: number;
  /** How long the host must have failed, in milliseconds. */
  readonly outageMs: number;
}

export class Circuit {
  /** Undefined for the host's. */
  readonly route: Route | undefined;
  /** When it opened; undefined while it is closed. */
  openedMs: number | undefined;
  /** The call whose attempt may close it. */
  probe: object | undefined;
  /** Attempts and failures since the window began. */
  #attempts = 0;
  #failures = 0;
  #windowMs = 0;
  /** Failures since the last attempt that did not fail, and when the first of them was. */
  #inARow = 0;
  #failingSinceMs = 0;

  constructor(route: Route | undefined) {
    this.route = route;
  }

  /** Counts an attempt. @returns whether the circuit must open. */
  count(failed: boolean, nowMs: number, { volume, outageMs }: Bounds): boolean {
    if (nowMs - this.#windowMs >= WINDOW_MS) {
      this.#windowMs = nowMs;
      this.#attempts = this.#failures = 0;
    }
    this.#attempts += 1;
    this.#inARow = failed ? this.#inARow + 1 : 0;
    if (!failed) return false;
    this.#failures += 1;
    if (this.#inARow === 1) this.#failingSinceMs = nowMs;
    const isGone = this.#inARow >= volume;
    if (!this.route) return isGone && nowMs - this.#failingSinceMs >= outageMs;
    return isGone || (this.#attempts >= volume && 2 * this.#failures >= this.#attempts);
  }

  /** Closes it. The failures that it has recovered from must not open it again. */
  reset(): void {
    this.openedMs = this.probe = undefined;
    this.#attempts = this.#failures = this.#inARow = 0;
  }
}
