/**
 * A circuit: counts attempts and decides when to open. `circuit-breaker.ts` maps calls to circuits.
 */
import type { Route } from '../../v0/routes.ts';

/** Time window of counts, in milliseconds; unused circuits are removed after it. */
export const WINDOW_MS = 10_000;

interface CircuitBounds {
  /** Minimum number of attempts in the window, or of consecutive failures, to open a circuit. */
  readonly volume: number;
  /** Minimum duration of the host's failures, in milliseconds. */
  readonly outageMs: number;
}

export class Circuit {
  /** Undefined for the host. */
  readonly route: Route | undefined;
  /** Time of opening; undefined while it is closed. */
  openedMs: number | undefined;
  /** Call in flight that may close it. */
  probe: object | undefined;
  /** Attempts and failures since the window began. */
  #attempts = 0;
  #failures = 0;
  #windowMs = 0;
  /** Consecutive failures, and the time of the first. */
  #inARow = 0;
  #failingSinceMs = 0;

  constructor(route: Route | undefined) {
    this.route = route;
  }

  /** Counts an attempt. @returns whether to open the circuit. */
  count(failed: boolean, nowMs: number, { volume, outageMs }: CircuitBounds): boolean {
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

  /** Closes the circuit and clears its counts. */
  reset(): void {
    this.openedMs = this.probe = undefined;
    this.#attempts = this.#failures = this.#inARow = 0;
  }
}
