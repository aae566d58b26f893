/**
 * Waits of calls between their attempts.
 */
import type { Cancel } from '../../lib/cancel.ts';

/** Waits, in milliseconds; false when it was cancelled before. */
export function sleep(ms: number, cancel: Cancel): Promise<boolean> {
  if (cancel.cancelled) return Promise.resolve(false);
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      cancel.listen(undefined);
      resolve(true);
    }, ms);
    cancel.listen({
      onEnd: () => {
        clearTimeout(timer);
        resolve(false);
      },
    });
  });
}
