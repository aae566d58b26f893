/**
 * Ends a wait from outside: in a queue, between attempts, on the wire.
 *
 * An AbortController would do the same at the price of some microseconds a call. One listener is enough,
 * because a call waits in one place at a time.
 */

/** `cancelled`: the result is not wanted any more. `timeout`: this wait has lasted long enough. */
export type EndOfWait = 'cancelled' | 'timeout';

export interface Waiter {
  onEnd(why: EndOfWait): void;
}

export class Cancel {
  cancelled = false;
  #waiter: Waiter | undefined;

  cancel(): void {
    if (this.cancelled) return;
    this.cancelled = true;
    this.#waiter?.onEnd('cancelled');
  }

  /** Sets the wait to end; undefined when there is none. */
  listen(waiter: Waiter | undefined): void {
    this.#waiter = waiter;
  }
}
