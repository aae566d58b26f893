/** State shared by replicas in Redis or Valkey, and rate limits of API keys, per process or shared. */
import type { Host, Open, OptionsOf } from '../../gateway/extension.ts';
import { createConnection, storeOn, type ConnectionObserver } from './connection.ts';
import { LeasedRateLimits, limiting } from './rate-limit.ts';
import type { settings } from './redis.settings.ts';
import { RedisReads } from './shared-reads.ts';

export const open: Open<OptionsOf<typeof settings>> = async ({ url, secret, rateLimit }, host) => {
  const shared = url === undefined ? undefined : await openIn(host, url, secret);
  return {
    ...(rateLimit && limiting(new LeasedRateLimits(rateLimit, shared?.store))),
    ...(shared && { offers: { sharedReads: shared.reads }, close: shared.close }),
  };
};

interface SharedStateOptions {
  readonly url: string;
  readonly secret: string;
  /** URL of the backend; replicas with different backends share nothing. */
  readonly backend: string;
  readonly observer?: ConnectionObserver;
}

export type SharedState = Awaited<ReturnType<typeof openSharedState>>;

/** Resolves after the first attempt to connect. Without Redis, each process continues alone. */
export async function openSharedState({ url, secret, backend, observer }: SharedStateOptions) {
  const connection = createConnection(url, observer);
  const store = storeOn(connection, secret, backend);
  await connection.open();
  return { connection, reads: new RedisReads(store), store, close: () => connection.close() };
}

/** Opens the shared state, with its metrics and log. */
async function openIn(host: Host, url: string, secret: string): Promise<SharedState> {
  const { logger } = host;
  const { instruments } = host.metrics;
  const commands = instruments.counter(
    'gateway_shared_state_commands_total',
    'Redis commands by outcome. Skipped commands were not sent because Redis was unavailable.',
    ['outcome'],
  );
  const refusals = new Set<string>();
  const observer: ConnectionObserver = {
    onCommand: (outcome) => commands.inc({ outcome }),
    onChange: (isAvailable, why) => {
      if (isAvailable) logger.info('Redis is available: replicas share state');
      else
        logger.warn(
          { failure: why },
          `${unavailable(why)}: this process continues without shared state`,
        );
    },
    onRefusal: (why) => {
      if (refusals.has(why)) return;
      refusals.add(why);
      logger.warn(
        { failure: why },
        'Redis rejected a command. Check its ACL and memory (docs/scaling.md).',
      );
    },
  };
  const { origin, pathPrefix } = await host.backend();
  const shared = await openSharedState({ url, secret, backend: origin + pathPrefix, observer });
  instruments.gauge('gateway_shared_state_available', 'Whether Redis is available: 1 or 0.', () =>
    shared.connection.isAvailable ? 1 : 0,
  );
  return shared;
}

const CLUSTER = 'REDIS_URL points to a Redis Cluster, which is not supported';

const UNUSABLE: Readonly<Record<string, string>> = {
  READONLY: 'REDIS_URL points to a read-only replica of Redis',
  MASTERDOWN: 'REDIS_URL points to a read-only replica of Redis',
  LOADING: 'Redis is still loading its data',
  NOREPLICAS: 'Redis rejects writes because it has too few replicas',
  MISCONF: 'Redis rejects writes because it cannot save its data',
  'ERR max number of clients': 'Redis has reached its connection limit',
  CROSSSLOT: CLUSTER,
  CLUSTERDOWN: CLUSTER,
  'ERR SELECT is not allowed in cluster mode': CLUSTER,
  'ERR unknown command':
    'REDIS_URL points to Redis Sentinel or another server without the commands of Redis, not to the primary',
};

const unavailable = (why: string | undefined): string =>
  UNUSABLE[why ?? ''] ?? 'Redis does not respond';
