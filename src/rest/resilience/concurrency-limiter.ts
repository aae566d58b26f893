/**
 * The concurrency limiter: how many calls are under way, whose turn is next, and who is not let in.
 *
 * Fair queueing: keys take turns, and the routes of a key take turns within it. All keys that the
 * backend has not accepted yet count as one key, so that invented keys gain nothing by their number.
 * No key and no route may hold all connections, so that one which is slow leaves the others theirs.
 * Load shedding: a call that could not be answered in time behind those already waiting is refused.
 */
import { LRUCache } from 'lru-cache';
import type { EndOfWait, Waiter } from '../../lib/cancel.ts';
import { RollingCount } from '../../lib/rolling-count.ts';
import type { Route } from '../../v0/routes.ts';
import type { Attempt, Call, Layer, Outcome } from '../client/call.ts';
import {
  endOfWait,
  RestOverloadedError,
  RestTimeoutError,
  reusedRefusals,
} from '../client/errors.ts';
import type { UpstreamObserver } from '../client/observer.ts';

export interface LimiterOptions {
  /** Calls under way at once, of all keys. */
  readonly connections: number;
  /** Calls of one key and route that may wait before any answer has told how fast it is. */
  readonly maxQueue: number;
  /** One attempt, in milliseconds. */
  readonly timeoutMs: number;
  readonly observer: UpstreamObserver;
}

/** Keys that are remembered as accepted. */
const MAX_ACCEPTED_KEYS = 10_000;

/**
 * Dynamic thresholds: how many connections may be held for each that is free. With 7 one key alone gets
 * seven eighths, two get seven fifteenths each, and a newcomer always finds some.
 * Source: A. Choudhury and E. Hahne, "Dynamic Queue Length Thresholds for Shared-Memory Packet
 * Switches", IEEE/ACM Transactions on Networking, 1998.
 */
const ALPHA = {
  key: 7,
  /** One route of a key, of what the key may hold: a hundred of 128 connections. */
  lane: 9,
  route: 15,
};

/**
 * Dynamic threshold of the queue, with alpha 1: all queues together are this many times as long as one
 * whose average is unknown may be, and one alone may fill half of that.
 */
const QUEUE_FACTOR = 16;

/**
 * EWMA, the exponentially weighted moving average of how long an exchange takes: the newest one's weight.
 * Source: S. W. Roberts, "Control Chart Tests Based on Geometric Moving Averages", Technometrics, 1959.
 */
const EWMA_WEIGHT = 0.2;

/** How much slower than at its best a route is taken to be after it was idle. */
const AFTER_IDLE_FACTOR = 4;

/** By how much the best time of a route grows with every answer, so that an old one is forgotten. */
const BEST_DECAY = 1.001;

/** Over how long the throughput is measured: this, and up to as long again, in milliseconds. */
const THROUGHPUT_SPAN_MS = 500;

/** When nothing of a lane has ended for so long, its average is too low; less may be our own doing. */
const STALLED_MS = 2_500;

export class ConcurrencyLimiter {
  readonly #options: LimiterOptions;
  readonly #accepted = new LRUCache<string, KeyQueue>({ max: MAX_ACCEPTED_KEYS });
  readonly #unaccepted = new KeyQueue();
  readonly #routes = new Map<Route, RouteLoad>();
  /** Keys with waiting calls, in the order of their turns. */
  readonly #waitingKeys = new Set<KeyQueue>();
  #active = 0;
  #waiting = 0;
  /** Keys with calls under way or waiting. */
  #busyKeys = 0;
  #averageMs: number | undefined;
  /**
   * Calls that end. Unlike the time one call takes this does not grow with our own delays: a process
   * that is late to read an answer is late for all of them, and ends as many.
   */
  readonly #ended = new RollingCount(THROUGHPUT_SPAN_MS);
  readonly #refusal = reusedRefusals((route, ms) => new RestOverloadedError(route, ms));

  constructor(options: LimiterOptions) {
    this.#options = options;
  }

