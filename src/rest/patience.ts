/**
 * How long one request waits: until its deadline, or until its caller leaves.
 *
 * One timer and one listener serve all calls of a request, and exist only while a call is waiting:
 * nothing here keeps a process alive.
 */
import { abortedError, type Cancel } from './cancel.ts';
import { RestTimeoutError, type RestError, type RouteName } from './errors.ts';

/** Why a wait ended without an answer. */
type End = (route: RouteName) => RestError;

export class Patience {
  /** On `performance.now()`'s clock. */
  readonly deadlineMs: number;
  readonly #leaving: Cancel | undefined;
  readonly #waiting = new Set<(end: End) => void>();
  #timer: NodeJS.Timeout | undefined;

  constructor(deadlineMs: number, leaving: Cancel | undefined) {
    this.deadlineMs = deadlineMs;
    this.#leaving = leaving;
  }

  /**
   * @throws {RestTimeoutError} past the deadline.
   * @throws {RestAbortedError} when a read's caller has left; writes go on.
   */
  check(route: RouteName): void {
    if (performance.now() >= this.deadlineMs) throw timedOut(route);
    if (this.#leaving?.cancelled && route.method === 'GET') throw abortedError(route);
  }

  /** Calls back when the wait is over; what it answers takes the wish back. */
  whenOver(callback: (end: End) => void): () => void {
    if (this.#waiting.size === 0) this.#watch();
    this.#waiting.add(callback);
    return () => {
      if (this.#waiting.delete(callback) && this.#waiting.size === 0) this.#unwatch();
    };
  }

  #watch(): void {
    const left = Math.max(0, this.deadlineMs - performance.now());
    this.#timer = setTimeout(this.#onDeadline, Math.ceil(left));
    this.#leaving?.listen(this.#onLeft);
  }

  #unwatch(): void {
    clearTimeout(this.#timer);
    this.#leaving?.listen(undefined);
  }

  readonly #onDeadline = (): void => this.#finish(timedOut);
  readonly #onLeft = (): void => this.#finish(abortedError);

  #finish(end: End): void {
    this.#unwatch();
    const callbacks = [...this.#waiting];
    this.#waiting.clear();
    for (const callback of callbacks) callback(end);
  }
}

const timedOut = (route: RouteName): RestTimeoutError =>
  new RestTimeoutError('Backend did not answer in time', route);
