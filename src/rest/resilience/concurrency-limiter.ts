/**
 * The concurrency limiter: bounds the calls under way, queues the others, and sheds load.
 *
 * Fair queueing: keys take turns, and so do the routes of a key. A flow is one route of one key. All keys
 * that the backend has not accepted yet count as one key, so that inventing keys gains nothing. A turn is
 * as many calls as there are connections, so that requests end one after the other instead of all at once.
 * Keys that have just begun to wait go first, so that small requests do not wait for large ones.
 * Source: deficit round robin with new and old flows, RFC 8290, section 4.2.
 * Bulkheads: no key and no route may hold all connections, so a slow one leaves the others theirs.
 * Load shedding: a call that would not be answered in time behind those that wait is refused.
 */
import { LRUCache } from 'lru-cache';
import type { EndOfWait, Waiter } from '../../lib/cancel.ts';
import { LinkedQueue, type Linked } from './linked-queue.ts';
import { RollingCount } from './rolling-count.ts';
import { Silence, SILENT_CALLS } from './silence.ts';
import type { Route } from '../../v0/routes.ts';
import type { Attempt, Call, Layer, Outcome } from '../client/call.ts';
import {
  endOfWait,
  RestOverloadedError,
  RestTimeoutError,
  reusedRefusals,
} from '../client/errors.ts';
import type { UpstreamObserver } from '../client/observer.ts';

interface LimiterOptions {
  /** Calls under way at once, of all keys. */
  readonly connections: number;
  /** Calls of one flow that may wait before its first answer. */
  readonly maxQueue: number;
  /** One attempt, in milliseconds. */
  readonly timeoutMs: number;
  readonly observer: UpstreamObserver;
  /** The backend has gone silent on the route of this call, for its key. Told again while it lasts. */
  readonly onSilence: (call: Call, nowMs: number) => void;
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
  flow: 9,
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

/** After an idle time a route's average is taken to be at most this many times its best. */
const AFTER_IDLE_FACTOR = 4;

/** The best time of a route grows by this factor with every answer, so that old ones are forgotten. */
const BEST_DECAY = 1.001;

/** Throughput is measured over one to two of these, in milliseconds. */
const THROUGHPUT_SPAN_MS = 500;

/** After so long without an end the average of a flow is too low; a shorter silence may be our own delay. */
const STALLED_MS = 2_500;

export class ConcurrencyLimiter {
  readonly #options: LimiterOptions;
  readonly #accepted = new LRUCache<string, KeyQueue>({ max: MAX_ACCEPTED_KEYS });
  readonly #unaccepted = new KeyQueue();
  readonly #routes = new Map<Route, RouteLoad>();
  /** Keys that have begun to wait, until their first turn ends. They go before the others. */
  readonly #newKeys = new Set<KeyQueue>();
  /**
   * The other keys with waiting calls, in the order of their turns. One whose calls have all started stays
   * until it is visited: a key that waits again and again is not a new one each time.
   */
  readonly #oldKeys = new Set<KeyQueue>();
  #active = 0;
  #waiting = 0;
  /** Keys with calls under way or waiting. */
  #busyKeys = 0;
  #averageMs: number | undefined;
  /** Calls ended. Unlike their duration, the rate does not suffer when this process reads answers late. */
  readonly #ended = new RollingCount(THROUGHPUT_SPAN_MS);
  readonly #refusal = reusedRefusals((route, ms) => new RestOverloadedError(route, ms));

  constructor(options: LimiterOptions) {
    this.#options = options;
  }

