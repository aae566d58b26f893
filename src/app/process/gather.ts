/**
 * Collects values of all workers for any of them: the primary asks all serving workers, and forwards their answers.
 *
 * prom-client's own messages support metrics only, and fail while a worker starts; it sums the metrics collected here.
 */
import cluster, { type Worker } from 'node:cluster';
import { AggregatorRegistry, type Registry } from 'prom-client';
import type { Gather } from '../../gateway/extension.ts';

/** Timeout for the answers of all workers, in milliseconds. */
const MAX_MS = 5_000;

/** Messages: a worker asks for a name, the primary asks all workers, and answers return the same way. */
type Message =
  | { readonly wants: 'all' | 'own'; readonly id: number; readonly name: string }
  | { readonly wants: undefined; readonly id: number; readonly told: unknown };

/** A pending question of a worker. */
interface Question {
  /** Workers without an answer. */
  readonly waiting: Set<number>;
  readonly told: unknown[];
  readonly end: () => void;
}

/** Serves requests of workers; for the primary. */
export function askWorkers(): void {
  const serving = new Map<number, Worker>();
  const open = new Map<number, Question>();
  let last = 0;
  // The asking worker may have ended.
  const send = (worker: Worker, message: Message): void => void worker.send(message, () => {});
  const hear = (id: number, worker: number, told: readonly unknown[]): void => {
    const question = open.get(id);
    if (!question?.waiting.delete(worker)) return;
    question.told.push(...told);
    if (question.waiting.size === 0) question.end();
  };
  cluster.on('listening', (worker) => serving.set(worker.id, worker));
  cluster.on('exit', ({ id: worker }) => {
    serving.delete(worker);
    for (const id of open.keys()) hear(id, worker, []);
  });
  cluster.on('message', (worker, message: Message) => {
    if (message.wants === undefined) {
      hear(message.id, worker.id, [message.told]);
      return;
    }
    const id = (last += 1);
    const told: unknown[] = [];
    const end = (): void => {
      clearTimeout(timer);
      open.delete(id);
      send(worker, { wants: undefined, id: message.id, told });
    };
    // The asking worker has timed out by then.
    const timer = setTimeout(() => open.delete(id), MAX_MS);
    open.set(id, { waiting: new Set(serving.keys()), told, end });
    for (const each of serving.values()) send(each, { wants: 'own', id, name: message.name });
  });
}

/** A worker's collector of values. Its promise rejects if a worker does not answer within five seconds. */
export function gatherOfAll(): Gather {
  const own = new Map<string, () => unknown>();
  const open = new Map<number, (told: unknown) => void>();
  let last = 0;
  const send = (message: Message): void => void process.send?.(message);
  process.on('message', (message: Message) => {
    const { id } = message;
    if (message.wants === undefined) {
      open.get(id)?.(message.told);
      return;
    }
    // A failure counts as a missing answer.
    void Promise.resolve(own.get(message.name)?.()).then(
      (told) => send({ wants: undefined, id, told }),
      () => {},
    );
  });
  return <Told>(name: string, tell: () => Told | Promise<Told>) => {
    own.set(name, tell);
    return () =>
      new Promise<readonly Told[]>((resolve, reject) => {
        const id = (last += 1);
        const timer = setTimeout(() => {
          open.delete(id);
          reject(new Error(`A worker has not told its ${name} within ${MAX_MS} ms`));
        }, MAX_MS);
        open.set(id, (told) => {
          open.delete(id);
          clearTimeout(timer);
          resolve(told as readonly Told[]); // all workers run this code
        });
        send({ wants: 'all', id, name });
      });
  };
}

/** Returns a function that sums the metrics of all workers by prom-client. */
export function sumMetrics(own: Registry, gather: Gather): () => Promise<string> {
  const all = gather('metrics', () => own.getMetricsAsJSON());
  return async () => AggregatorRegistry.aggregate([...(await all())]).metrics();
}
