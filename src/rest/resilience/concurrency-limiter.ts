/**
 * The concurrency limiter: bounds the calls under way, queues the others, and sheds load.
 *
 * Keys take turns of one call each. The headers that callers have forwarded make no turns of their own, and all keys
 * that the backend has not accepted yet count as one: inventing either gains nothing. Bulkheads: no key and no route
 * may hold all connections, so a slow one leaves the others theirs.
 */
import { LRUCache } from 'lru-cache';
import type { EndOfWait, Waiter } from '../../lib/cancel.ts';
import { RoundRobinQueue } from '../../lib/round-robin-queue.ts';
import type { Route } from '../../v0/routes.ts';
import type { Attempt, Call, Outcome, Send } from '../call/call.ts';
import {
  endOfWait,
  RestOverloadedError,
  RestTimeoutError,
  reusedRefusals,
} from '../call/errors.ts';
import type { UpstreamSettings } from '../call/options.ts';

/** The shares of the connections that one key, one route of it, and one route of all keys may hold. */
const SHARES = { key: 7 / 8, routeOfKey: 4 / 5, route: 15 / 16 };

/** When a caller who is refused may come back, in milliseconds. */
const RETRY_AFTER_MS = 1_000;

/** Keys that are remembered as accepted. */
const MAX_ACCEPTED_KEYS = 10_000;

/** Stands for all keys that the backend has not accepted yet. No key is empty. */
const UNACCEPTED = '';

export class ConcurrencyLimiter {
  readonly #settings: UpstreamSettings;
  readonly #send: Send;
  readonly #most: Readonly<typeof SHARES>;
  readonly #accepted = new LRUCache<string, true>({ max: MAX_ACCEPTED_KEYS });
  readonly #queue: RoundRobinQueue<QueuedAttempt>;
  #isScheduled = false;
  /** Calls of all keys under way. */
  readonly #all = new Load('');
  /** Keys with calls under way or waiting. */
  readonly #keys = new Map<string, Load>();
  readonly #refusal = reusedRefusals(
    (route) =>
      new RestOverloadedError('Too many calls are waiting', route, {
        retryAfterMs: RETRY_AFTER_MS,
      }),
  );

  constructor(send: Send, settings: UpstreamSettings) {
    this.#send = send;
    this.#settings = settings;
    this.#queue = new RoundRobinQueue(settings.maxQueue);
    const mostOf = (share: number): number => Math.max(1, Math.floor(share * settings.connections));
    const { key, routeOfKey, route } = SHARES;
    this.#most = { key: mostOf(key), routeOfKey: mostOf(routeOfKey), route: mostOf(route) };
  }

  /** Sends an attempt, at once where it may start, and ends it unsent where it may not in time. */
  send(attempt: Attempt, onEnd: OnEnd): void {
    const load = this.#loadOf(attempt.call.apiKey);
    // What waits may not start, or it would have: nothing is overtaken that could go on.
    if (this.#mayStart(load, attempt.call)) this.#start(attempt, load, onEnd);
    else this.#wait(new QueuedAttempt(this, attempt, load, onEnd));
  }

  isAccepted(apiKey: string): boolean {
    return this.#accepted.has(apiKey);
  }

  /** Removes an attempt that timed out or was cancelled from the queue. */
  giveUp(queued: QueuedAttempt, why: EndOfWait): void {
    const { attempt, load } = queued;
    const isWaiting = this.#queue.delete(load.key, queued, laneOf(attempt.call));
    if (isWaiting) this.#leave(queued, this.#refusalFor(attempt, why));
  }

  #start(attempt: Attempt, load: Load, onEnd: OnEnd): void {
    this.#count(load, attempt.call, 1);
    this.#send(attempt, (outcome) => {
      this.#end(attempt.call, load, outcome);
      onEnd(outcome);
    });
  }

  /** Ends an attempt that was started, so that another may. */
  #end(call: Call, load: Load, { settled }: Outcome): void {
    if (!(settled instanceof Error)) this.#noteAcceptance(call, settled.status);
    this.#count(load, call, -1);
    this.#forgetIdle(load);
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
    } else if (status !== 403 && !this.#accepted.get(apiKey)) this.#accepted.set(apiKey, true);
  }

  #loadOf(apiKey: string): Load {
    const key = this.#accepted.get(apiKey) ? apiKey : UNACCEPTED;
    let load = this.#keys.get(key);
    if (!load) this.#keys.set(key, (load = new Load(key)));
    return load;
  }

  #mayStart(load: Load, { route, isDeferred }: Call): boolean {
    const most = this.#most;
    if (this.#all.active >= this.#settings.connections) return false;
    if (this.#all.of(route) >= most.route || load.of(route) >= most.routeOfKey) return false;
    const free = most.key - load.active;
    // Deferred calls wait behind the others of their key, and take half of what these leave, so that what an
    // answer asks for next finds some.
    return isDeferred ? load.waiting === 0 && load.deferred < free : free > 0;
  }

  #count(load: Load, call: Call, by: 1 | -1): void {
    load.count(call, by);
    this.#all.count(call, by);
  }

  #forgetIdle({ key, active }: Load): void {
    if (active === 0 && this.#queue.sizeOf(key) === 0) this.#keys.delete(key);
  }

  #wait(queued: QueuedAttempt): void {
    const { attempt, load } = queued;
    const { call, flight } = attempt;
    if (!call.isDeferred) load.waiting += 1;
    flight.cancel.listen(queued);
    const dropped = this.#queue.add(load.key, queued, laneOf(call));
    if (!dropped) return;
    const { route } = dropped.attempt.call;
    this.#settings.observer.onShed?.(route);
    this.#leave(dropped, this.#refusal(route));
  }

  /** Starts an attempt that has been taken out of the queue, or refuses it. */
  #leave({ attempt, load, tell }: QueuedAttempt, refusal?: Error): void {
    const { call, flight } = attempt;
    flight.cancel.listen(undefined);
    if (!call.isDeferred) load.waiting -= 1;
    if (!refusal) return this.#start(attempt, load, tell);
    this.#forgetIdle(load);
    tell({ settled: refusal });
  }

  #refusalFor({ call: { route }, isCutShort }: Attempt, why: EndOfWait): Error {
    if (why !== 'timeout') return endOfWait(why, route);
    if (isCutShort) return new RestTimeoutError('No connection came free in time', route);
    return this.#refusal(route);
  }

  #startWaiting(): void {
    this.#isScheduled = false;
    const mayStart = ({ attempt, load }: QueuedAttempt) => this.#mayStart(load, attempt.call);
    for (let next = this.#queue.take(mayStart); next; next = this.#queue.take(mayStart)) {
      const { attempt } = next;
      // Past its time when this process was stalled: the answer would come too late.
      const isLate = attempt.untilMs <= this.#settings.clock.now();
      this.#leave(next, isLate ? this.#refusalFor(attempt, 'timeout') : undefined);
    }
  }
}

