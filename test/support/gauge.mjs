/**
 * Loaded into a gateway by tests of memory: collects garbage and says what is left, when asked.
 *
 * JavaScript, since what loads TypeScript also keeps a map of everything.
 */
import process from 'node:process';

process.on('message', () => {
  // Twice: what a finalizer lets go is collected by the second.
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, rss } = process.memoryUsage();
  process.send?.({
    heapBytes: heapUsed,
    rssBytes: rss,
    handles: process.getActiveResourcesInfo().length,
  });
});
// Listening to its parent must not keep the gateway alive.
process.channel?.unref();