  readonly layer: Layer = (inner) => (settle) => {
    const send = inner((attempt, outcome) => {
      if (attempt.slot instanceof Lane) this.#release(attempt.slot, attempt, outcome);
      settle(attempt, outcome);
    });
    const proceed: Proceed = (attempt, refusal) => {
      if (refusal) settle(attempt, refusal);
      else send(attempt);
    };
    return (attempt) => {
      const lane = this.#laneOf(attempt.call);
      if (!lane.isQueued && this.#mayStart(lane)) {
        attempt.sentMs = attempt.startMs;
        this.#start(lane, attempt);
        send(attempt);
        return;
      }
      const shedMs = this.#shedMs(lane, attempt.startMs, attempt.untilMs);
      if (shedMs === undefined) {
        this.#enqueue(lane, attempt, proceed);
      } else {
        const { route } = attempt.call;
        this.#options.observer.onShed?.(route);
        settle(attempt, this.#refusal(route, shedMs));
      }
    };
  };

  /** When to come back while all that this key asks for just now would be refused; see `Upstream`. */
  shedMs(apiKey: string): number | undefined {
    const key = this.#keyOf(apiKey);
    if (key.queued === 0) return undefined;
    const nowMs = performance.now();
    let leastMs = Infinity;
    for (const lane of key.lanes.values()) {
      if (lane.size === 0) continue;
      const shedMs = lane.isQueued
        ? this.#shedMs(lane, nowMs, nowMs + this.#options.timeoutMs)
        : undefined;
      if (shedMs === undefined) return undefined;
      leastMs = Math.min(leastMs, shedMs);
    }
    return Math.max(1_000, Math.ceil(leastMs));
  }

  isAccepted(apiKey: string): boolean {
    return this.#accepted.has(apiKey);
  }

  /** Sends away those who wait, where there is a reason to. */
  refuse(refusalOf: (attempt: Attempt) => Error | undefined): void {
    const waiting = [...this.#waitingKeys].flatMap(({ waitingLanes }) =>
      [...waitingLanes].flatMap(({ queue }) => [...queue]),
    );
    for (const queued of waiting) {
      const refusal = refusalOf(queued.attempt);
      if (refusal) this.#leave(queued, refusal);
    }
  }

  #keyOf(apiKey: string): KeyQueue {
    return this.#accepted.get(apiKey) ?? this.#unaccepted;
  }

