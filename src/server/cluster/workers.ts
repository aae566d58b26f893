/**
 * Several processes on one port: a primary that serves nobody, and workers that do.
 *
 * The primary hands connections out in turn, so that no core is idle while another is busy. A worker
 * that dies is replaced after a pause that grows while its successors die young as well.
 */
import cluster, { type Worker } from 'node:cluster';
import { setTimeout as sleep } from 'node:timers/promises';
import { AggregatorRegistry, type Registry } from 'prom-client';
import type { Logger } from '../observe/logger.ts';

/** How long a worker has to live to be no reason for a pause, in milliseconds. */
const OF_AGE_MS = 10_000;
const PAUSES_MS = [100, 200, 500, 1_000, 2_000, 5_000];

/** How much longer than a worker the primary waits for its end, in milliseconds. */
const GRACE_MS = 1_000;

export interface WorkersOptions {
  readonly count: number;
  /** Added to the environment of each. */
  readonly env: Readonly<Record<string, string>>;
  readonly logger: Logger;
}

export interface Workers {
  /**
   * Resolves with their port once all listen; the first serves before that.
   *
   * @throws {WorkerStartError}
   */
  start(): Promise<number>;
  /** Drains all of them at once; true when each ended by itself within the time. */
  close(timeoutMs: number): Promise<boolean>;
}

/** The first worker could not start, and has said why. */
export class WorkerStartError extends Error {
  override readonly name = 'WorkerStartError';
}

export function createWorkers({ count, env, logger }: WorkersOptions): Workers {
  const living = new Set<Worker>();
  let started = false;
  let closing = false;
  let youngDeaths = 0;

  answerMetrics();
  return {
    start: async () => {
      // One before the others: what keeps it from starting is said once.
      const port = await fork();
      started = true;
      // Whichever of them dies is replaced.
      if (!closing) await Promise.allSettled(Array.from({ length: count - 1 }, fork));
      return port;
    },
    close: async (timeoutMs) => {
      closing = true;
      const ended = [...living].map(
        (worker) => new Promise<unknown>((resolve) => worker.once('exit', resolve)),
      );
      for (const worker of living) worker.process.kill('SIGTERM');
      const fuse = sleep(timeoutMs + GRACE_MS, false, { ref: false });
      const inTime = await Promise.race([Promise.all(ended).then(() => true), fuse]);
      for (const worker of living) worker.process.kill('SIGKILL');
      return inTime;
    },
  };

  /** Resolves with the port once the worker listens. */
  function fork(): Promise<number> {
    const bornMs = performance.now();
    const worker = cluster.fork(env);
    living.add(worker);
    return new Promise((resolve, reject) => {
      worker.once('listening', (address) => resolve(address.port));
      worker.once('exit', (code, signal) => {
        living.delete(worker);
        if (closing) return;
        reject(new WorkerStartError(`A worker ended with ${signal ?? code} before it listened.`));
        if (!started) return;
        logger.error({ pid: worker.process.pid, code, signal }, 'Worker ended: another is started');
        void replace(performance.now() - bornMs);
      });
    });
  }

  async function replace(ageMs: number): Promise<void> {
    youngDeaths = ageMs < OF_AGE_MS ? youngDeaths + 1 : 0;
    await sleep(PAUSES_MS[Math.min(youngDeaths, PAUSES_MS.length) - 1] ?? 0);
    // One that ends before it listens is replaced in its turn.
    if (!closing) await fork().catch(() => {});
  }
}

const ASK = 'metrics of all workers';

interface MetricsReply {
  readonly type: typeof ASK;
  readonly text: string | null;
}

/** In the primary: adds up what the workers count, for the one that is asked. */
function answerMetrics(): void {
  const registry = new AggregatorRegistry();
  cluster.on('message', (worker, message: unknown) => {
    if (message !== ASK) return;
    void registry
      .clusterMetrics()
      .catch(() => null)
      .then((text) => {
        // Whoever asked may have died meanwhile: without a callback that would end the primary.
        worker.send({ type: ASK, text } satisfies MetricsReply, () => {});
      });
  });
}

/** In a worker: the metrics of all of them. */
export function gatherMetrics(own: Registry): () => Promise<string> {
  // Constructed for its listener: it answers the primary with what `own` has counted.
  new AggregatorRegistry();
  AggregatorRegistry.setRegistries([own]);
  return () =>
    new Promise((resolve, reject) => {
      const onMessage = (message: Partial<MetricsReply> | null): void => {
        if (message?.type !== ASK) return;
        process.off('message', onMessage);
        if (typeof message.text === 'string') resolve(message.text);
        else reject(new Error('The workers did not all answer for their metrics in time.'));
      };
      process.on('message', onMessage);
      process.send!(ASK);
    });
}
