/**
 * A circuit: counts attempts, and decides when to open and who may probe. `circuit-breaker.ts` maps calls to circuits.
 */
import type { Route } from '../../v0/routes.ts';

/** Time window of counts, in milliseconds; unused circuits are removed after it. */
export const WINDOW_MS = 10_000;

export type BreakerState = 'closed' | 'half-open' | 'open';

interface CircuitBounds {
  /** Minimum number of attempts in the window, or of consecutive failures, to open a circuit. */
  readonly volume: number;
  /** Minimum duration of the host's failures, in milliseconds. */
  readonly outageMs: number;
  /** Time before each probe, in milliseconds. */
  readonly openMs: number;
}

export class Circuit {
  /** Undefined for the host. */
  readonly route: Route | undefined;
  /** Time from which the next request may probe; undefined while it is closed. */
  probeFromMs: number | undefined;
  /** Request that probes, until one of its attempts fails or another request probes. */
  #prober: object | undefined;
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

  open(nowMs: number, { openMs }: CircuitBounds): void {
    this.probeFromMs = nowMs + openMs;
    this.#prober = undefined;
  }

  /** Whether attempts of a request may go on. */
  admits(request: object, nowMs: number): boolean {
    return this.#prober === request || nowMs >= (this.probeFromMs ?? 0);
  }

  /**
   * Makes an admitted request the prober, whose attempts all go on. Others are refused for another `openMs`, whatever
   * becomes of it.
   */
  probe(request: object, nowMs: number, { openMs }: CircuitBounds): void {
    if (nowMs < this.probeFromMs!) return;
    this.probeFromMs = nowMs + openMs;
    this.#prober = request;
  }

  /** Ends the probe of a request without success. */
  endProbe(request: object): void {
    if (this.#prober === request) this.#prober = undefined;
  }

  stateAt(nowMs: number): BreakerState {
    if (this.probeFromMs === undefined) return 'closed';
    return this.#prober || nowMs >= this.probeFromMs ? 'half-open' : 'open';
  }

  /** Closes the circuit and clears its counts. */
  close(): void {
    this.probeFromMs = this.#prober = undefined;
    this.#attempts = this.#failures = this.#inARow = 0;
  }
}
