/**
 * How the process ends: by signals and failed starts. Unhandled rejections do not end it.
 */
import { inspect } from 'node:util';
import type { Logger } from '../../gateway/observe/logs/logger.ts';
import { OperatorError } from '../../lib/operator-error.ts';

/** Exit codes: finished after a signal; failed, or at the second signal; cut at the timeout. */
export const EXIT = {
  finished: 0,
  failed: 1,
  /** Requests were in flight after SHUTDOWN_TIMEOUT_MS; the same code as the shell's `timeout`. */
  cut: 124,
} as const;

const STOP_SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
type StopSignal = (typeof STOP_SIGNALS)[number];

/** Times of a stop: serving while not ready, then finishing requests, in milliseconds. */
export interface StopTimes {
  readonly drainDelayMs: number;
  readonly shutdownTimeoutMs: number;
}

/** Time in which a repeated signal counts as the same one, in milliseconds. */
export const ECHO_MS = 500;

/**
 * The first signal stops the process gracefully, the second immediately. SIGHUP does not count as a second one: systemd
 * sends it with SIGTERM, and a closing terminal sends it to its process group. Neither does the same signal within half
 * a second: npm forwards signals that a terminal or systemd has sent to the whole group.
 *
 * @param stop returns whether all requests were finished.
 */
export function stopOnSignals(
  logger: Logger,
  times: StopTimes,
  stop: (times: StopTimes) => Promise<boolean>,
): void {
  let stopping = false;
  /** The first SIGTERM or SIGINT, and when it arrived. */
  let first: { readonly signal: StopSignal; readonly atMs: number } | undefined;
  const onSignal = (signal: StopSignal): void => {
    if (signal !== 'SIGHUP') {
      const isEcho = first?.signal === signal && performance.now() - first.atMs < ECHO_MS;
      if (first && !isEcho) process.exit(EXIT.failed);
      first ??= { signal, atMs: performance.now() };
    }
    if (stopping) return;
    stopping = true;
    logger.info({ signal }, 'Stopping: finishing requests in flight');
    // Ctrl+C comes from a terminal, where no load balancer needs the delay.
    const { shutdownTimeoutMs, drainDelayMs } = times;
    const delayMs = signal === 'SIGINT' ? 0 : drainDelayMs;
    stop({ shutdownTimeoutMs, drainDelayMs: delayMs }).then(
      (finished) => {
        if (!finished) logger.warn('Shutdown timeout reached: requests in flight were aborted');
        const code = finished ? EXIT.finished : EXIT.cut;
        logger.info({ code }, 'Stopped');
        process.exit(code);
      },
      (error: unknown) => {
        logger.error({ err: error }, 'Stopping failed');
        process.exit(EXIT.failed);
      },
    );
  };
  for (const signal of STOP_SIGNALS) process.on(signal, onSignal);
}

/** Exits with one line for an error that an operator can correct, and with the whole error otherwise. */
export function exitAfterFailure(error: unknown): never {
  process.stderr.write(`${error instanceof OperatorError ? error.message : inspect(error)}\n`);
  process.exit(EXIT.failed);
}

/** SIGUSR2 switches between LOG_LEVEL and `debug`. */
export function switchLevelOnSignal(logger: Logger): void {
  const { level } = logger;
  process.on('SIGUSR2', () => {
    const logLevel = logger.level === level ? 'debug' : level;
    // Logged for any old and new level.
    logger.level = 'debug';
    logger.info({ logLevel }, 'Log level changed');
    logger.level = logLevel;
  });
}

/** Logs unhandled rejections, which are bugs but must not end the process for all callers. */
export function surviveRejections(logger: Logger, count: () => void = () => {}): void {
  process.on('unhandledRejection', (reason) => {
    count();
    logger.error({ err: reason }, 'Unhandled rejection: the process continues');
  });
}
