/**
 * The circuit breaker: makes no calls where calls keep failing, while all others go on.
 *
 * Each route of each key has a circuit of its own, which opens when half of at least 20 calls in the
 * last 5 to 10 s failed. A wider circuit (a route for all keys, a key on all routes, the host) opens
 * when most of the circuits it spans fail, of more than one key and more than one route where it spans
 * them; the host's also when the host cannot be reached at all. While a wider circuit is open, a call
 * still passes when the latest outcome of its own circuit was an answer.
 *
 * An open circuit lets one call through after 5 s (half-open), and closes when that one is answered. The
 * circuit of a route of a key also opens when the backend goes silent, and then closes with any answer.
 * Source: M. Nygard, "Release It!", 2nd edition, section 5.2.
 */
import { LRUCache } from 'lru-cache';
import { RollingCount } from './rolling-count.ts';
import type { Route } from '../../v0/routes.ts';
import { isRead, type Attempt, type Call, type Layer, type Outcome } from '../client/call.ts';
import {
  RestCircuitOpenError,
  RestOutcomeUnknownError,
  RestTimeoutError,
  RestTruncatedError,
  RestUnreachableError,
  reusedRefusals,
  type RouteLabel,
} from '../client/errors.ts';

/** What a circuit is for: a route of one key, a route, a key, or everything. */
export const BREAKER_SCOPES = ['route_key', 'route', 'key', 'host'] as const;
export type BreakerScope = (typeof BREAKER_SCOPES)[number];

export type BreakerState = 'closed' | 'half-open' | 'open';

export interface BreakerOptions {
  /** The share of failures that opens a circuit, in per cent. */
  readonly failurePercent?: number;
  /** Fewer calls in the window never open it. */
  readonly volume?: number;
  readonly windowMs?: number;
  /** How long a circuit stays open before one call may probe. */
  readonly openMs?: number;
}

/** Circuits of one kind, of a scope and a route where it has one, and the worst state among them. */
export interface BreakerChange {
  readonly scope: BreakerScope;
  readonly route: RouteLabel | undefined;
  readonly state: BreakerState;
}

/** Circuits of one kind that are not closed. Never names a key. */
interface TrippedCircuits extends BreakerChange {
  readonly count: number;
}

export interface Breaker {
  readonly tripped: readonly TrippedCircuits[];
  /** The worst state among the circuits of a scope. */
  stateOf(scope: BreakerScope): BreakerState;
}

interface BreakerEvents {
  readonly onChange: (change: BreakerChange) => void;
  /** A circuit has opened: what waits behind it can be refused. */
  readonly onOpen: () => void;
}

/** Keys whose circuits are remembered. */
const MAX_KEYS = 1_000;

/** For how many windows an answer shows that a route of a key is healthy, while none fails. */
const WELL_WINDOWS = 6;

/** How long the callers of a probe wait for it, and how soon others may come back, in milliseconds. */
const PROBE_MS = 500;

export class CircuitBreaker implements Breaker {
  readonly #options: Required<BreakerOptions>;
  readonly #events: BreakerEvents;
  readonly #kinds = new Map<string, Kind>();
  readonly #host: Circuit;
  /** Whether the host can be reached, by all calls. */
  readonly #reach: FailureWindow;
  readonly #routes = new Map<Route, Circuit>();
  readonly #keys: LRUCache<string, KeyCircuits>;
  /** Whether any circuit is open, for the usual case that none is. */
  #trippedKinds = 0;
  readonly #refusal = reusedRefusals((route, ms) => new RestCircuitOpenError(route, ms));

