/**
 * The circuit breaker: rejects calls of failing routes, and of a host without connections.
 *
 * Each route of each key has a circuit, which opens when half of at least 20 attempts within 10 s failed, or 20 in a
 * row. The circuit of the host opens when 20 attempts in a row, over at least a second, found no connection. Attempts
 * are counted, not their callers. One object does not open the circuit of its route: of its documented 500s one counts.
 *
 * An open circuit lets one request probe every 5 s (half-open), with all its attempts until one fails, and closes at the
 * first success. A probe that has no verdict delays no other, nor does one of a path that failed. Source: M. Nygard, "Release It!", 2nd edition, section 5.2.
 */
import type { Route } from '../../v0/routes.ts';
import type { Attempt } from '../attempt.ts';
import { isRead, type Call, type Settled } from '../call/call.ts';
import { Circuit, WINDOW_MS, type BreakerState, type CircuitBounds } from '../call/circuit.ts';
import { hasKind, RestError, reusedErrors } from '../call/errors.ts';
import type { ApiKeys } from '../call/keys.ts';
import type { BreakerChange, UpstreamSettings } from '../call/options.ts';
import { errorBodyOf } from '../decode/decode.ts';

export const BREAKER: CircuitBounds = { volume: 20, openMs: 5_000, outageMs: 1_000 };

export type CircuitStates = Pick<CircuitBreaker, 'tripped' | 'stateOf'>;

/** Maximum number of open circuits of a route, one per key. */
const MAX_OPEN = 1_000;

