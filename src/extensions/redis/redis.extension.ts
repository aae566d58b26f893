/** State shared by replicas in Redis or Valkey, and rate limits of keys, per process or shared. */
import type { Host, Open } from '../../gateway/extension.ts';
import type {} from '../cache/shared-reads.ts';
import { limiting, type RateLimit } from './rate-limit.ts';

interface RedisSettings {
  /** `redis://`, `rediss://` or `unix://`; undefined for no shared state. */
  readonly url: string | undefined;
  /** Secret of the hashes of callers' keys in Redis. */
  readonly secret: string;
  /** Undefined for no limit. */
  readonly rateLimit: RateLimit | undefined;
}

export const open: Open<RedisSettings> = async ({ url, secret, rateLimit }, host) => {
  const shared = url === undefined ? undefined : await openShared(url, secret, host);
  const limits = rateLimit && (await openRateLimits(rateLimit, shared));
  return {
    ...(limits && limiting(limits)),
    ...(shared && { offers: { sharedReads: shared.reads }, close: shared.close }),
  };
};

/** Loads ioredis. */
async function openShared(url: string, secret: string, { metrics, logger, backend }: Host) {
  const { openSharedState } = await import('./shared-state.ts');
  const { observeSharedState } = await import('./shared-state-observer.ts');
  const { origin, pathPrefix } = await backend();
  const shared = await openSharedState({
    url,
    secret,
    backend: origin + pathPrefix,
    observer: observeSharedState(metrics, logger, () => shared),
  });
  const { store, reads } = shared;
  return { store, reads, close: () => shared.close() };
}

async function openRateLimits(
  limit: RateLimit,
  shared: Awaited<ReturnType<typeof openShared>> | undefined,
) {
  const { LeasedRateLimits } = await import('./rate-limits.ts');
  return new LeasedRateLimits(limit, shared?.store);
}
