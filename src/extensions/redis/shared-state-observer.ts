/**
 * Metrics and log of the shared state, without names of keys.
 */
import type { CommandOutcome, ConnectionObserver } from './connection.ts';
import type { SharedState } from './shared-state.ts';
import type { Logger } from '../../gateway/observe/logs/logger.ts';
import type { Metrics } from '../../gateway/observe/metrics/metrics.ts';

/** @param shared returns the state; undefined before it is open. */
export function observeSharedState(
  { instruments }: Metrics,
  logger: Logger,
  shared: () => SharedState | undefined,
): ConnectionObserver {
  const commands = instruments.counter(
    'gateway_shared_state_commands_total',
    'Commands to Redis by outcome; skipped ones were not sent, because Redis did not answer.',
    ['outcome'],
  );
  instruments.gauge('gateway_shared_state_available', 'Whether Redis answers: 1 or 0.', () =>
    shared()?.isAvailable ? 1 : 0,
  );
  const refusals = new Set<string>();
  return {
    onCommand: (outcome: CommandOutcome) => commands.inc({ outcome }),
    onChange: (isAvailable, why) => {
      if (isAvailable) logger.info('Redis answers: replicas share what they must');
      else logger.warn({ failure: why }, `${unavailable(why)}: this process goes on alone`);
    },
    onRefusal: (why) => {
      if (refusals.has(why)) return;
      refusals.add(why);
      logger.warn(
        { failure: why },
        'Redis refuses a command: see docs/scaling.md for its rights and memory',
      );
    },
  };
}

const CLUSTER = 'REDIS_URL leads to a Redis Cluster, not to a single server';

/** Sentences about unusable servers, by their error. */
const UNUSABLE: Readonly<Record<string, string>> = {
  READONLY: 'A replica of Redis answers, which takes no writes',
  MASTERDOWN: 'A replica of Redis answers, which takes no writes',
  LOADING: 'Redis still loads its data',
  NOREPLICAS: 'Redis takes no writes without its replicas',
  MISCONF: 'Redis takes no writes because it cannot save',
  'ERR max number of clients': 'Redis takes no more connections',
  MOVED: CLUSTER,
  CLUSTERDOWN: CLUSTER,
  'ERR unknown command':
    'REDIS_URL leads to a server without the commands of Redis, such as Redis Sentinel, not to the primary',
};

const unavailable = (why: string | undefined): string =>
  UNUSABLE[why ?? ''] ?? 'Redis does not answer';
