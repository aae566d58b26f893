/**
 * The concurrency limiter: bounds calls in flight, queues others, and sheds load.
 *
 * Bulkheads: no key and no route may use all connections. The queue is fair by key and in order by request: each
 * request's calls wait in one turn, sixteen at a time, and a busy key's next request gets a later turn than an idle
 * key's (start-time fair queueing). Forwarded headers do not create further turns, and all keys not yet accepted by the
 * backend count as one, so inventing either gains nothing.
 */
import type { EndOfWait } from '../../lib/cancel.ts';
import type { Attempt } from '../attempt.ts';
import { isRead, type Call, type Priority, type Settled } from '../call/call.ts';
import { endOfWait, RestError, reusedErrors } from '../call/errors.ts';
import type { ApiKey, KeyRoute, ApiKeys } from '../call/keys.ts';
import type { UpstreamSettings } from '../call/options.ts';

/** Maximum shares of connections for a key, a route of a key, and a route of all keys. */
export const SHARES = { key: 7 / 8, routeOfKey: 4 / 5, route: 15 / 16 };

/** Calls of a request that wait in one turn. */
export const CALLS_PER_TURN = 16;

/**
 * Calls in flight above which operations wait while responses keep arriving. More operations at a time would not finish
 * sooner, but more of their objects would be alive, to be copied by V8 and to leave the processor's cache.
 */
export const BUSY_CALLS = 32;

/** Time after which the next operation begins nevertheless, so that those with many calls delay others little. */
export const BUSY_MS = 5;

/** Time without progress after which operations no longer wait for the queue, in milliseconds. */
export const NO_PROGRESS_MS = 250;

export const RETRY_AFTER_MS = 1_000;

