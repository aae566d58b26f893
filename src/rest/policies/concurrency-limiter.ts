/**
 * The concurrency limiter: bounds calls in flight, queues others, and sheds load.
 *
 * The queue serves keys round-robin. Forwarded headers do not create further turns, and all keys not yet accepted by the
 * backend count as one, so inventing either gains nothing. Bulkheads: no key and no route may use all connections.
 */
import type { EndOfWait } from '../../lib/cancel.ts';
import { RoundRobinQueue } from '../../lib/round-robin-queue.ts';
import type { Route } from '../../v0/routes.ts';
import type { Attempt } from '../attempt.ts';
import { isRead, type Call, type Priority, type Settled } from '../call/call.ts';
import { endOfWait, RestError, reusedErrors } from '../call/errors.ts';
import type { ApiKey, KeyRoute, ApiKeys } from '../call/keys.ts';
import type { UpstreamSettings } from '../call/options.ts';

/** Maximum shares of connections for a key, a route of a key, and a route of all keys. */
export const SHARES = { key: 7 / 8, routeOfKey: 4 / 5, route: 15 / 16 };

export const RETRY_AFTER_MS = 1_000;

export class ConcurrencyLimiter {
  readonly #settings: UpstreamSettings;
  readonly #keys: ApiKeys;
  readonly #inProgress: readonly Attempt[];
  readonly #most: Readonly<typeof SHARES>;
  readonly #queue: RoundRobinQueue<Attempt>;
  #isScheduled = false;
  /** Calls in flight of all keys. */
  #active = 0;
  readonly #overloaded = reusedErrors(
    (route, retryAfterMs) =>
      new RestError('overloaded', 'Too many calls are waiting', route, { retryAfterMs }),
  );

  constructor(settings: UpstreamSettings, keys: ApiKeys, inProgress: readonly Attempt[]) {
    this.#settings = settings;
    this.#keys = keys;
    this.#inProgress = inProgress;
    this.#queue = new RoundRobinQueue(settings.maxQueue);
    const mostOf = (share: number): number => Math.max(1, Math.floor(share * settings.connections));
    const { key, routeOfKey, route } = SHARES;
    this.#most = { key: mostOf(key), routeOfKey: mostOf(routeOfKey), route: mostOf(route) };
  }

  start(attempt: Attempt): Error | undefined {
    const { call } = attempt;
    const share = (attempt.share = this.#shareOf(call));
    // Connections that came free belong to queued attempts first. Otherwise none of them could start, so this attempt
    // overtakes none that could.
    if (!this.#isScheduled && this.#mayStart(share, call.priority)) {
      this.#send(attempt, share);
      return undefined;
    }
    if (call.priority === 'speculative') return endOfWait('cancelled', call.route);
    const dropped = this.#queue.add(share.key.apiKey, attempt, subqueueOf(call));
    if (dropped) this.#settings.observer.onShed?.(dropped.route);
    if (dropped === attempt) return this.#overloaded(call.route, RETRY_AFTER_MS);
    if (!isDeferred(call)) share.key.waiting += 1;
    if (dropped) {
      this.#leaveQueue(dropped);
      dropped.end(this.#overloaded(dropped.route, RETRY_AFTER_MS));
    }
    return undefined;
  }

  remove(attempt: Attempt, why: EndOfWait): Error {
    this.#queue.delete(attempt.share!.key.apiKey, attempt, subqueueOf(attempt.call));
    this.#leaveQueue(attempt);
    return this.#endOfWait(attempt, why);
  }

  end(attempt: Attempt, settled: Settled): void {
    this.#count(attempt.call, attempt.share!, -1);
    attempt.share = undefined;
    if (!(settled instanceof Error)) this.#noteAcceptance(attempt.call, settled.status);
    if (this.#queue.size === 0 || this.#isScheduled) return;
    this.#isScheduled = true;
    // Deferred: a caller that disconnects cancels its calls one by one, and the next in the queue may be its own.
    setImmediate(() => this.#sendQueued());
  }

  /** Any response other than a rejection of the key accepts it. */
  #noteAcceptance({ from }: Call, status: number): void {
    const { key } = from;
    if (status === 401) {
      // With forwarded headers, these may be the cause, which must not affect other callers of the key.
      if (from.sharingKey === from.apiKey) this.#keys.reject(key);
    } else if (status !== 403 && !key.isAccepted) {
      this.#keys.accept(key);
      this.#move(key);
    }
  }

  /** Moves a newly accepted key's attempts in flight to its own share; it would otherwise have two. */
  #move(key: ApiKey): void {
    for (const attempt of this.#inProgress) {
      const { call, share, source } = attempt;
      if (source === 'unsent' || call.from.apiKey !== key.apiKey || !share) continue;
      this.#count(call, share, -1);
      attempt.share = this.#keys.of(key, call.route);
      this.#count(call, attempt.share, 1);
    }
  }

  #shareOf({ from, route }: Call): KeyRoute {
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

  #send(attempt: Attempt, share: KeyRoute, nowMs?: number): void {
    if (attempt.attempt === 1 && isRead(attempt.call)) share.all.reads += 1;
    this.#count(attempt.call, share, 1);
    attempt.send(nowMs);
  }

  #count(call: Call, share: KeyRoute, by: 1 | -1): void {
    this.#active += by;
    share.active += by;
    share.all.active += by;
    share.key.active += by;
    if (isDeferred(call)) share.key.deferred += by;
  }

  #leaveQueue({ call, share }: Attempt): void {
    if (!isDeferred(call)) share!.key.waiting -= 1;
  }

  #endOfWait({ route, isCutShort }: Attempt, why: EndOfWait): Error {
    if (why !== 'timeout') return endOfWait(why, route);
    if (isCutShort)
      return new RestError('timeout', 'No connection became available in time', route);
    return this.#overloaded(route, RETRY_AFTER_MS);
  }

  #sendQueued(): void {
    this.#isScheduled = false;
    const nowMs = this.#settings.clock.now();
    // The backend may have accepted the key meanwhile.
    const mayStart = ({ call }: Attempt) => this.#mayStart(this.#shareOf(call), call.priority);
    for (let next = this.#queue.take(mayStart); next; next = this.#queue.take(mayStart)) {
      this.#leaveQueue(next);
      // Timed out while the process was stalled.
      if (next.untilMs <= nowMs) {
        next.end(this.#endOfWait(next, 'timeout'));
      } else {
        next.share = this.#shareOf(next.call);
        this.#send(next, next.share, nowMs);
      }
    }
  }
}

const isDeferred = ({ priority }: Call): boolean => priority !== 'normal';

/** Sub-queue of a key's attempts that wait for the same share. */
const subqueueOf = (call: Call): Route | string =>
  isDeferred(call) ? `${call.route.method} ${call.route.path}` : call.route;
