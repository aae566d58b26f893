/**
 * Ends the waiting calls of a request at its deadline, or when its caller leaves.
 *
 * It stands in the list of all requests' deadlines, and listens, only while a call waits, so that neither keeps the
 * process alive.
 */
import type { Cancel, EndOfWait, Waiter } from '../../lib/cancel.ts';
import type { Clock } from '../../lib/clock.ts';
import { endOfWait, type RouteLabel } from './errors.ts';
import type { Timed, Timeouts } from './timeouts.ts';

/** Waits in one place at a time. */
export interface WaitOfRequest extends Waiter {
  /** Where it stands among the waits of its request; -1 while it does not. */
  place: number;
}

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

  /**
   * @throws {RestError} `timeout` past the deadline; `cancelled` for a read whose caller has left: writes go on.
   */
  check(route: RouteLabel, nowMs: number): void {
    if (nowMs >= this.untilMs) throw endOfWait('timeout', route);
    const isOver = this.#ended || this.#leaving?.cancelled;
    if (isOver && route.method === 'GET') throw endOfWait('cancelled', route);
  }

  /** Gives up the request's reads, and refuses further ones. */
  end(): void {
    this.#ended = true;
    this.onEnd('cancelled');
  }

  /** Adds a wait to end in time. */
  add(waiter: WaitOfRequest, nowMs = this.#clock.now()): void {
    waiter.place = this.#waiting.length;
    this.#waiting.push(waiter);
    if (waiter.place > 0) return;
    this.#timeouts.add(this, nowMs);
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

  /** Ends all waits. */
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
