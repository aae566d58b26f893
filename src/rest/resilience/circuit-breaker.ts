/**
 * Leaves a failing backend alone: after half of at least 20 calls in 10 s failed, for 5 s.
 *
 * opossum keeps the window and the states. It is told outcomes rather than given the calls, since
 * it counts everything it runs, and two kinds must not count: what a caller did wrong (4xx), and
 * what nobody waited for (an aborted probe would close the circuit or keep it open for all).
 * Successes go straight into its newest bucket: they change no state, and running one through it
 * would cost a promise and three events a call.
 */
import { EventEmitter } from 'node:events';
import CircuitBreaker from 'opossum';
import { isBackendFailure } from './backend-failure.ts';
import { RestCircuitOpenError, type RouteLabel } from '../client/errors.ts';
import { KeyHealth } from './key-health.ts';
import type { Outcome, Outgoing } from '../client/send.ts';
import type { Stage } from '../client/stage.ts';

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

export class BackendBreaker implements Breaker, Stage {
  readonly #circuit: CircuitBreaker<[], void>;
  readonly #openMs: number;
  readonly #bucketMs: number;
  readonly #buckets = new EventEmitter();
  readonly #health = new KeyHealth();
  #newest: CircuitBreaker.Bucket;
  #rotatedMs = performance.now();
  #openedAtMs = 0;
  #probing = false;

  constructor(
    { failurePercent = 50, volume = 20, windowMs = 10_000, openMs = 5_000 }: BreakerOptions,
    onChange: (state: BreakerState) => void,
  ) {
    this.#openMs = openMs;
    this.#bucketMs = windowMs / BUCKETS;
    this.#circuit = new CircuitBreaker(fail, {
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
    this.#newest = this.#circuit.status.window[0]!;
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

  begin(outgoing: Outgoing): boolean {
    outgoing.probe = this.#circuit.halfOpen;
    if (this.#circuit.opened || (outgoing.probe && this.#probing)) {
      throw this.refusal(outgoing.route);
    }
    if (outgoing.probe) this.#probing = true;
    return true;
  }

  end(outgoing: Outgoing, outcome: Outcome): void {
    const { probe, apiKey, endMs } = outgoing;
    if (probe) this.#probing = false;
    // A straggler from before it opened must not pass for the probe.
    if (!probe && !this.#circuit.closed) return;
    this.#moveTo(endMs);
    if (isBackendFailure(outcome, outgoing)) {
      this.#health.note(apiKey, true, endMs);
      if (probe || !this.#health.othersAreWell(apiKey)) this.#countFailure();
    } else if (!(outcome instanceof Error)) {
      if (probe) this.#circuit.close();
      else if (outcome.status < 400) {
        this.#health.note(apiKey, false, endMs);
        this.#countSuccess();
      }
    }
  }

  /** A read has found no connection, however often it tried. */
  gaveUp(): void {
    if (!this.#circuit.closed) return;
    this.#moveTo(performance.now());
    this.#countFailure();
  }

  /** What calls are told while it is not closed. */
  refusal(route: RouteLabel): RestCircuitOpenError {
    return new RestCircuitOpenError(route, this.retryAfterMs);
  }

  close(): void {
    this.#circuit.shutdown();
  }

  /** Moves the window to a moment. Done when there is something to count: no timer is needed. */
  #moveTo(nowMs: number): void {
    const due = Math.floor((nowMs - this.#rotatedMs) / this.#bucketMs);
    if (due <= 0) return;
    this.#rotatedMs += due * this.#bucketMs;
    this.#rotate(Math.min(due, BUCKETS));
  }

  /** `fail` throws, so that the circuit's state changes at once. */
  #countFailure(): void {
    this.#circuit.fire().catch(() => {});
  }

  #countSuccess(): void {
    this.#newest.fires += 1;
    this.#newest.successes += 1;
  }

  #rotate(buckets: number): void {
    for (let i = 0; i < buckets; i++) this.#buckets.emit('rotate');
    this.#newest = this.#circuit.status.window[0]!;
  }
}

const FAILED = new Error('the backend failed');

const fail = (): Promise<void> => {
  throw FAILED;
};
