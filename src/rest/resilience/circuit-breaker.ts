/**
 * The circuit breaker: makes no calls where calls keep failing, while all others go on.
 *
 * Each route of each key has a circuit: it opens when half of at least 20 attempts within 10 s failed, or 20 in a
 * row. The host has one: it opens when 20 attempts in a row, over at least a second, found no connection. Attempts
 * are counted, not callers: a page that all ask for is one call at a time.
 *
 * An open circuit lets one call through after 5 s (half-open), and closes when that one is answered.
 * Source: M. Nygard, "Release It!", 2nd edition, section 5.2.
 */
import { LRUCache } from 'lru-cache';
import type { Route } from '../../v0/routes.ts';
import { isRead, type Attempt, type Call, type Outcome, type Settled } from '../call/call.ts';
import {
  RestCircuitOpenError,
  RestOutcomeUnknownError,
  RestTimeoutError,
  RestTruncatedError,
  RestUnreachableError,
  reusedRefusals,
} from '../call/errors.ts';
import type { BreakerChange, BreakerState } from '../call/observer.ts';
import type { UpstreamSettings } from '../call/options.ts';

type BreakerSettings = Required<UpstreamSettings['breaker']>;

/** What others see of it. */
export type Breaker = Pick<CircuitBreaker, 'tripped' | 'stateOf'>;

/** Attempts are counted within this time; a circuit that no call asks for is forgotten after it. */
const WINDOW_MS = 10_000;

/** Keys whose circuits are remembered. */
const MAX_KEYS = 1_000;

/** How long the callers of a probe wait for it, in milliseconds. */
const PROBE_MS = 500;

