/**
 * Ends a call from outside, wherever it is: in a queue, between tries, on the wire.
 *
 * An AbortController would do the same for some microseconds a call; since a call is in one place
 * at a time, one listener is enough.
 */
import { RestAbortedError, type RouteName } from './errors.ts';

export class Cancel {
  cancelled = false;
  #listener: (() => void) | undefined;

  cancel(): void {
    if (this.cancelled) return;
    this.cancelled = true;
    this.#listener?.();
  }

  /** Sets who is told; undefined when the call moves on. */
  listen(listener: (() => void) | undefined): void {
    this.#listener = listener;
  }
}

/** Nobody waits for the call any more. */
export const abortedError = (route: RouteName): RestAbortedError =>
  new RestAbortedError('Call was given up', route);

/**
 * Waits, in milliseconds.
 *
 * @throws {RestAbortedError} at once when the call is cancelled.
 */
export function sleep(ms: number, cancel: Cancel, route: RouteName): Promise<void> {
  return new Promise((resolve, reject) => {
    if (cancel.cancelled) {
      reject(abortedError(route));
      return;
    }
    const timer = setTimeout(() => {
      cancel.listen(undefined);
      resolve();
    }, ms);
    cancel.listen(() => {
      clearTimeout(timer);
      reject(abortedError(route));
    });
  });
}