  readonly layer: Layer = (inner) => (settle) => {
    const send = inner((attempt, outcome) => {
      if (attempt.slot instanceof Flow) this.#release(attempt.slot, attempt, outcome);
      settle(attempt, outcome);
    });
    const proceed: Proceed = (attempt, refusal) => {
      if (refusal) settle(attempt, refusal);
      else send(attempt);
    };
    return (attempt) => {
      const flow = this.#flowOf(attempt.call);
      if (flow.active >= SILENT_CALLS) this.#noteBeginning(flow, attempt);
      if (!flow.isQueued && this.#mayStart(flow)) {
        attempt.sentMs = attempt.startMs;
        this.#start(flow, attempt);
        send(attempt);
        return;
      }
      const shedMs = this.#shedMs(flow, attempt.startMs, attempt.untilMs);
      if (shedMs === undefined) {
        this.#enqueue(flow, attempt, proceed);
      } else {
        const { route } = attempt.call;
        this.#options.observer.onShed?.(route);
        settle(attempt, this.#refusal(route, shedMs));
      }
    };
  };

  /** As `Upstream.shedMs`. */
  shedMs(apiKey: string): number | undefined {
    const key = this.#keyOf(apiKey);
    if (key.queued === 0) return undefined;
    const nowMs = performance.now();
    let leastMs = Infinity;
    for (const flow of key.flows.values()) {
      if (flow.size === 0) continue;
      const shedMs = flow.isQueued
        ? this.#shedMs(flow, nowMs, nowMs + this.#options.timeoutMs)
        : undefined;
      if (shedMs === undefined) return undefined;
      leastMs = Math.min(leastMs, shedMs);
    }
    return Math.max(1_000, Math.ceil(leastMs));
  }

  isAccepted(apiKey: string): boolean {
    return this.#accepted.has(apiKey);
  }

  /** Ends the waiting attempts that `refusalOf` has a refusal for. */
  refuse(refusalOf: (attempt: Attempt) => Error | undefined): void {
    const waiting = [...this.#newKeys, ...this.#oldKeys].flatMap(({ waitingFlows }) =>
      [...waitingFlows].flatMap(({ queue }) => [...queue]),
    );
    for (const queued of waiting) {
      const refusal = refusalOf(queued.attempt);
      if (refusal) this.#leave(queued, refusal);
    }
  }

  #keyOf(apiKey: string): KeyQueue {
    return this.#accepted.get(apiKey) ?? this.#unaccepted;
  }

  #flowOf({ apiKey, route, isDeferred }: Call): Flow {
    const key = this.#keyOf(apiKey);
    const flows = isDeferred ? key.deferredFlows : key.flows;
    let flow = flows.get(route);
    if (!flow) {
      let load = this.#routes.get(route);
      if (!load)
        this.#routes.set(route, (load = { active: 0, averageMs: undefined, bestMs: Infinity }));
      flows.set(route, (flow = new Flow(key, load, isDeferred, this.#options.timeoutMs)));
    }
    return flow;
  }

  #mayStart({ active, key, load, isDeferred }: Flow): boolean {
    const free = this.#options.connections - this.#active;
    // What the key may still start until it reaches its threshold.
    const freeOfKey = (ALPHA.key * free - key.active) / (ALPHA.key + 1);
    if (isDeferred) {
      // They take half of what is left, so that what an answer asks for next finds some.
      const isBehind = key.queued > key.queuedDeferred;
      if (isBehind || key.activeDeferred >= freeOfKey) return false;
    }
    return free > 0 && active < ALPHA.flow * freeOfKey && load.active < ALPHA.route * free;
  }

  /** A call of a flow begins that has many under way. */
  #noteBeginning({ key, silence, averageMs }: Flow, { call, startMs }: Attempt): void {
    if (key === this.#unaccepted || averageMs === undefined) return;
    if (silence.lastsAt(startMs, averageMs)) this.#options.onSilence(call, startMs);
  }

  #start(flow: Flow, attempt: Attempt): void {
    this.#grow(flow, attempt.sentMs);
    if (flow.active === 0) flow.movedMs = attempt.sentMs;
    flow.active += 1;
    flow.key.active += 1;
    if (flow.isDeferred) flow.key.activeDeferred += 1;
    flow.load.active += 1;
    this.#active += 1;
    attempt.slot = flow;
  }

  #release(flow: Flow, attempt: Attempt, outcome: Outcome): void {
    const { call, sentMs, endMs } = attempt;
    attempt.slot = undefined;
    this.#learn(flow, endMs, endMs - sentMs, !(outcome instanceof Error));
    if (!(outcome instanceof Error)) this.#noteAcceptance(call.apiKey, outcome.status);
    flow.active -= 1;
    flow.key.active -= 1;
    if (flow.isDeferred) flow.key.activeDeferred -= 1;
    flow.load.active -= 1;
    this.#active -= 1;
    this.#shrink(flow);
    this.#startWaiting();
  }

