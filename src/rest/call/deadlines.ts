/** Ends waits in time: at the timeout of an attempt, and at the deadline of a request. */
import type { Cancel, EndOfWait, Waiter } from '../../lib/cancel.ts';
import type { Clock, Timer } from '../../lib/clock.ts';
import { endOfWait, type RouteLabel } from './errors.ts';

export interface Timed {
  /** End on the clock's time. */
  readonly untilMs: number;
  earlier: Timed | undefined;
  later: Timed | undefined;
  /** Called at the end, after its removal. */
  onTime(): void;
}

/**
 * A list of timeouts ordered by end, with a single timer. Most have the same duration, so insertion at the end is O(1),
 * as is removal.
 */
export class Timeouts {
  readonly #clock: Clock;
  #first: Timed | undefined;
  #last: Timed | undefined;
  #timer: Timer | undefined;
  #timerMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(one: Timed, nowMs: number): void {
    let earlier = this.#last;
    while (earlier && earlier.untilMs > one.untilMs) earlier = earlier.earlier;
    const later = earlier ? earlier.later : this.#first;
    one.earlier = earlier;
    one.later = later;
    if (earlier) earlier.later = one;
    else this.#first = one;
    if (later) later.earlier = one;
    else this.#last = one;
    if (!this.#timer || one.untilMs < this.#timerMs) this.#start(one.untilMs, nowMs);
  }

  /** Removes an element, if present. An empty list has no timer. */
  delete(one: Timed): void {
    const { earlier, later } = one;
    if (!earlier && this.#first !== one) return;
    if (earlier) earlier.later = later;
    else this.#first = later;
    if (later) later.earlier = earlier;
    else this.#last = earlier;
    one.earlier = one.later = undefined;
    if (this.#first) return;
    this.#clock.clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #start(untilMs: number, nowMs: number): void {
    this.#clock.clearTimeout(this.#timer);
    this.#timerMs = untilMs;
    const leftMs = Math.max(0, Math.ceil(untilMs - nowMs));
    this.#timer = this.#clock.setTimeout(() => this.#onTimer(), leftMs);
  }

  #onTimer(): void {
    this.#timer = undefined;
    const nowMs = this.#clock.now();
    for (let first = this.#first; first && first.untilMs <= nowMs; first = this.#first) {
      this.delete(first);
      first.onTime();
    }
    // Elements may have been added meanwhile, and Node's timers may be early by a fraction of a millisecond.
    if (this.#first && !this.#timer) this.#start(this.#first.untilMs, this.#clock.now());
  }
}

/** A wait, registered with at most one request. */
export interface WaitOfRequest extends Waiter {
  /** Index among the waits of its request; -1 if it is not one. */
  place: number;
}

/**
 * Ends the waiting calls of a request at its deadline, or when its caller disconnects.
 *
 * Registered with timer and cancel only while a call waits, so it does not keep the process alive.
 */
export class RequestDeadline implements Waiter, Timed {
  readonly untilMs: number;
  earlier: Timed | undefined;
  later: Timed | undefined;
  readonly #leaving: Cancel | undefined;
  readonly #clock: Clock;
  readonly #timeouts: Timeouts;
  #waiting: WaitOfRequest[] = [];
  #ended = false;

  constructor(untilMs: number, leaving: Cancel | undefined, timeouts: Timeouts, clock: Clock) {
    this.untilMs = untilMs;
    this.#leaving = leaving;
    this.#timeouts = timeouts;
    this.#clock = clock;
  }

  /** @throws {RestError} `timeout` after the deadline; `cancelled` for a read, not a write, of a caller who left. */
  check(route: RouteLabel): void {
    if (this.#clock.now() >= this.untilMs) throw endOfWait('timeout', route);
    const isOver = this.#ended || this.#leaving?.cancelled;
    if (isOver && route.method === 'GET') throw endOfWait('cancelled', route);
  }

  /** Cancels the request's reads, and rejects further ones. */
  end(): void {
    this.#ended = true;
    this.onEnd('cancelled');
  }

  add(waiter: WaitOfRequest): void {
    waiter.place = this.#waiting.length;
    this.#waiting.push(waiter);
    if (waiter.place > 0) return;
    this.#timeouts.add(this, this.#clock.now());
    this.#leaving?.listen(this);
  }

  delete(waiter: WaitOfRequest): void {
    const { place } = waiter;
    if (place < 0) return;
    waiter.place = -1;
    const last = this.#waiting.pop()!;
    if (last !== waiter) {
      this.#waiting[place] = last;
      last.place = place;
    }
    if (this.#waiting.length === 0) this.#unwatch();
  }

  onTime(): void {
    this.onEnd('timeout');
  }

  onEnd(why: EndOfWait): void {
    if (this.#waiting.length === 0) return;
    this.#unwatch();
    const waiters = this.#waiting;
    this.#waiting = [];
    for (const waiter of waiters) waiter.place = -1;
    for (const waiter of waiters) waiter.onEnd(why);
  }

  #unwatch(): void {
    this.#timeouts.delete(this);
    this.#leaving?.listen(undefined);
  }
}
