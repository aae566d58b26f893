/**
 * Ends a call from outside, wherever it is: in a queue, between tries, on the wire.
 *
 * An AbortController would do the same for some microseconds a call; since a call is in one place
 * at a time, one listener is enough.
 */
import { RestAbortedError, type RestError, type RouteLabel } from './errors.ts';

/** Why a wait ended without an answer. */
export type End = (route: RouteLabel) => RestError;

/** Whoever waits, and can be told that there is no use in it. */
export interface Waiter {
  giveUp(end: End): void;
}

export class Cancel {
  cancelled = false;
  #waiter: Waiter | undefined;

  cancel(): void {
    if (this.cancelled) return;
    this.cancelled = true;
    this.tell(abortedError);
  }

  /** Ends whatever the call waits for just now; it may go on in another way. */
  tell(end: End): void {
    this.#waiter?.giveUp(end);
  }

  /** Sets who is told; undefined when the call moves on. */
  listen(waiter: Waiter | undefined): void {
    this.#waiter = waiter;
  }
}

/** Nobody waits for the call any more. */
export const abortedError: End = (route) => new RestAbortedError('Call was given up', route);

/**
 * Waits, in milliseconds.
 *
 * @throws {RestAbortedError} at once when the call is cancelled.
 */
export function sleep(ms: number, cancel: Cancel, route: RouteLabel): Promise<void> {
  return new Promise((resolve, reject) => {
    if (cancel.cancelled) {
      reject(abortedError(route));
      return;
    }
    const timer = setTimeout(() => {
      cancel.listen(undefined);
      resolve();
    }, ms);
    cancel.listen({
      giveUp: (end) => {
        clearTimeout(timer);
        reject(end(route));
      },
    });
  });
}
