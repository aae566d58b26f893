/**
 * Gives memory back once a busy time is over.
 *
 * V8 collects garbage when something is allocated, so a process that had a hard minute and is quiet
 * afterwards would keep what that minute took.
 */
import { performance } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const CHECK_EVERY_MS = 2_000;

/** The share of time that the event loop may be busy in a quiet time. */
const QUIET_UTILIZATION = 0.2;

/** How much more than after the last collection there has to be for the next, in bytes. */
const WORTHWHILE_BYTES = 30_000_000;

/** Memory that one collection frees, pages of the heap above all, is returned by the next ones. */
const COLLECTIONS = 3;

export function releaseMemoryWhenQuiet(): void {
  const collect = garbageCollector();
  let restingBytes = process.memoryUsage.rss();
  let due = 0;
  let checked = performance.eventLoopUtilization();
  setInterval(() => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, checked);
    checked = now;
    if (utilization > QUIET_UTILIZATION) return;
    if (process.memoryUsage.rss() >= restingBytes + WORTHWHILE_BYTES) due = COLLECTIONS;
    if (due === 0) return;
    due -= 1;
    collect();
    restingBytes = process.memoryUsage.rss();
  }, CHECK_EVERY_MS).unref();
}

/** V8's function, which Node offers only with a flag. */
function garbageCollector(): () => void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  setFlagsFromString('--no-expose-gc');
  return collect;
}
