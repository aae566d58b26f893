/** A circuit: counts attempts, and decides when to open and who may probe. */
import type { Route } from '../../v0/routes.ts';

/** Time window of counts, in milliseconds; unused circuits are removed after it. */
export const WINDOW_MS = 10_000;

export type BreakerState = 'closed' | 'half-open' | 'open';

export interface CircuitBounds {
  /** Minimum number of attempts in the window, or of consecutive failures, to open a circuit. */
  readonly volume: number;
  /** Minimum time without a connection to open the host's circuit, in milliseconds; longer than a restart. */
  readonly outageMs: number;
  /** Time until an open circuit allows the next probe, in milliseconds. */
  readonly openMs: number;
}

/** Maximum number of remembered paths; so many that fail are a fault of the route. */
const MAX_PATHS = 20;

interface Probe {
  /** Time from which the next request may probe. */
  fromMs: number;
  /** Request that probes, until one of its attempts fails or another request probes. */
  request: object | undefined;
}

export class Circuit {
  readonly route: Route | undefined;
  /**
   * Undefined while it is closed. Paths that failed probe apart from others, so that an object that always fails does not
   * use up the probes that healthy ones would pass.
   */
  #probes: { readonly failed: Probe; readonly other: Probe } | undefined;
  /** Attempts and failures since the window began. */
  #attempts = 0;
  #failures = 0;
  #windowMs = 0;
  /** Paths that failed since the window began, and the latest that succeeded; empty for the host. */
  readonly #failedPaths = new Set<string>();
  #healthyPath: string | undefined;
  /** Consecutive failures, and the time of the first. */
  #inARow = 0;
  #failingSinceMs = 0;

  constructor(route: Route | undefined) {
    this.route = route;
  }

  get isClosed(): boolean {
    return !this.#probes;
  }

  /**
   * Counts an attempt. One path does not decide for its route: errors of its object count once, and half of the attempts
   * open the circuit only if several paths failed or no other one succeeds.
   *
   * @param isOfObject whether a failure may be a fault of the object at the path.
   * @returns whether to open the circuit.
   */
  count(
    path: string,
    failed: boolean,
    isOfObject: boolean,
    nowMs: number,
    { volume, outageMs }: CircuitBounds,
  ): boolean {
    if (nowMs - this.#windowMs >= WINDOW_MS) {
      this.#windowMs = nowMs;
      this.#forget();
    }
    if (!failed) {
      this.#attempts += 1;
      this.#inARow = 0;
      if (this.route) this.#healthyPath = path;
      return false;
    }
    if (this.#failedPaths.has(path) && isOfObject) return false;
    this.#noteFailure(path);
    this.#attempts += 1;
    this.#failures += 1;
    this.#inARow += 1;
    if (this.#inARow === 1) this.#failingSinceMs = nowMs;
    const isGone = this.#inARow >= volume;
    if (!this.route) return isGone && nowMs - this.#failingSinceMs >= outageMs;
    const isHalf = this.#attempts >= volume && 2 * this.#failures >= this.#attempts;
    return isGone || (isHalf && !this.#isOnePathAlone);
  }

  open(nowMs: number, { openMs }: CircuitBounds): void {
    const fromMs = nowMs + openMs;
    this.#probes = {
      failed: { fromMs, request: undefined },
      other: { fromMs, request: undefined },
    };
  }

  /** Time until the next request may probe, in milliseconds. */
  waitMs(path: string, nowMs: number): number {
    return Math.max(0, (this.#probeOf(path)?.fromMs ?? 0) - nowMs);
  }

  /** Whether attempts of a request may continue. */
  admits(request: object, path: string, nowMs: number): boolean {
    const probe = this.#probeOf(path);
    return !probe || probe.request === request || nowMs >= probe.fromMs;
  }

  /**
   * Makes an admitted request the prober, whose attempts all continue. Others are rejected for another `openMs`, whatever
   * becomes of it.
   */
  probe(request: object, path: string, nowMs: number, { openMs }: CircuitBounds): void {
    const probe = this.#probeOf(path);
    if (!probe || nowMs < probe.fromMs) return;
    probe.fromMs = nowMs + openMs;
    probe.request = request;
  }

  /** Ends the probe of a request without success. */
  endProbe(request: object, path: string): void {
    const probe = this.#probeOf(path);
    if (!this.#probes || !probe) return;
    if (probe.request === request) probe.request = undefined;
    this.#noteFailure(path);
    // A retry belongs to its probe.
    const { failed } = this.#probes;
    failed.fromMs = Math.max(failed.fromMs, probe.fromMs);
  }

  stateAt(nowMs: number): BreakerState {
    if (!this.#probes) return 'closed';
    const { failed, other } = this.#probes;
    const isProbed = [failed, other].some(({ request, fromMs }) => request ?? nowMs >= fromMs);
    return isProbed ? 'half-open' : 'open';
  }

  /** Whether no request has probed since a time, although it could have. */
  isUnused(sinceMs: number): boolean {
    const { failed, other } = this.#probes ?? {};
    return Math.max(failed?.fromMs ?? 0, other?.fromMs ?? 0) < sinceMs;
  }

  close(): void {
    this.#probes = undefined;
    this.#inARow = 0;
    this.#forget();
  }

  get #isOnePathAlone(): boolean {
    const healthy = this.#healthyPath;
    return this.#failedPaths.size === 1 && healthy !== undefined && !this.#failedPaths.has(healthy);
  }

  #probeOf(path: string): Probe | undefined {
    return this.#failedPaths.has(path) ? this.#probes?.failed : this.#probes?.other;
  }

  #noteFailure(path: string): void {
    if (this.route && this.#failedPaths.size < MAX_PATHS) this.#failedPaths.add(path);
  }

  #forget(): void {
    this.#attempts = this.#failures = 0;
    this.#failedPaths.clear();
    this.#healthyPath = undefined;
  }
}
