/**
 * Several processes on one port: workers that serve, and a primary that starts them.
 *
 * A worker that dies is replaced, after a pause that grows while its successors die young too. One
 * without a heartbeat for a while is killed first.
 */
import cluster, { type Worker } from 'node:cluster';
import { setTimeout as sleep } from 'node:timers/promises';
import { AggregatorRegistry, Gauge } from 'prom-client';
import { closePort, listen, type Address } from '../http/drain.ts';
import type { Logger } from '../observe/logger.ts';
import { Handover } from './handover.ts';
import { HEARTBEAT_MS, type MetricsOfWorker, type ToPrimary, type ToWorker } from './messages.ts';

/** A worker that lives longer than this is replaced without a pause, in milliseconds. */
const OF_AGE_MS = 10_000;
const PAUSES_MS = [100, 200, 500, 1_000, 2_000, 5_000];

/** How much longer than a worker the primary waits for its end, in milliseconds. */
const GRACE_MS = 1_000;

/** How long a worker may send no heartbeat before it counts as hung, in milliseconds. */
const HUNG_MS = 5_000;

/** How long the metrics of a worker are waited for, in milliseconds. */
const METRICS_MS = 1_000;

/** How long a worker may send no heartbeat and still be asked for its metrics, in milliseconds. */
const SILENT_MS = 2 * HEARTBEAT_MS;

interface WorkersOptions {
  readonly count: number;
  readonly address: Address;
  /** Added to the environment of each. */
  readonly env: Readonly<Record<string, string>>;
  readonly logger: Logger;
}

/** The first worker could not start, and has logged why. */
export class WorkerStartError extends Error {
  override readonly name = 'WorkerStartError';
}

/** One place for a worker: its process, and those that replace it. */
interface Place {
  /** From 1 on; the same for its successors. */
  readonly number: number;
  process: Worker | undefined;
  /** When its last heartbeat came, by `performance.now()`; undefined until it can serve. */
  heardMs: number | undefined;
  /** Receives the metrics that it was asked for. */
  onMetrics: ((id: number, metrics: MetricsOfWorker) => void) | undefined;
}

