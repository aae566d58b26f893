/**
 * The metrics of several workers as one, by prom-client: whichever worker is asked has the primary add them up.
 */
import cluster from 'node:cluster';
import { AggregatorRegistry, type Registry } from 'prom-client';

const PLEASE = 'metrics please';

/** On the primary: adds up the metrics of all workers when one asks. */
export function addMetrics(): void {
  const registry = new AggregatorRegistry();
  cluster.on('message', (worker, message) => {
    if (message !== PLEASE) return;
    // One that has ended meanwhile needs no answer.
    const answer = (answered: object): boolean => worker.send(answered, () => {});
    registry.clusterMetrics().then(
      (metrics) => answer({ metrics }),
      (error: Error) => answer({ error: error.message }),
    );
  });
}

/** On a worker. @returns what answers the sum; it rejects when a worker does not answer within five seconds. */
export function metricsOfAll(own: Registry): () => Promise<string> {
  AggregatorRegistry.setRegistries(own);
  void new AggregatorRegistry(); // from now on it answers the primary
  return () =>
    new Promise((resolve, reject) => {
      const onMessage = ({ metrics, error }: { metrics?: string; error?: string }): void => {
        if (metrics === undefined && error === undefined) return;
        process.off('message', onMessage);
        if (metrics === undefined) reject(new Error(error));
        else resolve(metrics);
      };
      process.on('message', onMessage);
      process.send?.(PLEASE);
    });
}
