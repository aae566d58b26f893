/**
 * Gives memory back once a busy time is over.
 *
 * V8 collects garbage when something is allocated, so a process that had a hard minute and is quiet
 * afterwards would keep what that minute took.
 */
import { performance } from 'node:perf_hooks';

const CHECK_EVERY_MS = 2_000;

/** The share of time that the event loop may be busy in a quiet time. */
const QUIET_UTILIZATION = 0.2;

/** How much more than after the last collection there has to be for the next, in bytes. */
const WORTHWHILE_BYTES = 30_000_000;

/** Memory that one collection frees, pages of the heap above all, is returned by the next ones. */
const COLLECTIONS = 3;

/**
 * V8 begins a collection when buffers have grown by 64 MB since the last one.
 * Source: `kExternalAllocationSoftLimit` of V8.
 */
const BUFFER_BYTES = 80_000_000;

export function releaseMemoryWhenQuiet(): void {
  let restingBytes = process.memoryUsage.rss();
  let due = 0;
  let checked = performance.eventLoopUtilization();
  setInterval(() => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, checked);
    checked = now;
    if (utilization > QUIET_UTILIZATION) return;
    const bytes = process.memoryUsage.rss();
    restingBytes = due > 0 ? bytes : Math.min(restingBytes, bytes);
    if (bytes >= restingBytes + WORTHWHILE_BYTES) due = COLLECTIONS;
    if (due === 0) return;
    due -= 1;
    beginCollection();
  }, CHECK_EVERY_MS).unref();
}

/**
 * Begins a collection that V8 carries out in steps and on other threads. Its `gc` would hold up everything
 * else, for a millisecond a megabyte of the heap.
 */
function beginCollection(): void {
  try {
    // Nobody writes to it, so the system gives no memory for it.
    Buffer.allocUnsafeSlow(BUFFER_BYTES);
  } catch {
    // The system does not even promise so much: what is kept is kept until V8 needs it.
  }
}
