/**
 * SIGUSR2 switches the level of the log between LOG_LEVEL and `debug`, and back, while the process runs.
 *
 * A primary switches its workers too, including later ones.
 */
import cluster from 'node:cluster';
import type { Logger } from '../../gateway/observe/logs/logger.ts';

export function switchLevelOnSignal(logger: Logger): void {
  const { level } = logger;
  const set = (to: string): void => {
    // `debug` shows the line for any old and new level.
    logger.level = 'debug';
    logger.info({ logLevel: to }, 'The level of the log has changed');
    logger.level = to;
  };
  process.on('SIGUSR2', () => {
    const logLevel = logger.level === level ? 'debug' : level;
    set(logLevel);
    for (const worker of Object.values(cluster.workers ?? {})) worker?.send({ logLevel });
  });
  cluster.on('online', (worker) => {
    if (logger.level !== level) worker.send({ logLevel: logger.level });
  });
  if (!cluster.isWorker) return;
  process.on('message', ({ logLevel }: { readonly logLevel?: string }) => {
    if (logLevel !== undefined) set(logLevel);
  });
}
