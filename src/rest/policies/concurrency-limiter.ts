/**
 * The concurrency limiter: bounds the calls under way, queues the others, and sheds load.
 *
 * Keys take turns of one call each. The headers that callers have forwarded make no turns of their own, and all keys
 * that the backend has not accepted yet count as one: inventing either gains nothing. Bulkheads: no key and no route
 * may hold all connections, so a slow one leaves the others theirs.
 */
import type { EndOfWait } from '../../lib/cancel.ts';
import { RoundRobinQueue } from '../../lib/round-robin-queue.ts';
import type { Route } from '../../v0/routes.ts';
import { isRead, type Settled } from '../call/call.ts';
import { endOfWait, RestError, reusedRefusals } from '../call/errors.ts';
import type { Key, KeyRoute, Keys } from '../call/keys.ts';
import type { UpstreamSettings } from '../call/options.ts';
import { HELD, type CallPolicy, type RestCall } from '../rest-call.ts';
import type { UnderWay } from './attempts.ts';

/** The shares of the connections that one key, one route of it, and one route of all keys may hold. */
const SHARES = { key: 7 / 8, routeOfKey: 4 / 5, route: 15 / 16 };

/** When a caller who is refused may come back, in milliseconds. */
const RETRY_AFTER_MS = 1_000;

export class ConcurrencyLimiter implements CallPolicy {
  readonly #settings: UpstreamSettings;
  readonly #keys: Keys;
  readonly #underWay: UnderWay;
  readonly #most: Readonly<typeof SHARES>;
  readonly #queue: RoundRobinQueue<RestCall>;
  #isScheduled = false;
  /** Calls of all keys under way. */
  #active = 0;
  readonly #refusal = reusedRefusals(
    (route) =>
      new RestError('overloaded', 'Too many calls are waiting', route, {
        retryAfterMs: RETRY_AFTER_MS,
      }),
  );

  constructor(settings: UpstreamSettings, keys: Keys, underWay: UnderWay) {
    this.#settings = settings;
    this.#keys = keys;
    this.#underWay = underWay;
    this.#queue = new RoundRobinQueue(settings.maxQueue);
    const mostOf = (share: number): number => Math.max(1, Math.floor(share * settings.connections));
    const { key, routeOfKey, route } = SHARES;
    this.#most = { key: mostOf(key), routeOfKey: mostOf(routeOfKey), route: mostOf(route) };
  }

  before(call: RestCall): Error | typeof HELD | undefined {
    const turn = (call.turn = this.#turnOf(call));
    // What waits may not start, or it would have: nothing is overtaken that could go on.
    if (!this.#mayStart(turn, call.isDeferred)) return this.#wait(call, turn.key);
    this.#start(call, turn);
    return undefined;
  }

  /** Takes an attempt that timed out or was cancelled out of the queue. */
  release(call: RestCall, why: EndOfWait): Error {
    this.#queue.delete(call.turn!.key.apiKey, call, subqueueOf(call));
    this.#leave(call);
    return this.#refusalFor(call, why);
  }

  /** Ends an attempt that was started, so that another may. */
  after(call: RestCall, settled: Settled): void {
    this.#count(call, call.turn!, -1);
    call.turn = undefined;
    if (!(settled instanceof Error)) this.#noteAcceptance(call, settled.status);
    if (this.#queue.size === 0 || this.#isScheduled) return;
    this.#isScheduled = true;
    // A caller who leaves gives up call after call: what waits behind the first of them may be the next.
    setImmediate(() => this.#startWaiting());
  }

  /** A key is accepted by any answer but a refusal of the key. */
  #noteAcceptance({ from }: RestCall, status: number): void {
    const { key } = from;
    if (status === 401) {
      // What was forwarded may be at fault: one caller's must not cost all others of the key their turns.
      if (from.sharingKey === from.apiKey) this.#keys.refuse(key);
    } else if (status !== 403 && !key.isAccepted) {
      this.#keys.accept(key);
      this.#move(key);
    }
  }

  /** Counts the calls that a key has under way as its own from now on, or it would have two shares. */
  #move(key: Key): void {
    for (const call of this.#underWay.calls) {
      if (call.isHeld || call.from.apiKey !== key.apiKey || !call.turn) continue;
      this.#count(call, call.turn, -1);
      call.turn = this.#keys.of(key, call.route);
      this.#count(call, call.turn, 1);
    }
  }

  #turnOf({ from, route }: RestCall): KeyRoute {
    const { key } = from;
    return this.#keys.of(key.isAccepted ? key : this.#keys.unaccepted, route);
  }

  #mayStart({ key, all, active }: KeyRoute, isDeferred: boolean): boolean {
    const most = this.#most;
    if (this.#active >= this.#settings.connections) return false;
    if (all.active >= most.route || active >= most.routeOfKey) return false;
    const free = most.key - key.active;
    // Deferred calls wait behind the others of their key, and take half of what these leave, so that what an
    // answer asks for next finds some.
    return isDeferred ? key.waiting === 0 && key.deferred < free : free > 0;
  }

  #start(call: RestCall, turn: KeyRoute): void {
    if (call.attempt === 1 && isRead(call)) turn.all.reads += 1;
    this.#count(call, turn, 1);
  }

  #count({ isDeferred }: RestCall, turn: KeyRoute, by: 1 | -1): void {
    this.#active += by;
    turn.active += by;
    turn.all.active += by;
    turn.key.active += by;
    if (isDeferred) turn.key.deferred += by;
  }

  #wait(call: RestCall, key: Key): Error | typeof HELD {
    const dropped = this.#queue.add(key.apiKey, call, subqueueOf(call));
    if (dropped !== call && !call.isDeferred) key.waiting += 1;
    if (!dropped) return HELD;
    const { route } = dropped;
    this.#settings.observer.onShed?.(route);
    if (dropped === call) return this.#refusal(route);
    this.#leave(dropped);
    dropped.proceed(this.#refusal(route));
    return HELD;
  }

  /** Counts a call that is not in the queue any more. */
  #leave({ isDeferred, turn }: RestCall): void {
    if (!isDeferred) turn!.key.waiting -= 1;
  }

  #refusalFor({ route, isCutShort }: RestCall, why: EndOfWait): Error {
    if (why !== 'timeout') return endOfWait(why, route);
    if (isCutShort) return new RestError('timeout', 'No connection came free in time', route);
    return this.#refusal(route);
  }

  #startWaiting(): void {
    this.#isScheduled = false;
    const nowMs = this.#settings.clock.now();
    // The backend may have accepted its key since it began to wait.
    const mayStart = (call: RestCall) => this.#mayStart(this.#turnOf(call), call.isDeferred);
    for (let next = this.#queue.take(mayStart); next; next = this.#queue.take(mayStart)) {
      this.#leave(next);
      // Past its time when this process was stalled: the answer would come too late.
      if (next.untilMs <= nowMs) {
        next.proceed(this.#refusalFor(next, 'timeout'));
      } else {
        next.sentMs = nowMs;
        next.turn = this.#turnOf(next);
        this.#start(next, next.turn);
        next.proceed();
      }
    }
  }
}

/** Attempts of a key that wait for the same: its share of a route, or what its other calls leave of that. */
const subqueueOf = ({ route, isDeferred }: RestCall): Route | string =>
  isDeferred ? `${route.method} ${route.path}` : route;