export class ConcurrencyLimiter {
  readonly #settings: UpstreamSettings;
  readonly #keys: ApiKeys;
  readonly #inProgress: readonly Attempt[];
  readonly #most: Readonly<typeof SHARES>;
  /** In the order of their turns. */
  readonly #queue: Attempt[] = [];
  /** Latest turn of which a call was sent. */
  #turn = 0;
  /** When the queue began, or last sent a call. */
  #progressMs = 0;
  #isScheduled = false;
  /** Whether no call has ended since a tick was scheduled: the process waits for the backend. */
  #isIdle = true;
  /** When an operation last began. */
  #begunMs = 0;
  /** Calls in flight of all keys. */
  #active = 0;
  #onRoom: (() => void) | undefined;
  #hasStallTimer = false;
  readonly #overloaded = reusedErrors(
    (route, retryAfterMs) =>
      new RestError('overloaded', 'Too many calls are waiting', route, { retryAfterMs }),
  );

  constructor(settings: UpstreamSettings, keys: ApiKeys, inProgress: readonly Attempt[]) {
    this.#settings = settings;
    this.#keys = keys;
    this.#inProgress = inProgress;
    const mostOf = (share: number): number => Math.max(1, Math.floor(share * settings.connections));
    const { key, routeOfKey, route } = SHARES;
    this.#most = { key: mostOf(key), routeOfKey: mostOf(routeOfKey), route: mostOf(route) };
  }

  start(attempt: Attempt): Error | undefined {
    const { call } = attempt;
    const share = (attempt.share = this.#shareOf(call));
    // Connections that came free belong to queued attempts first. Otherwise none of them could start, so this attempt
    // overtakes none that could.
    const isNext = this.#queue.length === 0 || !this.#isScheduled;
    if (isNext && this.#mayStart(share, call.priority)) {
      this.#send(attempt, share);
      return undefined;
    }
    if (call.priority === 'speculative') return endOfWait('cancelled', call.route);
    if (this.#queue.length === this.#settings.maxQueue) {
      const dropped = this.#latestOfLongest(share.key);
      this.#settings.observer.onShed?.((dropped ?? attempt).route);
      if (!dropped) return this.#overloaded(call.route, RETRY_AFTER_MS);
      this.#unqueue(dropped);
      dropped.end(this.#overloaded(dropped.route, RETRY_AFTER_MS));
    }
    this.#enqueue(attempt, share.key);
    return undefined;
  }

  remove(attempt: Attempt, why: EndOfWait): Error {
    this.#unqueue(attempt);
    return this.#endOfWait(attempt, why);
  }

  /**
   * Whether an operation of a key should begin: its calls would be sent immediately, or before those in the queue.
   * Otherwise its results would wait in memory for calls that cannot be sent. A queue without progress delays no operation,
   * and responses that keep arriving delay the next one for at most `BUSY_MS` after the latest that might begin.
   *
   * @param begun calls of operations that begin before it, in the same tick.
   */
  mayBegin(apiKey: string, begun: number): boolean {
    // Room that is about to be given away belongs to those who have waited for it.
    if (this.#isScheduled && this.#onRoom) return false;
    const nowMs = this.#settings.clock.now();
    const isBusy = !this.#isIdle && this.#active + begun >= BUSY_CALLS;
    if (isBusy && nowMs - this.#begunMs < BUSY_MS) return false;
    if (!this.#canSend(apiKey, begun, nowMs)) return false;
    this.#begunMs = nowMs;
    return true;
  }

  #canSend(apiKey: string, begun: number, nowMs: number): boolean {
    const next = this.#queue.find(({ call }) => !isDeferred(call));
    if (!next) return begun < this.#settings.connections;
    if (nowMs - this.#progressMs >= NO_PROGRESS_MS) return true;
    const key = this.#keys.isAccepted(apiKey) ? this.#keys.find(apiKey)! : this.#keys.unaccepted;
    const isFree = key.waiting === 0 && this.#active + begun < this.#settings.connections;
    return isFree || (begun === 0 && this.#turnOf(key) < next.turn);
  }

  /** Calls a listener once, when `mayBegin` may have changed. There is one listener. */
  whenRoom(onRoom: () => void): void {
    this.#onRoom = onRoom;
    if (!this.#isIdle) this.#schedule();
    // Otherwise nothing would call it while no call ends.
    if (this.#hasStallTimer) return;
    this.#hasStallTimer = true;
    this.#settings.clock.setTimeout(() => {
      this.#hasStallTimer = false;
      if (this.#onRoom) this.#sendQueued();
    }, NO_PROGRESS_MS);
  }

  end(attempt: Attempt, settled: Settled): void {
    this.#count(attempt.call, attempt.share!, -1);
    attempt.share = undefined;
    if (!(settled instanceof Error)) this.#noteAcceptance(attempt.call, settled.status);
    if (this.#queue.length > 0 || this.#onRoom) this.#schedule();
    this.#isIdle = false;
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = this.#isIdle = true;
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

  #enqueue(attempt: Attempt, key: ApiKey): void {
    const { from } = attempt.call;
    if (from.queuedCalls % CALLS_PER_TURN === 0) {
      from.turn = this.#turnOf(key);
      key.nextTurn = from.turn + 1;
    }
    from.queuedCalls += 1;
    attempt.turn = from.turn;
    key.queued += 1;
    if (!isDeferred(attempt.call)) key.waiting += 1;
    if (this.#queue.length === 0) this.#progressMs = attempt.startedMs;
    let index = this.#queue.length;
    while (index > 0 && isBefore(attempt, this.#queue[index - 1]!)) index -= 1;
    this.#queue.splice(index, 0, attempt);
  }

  /** Turn of a key's next request. */
  #turnOf(key: ApiKey): number {
    const isIdle = key.active === 0 && key.queued === 0;
    return isIdle ? this.#turn : Math.max(this.#turn, key.nextTurn);
  }

  #unqueue(attempt: Attempt): void {
    this.#queue.splice(this.#queue.indexOf(attempt), 1);
    const { key } = attempt.share!;
    key.queued -= 1;
    if (!isDeferred(attempt.call)) key.waiting -= 1;
  }

  /** Latest call of the key with the most queued calls, with one more of this key; undefined if that is this key. */
  #latestOfLongest(key: ApiKey): Attempt | undefined {
    let longest = key;
    let most = key.queued + 1;
    for (const { share } of this.#queue) {
      if (share!.key.queued > most) [longest, most] = [share!.key, share!.key.queued];
    }
    return longest === key
      ? undefined
      : this.#queue.findLast(({ share }) => share!.key === longest);
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
    for (let i = 0; i < this.#queue.length && this.#active < this.#settings.connections;) {
      const next = this.#queue[i]!;
      // The backend may have accepted the key meanwhile.
      const share = this.#shareOf(next.call);
      if (!this.#mayStart(share, next.call.priority)) {
        i += 1;
        continue;
      }
      this.#unqueue(next);
      // Timed out while the process was stalled.
      if (next.untilMs <= nowMs) {
        next.end(this.#endOfWait(next, 'timeout'));
        continue;
      }
      next.share = share;
      if (next.turn > this.#turn) this.#turn = next.turn;
      this.#progressMs = nowMs;
      this.#send(next, share, nowMs);
    }
    const onRoom = this.#onRoom;
    this.#onRoom = undefined;
    onRoom?.();
  }
}

/** Within a turn, the calls of the request that began first are next. */
const isBefore = (one: Attempt, other: Attempt): boolean =>
  one.turn === other.turn
    ? one.call.from.callLog.beganMs < other.call.from.callLog.beganMs
    : one.turn < other.turn;

const isDeferred = ({ priority }: Call): boolean => priority !== 'normal';
