/**
 * The concurrency limiter: bounds the calls under way, queues the others, and sheds load.
 *
 * Keys take turns of one call each, whatever their callers' forwarded headers: nobody gains turns by inventing those. All keys that the backend has not accepted yet count as one, so that
 * inventing keys gains nothing. Bulkheads: no key and no route may hold all connections, so a slow one leaves the
 * others theirs.
 */
import { LRUCache } from 'lru-cache';
import type { EndOfWait, Waiter } from '../../lib/cancel.ts';
import { RoundRobinQueue } from '../../lib/round-robin-queue.ts';
import type { Route } from '../../v0/routes.ts';
import type { Attempt, Call, Layer, Outcome } from '../call/call.ts';
import {
  endOfWait,
  RestOverloadedError,
  RestTimeoutError,
  reusedRefusals,
} from '../call/errors.ts';
import type { UpstreamObserver } from '../call/observer.ts';

interface LimiterOptions {
  /** Calls under way at once, of all keys. */
  readonly connections: number;
  /** Calls that may wait, of all keys. */
  readonly maxQueue: number;
  readonly observer: UpstreamObserver;
}

/** The shares of the connections that one key, one route of it, and one route of all keys may hold. */
const SHARES = { key: 7 / 8, routeOfKey: 4 / 5, route: 15 / 16 };

/** When a caller who is refused may come back, in milliseconds. */
const RETRY_AFTER_MS = 1_000;

/** Keys that are remembered as accepted. */
const MAX_ACCEPTED_KEYS = 10_000;

/** Stands for all keys that the backend has not accepted yet. No key is empty. */
const UNACCEPTED = '';

export class ConcurrencyLimiter {
  readonly #options: LimiterOptions;
  readonly #most: Readonly<Record<keyof typeof SHARES, number>>;
  readonly #accepted = new LRUCache<string, true>({ max: MAX_ACCEPTED_KEYS });
  readonly #queue: RoundRobinQueue<QueuedAttempt>;
  #active = 0;
  #isScheduled = false;
  /** Keys with calls under way or waiting. */
  readonly #keys = new Map<string, KeyLoad>();
  /** Calls under way, of all keys. */
  readonly #routes = new Map<Route, number>();
  readonly #refusal = reusedRefusals((route) => new RestOverloadedError(route, RETRY_AFTER_MS));

  constructor(options: LimiterOptions) {
    this.#options = options;
    const mostOf = (share: number): number => Math.max(1, Math.floor(share * options.connections));
    const { key, routeOfKey, route } = SHARES;
    this.#most = { key: mostOf(key), routeOfKey: mostOf(routeOfKey), route: mostOf(route) };
    this.#queue = new RoundRobinQueue(options.maxQueue);
  }

  readonly layer: Layer = (inner) => (settle) => {
    const send = inner((attempt, outcome) => {
      if (attempt.slot !== undefined) this.#release(attempt.slot, attempt, outcome);
      settle(attempt, outcome);
    });
    const proceed: Proceed = (attempt, refusal) => {
      if (refusal) settle(attempt, refusal);
      else send(attempt);
    };
    return (attempt) => {
      const key = this.#keyOf(attempt.call.apiKey);
      // What waits may not start, or it would have: nothing is overtaken that could go on.
      if (this.#mayStart(key, attempt.call)) {
        this.#start(key, attempt, attempt.startMs);
        send(attempt);
      } else {
        this.#enqueue(key, attempt, proceed);
      }
    };
  };

  /** As `Upstream.shedMs`. */
  shedMs(apiKey: string): number | undefined {
    return this.#queue.isFullFor(this.#keyOf(apiKey)) ? RETRY_AFTER_MS : undefined;
  }

  isAccepted(apiKey: string): boolean {
    return this.#accepted.has(apiKey);
  }

