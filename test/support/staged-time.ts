/** A clock that stands still until a test moves it on. */
import { onTestFinished, vi } from 'vitest';

/** Stages `performance.now()` for the present test; turns of the event loop stay real. */
export function stageTime(): { nowMs: number } {
  const time = { nowMs: 0 };
  vi.spyOn(performance, 'now').mockImplementation(() => time.nowMs);
  onTestFinished(() => {
    vi.restoreAllMocks();
  });
  return time;
}
