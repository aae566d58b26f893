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
import { LinkedList } from '../../lib/linked-list.ts';
import type { Route } from '../../v0/routes.ts';
import { isRead, type Attempt, type Call, type Layer, type Outcome } from '../call/call.ts';
import {
  RestCircuitOpenError,
  RestOutcomeUnknownError,
  RestTimeoutError,
  RestTruncatedError,
  RestUnreachableError,
  reusedRefusals,
  type RouteLabel,
} from '../call/errors.ts';
import type { BreakerChange, BreakerScope, BreakerState } from '../call/observer.ts';

export interface BreakerOptions {
  /** Fewer attempts in the window never open a circuit, nor fewer failures in a row. */
  readonly volume?: number;
  /** How long a circuit stays open before one call may probe. */
  readonly openMs?: number;
  /** How long no connection must have been found for the host's circuit to open: a restart is shorter. */
  readonly outageMs?: number;
}

type TrippedCircuits = BreakerChange & { readonly count: number };

export interface Breaker {
  /** Circuits that are not closed, counted by scope and route. Never names a key. */
  readonly tripped: readonly TrippedCircuits[];
  /** The worst state among the circuits of a scope. */
  stateOf(scope: BreakerScope): BreakerState;
}

/** Attempts are counted within this time; circuits that nobody asks for are forgotten after it. */
const WINDOW_MS = 10_000;

/** Keys whose circuits are remembered. */
const MAX_KEYS = 1_000;

/** How long the callers of a probe wait for it, in milliseconds. */
const PROBE_MS = 500;

export class CircuitBreaker implements Breaker {
  readonly #options: Required<BreakerOptions>;
  readonly #onChange: (change: BreakerChange) => void;
  readonly #now: () => number;
  /** By route; the host's has none. */
  readonly #kinds = new Map<Route | undefined, Kind>();
  readonly #host: Circuit;
  readonly #keys: LRUCache<string, Map<Route, Circuit>>;
  /** Circuits that are not closed. */
  #trippedCount = 0;
  /** Attempts in the limiter's queue or on their way. */
  readonly #underWay = new LinkedList<Attempt>();
  readonly #refusal: (route: RouteLabel) => RestCircuitOpenError;

