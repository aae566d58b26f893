import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Waits until something is true: checks again until `check` neither throws nor returns false.
 *
 * @throws the last error of `check`, when it still does not hold after `ms`.
 */
export async function until(check: () => unknown, ms = 30_000): Promise<void> {
  for (const endMs = performance.now() + ms; ; await sleep(10)) {
    try {
      if ((await check()) !== false) return;
      if (performance.now() > endMs) throw new Error(`Not within ${ms} ms: ${String(check)}`);
    } catch (error) {
      if (performance.now() > endMs) throw error;
    }
  }
}
