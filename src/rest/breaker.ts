/**
 * Leaves a failing backend alone: after half of at least 20 calls in 10 s failed, for 5 s.
 *
 * opossum keeps the window and the states. It is told outcomes rather than given the calls, since
 * it counts everything it runs, and two kinds must not count: what a caller did wrong (4xx), and
 * what nobody waited for (an aborted probe would close the circuit or keep it open for all).
 */
import { EventEmitter } from 'node:events';
import CircuitBreaker from 'opossum';
import {
  RestCircuitOpenError,
  RestOutcomeUnknownError,
  RestTimeoutError,
  RestUnreachableError,
  type RouteName,
} from './errors.ts';
import type { Outgoing, Send } from './send.ts';

export type BreakerState = 'closed' | 'open' | 'half-open';

export interface BreakerOptions {
  /** The share of failures that opens it, in per cent. */
  readonly failurePercent?: number;
  /** Fewer calls in the window never open it. */
  readonly volume?: number;
  readonly windowMs?: number;
  /** How long it stays open before one call may probe. */
  readonly openMs?: number;
}

export interface Breaker {
  readonly state: BreakerState;
  /** Milliseconds until the next probe; 0 while closed. */
  readonly retryAfterMs: number;
  /** Stops its timers. */
  close(): void;
}

/** How soon to come back while a probe is under way, in milliseconds. */
const PROBE_MS = 500;

/** Slices of the window: it moves on by one of them at a time. */
const BUCKETS = 10;

export class BackendBreaker implements Breaker {
  readonly #circuit: CircuitBreaker<[failed: boolean], void>;
  readonly #openMs: number;
  readonly #bucketMs: number;
  readonly #buckets = new EventEmitter();
  #rotatedMs = performance.now();
  #openedAtMs = 0;
  #probing = false;

  constructor(
    { failurePercent = 50, volume = 20, windowMs = 10_000, openMs = 5_000 }: BreakerOptions,
    onChange: (state: BreakerState) => void,
  ) {
    this.#openMs = openMs;
    this.#bucketMs = windowMs / BUCKETS;
    const report = (failed: boolean): Promise<void> =>
      failed ? Promise.reject(FAILED) : Promise.resolve();
    this.#circuit = new CircuitBreaker(report, {
      timeout: false, // it would abort all calls with one controller; ours have their own time
      errorThresholdPercentage: failurePercent - 0.001, // opossum wants more than, we at least
      volumeThreshold: volume,
      rollingCountTimeout: windowMs,
      rollingCountBuckets: BUCKETS,
      rotateBucketController: this.#buckets,
      resetTimeout: openMs,
      enableSnapshots: false,
      rollingPercentilesEnabled: false,
    });
    this.#circuit.on('open', () => {
      this.#openedAtMs = performance.now();
      onChange('open');
    });
    this.#circuit.on('halfOpen', () => onChange('half-open'));
    this.#circuit.on('close', () => {
      // The outage it has recovered from must not open it again at the first failure.
      this.#rotate(BUCKETS);
      onChange('closed');
    });
  }

  get state(): BreakerState {
    if (this.#circuit.closed) return 'closed';
    return this.#circuit.halfOpen ? 'half-open' : 'open';
  }

  get retryAfterMs(): number {
    if (this.#circuit.closed) return 0;
    const left = this.#openedAtMs + this.#openMs - performance.now();
    return Math.ceil(Math.max(left, PROBE_MS));
  }

  readonly breaking =
    (send: Send): Send =>
    async (outgoing) => {
      const probe = this.#circuit.halfOpen;
      if (this.#circuit.opened || (probe && this.#probing)) throw this.refusal(outgoing.route);
      if (probe) this.#probing = true;
      try {
        const answer = await send(outgoing);
        const alive = answer.status < 500;
        if (probe || !alive || answer.status < 400) await this.#report(!alive, probe);
        return answer;
      } catch (error) {
        if (isFailure(error, outgoing)) await this.#report(true, probe);
        throw error;
      } finally {
        if (probe) this.#probing = false;
      }
    };

  /** What calls are told while it is not closed. */
  refusal(route: RouteName): RestCircuitOpenError {
    return new RestCircuitOpenError(route, this.retryAfterMs);
  }

  close(): void {
    this.#circuit.shutdown();
  }

  async #report(failed: boolean, probe: boolean): Promise<void> {
    // A straggler from before it opened must not pass for the probe.
    if (!probe && !this.#circuit.closed) return;
    const now = performance.now();
    const due = Math.floor((now - this.#rotatedMs) / this.#bucketMs);
    this.#rotatedMs += due * this.#bucketMs;
    this.#rotate(Math.min(due, BUCKETS));
    const told = this.#circuit.fire(failed).catch(() => {});
    if (probe) await told;
  }

  /** Moves the window on. Done when there is something to count: no timer of opossum's is needed. */
  #rotate(buckets: number): void {
    for (let i = 0; i < buckets; i++) this.#buckets.emit('rotate');
  }
}

const FAILED = new Error('the backend failed');

/** Whether an error speaks against the backend. */
function isFailure(error: unknown, { cut }: Outgoing): boolean {
  const cause = error instanceof RestOutcomeUnknownError ? error.cause : error;
  if (cause instanceof RestTimeoutError) return !cut;
  return cause instanceof RestUnreachableError && !(cause instanceof RestCircuitOpenError);
}