  #laneOf({ apiKey, route }: Call): Lane {
    const key = this.#keyOf(apiKey);
    let lane = key.lanes.get(route);
    if (!lane) {
      let load = this.#routes.get(route);
      if (!load)
        this.#routes.set(route, (load = { active: 0, averageMs: undefined, bestMs: Infinity }));
      key.lanes.set(route, (lane = new Lane(key, load)));
    }
    return lane;
  }

  #mayStart({ active, key, load }: Lane): boolean {
    const free = this.#options.connections - this.#active;
    // So many more may the key start until it meets its threshold.
    const freeOfKey = (ALPHA.key * free - key.active) / (ALPHA.key + 1);
    return free > 0 && active < ALPHA.lane * freeOfKey && load.active < ALPHA.route * free;
  }

  #start(lane: Lane, attempt: Attempt): void {
    this.#grow(lane, attempt.sentMs);
    if (lane.active === 0) lane.movedMs = attempt.sentMs;
    lane.active += 1;
    lane.key.active += 1;
    lane.load.active += 1;
    this.#active += 1;
    attempt.slot = lane;
  }

  #release(lane: Lane, attempt: Attempt, outcome: Outcome): void {
    const { call, sentMs, endMs } = attempt;
    attempt.slot = undefined;
    this.#learn(lane, endMs, endMs - sentMs, !(outcome instanceof Error));
    if (!(outcome instanceof Error)) this.#noteAcceptance(call.apiKey, outcome.status);
    lane.active -= 1;
    lane.key.active -= 1;
    lane.load.active -= 1;
    this.#active -= 1;
    this.#shrink(lane);
    this.#startWaiting();
  }

  /** A key is accepted by any answer but a refusal of the key. */
  #noteAcceptance(apiKey: string, status: number): void {
    if (status === 401) this.#accepted.delete(apiKey);
    else if (status !== 403 && !this.#accepted.has(apiKey)) {
      this.#accepted.set(apiKey, new KeyQueue());
    }
  }

  #learn(lane: Lane, endMs: number, tookMs: number, isAnswered: boolean): void {
    const { load } = lane;
    lane.movedMs = endMs;
    lane.averageMs = averageOf(lane.averageMs, tookMs, isAnswered);
    load.averageMs = averageOf(load.averageMs, tookMs, isAnswered);
    this.#averageMs = averageOf(this.#averageMs, tookMs, isAnswered);
    if (!isAnswered) return;
    load.bestMs = Math.min(load.bestMs * BEST_DECAY, tookMs);
    this.#ended.add(endMs);
  }

  #enqueue(lane: Lane, attempt: Attempt, proceed: Proceed): void {
    const giveUp = (why: EndOfWait): void => this.#giveUp(queued, why);
    const queued: QueuedAttempt = { attempt, lane, proceed, giveUp };
    this.#grow(lane, attempt.startMs);
    lane.queue.add(queued);
    lane.key.queued += 1;
    lane.key.waitingLanes.add(lane);
    this.#waitingKeys.add(lane.key);
    this.#waiting += 1;
    attempt.flight.cancel.listen(queued);
  }

  /** Takes an attempt out of its queue: it goes on, or ends with a refusal. */
  #leave(queued: QueuedAttempt, refusal?: Error): void {
    const { lane, attempt } = queued;
    const { key } = lane;
    attempt.flight.cancel.listen(undefined);
    lane.queue.delete(queued);
    key.queued -= 1;
    this.#waiting -= 1;
    if (!lane.isQueued) key.waitingLanes.delete(lane);
    if (key.queued === 0) this.#waitingKeys.delete(key);
    this.#shrink(lane);
    queued.proceed(attempt, refusal);
  }

  #giveUp(queued: QueuedAttempt, why: EndOfWait): void {
    const { call, isCutShort } = queued.attempt;
    const { route } = call;
    if (why !== 'timeout') this.#leave(queued, endOfWait(why, route));
    else if (!isCutShort) this.#leave(queued, this.#refusal(route, 0));
    else this.#leave(queued, new RestTimeoutError('No connection came free in time', route));
  }

  /** Round robin over the keys, and over the routes of each; those that may not start are passed over. */
  #startWaiting(): void {
    for (const key of this.#waitingKeys) {
      if (this.#active >= this.#options.connections) return;
      for (const lane of key.waitingLanes) {
        if (!this.#mayStart(lane)) continue;
        const [next] = lane.queue;
        if (next) this.#startQueued(next);
        // To the end of both rounds. A key at the end is visited again by this very loop.
        if (key.waitingLanes.delete(lane)) key.waitingLanes.add(lane);
        if (this.#waitingKeys.delete(key)) this.#waitingKeys.add(key);
        break;
      }
    }
  }

  #startQueued(queued: QueuedAttempt): void {
    const { attempt, lane } = queued;
    const nowMs = performance.now();
    // After a stall of this process: nobody could use the answer any more.
    if (attempt.untilMs <= nowMs) {
      this.#giveUp(queued, 'timeout');
      return;
    }
    attempt.sentMs = nowMs;
    this.#start(lane, attempt);
    this.#leave(queued);
  }

  /** Before a call is added to a lane. */
  #grow(lane: Lane, nowMs: number): void {
    if (lane.size > 0) return;
    lane.becomeBusy(nowMs);
    if (lane.key.busyLanes === 0) this.#busyKeys += 1;
    lane.key.busyLanes += 1;
  }

  /** After a call has left a lane. */
  #shrink({ size, key }: Lane): void {
    if (size > 0) return;
    key.busyLanes -= 1;
    if (key.busyLanes === 0) this.#busyKeys -= 1;
  }

  /** When to come back instead of waiting, in milliseconds; undefined when it may wait. */
  #shedMs(lane: Lane, nowMs: number, untilMs: number): number | undefined {
    const { maxQueue } = this.#options;
    const known = lane.averageMs ?? lane.load.averageMs;
    if (known === undefined) return lane.queue.size >= maxQueue ? 0 : undefined;
    const silentMs = lane.active > 0 ? nowMs - lane.movedMs : 0;
    const averageMs = silentMs > STALLED_MS ? Math.max(known, silentMs) : known;
    const waitMs = Math.min(this.#waitByTime(lane, averageMs), this.#waitByRate(lane, averageMs));
    const isFull = lane.queue.size >= QUEUE_FACTOR * maxQueue - this.#waiting;
    return isFull || nowMs + waitMs + known > untilMs ? waitMs : undefined;
  }

  /** How long a lane's queue takes by its own average, over the connections it holds or will have. */
  #waitByTime({ queue, active, key }: Lane, averageMs: number): number {
    const turns = Math.max(1, this.#busyKeys) * Math.max(1, key.busyLanes);
    const ofAll = ALPHA.key / (ALPHA.key + 1) / turns;
    return (queue.size * averageMs) / Math.max(1, active, ofAll * this.#options.connections);
  }

  /** The same by what ends, of all who take turns; says nothing of a lane that is slow by itself. */
  #waitByRate({ queue, key }: Lane, averageMs: number): number {
    if (averageMs > 2 * (this.#averageMs ?? 0)) return Infinity;
    const perMs = this.#ended.perMs(performance.now());
    return perMs > 0 ? (queue.size * this.#busyKeys * key.busyLanes) / perMs : Infinity;
  }
}

/** Lets an attempt go on that had to wait, or ends it. */
type Proceed = (attempt: Attempt, refusal?: Error) => void;

/** What a key has under way and waiting. */
class KeyQueue {
  active = 0;
  queued = 0;
  readonly lanes = new Map<Route, Lane>();
  /** In the order of their turns. */
  readonly waitingLanes = new Set<Lane>();
  /** Lanes with calls under way or waiting. */
  busyLanes = 0;
}

/** A route, as all keys together use it. */
interface RouteLoad {
  active: number;
  /** Milliseconds of one exchange, lately; undefined before the first. */
  averageMs: number | undefined;
  /** Milliseconds of the quickest exchange, lately. */
  bestMs: number;
}

/** The calls of one route of one key. */
class Lane {
  readonly key: KeyQueue;
  readonly load: RouteLoad;
  readonly queue = new Set<QueuedAttempt>();
  active = 0;
  /** As that of its route. */
  averageMs: number | undefined;
  /** When a call last began after none or ended, on `performance.now()`'s clock. */
  movedMs = 0;

  constructor(key: KeyQueue, load: RouteLoad) {
    this.key = key;
    this.load = load;
  }

  get isQueued(): boolean {
    return this.queue.size > 0;
  }

  get size(): number {
    return this.active + this.queue.size;
  }

  /** How slow a busy time was says little about the next one. */
  becomeBusy(nowMs: number): void {
    const { averageMs, bestMs } = this.load;
    const lastMs = this.averageMs ?? averageMs;
    this.averageMs = lastMs && Math.min(lastMs, AFTER_IDLE_FACTOR * bestMs);
    this.movedMs = nowMs;
  }
}

/**
 * The average with one exchange more. What was given up says only that an answer takes at least as
 * long: an attempt that had waited in the queue has little time left, and would make a slow backend
 * look quick.
 */
function averageOf(
  beforeMs: number | undefined,
  tookMs: number,
  isAnswered: boolean,
): number | undefined {
  if (!isAnswered && tookMs <= (beforeMs ?? 0)) return beforeMs;
  return beforeMs === undefined ? tookMs : beforeMs + EWMA_WEIGHT * (tookMs - beforeMs);
}

/** An attempt that waits for its turn: until it may start, its time is over or nobody wants it. */
interface QueuedAttempt extends Waiter {
  readonly attempt: Attempt;
  readonly lane: Lane;
  readonly proceed: Proceed;
}