  #keyOf(apiKey: string): string {
    return this.#accepted.get(apiKey) ? apiKey : UNACCEPTED;
  }

  #mayStart(key: string, { route, isDeferred }: Call): boolean {
    if (this.#active >= this.#options.connections) return false;
    if (countOf(this.#routes, route) >= this.#most.route) return false;
    const load = this.#keys.get(key);
    if (!load) return true;
    if (countOf(load.routes, route) >= this.#most.routeOfKey) return false;
    const free = this.#most.key - load.active;
    // Deferred calls take half of what is left, so that what an answer asks for next finds some.
    return isDeferred ? load.waiting === 0 && load.deferred < free : free > 0;
  }

  #start(key: string, attempt: Attempt, nowMs: number): void {
    const { route, isDeferred } = attempt.call;
    const load = this.#loadOf(key);
    load.active += 1;
    if (isDeferred) load.deferred += 1;
    for (const routes of [load.routes, this.#routes]) routes.set(route, countOf(routes, route) + 1);
    this.#active += 1;
    attempt.sentMs = nowMs;
    attempt.slot = key;
  }

  #release(key: string, attempt: Attempt, outcome: Outcome): void {
    const { route, isDeferred } = attempt.call;
    attempt.slot = undefined;
    if (!(outcome instanceof Error)) this.#noteAcceptance(attempt.call, outcome.status);
    const load = this.#loadOf(key);
    load.active -= 1;
    if (isDeferred) load.deferred -= 1;
    for (const routes of [load.routes, this.#routes]) routes.set(route, countOf(routes, route) - 1);
    this.#forgetIdle(key, load);
    this.#active -= 1;
    if (this.#queue.size === 0 || this.#isScheduled) return;
    this.#isScheduled = true;
    // A caller who leaves gives up call after call: what waits behind the first of them may be the next.
    setImmediate(() => this.#startWaiting());
  }

  /** A key is accepted by any answer but a refusal of the key. */
  #noteAcceptance({ apiKey, sharingKey }: Call, status: number): void {
    if (status === 401) {
      // What was forwarded may be at fault: one caller's must not cost all others of the key their turns.
      if (sharingKey === apiKey) this.#accepted.delete(apiKey);
    } else if (status !== 403) this.#accepted.set(apiKey, true);
  }

  #loadOf(key: string): KeyLoad {
    let load = this.#keys.get(key);
    if (!load)
      this.#keys.set(key, (load = { active: 0, routes: new Map(), deferred: 0, waiting: 0 }));
    return load;
  }

  #forgetIdle(key: string, { active, waiting }: KeyLoad): void {
    if (active === 0 && waiting === 0) this.#keys.delete(key);
  }

  #enqueue(key: string, attempt: Attempt, proceed: Proceed): void {
    const lane = laneOf(attempt.call);
    const giveUp = (why: EndOfWait): void => {
      if (this.#queue.delete(key, queued, lane))
        this.#leave(queued, this.#refusalFor(attempt, why));
    };
    const queued: QueuedAttempt = { attempt, key, proceed, giveUp };
    if (!attempt.call.isDeferred) this.#loadOf(key).waiting += 1;
    attempt.flight.cancel.listen(queued);
    const dropped = this.#queue.add(key, queued, lane);
    if (!dropped) return;
    const { route } = dropped.attempt.call;
    this.#options.observer.onShed?.(route);
    this.#leave(dropped, this.#refusal(route));
  }

  /** Lets an attempt that has been taken out of the queue go on, or ends it with a refusal. */
  #leave({ attempt, key, proceed }: QueuedAttempt, refusal?: Error): void {
    attempt.flight.cancel.listen(undefined);
    if (!attempt.call.isDeferred) {
      const load = this.#loadOf(key);
      load.waiting -= 1;
      this.#forgetIdle(key, load);
    }
    proceed(attempt, refusal);
  }

  #refusalFor({ call: { route }, isCutShort }: Attempt, why: EndOfWait): Error {
    if (why !== 'timeout') return endOfWait(why, route);
    if (isCutShort) return new RestTimeoutError('No connection came free in time', route);
    return this.#refusal(route);
  }

  #startWaiting(): void {
    this.#isScheduled = false;
    const mayStart = ({ attempt, key }: QueuedAttempt) => this.#mayStart(key, attempt.call);
    while (this.#active < this.#options.connections) {
      const next = this.#queue.take(mayStart);
      if (!next) return;
      const { attempt, key } = next;
      const nowMs = performance.now();
      if (attempt.untilMs <= nowMs) {
        // This process was stalled: the answer would come too late.
        this.#leave(next, this.#refusalFor(attempt, 'timeout'));
      } else {
        this.#start(key, attempt, nowMs);
        this.#leave(next);
      }
    }
  }
}

/** Attempts of a key that wait for the same: its share of a route, or what its other calls leave of that. */
const laneOf = ({ route, isDeferred }: Call): string =>
  `${route.method} ${route.path}${isDeferred ? ' deferred' : ''}`;

/** Starts an attempt that has waited, or ends it with a refusal. */
type Proceed = (attempt: Attempt, refusal?: Error) => void;

const countOf = (counts: ReadonlyMap<Route, number>, route: Route): number =>
  counts.get(route) ?? 0;

/** The calls of a key. */
interface KeyLoad {
  /** Under way. */
  active: number;
  readonly routes: Map<Route, number>;
  /** Those of them whose answers are wanted later. */
  deferred: number;
  /** Waiting, without deferred ones: these wait behind them. */
  waiting: number;
}

/** An attempt that waits until it may start, times out or is cancelled. */
interface QueuedAttempt extends Waiter {
  readonly attempt: Attempt;
  readonly key: string;
  readonly proceed: Proceed;
}
