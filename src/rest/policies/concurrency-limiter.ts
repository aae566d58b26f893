/**
 * The concurrency limiter: bounds calls in flight, queues others, and sheds load.
 *
 * Keys take turns of one call each. Forwarded headers do not create further turns, and all keys not yet accepted by the
 * backend count as one, so inventing either gains nothing. Bulkheads: no key and no route may use all connections.
 */
import type { EndOfWait } from '../../lib/cancel.ts';
import { RoundRobinQueue } from '../../lib/round-robin-queue.ts';
import type { Route } from '../../v0/routes.ts';
import { isRead, type Priority, type Settled } from '../call/call.ts';
import { endOfWait, RestError, reusedRefusals } from '../call/errors.ts';
import type { ApiKey, KeyRoute, ApiKeys } from '../call/keys.ts';
import type { UpstreamSettings } from '../call/options.ts';
import { HELD, type Attempt, type AttemptPolicy } from '../attempt.ts';
import type { UnderWay } from './attempts.ts';

/** Maximum shares of connections for a key, a route of a key, and a route of all keys. */
export const SHARES = { key: 7 / 8, routeOfKey: 4 / 5, route: 15 / 16 };

/** `Retry-After` of rejected calls, in milliseconds. */
export const RETRY_AFTER_MS = 1_000;

