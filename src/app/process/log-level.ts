/**
 * SIGUSR2 switches the level of the log between LOG_LEVEL and `debug`, and back, while the process runs.
 */
import type { Logger } from '../../gateway/observe/logs/logger.ts';

export function switchLevelOnSignal(logger: Logger): void {
  const { level } = logger;
  process.on('SIGUSR2', () => {
    const logLevel = logger.level === level ? 'debug' : level;
    // `debug` shows the line for any old and new level.
    logger.level = 'debug';
    logger.info({ logLevel }, 'Log level changed');
    logger.level = logLevel;
  });
}
