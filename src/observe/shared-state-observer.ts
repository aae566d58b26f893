/**
 * What replicas share, in metrics and in the log: never a name of what is shared.
 */
import { Counter, Gauge } from 'prom-client';
import type { CommandOutcome, ConnectionObserver } from '../shared-state/redis/connection.ts';
import type { Role } from '../shared-state/polling-lease.ts';
import type { SharedState } from '../shared-state/shared-state.ts';
import type { Logger } from './logs/logger.ts';
import type { Metrics } from './metrics/metrics.ts';

const ROLES: readonly Role[] = ['holder', 'follower', 'alone'];

/** @param shared what is open; undefined until it is. */
export function observeSharedState(
  { registry }: Metrics,
  logger: Logger,
  shared: () => SharedState | undefined,
): ConnectionObserver {
  const registers = [registry];
  const commands = new Counter({
    name: 'gateway_shared_state_commands_total',
    help: 'Commands to Redis by outcome; skipped ones were not sent, because Redis did not answer.',
    labelNames: ['outcome'],
    registers,
  });
  const available: Gauge = new Gauge({
    name: 'gateway_shared_state_available',
    help: 'Whether Redis answers: 1 or 0; of several workers, the least.',
    aggregator: 'min',
    registers,
    collect: () => available.set(shared()?.isAvailable ? 1 : 0),
  });
  const leases: Gauge<'role'> = new Gauge({
    name: 'gateway_live_leases',
    help: 'Objects that are watched, by what this process does for them.',
    labelNames: ['role'],
    aggregator: 'sum',
    registers,
    collect: () => {
      for (const role of ROLES) leases.set({ role }, shared()?.leases.count(role) ?? 0);
    },
  });
  const refusals = new Set<string>();
  return {
    onCommand: (outcome: CommandOutcome) => commands.inc({ outcome }),
    onChange: (isAvailable, why) => {
      if (isAvailable) logger.info('Redis answers: replicas share what they must');
      else logger.warn({ failure: why }, 'Redis does not answer: this process goes on alone');
    },
    onRefusal: (why) => {
      if (refusals.has(why)) return;
      refusals.add(why);
      logger.warn(
        { failure: why },
        'Redis refuses a command: see docs/operating.md for its rights',
      );
    },
  };
}
