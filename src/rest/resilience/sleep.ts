/**
 * Waits of calls between their attempts.
 */
import type { Cancel } from '../../lib/cancel.ts';
import type { Clock } from '../../lib/clock.ts';

/** Waits, in milliseconds; false when it was cancelled before. */
export function sleep(clock: Clock, ms: number, cancel: Cancel): Promise<boolean> {
  if (cancel.cancelled) return Promise.resolve(false);
  return new Promise((resolve) => {
    const timer = clock.setTimeout(() => {
      cancel.listen(undefined);
      resolve(true);
    }, ms);
    cancel.listen({
      onEnd: () => {
        clock.clearTimeout(timer);
        resolve(false);
      },
    });
  });
}