  constructor(
    options: BreakerOptions,
    onChange: (change: BreakerChange) => void,
    now: () => number,
  ) {
    this.#options = { volume: 20, openMs: 5_000, outageMs: 1_000, ...options };
    this.#onChange = onChange;
    this.#now = now;
    this.#host = new Circuit(this.#kindOf(undefined));
    this.#keys = new LRUCache({
      max: MAX_KEYS,
      dispose: (ofRoutes) => {
        for (const gone of ofRoutes.values()) this.#close(gone);
      },
    });
    const { openMs } = this.#options;
    this.#refusal = reusedRefusals((route) => new RestCircuitOpenError(route, openMs));
  }

  readonly layer: Layer = (inner) => (settle) => {
    const send = inner((attempt, outcome) => {
      this.#underWay.delete(attempt);
      this.#note(attempt, outcome);
      settle(attempt, outcome);
    });
    const letGo = ({ call, flight, endMs }: Attempt): void => {
      if (endMs === 0) flight.land(this.#refusal(call.route));
    };
    return (attempt) => {
      const refusal = this.#trippedCount > 0 ? this.#admit(attempt) : undefined;
      if (refusal) {
        settle(attempt, refusal);
        return;
      }
      // Its callers do not wait for it long: the backend is probably still away.
      if (attempt.isProbe && isRead(attempt.call)) setTimeout(letGo, PROBE_MS, attempt).unref();
      this.#underWay.add(attempt);
      send(attempt);
    };
  };

  /** Also forgets circuits that have not been asked for long, and reports changes by time. */
  get tripped(): readonly TrippedCircuits[] {
    const longAgoMs = this.#now() - this.#options.openMs - WINDOW_MS;
    return [...this.#kinds.values()].flatMap((kind) => {
      const { scope, route, tripped } = kind;
      for (const circuit of tripped) {
        if (circuit.openedMs! < longAgoMs && !circuit.probe) this.#close(circuit);
      }
      const state = this.#report(kind);
      return tripped.size > 0 ? [{ scope, route, state, count: tripped.size }] : [];
    });
  }

  stateOf(scope: BreakerScope): BreakerState {
    const states = this.tripped.filter((one) => one.scope === scope).map(({ state }) => state);
    return states.includes('open') ? 'open' : (states[0] ?? 'closed');
  }

  /** Makes an attempt the probe of what it may probe, or refuses it. */
  #admit(attempt: Attempt): RestCircuitOpenError | undefined {
    const tripped = this.#trippedFor(attempt.call);
    const openSinceMs = this.#now() - this.#options.openMs;
    if (tripped.some(({ openedMs, probe }) => probe !== undefined || openedMs! > openSinceMs)) {
      return this.#refusal(attempt.call.route);
    }
    for (const circuit of tripped) {
      circuit.probe = attempt;
      attempt.isProbe = true;
      this.#report(circuit.kind);
    }
    return undefined;
  }

  /** The circuits that keep a call back, or that it would probe. */
  #trippedFor({ apiKey, route }: Call): readonly Circuit[] {
    const own = this.#keys.get(apiKey)?.get(route);
    return [this.#host, own].filter((circuit) => circuit?.openedMs !== undefined) as Circuit[];
  }

  #note(attempt: Attempt, outcome: Outcome): void {
    const { call } = attempt;
    const verdict = verdictOf(attempt, outcome);
    if (attempt.isProbe) this.#endProbe(attempt, verdict);
    if (verdict === undefined) return;
    if (this.#noteFor(this.#host, verdict === 'unreachable')) this.#refuseBehind(() => true, false);
    if (verdict === 'unreachable') return;
    const own = this.#ownOf(call, outcome);
    if (!own || !this.#noteFor(own, verdict === 'failed')) return;
    const isOfOwn = ({ apiKey, route }: Call) => apiKey === call.apiKey && route === call.route;
    this.#refuseBehind(isOfOwn, outcome instanceof RestTimeoutError);
  }

  /**
   * Refuses the calls behind a circuit that has opened: those that wait in the queue and, where the backend has gone
   * silent, reads that wait for its answer.
   */
  #refuseBehind(isBehind: (call: Call) => boolean, isSilent: boolean): void {
    for (const { call, flight, sentMs } of this.#underWay.items()) {
      const mayEnd = sentMs === 0 || (isSilent && isRead(call));
      if (!mayEnd || !isBehind(call)) continue;
      flight.land(this.#refusal(call.route));
      flight.cancel.cancel();
    }
  }

  #endProbe(attempt: Attempt, verdict: Verdict): void {
    for (const circuit of this.#trippedFor(attempt.call)) {
      if (circuit.probe !== attempt) continue;
      circuit.probe = undefined;
      if (verdict === undefined) continue;
      const isWell = circuit === this.#host ? verdict !== 'unreachable' : verdict === 'healthy';
      if (isWell) this.#close(circuit);
      else this.#open(circuit);
    }
  }

  /** @returns whether the circuit opens. */
  #noteFor(circuit: Circuit, failed: boolean): boolean {
    // Only its probe closes a circuit: a call from before it opened says nothing new.
    if (circuit.openedMs !== undefined) return false;
    const nowMs = this.#now();
    const { volume, outageMs } = this.#options;
    circuit.note(failed, nowMs);
    if (!failed) return false;
    const isHost = circuit === this.#host;
    const isGone =
      circuit.inARow >= volume && (!isHost || nowMs - circuit.failingSinceMs >= outageMs);
    const halfFailed = circuit.attempts >= volume && 2 * circuit.failures >= circuit.attempts;
    const opens = isGone || (halfFailed && !isHost);
    if (opens) this.#open(circuit);
    return opens;
  }

  #open(circuit: Circuit): void {
    const { kind } = circuit;
    if (circuit.openedMs === undefined) this.#trippedCount += 1;
    circuit.openedMs = this.#now();
    kind.tripped.add(circuit);
    this.#report(kind);
  }

  #close(circuit: Circuit): void {
    const { kind } = circuit;
    if (circuit.openedMs !== undefined) this.#trippedCount -= 1;
    circuit.reset();
    if (kind.tripped.delete(circuit)) this.#report(kind);
  }

  /** The worst state of a kind; reported when it has changed. */
  #report(kind: Kind): BreakerState {
    const { scope, route, tripped } = kind;
    const openSinceMs = this.#now() - this.#options.openMs;
    let state: BreakerState = tripped.size > 0 ? 'half-open' : 'closed';
    for (const { openedMs, probe } of tripped) {
      if (openedMs! > openSinceMs && !probe) state = 'open';
    }
    if (state !== kind.reported) this.#onChange({ scope, route, state });
    kind.reported = state;
    return state;
  }

  /** The circuit of a call's route and key, made when it is missing. */
  #ownOf({ apiKey, route }: Call, outcome: Outcome): Circuit | undefined {
    let ofKey = this.#keys.get(apiKey);
    if (!ofKey) {
      // Invented keys must not displace those that the backend knows.
      if (isUnknownKey(outcome)) return undefined;
      this.#keys.set(apiKey, (ofKey = new Map()));
    }
    let own = ofKey.get(route);
    if (!own) ofKey.set(route, (own = new Circuit(this.#kindOf(route))));
    return own;
  }

  #kindOf(route: Route | undefined): Kind {
    let kind = this.#kinds.get(route);
    if (!kind) {
      const scope = route ? 'route_key' : 'host';
      kind = { scope, route, tripped: new Set(), reported: 'closed' };
      this.#kinds.set(route, kind);
    }
    return kind;
  }
}

