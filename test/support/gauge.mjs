/**
 * Loaded into a gateway by tests of memory: collects garbage and reports memory and handles, when asked.
 *
 * JavaScript, since a loader of TypeScript keeps a source map of every module.
 */
import process from 'node:process';

process.on('message', () => {
  // Twice, since the second run collects what finalizers have released.
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
