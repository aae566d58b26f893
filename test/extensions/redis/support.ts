/**
 * Several gateways that share a Redis, and a backend that is in the state that a test sets.
 */
import { onTestFinished } from 'vitest';
import type { ConnectionObserver } from '../../../src/extensions/redis/connection.ts';
import {
  openSharedState,
  type SharedState,
} from '../../../src/extensions/redis/redis.extension.ts';
import { formatNodeId } from '../../../src/graph/types/node-id.ts';
import { routes } from '../../../src/v0/routes.ts';
import { openEvents, type Events } from '../../live/support.ts';
import { openFaultUpstream } from '../../support/fault-upstream.ts';
import { ok } from '../../support/faults.ts';
import type { RedisServer } from '../../support/redis.ts';
import { sampleOf } from '../../support/world.ts';

const KEYS = { page_id: 'p', audience_id: 'a', version_id: 'v' };
export const ID = formatNodeId('AudienceVersion', Object.values(KEYS));
const VERSION = sampleOf(routes.getVersion, KEYS);

/** A backend with a version whose state a test sets, and the number of its reads. */
export async function openBackend() {
  const upstream = await openFaultUpstream();
  onTestFinished(() => upstream.stop());
  const backend = { state: 'draft', reads: 0, url: upstream.url, upstream };
  upstream.on('*', (...args) => {
    backend.reads += 1;
    return ok({ ...VERSION, status: backend.state })(...args);
  });
  return backend;
}

/** The shared state of a replica, opened as `main.ts` opens it. */
export async function openShared(
  { url }: Pick<RedisServer, 'url'>,
  observer: ConnectionObserver = {},
): Promise<SharedState> {
  const shared = await openSharedState({
    ...{ url, secret: 'a secret of the tests', backend: 'backend', observer },
  });
  onTestFinished(() => shared.close());
  return shared;
}

/** So many watchers of the version, at the replicas in turn. */
export const watchAll = (
  replicas: readonly { readonly url: string }[],
  count: number,
): Promise<Events[]> =>
  Promise.all(
    Array.from({ length: count }, (_, i) =>
      openEvents(replicas[i % replicas.length]!.url, { id: ID }, { apiKey: 'key' }),
    ),
  );