export function createWorkers({ count, address, env, logger }: WorkersOptions) {
  const places = Array.from({ length: count }, (_, index): Place => ({
    number: index + 1,
    process: undefined,
    heardMs: undefined,
    onMetrics: undefined,
  }));
  const handover = new Handover();
  let closing = false;
  let started = false;
  let portClosed: Promise<void> | undefined;
  let youngDeaths = 0;
  let metricsText: Promise<string> | undefined;

  const living = (): Worker[] => places.flatMap(({ process }) => process ?? []);

  return {
    /**
     * Resolves once all can serve, with whether the backend answers; the first serves before that.
     *
     * @throws {WorkerStartError}
     * @throws what Node throws when the port can't be had.
     */
    start: async () => {
      const [first, ...others] = places as [Place, ...Place[]]; // at least one
      // One before the others: a reason not to start is then logged once.
      const usable = await fork(first);
      const port = closing ? address.port : await listen(handover.server, address);
      started = true;
      watch();
      // Each that dies is replaced.
      if (!closing) await Promise.allSettled(others.map(fork));
      return { port, usable };
    },
    /** Drains all of them at once; true when each finished what was under way within the time. */
    close: async (timeoutMs: number): Promise<boolean> => {
      closing = true;
      const ended = places.flatMap(({ process: worker, heardMs }) =>
        worker
          ? new Promise<boolean>((resolve) => {
              // One that could not serve yet has cut nothing, however it ends.
              worker.once('exit', (code) => resolve(code === 0 || heardMs === undefined));
            })
          : [],
      );
      for (const worker of living()) worker.process.kill('SIGTERM');
      const fuse = sleep(timeoutMs + GRACE_MS, [false], { ref: false });
      const finished = await Promise.race([Promise.all(ended), fuse]);
      for (const worker of living()) worker.process.kill('SIGKILL');
      handover.discard();
      handover.server.close();
      return !finished.includes(false);
    },
  };

  /** Resolves once the worker can serve, with whether the backend answers it. */
  function fork(place: Place): Promise<boolean> {
    const bornMs = performance.now();
    const worker = cluster.fork(env);
    place.process = worker;
    return new Promise((resolve, reject) => {
      worker.on('message', (message: ToPrimary) => {
        place.heardMs = performance.now();
        if (message.type === 'ready') resolve(message.usable);
        receive(place, worker, message);
      });
      // By now all its messages have arrived: `exit` may come before them, and `disconnect` does
      // not come when the worker was killed before it had read everything.
      worker.process.once('close', () => handover.remove(worker));
      worker.once('exit', (code, signal) => {
        place.process = undefined;
        place.heardMs = undefined;
        reject(
          new WorkerStartError(`A worker ended with ${signal ?? code} before it could serve.`),
        );
        if (closing || !started) return;
        const { number } = place;
        logger.error(
          { worker: number, pid: worker.process.pid, code, signal },
          'Worker ended: another is started',
        );
        void replace(place, performance.now() - bornMs);
      });
    });
  }

  function receive(place: Place, worker: Worker, message: ToPrimary): void {
    switch (message.type) {
      case 'ready':
        return handover.add(worker);
      case 'alive':
        return;
      case 'accepted':
        return handover.accepted(worker, message.open);
      case 'open':
        return handover.serves(worker, message.open);
      case 'leaving':
        return void lastConnection(worker).then(() => tell(worker, { type: 'last connection' }));
      case 'own metrics':
        return place.onMetrics?.(message.id, message.metrics);
      case 'all metrics?':
        return void metricsOfAll().then((text) => tell(worker, { type: 'all metrics', text }));
    }
  }

  /**
   * When all workers leave, each goes on until the port is closed and all connections are handed
   * over.
   */
  async function lastConnection(worker: Worker): Promise<void> {
    if (closing) await (portClosed ??= closePort(handover.server).then(() => handover.settled()));
    else handover.leave(worker);
  }

  async function replace(place: Place, ageMs: number): Promise<void> {
    youngDeaths = ageMs < OF_AGE_MS ? youngDeaths + 1 : 0;
    await sleep(PAUSES_MS[Math.min(youngDeaths, PAUSES_MS.length) - 1] ?? 0);
    // One that ends before it can serve is replaced in its turn.
    if (!closing) await fork(place).catch(() => false);
  }

  /** Kills workers without a heartbeat; they are replaced like any other. */
  function watch(): void {
    let lookedMs = performance.now();
    const look = (): void => {
      const nowMs = performance.now();
      // After a pause of this process, heartbeats that came meanwhile are still unread.
      const paused = nowMs - lookedMs > 2 * HEARTBEAT_MS;
      lookedMs = nowMs;
      for (const place of places) {
        if (place.heardMs === undefined) continue;
        if (paused) place.heardMs = nowMs;
        if (nowMs - place.heardMs <= HUNG_MS) continue;
        const { number, process } = place;
        logger.error({ worker: number, pid: process?.process.pid }, 'Worker hangs: it is killed');
        place.heardMs = undefined;
        process?.process.kill('SIGKILL');
      }
    };
    setInterval(look, HEARTBEAT_MS).unref();
  }

  /** Requests that come meanwhile share one answer. */
  function metricsOfAll(): Promise<string> {
    return (metricsText ??= addMetrics(places).finally(() => {
      metricsText = undefined;
    }));
  }
}

let asked = 0;

/** The sum of the metrics that arrive in time, and which workers sent them. */
async function addMetrics(places: readonly Place[]): Promise<string> {
  const id = ++asked;
  const answers = await Promise.all(
    places.map(async (place) => {
      const { process, heardMs = -Infinity } = place;
      if (!process || performance.now() - heardMs > SILENT_MS) return undefined;
      const answer = new Promise<MetricsOfWorker>((resolve) => {
        place.onMetrics = (ofId, metrics) => {
          if (ofId === id) resolve(metrics);
        };
      });
      tell(process, { type: 'own metrics?', id });
      return Promise.race([answer, sleep(METRICS_MS, undefined, { ref: false })]);
    }),
  );
  const registry = AggregatorRegistry.aggregate(answers.filter((answer) => answer !== undefined));
  const up = new Gauge({
    name: 'gateway_worker_up',
    help: '1 for workers whose values are in the sums here; 0 for those that did not answer in time.',
    labelNames: ['worker'],
    registers: [registry],
  });
  for (const [index, { number }] of places.entries())
    up.set({ worker: number }, answers[index] ? 1 : 0);
  return registry.metrics();
}

/** Sending to a worker that has ended fails; its `exit` event is handled elsewhere. */
function tell(worker: Worker, message: ToWorker): void {
  worker.send(message, () => {});
}