  constructor(
    { failurePercent = 50, volume = 20, windowMs = 10_000, openMs = 5_000 }: BreakerOptions,
    events: BreakerEvents,
  ) {
    this.#options = { failurePercent, volume, windowMs, openMs };
    this.#events = events;
    this.#host = new Circuit(this.#kindOf('host', undefined));
    this.#reach = new FailureWindow(this.#options);
    this.#keys = new LRUCache({
      max: MAX_KEYS,
      dispose: ({ circuit, ofRoutes }) => {
        for (const gone of [circuit, ...ofRoutes.values()]) this.#reset(gone);
      },
    });
  }

  readonly layer: Layer = (inner) => (settle) => {
    const send = inner((attempt, outcome) => {
      this.#note(attempt, outcome);
      settle(attempt, outcome);
    });
    return (attempt) => {
      const refusal = this.#trippedKinds > 0 ? this.#admit(attempt) : undefined;
      if (refusal) {
        settle(attempt, refusal);
        return;
      }
      if (attempt.isProbe && isRead(attempt.call)) this.#freeCallers(attempt);
      send(attempt);
    };
  };

  /** Also forgets circuits that have not been asked for long, and reports changes by time. */
  get tripped(): readonly TrippedCircuits[] {
    const { openMs, windowMs } = this.#options;
    const longAgoMs = performance.now() - openMs - windowMs;
    return [...this.#kinds.values()].flatMap((kind) => {
      const { scope, route, tripped } = kind;
      for (const circuit of tripped) {
        if (circuit.openedMs < longAgoMs && !circuit.probe) this.#reset(circuit);
      }
      const state = this.#report(kind);
      return tripped.size > 0 ? [{ scope, route, state, count: tripped.size }] : [];
    });
  }

  stateOf(scope: BreakerScope): BreakerState {
    const states = this.tripped.filter((one) => one.scope === scope).map(({ state }) => state);
    return states.includes('open') ? 'open' : (states[0] ?? 'closed');
  }

  /** The error that a call would be refused with now. */
  refusalOf(call: Call): RestCircuitOpenError | undefined {
    const nowMs = performance.now();
    const { openMs } = this.#options;
    const shut = this.#trippedFor(call, nowMs).find(
      ({ openedMs, probe }) => probe !== undefined || nowMs < openedMs + openMs,
    );
    if (!shut) return undefined;
    return this.#refusal(call.route, Math.max(shut.openedMs + openMs - nowMs, PROBE_MS));
  }

  /** A read has found no connection, however often it was attempted. */
  gaveUp({ endMs }: Attempt): void {
    this.#noteReach(true, endMs);
  }

  /** The backend has gone silent on the route of a call, for its key. */
  noteSilence(call: Call, nowMs: number): void {
    const own = this.#ownOf(call);
    if (own.openedMs > 0) return;
    own.isSilent = true;
    own.wellUntilMs = 0;
    // The calls under way decide whether wider circuits open, not the answers from before.
    own.window.reset();
    this.#open(own, nowMs);
  }

  /** Lets the callers of a read that probes go while it goes on: the backend is probably still away. */
  #freeCallers(probe: Attempt): void {
    const refusal = this.#refusal(probe.call.route, PROBE_MS);
    setTimeout(() => {
      if (probe.endMs === 0) probe.flight.land(refusal);
    }, PROBE_MS).unref();
  }

  #admit(attempt: Attempt): RestCircuitOpenError | undefined {
    const refusal = this.refusalOf(attempt.call);
    if (refusal) return refusal;
    for (const circuit of this.#trippedFor(attempt.call, performance.now())) {
      circuit.probe = attempt;
      attempt.isProbe = true;
      this.#report(circuit.kind);
    }
    return undefined;
  }

  /** The circuits that keep a call back, or that it would probe. */
  #trippedFor(call: Call, nowMs: number): readonly Circuit[] {
    const own = this.#keys.get(call.apiKey)?.ofRoutes.get(call.route);
    if (own && own.wellUntilMs > nowMs) return [];
    return this.#circuitsOf(call).filter(({ openedMs }) => openedMs > 0);
  }

  #circuitsOf({ apiKey, route }: Call): readonly Circuit[] {
    const key = this.#keys.get(apiKey);
    const all = [key?.ofRoutes.get(route), this.#routes.get(route), key?.circuit, this.#host];
    return all.filter((circuit) => circuit !== undefined);
  }

  #note(attempt: Attempt, outcome: Outcome): void {
    const { call, endMs } = attempt;
    const verdict = verdictOf(attempt, outcome);
    if (attempt.isProbe) this.#endProbe(attempt, verdict);
    if (verdict === undefined) return;
    this.#noteReach(verdict === 'unreachable', endMs);
    if (verdict === 'unreachable') return;
    // Invented keys must not displace those that the backend knows.
    if (isUnknownKey(outcome) && !this.#keys.has(call.apiKey)) return;
    const own = this.#ownOf(call);
    const failed = verdict === 'failed';
    if (own.openedMs > 0) {
      // Only its probe closes a circuit: a call from before it opened says nothing new, unless of silence.
      if (!own.isSilent) return;
      if (!failed) this.#close(own, own.key);
    }
    own.window.note(failed, endMs);
    own.wellUntilMs = failed ? 0 : endMs + WELL_WINDOWS * this.#options.windowMs;
    if (!failed) return;
    if (own.openedMs === 0 && own.window.isOverAt(endMs)) this.#open(own, endMs);
    for (const wider of [this.#routes.get(call.route)!, own.key.circuit, this.#host]) {
      if (wider.openedMs === 0 && this.#mostFail(wider.kind, own.key, endMs)) {
        this.#open(wider, endMs);
      }
    }
  }

  #endProbe(attempt: Attempt, verdict: Verdict): void {
    const key = this.#keys.get(attempt.call.apiKey);
    for (const circuit of this.#circuitsOf(attempt.call)) {
      if (circuit.probe !== attempt) continue;
      circuit.probe = undefined;
      if (verdict === 'healthy') this.#close(circuit, key);
      else if (verdict !== undefined) this.#open(circuit, attempt.endMs);
    }
  }

  #noteReach(failed: boolean, nowMs: number): void {
    if (this.#host.openedMs > 0) return;
    this.#reach.note(failed, nowMs);
    if (!failed || !this.#reach.isOverAt(nowMs)) return;
    // Circuits that were healthy before cannot be reached either.
    for (const own of this.#spannedBy(this.#host.kind)) own.wellUntilMs = 0;
    this.#open(this.#host, nowMs);
  }

  /** Whether most of the circuits that a wider one spans fail. */
  #mostFail(kind: Kind, ownKey: KeyCircuits, nowMs: number): boolean {
    const { volume } = this.#options;
    let [calls, active, failing] = [0, 0, 0];
    const keys = new Set<KeyCircuits>();
    const routes = new Set<Route | undefined>();
    for (const own of this.#spannedBy(kind, ownKey)) {
      const isTripped = own.openedMs > 0 && !own.isSilent;
      const callsOfOwn = isTripped ? volume : own.window.callsAt(nowMs);
      if (callsOfOwn === 0) continue;
      // Each circuit counts up to half the volume: one that fails often must not decide alone.
      calls += Math.min(callsOfOwn, volume / 2);
      active += 1;
      if (!isTripped && !own.window.mostFailedAt(nowMs)) continue;
      failing += 1;
      keys.add(own.key);
      routes.add(own.kind.route);
    }
    return (
      calls >= volume &&
      2 * failing > active &&
      (kind.scope === 'key' || keys.size > 1) &&
      (kind.scope === 'route' || routes.size > 1)
    );
  }

  *#spannedBy({ scope, route }: Kind, ownKey?: KeyCircuits): Iterable<OwnCircuit> {
    const isOfKey = scope === 'key' || scope === 'route_key';
    for (const key of isOfKey && ownKey ? [ownKey] : this.#keys.values()) {
      for (const own of key.ofRoutes.values()) {
        if (route === undefined || own.kind.route === route) yield own;
      }
    }
  }

  #open(circuit: Circuit, nowMs: number): void {
    const { kind } = circuit;
    circuit.openedMs = nowMs;
    if (kind.tripped.size === 0) this.#trippedKinds += 1;
    kind.tripped.add(circuit);
    this.#report(kind);
    this.#events.onOpen();
  }

  #close(circuit: Circuit, key: KeyCircuits | undefined): void {
    this.#reset(circuit);
    // The outage it has recovered from must not open it again at the first failure.
    if (circuit === this.#host) this.#reach.reset();
    for (const own of this.#spannedBy(circuit.kind, key)) own.window.reset();
  }

  #reset(circuit: Circuit): void {
    const { kind } = circuit;
    circuit.openedMs = 0;
    circuit.isSilent = false;
    circuit.probe = undefined;
    if (!kind.tripped.delete(circuit)) return;
    if (kind.tripped.size === 0) this.#trippedKinds -= 1;
    this.#report(kind);
  }

  /** The worst state of a kind; reported when it has changed. */
  #report(kind: Kind): BreakerState {
    const { scope, route, tripped } = kind;
    const openSinceMs = performance.now() - this.#options.openMs;
    let state: BreakerState = 'closed';
    for (const { openedMs, probe } of tripped) {
      state = openedMs > openSinceMs && !probe ? 'open' : 'half-open';
      if (state === 'open') break;
    }
    if (state !== kind.reported) this.#events.onChange({ scope, route, state });
    kind.reported = state;
    return state;
  }

  #ownOf({ apiKey, route }: Call): OwnCircuit {
    let key = this.#keys.get(apiKey);
    if (!key) {
      key = { circuit: new Circuit(this.#kindOf('key', undefined)), ofRoutes: new Map() };
      this.#keys.set(apiKey, key);
    }
    let own = key.ofRoutes.get(route);
    if (!own) {
      own = new OwnCircuit(this.#kindOf('route_key', route), key, this.#options);
      key.ofRoutes.set(route, own);
    }
    if (!this.#routes.has(route))
      this.#routes.set(route, new Circuit(this.#kindOf('route', route)));
    return own;
  }

  #kindOf(scope: BreakerScope, route: Route | undefined): Kind {
    const name = `${scope} ${route?.method} ${route?.path}`;
    let kind = this.#kinds.get(name);
    if (!kind) {
      kind = { scope, route, tripped: new Set(), reported: 'closed' };
      this.#kinds.set(name, kind);
    }
    return kind;
  }
}

/** All circuits of one scope, and of one route where the scope has one. */
interface Kind {
  readonly scope: BreakerScope;
  readonly route: Route | undefined;
  /** Those that are not closed. */
  readonly tripped: Set<Circuit>;
  reported: BreakerState;
}

class Circuit {
  readonly kind: Kind;
  /** On `performance.now()`'s clock; 0 while it is closed. */
  openedMs = 0;
  /** Whether it is open because the backend went silent. */
  isSilent = false;
  /** The call that finds out whether it may close. */
  probe: Attempt | undefined;

  constructor(kind: Kind) {
    this.kind = kind;
  }
}

interface KeyCircuits {
  readonly circuit: Circuit;
  readonly ofRoutes: Map<Route, OwnCircuit>;
}

/** The circuit of one route of one key. The wider ones are judged by these. */
class OwnCircuit extends Circuit {
  readonly key: KeyCircuits;
  readonly window: FailureWindow;
  /** Until when it counts as healthy because of its last answer; 0 after a failure. */
  wellUntilMs = 0;

  constructor(kind: Kind, key: KeyCircuits, options: Required<BreakerOptions>) {
    super(kind);
    this.key = key;
    this.window = new FailureWindow(options);
  }
}

/** The calls and failures of the last window. */
class FailureWindow {
  readonly #options: Required<BreakerOptions>;
  readonly #calls: RollingCount;
  readonly #failures: RollingCount;

  constructor(options: Required<BreakerOptions>) {
    this.#options = options;
    this.#calls = new RollingCount(options.windowMs / 2);
    this.#failures = new RollingCount(options.windowMs / 2);
  }

  note(failed: boolean, nowMs: number): void {
    this.#calls.add(nowMs);
    if (failed) this.#failures.add(nowMs);
  }

  callsAt(nowMs: number): number {
    return this.#calls.at(nowMs);
  }

  mostFailedAt(nowMs: number): boolean {
    const { failurePercent } = this.#options;
    return 100 * this.#failures.at(nowMs) >= failurePercent * this.#calls.at(nowMs);
  }

  isOverAt(nowMs: number): boolean {
    return this.callsAt(nowMs) >= this.#options.volume && this.mostFailedAt(nowMs);
  }

  reset(): void {
    this.#calls.reset();
    this.#failures.reset();
  }
}

/** What an outcome says about the backend's health; undefined when it says nothing. */
type Verdict = 'healthy' | 'failed' | 'unreachable' | undefined;

function verdictOf(attempt: Attempt, outcome: Outcome): Verdict {
  // Any answer in time is a sign of health, a 404 as well.
  if (!(outcome instanceof Error)) return outcome.status >= 500 ? 'failed' : 'healthy';
  const cause = outcome instanceof RestOutcomeUnknownError ? outcome.cause : outcome;
  const speaksAgainstIt =
    cause instanceof RestTimeoutError
      ? !attempt.isCutShort && hadItsTime(attempt)
      : cause instanceof RestTruncatedError ||
        (cause instanceof RestUnreachableError &&
          !(cause instanceof RestCircuitOpenError) &&
          !isReconnecting(cause, attempt));
  if (!speaksAgainstIt) return undefined;
  return attempt.isConnected ? 'failed' : 'unreachable';
}

/** The share of an attempt's time that the backend must have had for a timeout to count as its failure. */
const ITS_TIME = 0.9;

/** An attempt that waited long in our queue times out whatever the backend does. */
const hadItsTime = ({ startMs, sentMs, endMs, untilMs }: Attempt): boolean =>
  endMs - sentMs >= ITS_TIME * (untilMs - startMs);

/** A restart refuses connections sooner than this, in milliseconds. */
const MOMENT_MS = 250;

/** A read that found no connection is attempted again: `gaveUp` counts it once, after the last attempt. */
const isReconnecting = (cause: RestUnreachableError, attempt: Attempt): boolean =>
  cause.retry === 'nothing' &&
  isRead(attempt.call) &&
  !attempt.isProbe &&
  // The system refuses at once: a late ECONNREFUSED shows that this process was busy.
  (cause.kind === 'ECONNREFUSED' || attempt.endMs - attempt.sentMs < MOMENT_MS);

/** Whether the backend refuses the key itself. */
const isUnknownKey = (outcome: Outcome): boolean =>
  !(outcome instanceof Error) && (outcome.status === 401 || outcome.status === 403);
