/** State shared by replicas in Redis or Valkey, and rate limits of keys, per process or shared. */
import type { Extension, Host, Open } from '../../gateway/extension.ts';
import type { RateLimit } from '../../gateway/policies/rate-limit.ts';

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
  const rateLimits = rateLimit && (await openRateLimits(rateLimit, shared));
  const calls = { ...shared?.calls, ...(rateLimits && { rateLimits }) };
  return { calls, ...(shared && { close: shared.close }) };
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
  const calls: Extension['calls'] = { reads };
  return { store, calls, close: () => shared.close() };
}

async function openRateLimits(
  limit: RateLimit,
  shared: Awaited<ReturnType<typeof openShared>> | undefined,
) {
  const { LeasedRateLimits } = await import('./rate-limits.ts');
  return new LeasedRateLimits(limit, shared?.store);
}
