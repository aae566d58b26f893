/**
 * Several processes on one port by node:cluster: a primary starts workers, replaces those that end, and
 * passes signals on.
 */
import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../gateway/observe/logs/logger.ts';
import { askWorkers } from './gather.ts';
import type { StopSignal, StopTimes } from './lifecycle.ts';

/** Delay before a worker is replaced, in milliseconds, against crash loops. */
const PAUSE_MS = 1_000;

/** Grace period of the primary beyond the shutdown time of its workers, in milliseconds. */
const GRACE_MS = 1_000;

/** The first worker failed to start, and has logged why. */
export class WorkerStartError extends Error {
  override readonly name = 'WorkerStartError';
}

interface WorkersOptions {
  readonly count: number;
  /** Additional environment of workers. */
  readonly env: Readonly<Record<string, string>>;
  readonly logger: Logger;
}

export function createWorkers({ count, env, logger }: WorkersOptions) {
  let isStarted = false;
  let isClosing = false;
  const fork = (): Worker => cluster.fork(env);
  askWorkers();
  cluster.on('exit', ({ process: { pid } }, code, signal) => {
    if (!isStarted || isClosing) return;
    logger.error({ pid, code, signal }, 'Worker ended: another is started');
    setTimeout(() => isClosing || fork(), PAUSE_MS);
  });
  return {
    /**
     * Starts one worker before the others, so start errors are logged once. Resolves when all serve or have ended.
     *
     * @returns the port; undefined if it was stopped meanwhile.
     * @throws {WorkerStartError}
     */
    start: async (): Promise<number | undefined> => {
      const port = await portOf(fork());
      if (isClosing) return undefined;
      if (!port) throw new WorkerStartError('The first worker ended before it could serve.');
      isStarted = true;
      await Promise.all(Array.from({ length: count - 1 }, () => portOf(fork())));
      return port;
    },
    /** Stops all workers; resolves to true if all finished their requests in time. */
    close: async (times: StopTimes, signal: StopSignal): Promise<boolean> => {
      isClosing = true;
      const maxMs = times.drainDelayMs + times.shutdownTimeoutMs + GRACE_MS;
      const ends = Object.values(cluster.workers ?? {}).map(async (worker) => {
        worker!.process.kill(signal);
        const [code, by] = (await once(worker!, 'exit')) as [number | null, string | null];
        // The signal kills a worker that does not serve yet.
        return code === 0 || by === signal;
      });
      const inTime = await Promise.race([Promise.all(ends), sleep(maxMs, [false], { ref: false })]);
      return !inTime.includes(false);
    },
  };
}

/** Returns the port of a worker; undefined if it ends before it serves. */
async function portOf(worker: Worker): Promise<number | undefined> {
  const listening = once(worker, 'listening') as Promise<[{ port: number }]>;
  const [address] = await Promise.race([listening, once(worker, 'exit').then(() => [])]);
  return address?.port;
}