  /** A key is accepted by any answer but a refusal of the key. */
  #noteAcceptance(apiKey: string, status: number): void {
    if (status === 401) this.#accepted.delete(apiKey);
    else if (status !== 403 && !this.#accepted.has(apiKey)) {
      this.#accepted.set(apiKey, new KeyQueue());
    }
  }

  #learn(flow: Flow, endMs: number, tookMs: number, isAnswered: boolean): void {
    const { load } = flow;
    flow.movedMs = endMs;
    flow.silence.noteEnd(isAnswered, tookMs);
    flow.averageMs = averageOf(flow.averageMs, tookMs, isAnswered);
    load.averageMs = averageOf(load.averageMs, tookMs, isAnswered);
    this.#averageMs = averageOf(this.#averageMs, tookMs, isAnswered);
    if (!isAnswered) return;
    load.bestMs = Math.min(load.bestMs * BEST_DECAY, tookMs);
    this.#ended.add(endMs);
  }

  #enqueue(flow: Flow, attempt: Attempt, proceed: Proceed): void {
    const giveUp = (why: EndOfWait): void => this.#giveUp(queued, why);
    const queued: QueuedAttempt = {
      attempt,
      flow,
      proceed,
      giveUp,
      previous: undefined,
      next: undefined,
    };
    this.#grow(flow, attempt.startMs);
    flow.queue.add(queued);
    flow.key.queued += 1;
    if (flow.isDeferred) flow.key.queuedDeferred += 1;
    flow.key.waitingFlows.add(flow);
    this.#queueKey(flow.key);
    this.#waiting += 1;
    attempt.flight.cancel.listen(queued);
  }

  /** Takes an attempt out of its queue: it goes on, or ends with a refusal. */
  #leave(queued: QueuedAttempt, refusal?: Error): void {
    const { flow, attempt } = queued;
    const { key } = flow;
    attempt.flight.cancel.listen(undefined);
    flow.queue.delete(queued);
    key.queued -= 1;
    if (flow.isDeferred) key.queuedDeferred -= 1;
    this.#waiting -= 1;
    if (!flow.isQueued) key.waitingFlows.delete(flow);
    if (key.queued === 0 && this.#newKeys.delete(key)) this.#oldKeys.add(key);
    this.#shrink(flow);
    queued.proceed(attempt, refusal);
  }

  #giveUp(queued: QueuedAttempt, why: EndOfWait): void {
    const { call, isCutShort } = queued.attempt;
    const { route } = call;
    if (why !== 'timeout') this.#leave(queued, endOfWait(why, route));
    else if (!isCutShort) this.#leave(queued, this.#refusal(route, 0));
    else this.#leave(queued, new RestTimeoutError('No connection came free in time', route));
  }

  #queueKey(key: KeyQueue): void {
    if (this.#newKeys.has(key) || this.#oldKeys.has(key)) return;
    key.credit = this.#options.connections;
    this.#newKeys.add(key);
  }

  /** Starts what may start of the keys whose turn it is. */
  #startWaiting(): void {
    for (const keys of [this.#newKeys, this.#oldKeys]) {
      for (const key of keys) {
        if (this.#active >= this.#options.connections) return;
        if (key.queued === 0) keys.delete(key);
        else this.#startTurn(key);
      }
    }
  }

  /** Round robin over the routes of a key; those that may not start are passed over. */
  #startTurn(key: KeyQueue): void {
    for (const flow of key.waitingFlows) {
      if (this.#active >= this.#options.connections) return;
      if (!this.#mayStart(flow)) continue;
      const { first } = flow.queue;
      if (first) this.#startQueued(first);
      // To the end of the round, which visits it again.
      if (key.waitingFlows.delete(flow)) key.waitingFlows.add(flow);
      key.credit -= 1;
      if (key.credit === 0) {
        this.#endTurn(key);
        return;
      }
    }
  }

  /** The key goes to the end of the round, which visits it again. */
  #endTurn(key: KeyQueue): void {
    key.credit = this.#options.connections;
    this.#newKeys.delete(key);
    this.#oldKeys.delete(key);
    this.#oldKeys.add(key);
  }

  #startQueued(queued: QueuedAttempt): void {
    const { attempt, flow } = queued;
    const nowMs = performance.now();
    // This process was stalled: the answer would come too late.
    if (attempt.untilMs <= nowMs) {
      this.#giveUp(queued, 'timeout');
      return;
    }
    attempt.sentMs = nowMs;
    this.#start(flow, attempt);
    this.#leave(queued);
  }

  /** Called before a call is added to a flow. */
  #grow(flow: Flow, nowMs: number): void {
    if (flow.size > 0) return;
    flow.becomeBusy(nowMs);
    if (flow.key.busyFlows === 0) this.#busyKeys += 1;
    flow.key.busyFlows += 1;
  }

  /** Called after a call has left a flow. */
  #shrink({ size, key }: Flow): void {
    if (size > 0) return;
    key.busyFlows -= 1;
    if (key.busyFlows === 0) this.#busyKeys -= 1;
  }

  /** When to come back instead of waiting, in milliseconds; undefined when it may wait. */
  #shedMs(flow: Flow, nowMs: number, untilMs: number): number | undefined {
    const { maxQueue } = this.#options;
    const known = flow.averageMs ?? flow.load.averageMs;
    if (known === undefined) return flow.queue.size >= maxQueue ? 0 : undefined;
    const stalledMs = flow.active > 0 ? nowMs - flow.movedMs : 0;
    const averageMs = stalledMs > STALLED_MS ? Math.max(known, stalledMs) : known;
    const waitMs = Math.min(this.#waitByTime(flow, averageMs), this.#waitByRate(flow, averageMs));
    const isFull = flow.queue.size >= QUEUE_FACTOR * maxQueue - this.#waiting;
    return isFull || nowMs + waitMs + known > untilMs ? waitMs : undefined;
  }

  /** A flow's wait by its average duration, over the connections it holds or will get. */
  #waitByTime({ queue, active, key }: Flow, averageMs: number): number {
    const turns = Math.max(1, this.#busyKeys) * Math.max(1, key.busyFlows);
    const ofAll = ALPHA.key / (ALPHA.key + 1) / turns;
    return (queue.size * averageMs) / Math.max(1, active, ofAll * this.#options.connections);
  }

  /** A flow's wait by the throughput of all keys; says nothing about a flow that is slower than most. */
  #waitByRate({ queue, key }: Flow, averageMs: number): number {
    if (averageMs > 2 * (this.#averageMs ?? 0)) return Infinity;
    const perMs = this.#ended.perMs(performance.now());
    return perMs > 0 ? (queue.size * this.#busyKeys * key.busyFlows) / perMs : Infinity;
  }
}

/** Starts an attempt that has waited, or ends it with a refusal. */
type Proceed = (attempt: Attempt, refusal?: Error) => void;

/** The calls of a key, under way and waiting. */
class KeyQueue {
  active = 0;
  queued = 0;
  /** Calls that it may start before its turn ends. */
  credit = 0;
  readonly flows = new Map<Route, Flow>();
  /** Of calls that wait behind those. */
  readonly deferredFlows = new Map<Route, Flow>();
  activeDeferred = 0;
  queuedDeferred = 0;
  /** In the order of their turns. */
  readonly waitingFlows = new Set<Flow>();
  /** Flows with calls under way or waiting. */
  busyFlows = 0;
}

/** The calls of a route, of all keys. */
interface RouteLoad {
  active: number;
  /** Milliseconds of one exchange, lately; undefined before the first. */
  averageMs: number | undefined;
  /** Milliseconds of the quickest exchange, lately. */
  bestMs: number;
}

/** The calls of one route of one key. */
class Flow {
  readonly key: KeyQueue;
  readonly load: RouteLoad;
  readonly isDeferred: boolean;
  readonly queue = new LinkedQueue<QueuedAttempt>();
  readonly silence: Silence;
  active = 0;
  /** As `RouteLoad.averageMs`. */
  averageMs: number | undefined;
  /** When a call last began after none or ended, on `performance.now()`'s clock. */
  movedMs = 0;

  constructor(key: KeyQueue, load: RouteLoad, isDeferred: boolean, timeoutMs: number) {
    this.key = key;
    this.load = load;
    this.isDeferred = isDeferred;
    this.silence = new Silence(timeoutMs);
  }

  get isQueued(): boolean {
    return this.queue.size > 0;
  }

  get size(): number {
    return this.active + this.queue.size;
  }

  /** Resets the average after an idle time: the last busy time says little about the next one. */
  becomeBusy(nowMs: number): void {
    const { averageMs, bestMs } = this.load;
    const lastMs = this.averageMs ?? averageMs;
    this.averageMs = lastMs && Math.min(lastMs, AFTER_IDLE_FACTOR * bestMs);
    this.movedMs = nowMs;
    this.silence.reset();
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

/** An attempt that waits until it may start, times out or is cancelled. */
interface QueuedAttempt extends Waiter, Linked<QueuedAttempt> {
  readonly attempt: Attempt;
  readonly flow: Flow;
  readonly proceed: Proceed;
}