export class CircuitBreaker {
  readonly #settings: UpstreamSettings;
  readonly #bounds: CircuitBounds;
  readonly #host = new Circuit(undefined);
  readonly #keys: ApiKeys;
  readonly #inProgress: readonly Attempt[];
  readonly #probes = new WeakSet<Attempt>();
  /** Circuits that are not closed, by route; undefined for the host. */
  readonly #tripped = new Map<Route | undefined, Set<Circuit>>();
  /** Worst state by route, as last reported. */
  readonly #reported = new Map<Route | undefined, BreakerState>();
  readonly #circuitOpen = reusedErrors(
    (route, retryAfterMs) =>
      new RestError('circuit_open', 'Circuit is open after repeated backend failures', route, {
        retryAfterMs,
        retry: 'hopeless',
      }),
  );

  constructor(settings: UpstreamSettings, keys: ApiKeys, inProgress: readonly Attempt[]) {
    this.#settings = settings;
    this.#bounds = { ...BREAKER, ...settings.breaker };
    this.#keys = keys;
    this.#inProgress = inProgress;
    keys.onForget = ({ routes }) => {
      for (const { circuit } of routes.values()) if (circuit) this.#close(circuit);
    };
  }

  reject(attempt: Attempt): Error | undefined {
    if (this.#tripped.size === 0) return undefined;
    const { call } = attempt;
    const isSpeculative = call.priority === 'speculative';
    const isAdmitted = isSpeculative ? this.#areClosed(call) : this.#admits(attempt);
    return isAdmitted ? undefined : this.#rejectionOf(call);
  }

  /** Whether an attempt probes a half-open circuit; it then continues without callers. */
  isProbe(attempt: Attempt): boolean {
    return this.#probes.has(attempt);
  }

  end(attempt: Attempt, settled: Settled): void {
    const { host, route } = verdictOf(attempt, settled);
    if (this.#opens(this.#host, attempt, host, settled)) this.#rejectPending(() => true, false);
    const own = this.#ownOf(attempt.call, settled, route);
    if (!own) return;
    // A probe without a connection has failed; for other attempts this says nothing about the route.
    const failed = own.isClosed ? route : (route ?? host);
    if (!this.#opens(own, attempt, failed, settled)) return;
    const { from, route: ownRoute } = attempt.call;
    const isOfOwn = ({ call }: Attempt) =>
      call.from.apiKey === from.apiKey && call.route === ownRoute;
    this.#rejectPending(isOfOwn, hasKind(settled, 'timeout'));
  }

  /**
   * Circuits that are not closed, counted by scope and route, without keys.
   *
   * Also removes unused circuits, and reports changes by time.
   */
  get tripped(): readonly (BreakerChange & { readonly count: number })[] {
    const longAgoMs = this.#settings.clock.now() - WINDOW_MS;
    return [...this.#tripped].flatMap(([route, circuits]) => {
      for (const circuit of circuits) {
        if (circuit.isUnused(longAgoMs)) this.#close(circuit);
      }
      const change = this.#report(route);
      return circuits.size > 0 ? [{ ...change, count: circuits.size }] : [];
    });
  }

  stateOf(scope: BreakerChange['scope']): BreakerState {
    const states = this.tripped.filter((one) => one.scope === scope).map(({ state }) => state);
    return states.includes('open') ? 'open' : (states[0] ?? 'closed');
  }

  /** Whether the circuits of the host and of all routes of its key are closed: a speculative read is no probe. */
  #areClosed({ from }: Call): boolean {
    if (!this.#host.isClosed) return false;
    for (const { circuit } of from.key.routes.values()) {
      if (circuit && !circuit.isClosed) return false;
    }
    return true;
  }

  /** Whether an attempt may be made; makes its request the prober of half-open circuits. */
  #admits(attempt: Attempt): boolean {
    const { from, route, path } = attempt.call;
    const own = from.key.routes.get(route)?.circuit;
    const tripped = [this.#host, own].filter((one) => one && !one.isClosed) as Circuit[];
    if (tripped.length === 0) return true;
    const nowMs = this.#settings.clock.now();
    if (!tripped.every((circuit) => circuit.admits(from, path, nowMs))) return false;
    for (const circuit of tripped) {
      circuit.probe(from, path, nowMs, this.#bounds);
      this.#report(circuit.route);
    }
    this.#probes.add(attempt);
    return true;
  }

  /**
   * Counts an attempt for a circuit.
   *
   * @param failed undefined if the attempt says nothing about the circuit.
   * @returns whether the circuit opens.
   */
  #opens(
    circuit: Circuit,
    attempt: Attempt,
    failed: boolean | undefined,
    settled: Settled,
  ): boolean {
    if (failed === undefined) return false;
    const { from, path } = attempt.call;
    if (circuit.isClosed) {
      const isOfObject = failed && isOwnError(settled);
      if (!circuit.count(path, failed, isOfObject, attempt.endedMs, this.#bounds)) return false;
      this.#open(circuit);
      return true;
    }
    // Attempts sent before it opened say nothing new.
    if (!this.isProbe(attempt)) return false;
    if (failed) circuit.endProbe(from, path);
    else this.#close(circuit);
    this.#report(circuit.route);
    return false;
  }

  /** Rejects calls of a circuit that has opened: queued ones and, if the backend is silent, reads in flight. */
  #rejectPending(isBehind: (attempt: Attempt) => boolean, isSilent: boolean): void {
    for (const attempt of [...this.#inProgress]) {
      const { call, flight, source } = attempt;
      const mayEnd = source === 'unsent' || (isSilent && isRead(call));
      if (!mayEnd || !isBehind(attempt)) continue;
      flight.settle(this.#rejectionOf(call));
      attempt.cancel('cancelled');
    }
  }

  /** The error of a rejected call, with the time until its circuits may be probed. */
  #rejectionOf({ from, route, path }: Call): RestError {
    const nowMs = this.#settings.clock.now();
    const own = from.key.routes.get(route)?.circuit?.waitMs(path, nowMs) ?? 0;
    return this.#circuitOpen(route, Math.ceil(Math.max(this.#host.waitMs(path, nowMs), own)));
  }

  #open(circuit: Circuit): void {
    const circuits = this.#tripped.get(circuit.route) ?? new Set();
    this.#tripped.set(circuit.route, circuits.add(circuit));
    const [oldest] = circuits;
    if (circuits.size > MAX_OPEN) this.#close(oldest!);
    circuit.open(this.#settings.clock.now(), this.#bounds);
    this.#report(circuit.route);
  }

  #close(circuit: Circuit): void {
    circuit.close();
    const circuits = this.#tripped.get(circuit.route);
    if (!circuits?.delete(circuit)) return;
    if (circuits.size === 0) this.#tripped.delete(circuit.route);
    this.#report(circuit.route);
  }

  /** Computes the worst state of a route's circuits, and reports changes. */
  #report(route: Route | undefined): BreakerChange {
    const nowMs = this.#settings.clock.now();
    let state: BreakerState = 'closed';
    for (const circuit of this.#tripped.get(route) ?? []) {
      if (state !== 'open') state = circuit.stateAt(nowMs);
    }
    const change = { scope: route ? 'route_key' : 'host', route, state } as const;
    if (state !== (this.#reported.get(route) ?? 'closed'))
      this.#settings.observer.onBreaker?.(change);
    this.#reported.set(route, state);
    return change;
  }

  /** Returns the circuit of a call's route and key, created if there is something to count. */
  #ownOf({ from, route }: Call, settled: Settled, failed: boolean | undefined) {
    const { key } = from;
    const own = key.routes.get(route)?.circuit;
    if (own || failed === undefined) return own;
    if (!key.isKnown) {
      // Invented keys must not displace accepted ones.
      if (!(settled instanceof Error) && [401, 403].includes(settled.status)) return undefined;
      this.#keys.remember(key);
    }
    return (this.#keys.of(key, route).circuit = new Circuit(route));
  }
}

/** Whether the host and the route failed; undefined if unknown. */
interface Verdict {
  readonly host: boolean | undefined;
  readonly route: boolean | undefined;
}

const HEALTHY: Verdict = { host: false, route: false };
const FAILED: Verdict = { host: false, route: true };
const UNREACHABLE: Verdict = { host: true, route: undefined };
const NOTHING: Verdict = { host: undefined, route: undefined };

/** Minimum share of the timeout spent at the backend for the timeout to count as its failure. */
export const ITS_TIME = 0.9;

/** Whether a response is a documented 500, which the backend may send for one object alone. */
const isOwnError = (settled: Settled): boolean =>
  !(settled instanceof Error) && settled.status === 500 && errorBodyOf(settled).isDocumented;

function verdictOf(attempt: Attempt, settled: Settled): Verdict {
  if (!(settled instanceof Error)) return settled.status >= 500 ? FAILED : HEALTHY;
  const cause = hasKind(settled, 'outcome_unknown') ? settled.cause : settled;
  if (hasKind(cause, 'timeout')) {
    // A timeout after a long wait in our queue says nothing about the backend.
    const hadMs = attempt.endedMs - attempt.sentMs;
    const { isCutShort, untilMs, startedMs } = attempt;
    if (isCutShort || hadMs < ITS_TIME * (untilMs - startedMs)) return NOTHING;
  } else if (!hasKind(cause, 'truncated', 'unreachable')) {
    return NOTHING;
  } else if (cause.retry === 'nothing' && cause.failure === 'reset') {
    // The connection was being closed, so the backend has not seen the attempt.
    return NOTHING;
  }
  return attempt.isConnected ? FAILED : UNREACHABLE;
}
