/**
 * Whether requests can be served now: not while draining, and only when the backend answers.
 *
 * The backend is asked at most once a second, however often we are, and only when we are; so the
 * answer recovers by itself.
 */
import type { FailureKind } from '../../rest/client/errors.ts';
import type { Breaker, BreakerScope, BreakerState } from '../../rest/resilience/circuit-breaker.ts';
import { connectionFailureOf } from '../../rest/transport/transport-fault.ts';

/** Asks the backend for something cheap: the status it answered, or a rejection. */
export type Probe = () => Promise<number>;

export interface ReadinessReport {
  readonly ready: boolean;
  /** Whether a part of the backend is left alone because it keeps failing; the rest is served. */
  readonly degraded: boolean;
  readonly draining: boolean;
  /** Never an address or a key. */
  readonly upstream: UpstreamReport;
}

interface UpstreamReport extends Reached {
  /** Of the host: `open` means that calls are refused for some seconds. */
  readonly breaker: BreakerState;
  /** What is left alone, a scope and route each: `{ "scope": "route", "route": "GET /v0/topics", … }`. */
  readonly open: readonly OpenCircuits[];
}

interface OpenCircuits {
  readonly scope: BreakerScope;
  readonly route?: string;
  readonly state: BreakerState;
  /** How many circuits: of different keys, where a scope has some. */
  readonly count: number;
}

interface Reached {
  readonly reachable: boolean;
  /** What it answered; null when nothing. */
  readonly status: number | null;
  /** Why it did not answer. */
  readonly failure?: FailureKind;
}

export class Readiness {
  #draining = false;
  readonly #probe: Probe;
  readonly #breaker: Breaker;
  readonly #keepMs: number;
  #checkedAt = -Infinity;
  #upstream: Promise<Reached> | undefined;

  /** @param keepMs how long an answer of the backend is believed, in milliseconds. */
  constructor(probe: Probe, breaker: Breaker, keepMs = 1_000) {
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
    const breaker = this.#breaker.stateOf('host');
    const open = this.#breaker.tripped.map(({ scope, route, state, count }) => ({
      scope,
      ...(route && { route: `${route.method} ${route.path}` }),
      state,
      count,
    }));
    return {
      ready: reached.reachable && breaker !== 'open' && !this.#draining,
      degraded: open.length > 0,
      draining: this.#draining,
      upstream: { ...reached, breaker, open },
    };
  }

  #ask(): Promise<Reached> {
    const now = performance.now();
    if (!this.#upstream || now - this.#checkedAt > this.#keepMs) {
      this.#checkedAt = now;
      this.#upstream = this.#probe().then(
        // A refusal is an answer: without a key, 401 shows that the backend is there. A redirect is
        // not followed, so it leads nowhere.
        (status) => ({ reachable: status < 500 && (status < 300 || status > 399), status }),
        (error: Error) => ({
          reachable: false,
          status: null,
          failure: error.name === 'TimeoutError' ? 'timeout' : connectionFailureOf(error),
        }),
      );
    }
    return this.#upstream;
  }
}
