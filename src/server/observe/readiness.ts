/**
 * Whether requests can be served now: not while draining, and only when the backend answers.
 *
 * The backend is asked at most once a second, however often we are, and only when we are; so the
 * answer recovers by itself.
 */

import type { BreakerState } from '../../rest/resilience/circuit-breaker.ts';

/** Asks the backend for something cheap: the status it answered, or a rejection. */
export type Probe = () => Promise<number>;

export interface ReadinessReport {
  readonly ready: boolean;
  readonly draining: boolean;
  /** Never an address. */
  readonly upstream: UpstreamReport;
}

interface UpstreamReport {
  readonly reachable: boolean;
  /** What it answered; null when nothing. */
  readonly status: number | null;
  /** `open`: it failed so often that calls are refused for some seconds. */
  readonly breaker: BreakerState;
}

type Reached = Pick<UpstreamReport, 'reachable' | 'status'>;

export class Readiness {
  #draining = false;
  readonly #probe: Probe;
  readonly #breaker: { readonly state: BreakerState };
  readonly #keepMs: number;
  #checkedAt = -Infinity;
  #upstream: Promise<Reached> | undefined;

  /** @param keepMs how long an answer of the backend is believed, in milliseconds. */
  constructor(probe: Probe, breaker: { readonly state: BreakerState }, keepMs = 1_000) {
    this.#probe = probe;
    this.#breaker = breaker;
    this.#keepMs = keepMs;
  }

  get draining(): boolean {
    return this.#draining;
  }

  /** From now on not ready, for ever. */
  drain(): void {
    this.#draining = true;
  }

  async report(): Promise<ReadinessReport> {
    const reached = await this.#ask();
    const breaker = this.#breaker.state;
    return {
      ready: reached.reachable && breaker !== 'open' && !this.#draining,
      draining: this.#draining,
      upstream: { ...reached, breaker },
    };
  }

  #ask(): Promise<Reached> {
    const now = performance.now();
    if (!this.#upstream || now - this.#checkedAt > this.#keepMs) {
      this.#checkedAt = now;
      this.#upstream = this.#probe().then(
        // A refusal is an answer: without a key, 401 shows that somebody is there. A redirect is not
        // followed, so it leads nowhere.
        (status) => ({ reachable: status < 500 && (status < 300 || status > 399), status }),
        () => ({ reachable: false, status: null }),
      );
    }
    return this.#upstream;
  }
}
