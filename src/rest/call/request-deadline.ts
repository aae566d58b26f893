/**
 * Ends the waiting calls of a request at its deadline, or when its caller leaves.
 *
 * One timer and one listener serve all calls, and exist only while a call waits, so that they do not
 * keep the process alive.
 */
import type { Cancel, EndOfWait, Waiter } from '../../lib/cancel.ts';
import type { Clock, Timer } from '../../lib/clock.ts';
import { endOfWait, type RouteLabel } from './errors.ts';

export class RequestDeadline implements Waiter {
  readonly deadlineMs: number;
  readonly #leaving: Cancel | undefined;
  readonly #clock: Clock;
  readonly #waiting = new Set<Waiter>();
  #timer: Timer | undefined;
  #ended = false;

  constructor(deadlineMs: number, leaving: Cancel | undefined, clock: Clock) {
    this.deadlineMs = deadlineMs;
    this.#leaving = leaving;
    this.#clock = clock;
  }

  /**
   * @throws {RestTimeoutError} past the deadline.
   * @throws {RestAbortedError} for a read whose caller has left; writes go on.
   */
  check(route: RouteLabel): void {
    if (this.#clock.now() >= this.deadlineMs) throw endOfWait('timeout', route);
    const isOver = this.#ended || this.#leaving?.cancelled;
    if (isOver && route.method === 'GET') throw endOfWait('cancelled', route);
  }

  /** Gives up the request's reads, and refuses further ones. */
  end(): void {
    this.#ended = true;
    this.onEnd('cancelled');
  }

  /** Adds a wait to end in time. */
  add(waiter: Waiter): void {
    if (this.#waiting.size === 0) this.#watch();
    this.#waiting.add(waiter);
  }

  delete(waiter: Waiter): void {
    if (this.#waiting.delete(waiter) && this.#waiting.size === 0) this.#unwatch();
  }

  /** Ends all waits. */
  onEnd(why: EndOfWait): void {
    this.#unwatch();
    const waiters = [...this.#waiting];
    this.#waiting.clear();
    for (const waiter of waiters) waiter.onEnd(why);
  }

  #watch(): void {
    const left = Math.max(0, this.deadlineMs - this.#clock.now());
    this.#timer = this.#clock.setTimeout(() => this.onEnd('timeout'), Math.ceil(left));
    this.#leaving?.listen(this);
  }

  #unwatch(): void {
    this.#clock.clearTimeout(this.#timer);
    this.#leaving?.listen(undefined);
  }
}
