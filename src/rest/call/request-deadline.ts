/**
 * Ends the waiting calls of a request at its deadline, or when its caller disconnects.
 *
 * Registered with timer and cancel only while a call waits, so it does not keep the process alive.
 */
import type { Cancel, EndOfWait, Waiter } from '../../lib/cancel.ts';
import type { Clock } from '../../lib/clock.ts';
import { endOfWait, type RouteLabel } from './errors.ts';
import type { Timed, Timeouts } from './timeouts.ts';

/** A wait, registered with at most one request. */
export interface WaitOfRequest extends Waiter {
  /** Index among the waits of its request; -1 if it is not one. */
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
   * @throws {RestError} `timeout` after the deadline; `cancelled` for a read whose caller has disconnected. Writes
   * continue.
   */
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
