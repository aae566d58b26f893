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
import type { Route } from '../../v0/routes.ts';
import { isRead, type Settled } from '../call/call.ts';
import { Circuit, WINDOW_MS } from '../call/circuit.ts';
import { hasKind, RestError, reusedRefusals } from '../call/errors.ts';
import type { Keys } from '../call/keys.ts';
import type { BreakerChange, BreakerState } from '../call/observer.ts';
import type { UpstreamSettings } from '../call/options.ts';
import type { CallPolicy, RestCall } from '../rest-call.ts';
import type { UnderWay } from './attempts.ts';

type BreakerSettings = Required<UpstreamSettings['breaker']>;

/** What others see of it. */
export type CircuitStates = Pick<CircuitBreaker, 'tripped' | 'stateOf'>;

/** Circuits of a route that may be open at a time: those of so many keys. */
const MAX_OPEN = 1_000;

/** How long the callers of a probe wait for it, in milliseconds. */
const PROBE_MS = 500;

export class CircuitBreaker implements CallPolicy {
  readonly #settings: UpstreamSettings;
  readonly #options: BreakerSettings;
  readonly #host = new Circuit(undefined);
  readonly #keys: Keys;
  readonly #underWay: UnderWay;
  /** Circuits that are not closed, by route; the host has none. */
  readonly #tripped = new Map<Route | undefined, Set<Circuit>>();
  /** The worst state by route, as the observer was told. */
  readonly #told = new Map<Route | undefined, BreakerState>();
  readonly #refusal = reusedRefusals(
    (route) =>
      new RestError('circuit_open', 'Backend keeps failing: no calls are made for now', route, {
        retryAfterMs: this.#options.openMs,
        retry: 'hopeless',
      }),
  );

  constructor(settings: UpstreamSettings, keys: Keys, underWay: UnderWay) {
    this.#settings = settings;
    this.#options = { volume: 20, openMs: 5_000, outageMs: 1_000, ...settings.breaker };
    this.#keys = keys;
    this.#underWay = underWay;
    keys.onForget = ({ routes }) => {
      for (const { circuit } of routes.values()) if (circuit) this.#close(circuit);
    };
  }

  /** Nothing waits for an open circuit. */
  before(call: RestCall): Error | undefined {
    return this.#tripped.size > 0 && !this.#admits(call) ? this.#refusal(call.route) : undefined;
  }

  after(call: RestCall, settled: Settled): void {
    const { host, route } = verdictOf(call, settled);
    if (this.#opens(this.#host, call, host)) this.#refuseBehind(() => true, false);
    const own = this.#ownOf(call, settled, route);
    if (!own) return;
    // A probe that finds no connection has failed, although no other call would say anything of its route by that.
    const failed = own.probe === call ? (route ?? host) : route;
    if (!this.#opens(own, call, failed)) return;
    const isOfOwn = (other: RestCall) =>
      other.from.apiKey === call.from.apiKey && other.route === call.route;
    this.#refuseBehind(isOfOwn, hasKind(settled, 'timeout'));
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
  #admits(call: RestCall): boolean {
    const { from, route, attempt } = call;
    const own = from.key.routes.get(route)?.circuit;
    const tripped = [this.#host, own].filter((one) => one?.openedMs !== undefined) as Circuit[];
    const openSinceMs = this.#settings.clock.now() - this.#options.openMs;
    if (tripped.some(({ openedMs, probe }) => probe || openedMs! > openSinceMs)) return false;
    for (const circuit of tripped) {
      circuit.probe = call;
      this.#report(circuit.route);
    }
    // The callers of a probe do not wait for it long: the backend is probably still away.
    const endWait = (): void => {
      const isProbing = call.attempt === attempt && tripped.some(({ probe }) => probe === call);
      if (isProbing) call.land(this.#refusal(route));
    };
    if (tripped.length > 0 && isRead(call))
      this.#settings.clock.setTimeout(endWait, PROBE_MS).unref();
    return true;
  }

  /**
   * Counts an attempt for a circuit.
   *
   * @param failed undefined where the attempt says nothing of it.
   * @returns whether the circuit was closed and opens.
   */
  #opens(circuit: Circuit, call: RestCall, failed: boolean | undefined): boolean {
    if (circuit.openedMs === undefined) {
      if (failed === undefined || !circuit.count(failed, call.endedMs, this.#options)) return false;
      this.#open(circuit);
      return true;
    }
    // Only its probe closes a circuit: a call from before it opened says nothing new.
    if (circuit.probe === call) {
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
  #refuseBehind(isBehind: (call: RestCall) => boolean, isSilent: boolean): void {
    for (const call of [...this.#underWay.calls]) {
      const mayEnd = call.source === 'unsent' || (isSilent && isRead(call));
      if (!mayEnd || !isBehind(call)) continue;
      call.land(this.#refusal(call.route));
      call.end('cancelled');
    }
  }

  #open(circuit: Circuit): void {
    const circuits = this.#tripped.get(circuit.route) ?? new Set();
    this.#tripped.set(circuit.route, circuits.add(circuit));
    const [oldest] = circuits;
    if (circuits.size > MAX_OPEN) this.#close(oldest!);
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
  #ownOf({ from, route }: RestCall, settled: Settled, failed: boolean | undefined) {
    const { key } = from;
    const own = key.routes.get(route)?.circuit;
    if (own || failed === undefined) return own;
    if (!key.isKnown) {
      // Invented keys must not displace those that the backend knows.
      if (!(settled instanceof Error) && [401, 403].includes(settled.status)) return undefined;
      this.#keys.remember(key);
    }
    return (this.#keys.of(key, route).circuit = new Circuit(route));
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
function verdictOf(call: RestCall, settled: Settled): Verdict {
  // Any answer in time is a sign of health, a 404 as well.
  if (!(settled instanceof Error)) return settled.status >= 500 ? FAILED : HEALTHY;
  if (call.sentMs === 0) return NOTHING;
  const cause = hasKind(settled, 'outcome_unknown') ? settled.cause : settled;
  if (hasKind(cause, 'timeout')) {
    // An attempt that waited long in our queue times out whatever the backend does.
    const hadMs = call.endedMs - call.sentMs;
    const { isCutShort, untilMs, startedMs } = call;
    if (isCutShort || hadMs < ITS_TIME * (untilMs - startedMs)) return NOTHING;
  } else if (!hasKind(cause, 'truncated', 'unreachable')) {
    return NOTHING;
  } else if (cause.retry === 'nothing' && cause.failure === 'reset') {
    // The backend has not seen what was for a connection that it was closing.
    return NOTHING;
  }
  return call.isConnected ? FAILED : UNREACHABLE;
}
