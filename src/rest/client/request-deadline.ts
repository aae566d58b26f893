/**
 * How long one request waits: until its deadline, or until its caller leaves.
 *
 * One timer and one listener serve all calls of a request, and exist only while a call is waiting, so
 * that nothing here keeps a process alive.
 */
import type { Cancel, EndOfWait, Waiter } from '../../lib/cancel.ts';
import { endOfWait, type RouteLabel } from './errors.ts';

export class RequestDeadline implements Waiter {
  /** On `performance.now()`'s clock. */
  readonly deadlineMs: number;
  readonly #leaving: Cancel | undefined;
  readonly #waiting = new Set<Waiter>();
  #timer: NodeJS.Timeout | undefined;
  #ended = false;

  constructor(deadlineMs: number, leaving: Cancel | undefined) {
    this.deadlineMs = deadlineMs;
    this.#leaving = leaving;
  }

  /**
   * @throws {RestTimeoutError} past the deadline.
   * @throws {RestAbortedError} for a read that nobody waits for any more; writes go on.
   */
  check(route: RouteLabel): void {
    if (performance.now() >= this.deadlineMs) throw endOfWait('timeout', route);
    const isOver = this.#ended || this.#leaving?.cancelled;
    if (isOver && route.method === 'GET') throw endOfWait('cancelled', route);
  }

  /** Nobody waits for the request's reads any more. */
  end(): void {
    this.#ended = true;
    this.giveUp('cancelled');
  }

  /** Tells whoever waits when the wait is over. */
  add(waiter: Waiter): void {
    if (this.#waiting.size === 0) this.#watch();
    this.#waiting.add(waiter);
  }

  delete(waiter: Waiter): void {
    if (this.#waiting.delete(waiter) && this.#waiting.size === 0) this.#unwatch();
  }

  /** All calls of the request are given up. */
  giveUp(why: EndOfWait): void {
    this.#unwatch();
    const waiters = [...this.#waiting];
    this.#waiting.clear();
    for (const waiter of waiters) waiter.giveUp(why);
  }

  #watch(): void {
    const left = Math.max(0, this.deadlineMs - performance.now());
    this.#timer = setTimeout(() => this.giveUp('timeout'), Math.ceil(left));
    this.#leaving?.listen(this);
  }

  #unwatch(): void {
    clearTimeout(this.#timer);
    this.#leaving?.listen(undefined);
  }
}