/** Attempts of a key that wait for the same: its share of a route, or what its other calls leave of that. */
const laneOf = ({ route, isDeferred }: Call): Route | string =>
  isDeferred ? `${route.method} ${route.path}` : route;

/** The calls of a key, or of all. */
class Load {
  readonly key: string;
  /** Under way, all and deferred ones. */
  active = 0;
  deferred = 0;
  /** In the queue, but for deferred ones. */
  waiting = 0;
  readonly #routes = new Map<Route, number>();

  constructor(key: string) {
    this.key = key;
  }

  /** How many calls of a route are under way. */
  of(route: Route): number {
    return this.#routes.get(route) ?? 0;
  }

  count({ route, isDeferred }: Call, by: 1 | -1): void {
    this.active += by;
    if (isDeferred) this.deferred += by;
    this.#routes.set(route, this.of(route) + by);
  }
}

type OnEnd = (outcome: Outcome) => void;

/** An attempt that waits until it may start, times out or is cancelled. */
class QueuedAttempt implements Waiter {
  readonly attempt: Attempt;
  readonly load: Load;
  readonly tell: OnEnd;
  readonly #limiter: ConcurrencyLimiter;

  constructor(limiter: ConcurrencyLimiter, attempt: Attempt, load: Load, tell: OnEnd) {
    this.attempt = attempt;
    this.load = load;
    this.tell = tell;
    this.#limiter = limiter;
  }

  onEnd(why: EndOfWait): void {
    this.#limiter.giveUp(this, why);
  }
}