/** Circuits that logs and metrics do not tell apart. */
interface Kind {
  readonly scope: BreakerScope;
  readonly route: RouteLabel | undefined;
  readonly tripped: Set<Circuit>;
  reported: BreakerState;
}

class Circuit {
  readonly kind: Kind;
  /** When it opened; undefined while it is closed. */
  openedMs: number | undefined;
  /** The attempt that may close it. */
  probe: Attempt | undefined;
  /** Attempts and failures since the window began. */
  attempts = 0;
  failures = 0;
  #windowMs = 0;
  /** Failures since the last attempt that did not fail, and when the first of them was. */
  inARow = 0;
  failingSinceMs = 0;

  constructor(kind: Kind) {
    this.kind = kind;
  }

  note(failed: boolean, nowMs: number): void {
    if (nowMs - this.#windowMs >= WINDOW_MS) {
      this.#windowMs = nowMs;
      this.attempts = this.failures = 0;
    }
    this.attempts += 1;
    if (failed && this.inARow === 0) this.failingSinceMs = nowMs;
    this.inARow = failed ? this.inARow + 1 : 0;
    if (failed) this.failures += 1;
  }

  /** Closes it. The failures that it has recovered from must not open it again. */
  reset(): void {
    this.openedMs = this.probe = undefined;
    this.attempts = this.failures = this.inARow = 0;
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
        (cause instanceof RestUnreachableError && !(cause instanceof RestCircuitOpenError));
  if (!speaksAgainstIt) return undefined;
  if (!attempt.isConnected) return 'unreachable';
  // The backend has not seen what was sent on a connection that it was closing.
  return cause instanceof RestUnreachableError && cause.retry === 'nothing' ? undefined : 'failed';
}

/** The share of an attempt's time that the backend must have had for a timeout to count as its failure. */
const ITS_TIME = 0.9;

/** An attempt that waited long in our queue times out whatever the backend does. */
const hadItsTime = ({ startMs, sentMs, endMs, untilMs }: Attempt): boolean =>
  endMs - sentMs >= ITS_TIME * (untilMs - startMs);

/** Whether the backend refuses the key itself. */
const isUnknownKey = (outcome: Outcome): boolean =>
  !(outcome instanceof Error) && (outcome.status === 401 || outcome.status === 403);