export class ConcurrencyLimiter implements AttemptPolicy {
  readonly #settings: UpstreamSettings;
  readonly #keys: ApiKeys;
  readonly #underWay: UnderWay;
  readonly #most: Readonly<typeof SHARES>;
  readonly #queue: RoundRobinQueue<Attempt>;
  #isScheduled = false;
  /** Calls in flight of all keys. */
  #active = 0;
  readonly #refusal = reusedRefusals(
    (route, retryAfterMs) =>
      new RestError('overloaded', 'Too many calls are waiting', route, { retryAfterMs }),
  );

  constructor(settings: UpstreamSettings, keys: ApiKeys, underWay: UnderWay) {
    this.#settings = settings;
    this.#keys = keys;
    this.#underWay = underWay;
    this.#queue = new RoundRobinQueue(settings.maxQueue);
    const mostOf = (share: number): number => Math.max(1, Math.floor(share * settings.connections));
    const { key, routeOfKey, route } = SHARES;
    this.#most = { key: mostOf(key), routeOfKey: mostOf(routeOfKey), route: mostOf(route) };
  }

  before(attempt: Attempt): Error | typeof HELD | undefined {
    const turn = (attempt.turn = this.#turnOf(attempt));
    // Connections that came free belong to queued attempts first. Otherwise none of them could start, so this attempt
    // overtakes none that could.
    const mayStart = !this.#isScheduled && this.#mayStart(turn, attempt.call.priority);
    if (!mayStart) return this.#wait(attempt, turn.key);
    this.#start(attempt, turn);
    return undefined;
  }

  /** Removes a timed-out or cancelled attempt from the queue. */
  release(attempt: Attempt, why: EndOfWait): Error {
    this.#queue.delete(attempt.turn!.key.apiKey, attempt, subqueueOf(attempt));
    this.#leave(attempt);
    return this.#refusalFor(attempt, why);
  }

  /** Ends an attempt, and starts queued ones. */
  after(attempt: Attempt, settled: Settled): void {
    this.#count(attempt, attempt.turn!, -1);
    attempt.turn = undefined;
    if (!(settled instanceof Error)) this.#noteAcceptance(attempt, settled.status);
    if (this.#queue.size === 0 || this.#isScheduled) return;
    this.#isScheduled = true;
    // Deferred: a caller that disconnects cancels its calls one by one, and the next in the queue may be its own.
    setImmediate(() => this.#startWaiting());
  }

  /** Any response other than a rejection of the key accepts it. */
  #noteAcceptance({ from }: Attempt, status: number): void {
    const { key } = from;
    if (status === 401) {
      // With forwarded headers, these may be the cause, which must not affect other callers of the key.
      if (from.sharingKey === from.apiKey) this.#keys.refuse(key);
    } else if (status !== 403 && !key.isAccepted) {
      this.#keys.accept(key);
      this.#move(key);
    }
  }

  /** Moves a newly accepted key's attempts in flight to its own share; it would otherwise have two. */
  #move(key: ApiKey): void {
    for (const attempt of this.#underWay.attempts) {
      const { from, route, turn, isHeld } = attempt;
      if (isHeld || from.apiKey !== key.apiKey || !turn) continue;
      this.#count(attempt, turn, -1);
      attempt.turn = this.#keys.of(key, route);
      this.#count(attempt, attempt.turn, 1);
    }
  }

  #turnOf({ from, route }: Attempt): KeyRoute {
    const { key } = from;
    return this.#keys.of(key.isAccepted ? key : this.#keys.unaccepted, route);
  }

  #mayStart({ key, all, active }: KeyRoute, priority: Priority): boolean {
    const most = this.#most;
    if (this.#active >= this.#settings.connections) return false;
    if (priority === 'speculative' && 2 * this.#active >= this.#settings.connections) return false;
    if (all.active >= most.route || active >= most.routeOfKey) return false;
    const free = most.key - key.active;
    // Deferred calls wait behind the others of their key, and use at most half of the free share, which leaves room for
    // the next calls of a response.
    return priority === 'normal' ? free > 0 : key.waiting === 0 && key.deferred < free;
  }

  #start(attempt: Attempt, turn: KeyRoute): void {
    if (attempt.attempt === 1 && isRead(attempt)) turn.all.reads += 1;
    this.#count(attempt, turn, 1);
  }

  #count({ call }: Attempt, turn: KeyRoute, by: 1 | -1): void {
    this.#active += by;
    turn.active += by;
    turn.all.active += by;
    turn.key.active += by;
    if (isDeferred(call)) turn.key.deferred += by;
  }

  #wait(attempt: Attempt, key: ApiKey): Error | typeof HELD {
    if (attempt.call.priority === 'speculative') return endOfWait('cancelled', attempt.route);
    const dropped = this.#queue.add(key.apiKey, attempt, subqueueOf(attempt));
    if (dropped !== attempt && !isDeferred(attempt.call)) key.waiting += 1;
    if (!dropped) return HELD;
    const { route } = dropped;
    this.#settings.observer.onShed?.(route);
    if (dropped === attempt) return this.#refusal(route, RETRY_AFTER_MS);
    this.#leave(dropped);
    dropped.proceed(this.#refusal(route, RETRY_AFTER_MS));
    return HELD;
  }

  /** Updates counts for an attempt that left the queue. */
  #leave({ call, turn }: Attempt): void {
    if (!isDeferred(call)) turn!.key.waiting -= 1;
  }

  #refusalFor({ route, isCutShort }: Attempt, why: EndOfWait): Error {
    if (why !== 'timeout') return endOfWait(why, route);
    if (isCutShort) return new RestError('timeout', 'No connection came free in time', route);
    return this.#refusal(route, RETRY_AFTER_MS);
  }

  #startWaiting(): void {
    this.#isScheduled = false;
    const nowMs = this.#settings.clock.now();
    // The backend may have accepted the key meanwhile.
    const mayStart = (attempt: Attempt) =>
      this.#mayStart(this.#turnOf(attempt), attempt.call.priority);
    for (let next = this.#queue.take(mayStart); next; next = this.#queue.take(mayStart)) {
      this.#leave(next);
      // Timed out while the process was stalled.
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

const isDeferred = ({ priority }: Attempt['call']): boolean => priority !== 'normal';

/** Sub-queue of a key's attempts that wait for the same share. */
const subqueueOf = ({ route, call }: Attempt): Route | string =>
  isDeferred(call) ? `${route.method} ${route.path}` : route;
