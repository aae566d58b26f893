/**
 * What ends a process, and what does not: signals, and promises that nobody waits for.
 */
import cluster from 'node:cluster';
import type { Logger } from '../observe/logger.ts';

/** How a process ends: asked to and finished, for a mistake or at the second signal, or cut short. */
export const EXIT = {
  finished: 0,
  failed: 1,
  /** Requests were under way when SHUTDOWN_TIMEOUT_MS had passed; `timeout` of the shell says the same. */
  cut: 124,
} as const;

/**
 * The first signal ends the process in order, the second at once.
 *
 * @param stop answers whether everything was finished.
 */
export function stopOnSignals(logger: Logger, stop: () => Promise<boolean>): void {
  let stopping = false;
  const onSignal = (signal: NodeJS.Signals): void => {
    // A terminal signals every process; a worker's end is its primary's to say.
    if (cluster.isWorker && (stopping || signal === 'SIGINT')) return;
    if (stopping) process.exit(EXIT.failed);
    stopping = true;
    logger.info({ signal }, 'Stopping: finishing what is under way');
    stop().then(
      (finished) => {
        if (!finished) logger.warn('Time is up: what was under way has been cut');
        process.exit(finished ? EXIT.finished : EXIT.cut);
      },
      (error: unknown) => {
        logger.error({ err: error }, 'Stopping failed');
        process.exit(EXIT.failed);
      },
    );
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
}

/** A promise that nobody waits for is a mistake of ours, and no reason to leave all callers. */
export function surviveRejections(logger: Logger, count: () => void = () => {}): void {
  process.on('unhandledRejection', (reason) => {
    count();
    logger.error({ err: reason }, 'Unhandled rejection: the process goes on');
  });
}