export class CircuitBreaker {
  readonly #settings: UpstreamSettings;
  readonly #options: BreakerSettings;
  readonly #host = new Circuit(undefined);
  readonly #keys = new LRUCache<string, Map<Route, Circuit>>({
    max: MAX_KEYS,
    dispose: (ofRoutes) => ofRoutes.forEach((gone) => this.#close(gone)),
  });
  /** Circuits that are not closed, by route; the host has none. */
  readonly #tripped = new Map<Route | undefined, Set<Circuit>>();
  /** The worst state by route, as the observer was told. */
  readonly #told = new Map<Route | undefined, BreakerState>();
  /** Attempts in the limiter's queue or on their way. Not a Set, whose tables stay until all memory is collected. */
  readonly #underWay: Attempt[] = [];
  readonly #refusal = reusedRefusals(
    (route) =>
      new RestCircuitOpenError('Backend keeps failing: no calls are made for now', route, {
        retryAfterMs: this.#options.openMs,
        retry: 'hopeless',
      }),
  );

  constructor(settings: UpstreamSettings) {
    this.#settings = settings;
    this.#options = { volume: 20, openMs: 5_000, outageMs: 1_000, ...settings.breaker };
  }

  /** Lets an attempt begin, which must be ended; or answers why it may not. */
  begin(attempt: Attempt): Error | undefined {
    if (this.#tripped.size > 0 && !this.#admits(attempt)) {
      return this.#refusal(attempt.call.route);
    }
    this.#underWay.push(attempt);
    return undefined;
  }

  /** Counts how an attempt that has begun ended. */
  end(attempt: Attempt, outcome: Outcome): void {
    const underWay = this.#underWay;
    underWay[underWay.indexOf(attempt)] = underWay.at(-1)!;
    underWay.pop();
    this.#note(attempt, outcome.settled, verdictOf(attempt, outcome));
  }

  /**
   * Circuits that are not closed, counted by scope and route. Never names a key.
   *
   * Also forgets circuits that have not been asked for long, and reports changes by time.
   */
  get tripped(): readonly (BreakerChange & { readonly count: number })[] {
    const longAgoMs = this.#settings.clock.now() - this.#options.openMs - WINDOW_MS;
    return [...this.#tripped].flatMap(([route, circuits]) => {
      for (const circuit of circuits) {
        if (circuit.openedMs! < longAgoMs && !circuit.probe) this.#close(circuit);
      }
      const change = this.#report(route);
      return circuits.size > 0 ? [{ ...change, count: circuits.size }] : [];
    });
  }

  /** The worst state among the circuits of a scope. */
  stateOf(scope: BreakerChange['scope']): BreakerState {
    const states = this.tripped.filter((one) => one.scope === scope).map(({ state }) => state);
    return states.includes('open') ? 'open' : (states[0] ?? 'closed');
  }

  /** Whether an attempt may go on; makes it the probe of what it may probe. */
  #admits(attempt: Attempt): boolean {
    const { call, flight } = attempt;
    const own = this.#keys.get(call.apiKey)?.get(call.route);
    const tripped = [this.#host, own].filter((one) => one?.openedMs !== undefined) as Circuit[];
    const openSinceMs = this.#settings.clock.now() - this.#options.openMs;
    if (tripped.some(({ openedMs, probe }) => probe || openedMs! > openSinceMs)) return false;
    for (const circuit of tripped) {
      circuit.probe = attempt;
      this.#report(circuit.route);
    }
    // The callers of a probe do not wait for it long: the backend is probably still away.
    const endWait = (): void => {
      if (tripped.some(({ probe }) => probe === attempt)) flight.land(this.#refusal(call.route));
    };
    if (tripped.length > 0 && isRead(call))
      this.#settings.clock.setTimeout(endWait, PROBE_MS).unref();
    return true;
  }

  #note(attempt: Attempt, settled: Settled, { host, route }: Verdict): void {
    const { call } = attempt;
    if (this.#opens(this.#host, attempt, host)) this.#refuseBehind(() => true, false);
    const own = this.#ownOf(call, settled, route);
    if (!own) return;
    // A probe that finds no connection has failed, although no other call would say anything of its route by that.
    const failed = own.probe === attempt ? (route ?? host) : route;
    if (!this.#opens(own, attempt, failed)) return;
    const isOfOwn = (other: Call) => other.apiKey === call.apiKey && other.route === call.route;
    this.#refuseBehind(isOfOwn, settled instanceof RestTimeoutError);
  }

  /**
   * Counts an attempt for a circuit.
   *
   * @param failed undefined where the attempt says nothing of it.
   * @returns whether the circuit was closed and opens.
   */
  #opens(circuit: Circuit, attempt: Attempt, failed: boolean | undefined): boolean {
    if (circuit.openedMs === undefined) {
      if (failed === undefined || !circuit.count(failed, this.#settings.clock.now(), this.#options))
        return false;
      this.#open(circuit);
      return true;
    }
    // Only its probe closes a circuit: a call from before it opened says nothing new.
    if (circuit.probe === attempt) {
      circuit.probe = undefined;
      if (failed) this.#open(circuit);
      else if (failed === false) this.#close(circuit);
    }
    return false;
  }

  /**
   * Refuses the calls behind a circuit that has opened: those that wait in the queue and, where the backend has gone
   * silent, reads that wait for its answer.
   */
  #refuseBehind(isBehind: (call: Call) => boolean, isSilent: boolean): void {
    for (const { call, flight, entry } of [...this.#underWay]) {
      const mayEnd = entry.source === 'unsent' || (isSilent && isRead(call));
      if (!mayEnd || !isBehind(call)) continue;
      flight.land(this.#refusal(call.route));
      flight.cancel.cancel();
    }
  }

  #open(circuit: Circuit): void {
    const circuits = this.#tripped.get(circuit.route) ?? new Set();
    this.#tripped.set(circuit.route, circuits.add(circuit));
    circuit.openedMs = this.#settings.clock.now();
    this.#report(circuit.route);
  }

  #close(circuit: Circuit): void {
    circuit.reset();
    const circuits = this.#tripped.get(circuit.route);
    if (!circuits?.delete(circuit)) return;
    if (circuits.size === 0) this.#tripped.delete(circuit.route);
    this.#report(circuit.route);
  }

  /** The worst state of a route's circuits; tells the observer when it has changed. */
  #report(route: Route | undefined): BreakerChange {
    const openSinceMs = this.#settings.clock.now() - this.#options.openMs;
    let state: BreakerState = 'closed';
    for (const { openedMs } of this.#tripped.get(route) ?? []) {
      if (state !== 'open') state = openedMs! > openSinceMs ? 'open' : 'half-open';
    }
    const change = { scope: route ? 'route_key' : 'host', route, state } as const;
    if (state !== (this.#told.get(route) ?? 'closed')) this.#settings.observer.onBreaker?.(change);
    this.#told.set(route, state);
    return change;
  }

  /** The circuit of a call's route and key; made when it is missing and there is something to count. */
  #ownOf({ apiKey, route }: Call, settled: Settled, failed: boolean | undefined) {
    let ofKey = this.#keys.get(apiKey);
    const own = ofKey?.get(route);
    if (own || failed === undefined) return own;
    if (!ofKey) {
      // Invented keys must not displace those that the backend knows.
      if (!(settled instanceof Error) && [401, 403].includes(settled.status)) return undefined;
      this.#keys.set(apiKey, (ofKey = new Map()));
    }
    const made = new Circuit(route);
    ofKey.set(route, made);
    return made;
  }
}

class Circuit {
  readonly route: Route | undefined;
  /** When it opened; undefined while it is closed. */
  openedMs: number | undefined;
  /** The attempt that may close it. */
  probe: Attempt | undefined;
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
  count(failed: boolean, nowMs: number, options: BreakerSettings): boolean {
    if (nowMs - this.#windowMs >= WINDOW_MS) {
      this.#windowMs = nowMs;
      this.#attempts = this.#failures = 0;
    }
    this.#attempts += 1;
    this.#inARow = failed ? this.#inARow + 1 : 0;
    if (!failed) return false;
    this.#failures += 1;
    if (this.#inARow === 1) this.#failingSinceMs = nowMs;
    const { volume, outageMs } = options;
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

/** Whether the host, and whether the route, failed; undefined where nothing is known. */
interface Verdict {
  readonly host: boolean | undefined;
  readonly route: boolean | undefined;
}

const HEALTHY: Verdict = { host: false, route: false };
const FAILED: Verdict = { host: false, route: true };
const UNREACHABLE: Verdict = { host: true, route: undefined };
const NOTHING: Verdict = { host: undefined, route: undefined };

/** The share of an attempt's time that the backend must have had for a timeout to count as its failure. */
const ITS_TIME = 0.9;

/** What an attempt says about the health of the backend. */
function verdictOf(
  { isCutShort, startMs, untilMs }: Attempt,
  { settled, exchange }: Outcome,
): Verdict {
  // Any answer in time is a sign of health, a 404 as well.
  if (!(settled instanceof Error)) return settled.status >= 500 ? FAILED : HEALTHY;
  if (!exchange) return NOTHING;
  const cause = settled instanceof RestOutcomeUnknownError ? settled.cause : settled;
  if (cause instanceof RestTimeoutError) {
    // An attempt that waited long in our queue times out whatever the backend does.
    const hadMs = exchange.endedMs - exchange.beganMs;
    if (isCutShort || hadMs < ITS_TIME * (untilMs - startMs)) return NOTHING;
  } else if (!(cause instanceof RestTruncatedError || cause instanceof RestUnreachableError)) {
    return NOTHING;
  }
  // The backend has not seen what was for a connection that it was closing.
  const wasClosing = cause instanceof RestUnreachableError && cause.retry === 'nothing';
  if (wasClosing && cause.kind === 'reset') return NOTHING;
  return exchange.isConnected ? FAILED : UNREACHABLE;
}
