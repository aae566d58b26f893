/**
 * A call that waits for its turn: until it may start, its time is over or nobody wants it.
 */
import type { End, Waiter } from './cancel.ts';
import { RestOverloadedError, RestTimeoutError, type RestError, type RouteName } from './errors.ts';
import type { Outgoing } from './send.ts';

/** What is told to callers who are refused, at least, in milliseconds. */
const MIN_RETRY_AFTER_MS = 1_000;

export class Turn implements Waiter {
  readonly outgoing: Outgoing;
  readonly #resolve: () => void;
  readonly #reject: (error: RestError) => void;
  readonly #onLeave: (turn: Turn) => void;
  readonly #timer: NodeJS.Timeout;

  constructor(
    outgoing: Outgoing,
    resolve: () => void,
    reject: (error: RestError) => void,
    onLeave: (turn: Turn) => void,
  ) {
    this.outgoing = outgoing;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#onLeave = onLeave;
    const left = Math.ceil(outgoing.untilMs - performance.now());
    this.#timer = setTimeout(
      () => this.giveUp(outgoing.cut ? noConnection : noRoom),
      Math.max(0, left),
    );
    outgoing.cancel.listen(this);
  }

  start(): void {
    this.#leave();
    this.#resolve();
  }

  giveUp(end: End): void {
    this.#leave();
    this.#reject(end(this.outgoing.route));
  }

  #leave(): void {
    clearTimeout(this.#timer);
    this.outgoing.cancel.listen(undefined);
    this.#onLeave(this);
  }
}

export const overloaded = (route: RouteName, waitMs: number): RestOverloadedError =>
  new RestOverloadedError('Too many calls are waiting', route, {
    retryAfterMs: Math.ceil(Math.max(MIN_RETRY_AFTER_MS, waitMs)),
  });

const noRoom: End = (route) => overloaded(route, 0);

const noConnection: End = (route) => new RestTimeoutError('No connection came free in time', route);
