/**
 * What replicas share, and what one keeps: nothing is loaded for it where none of REDIS_URL, RATE_LIMIT and CACHE_TTL is
 * set.
 */
import { passwordOf, type Config } from './config.ts';
import type { ReadCache } from '../rest/call/options.ts';
import type { Logger } from '../gateway/observe/logs/logger.ts';
import type { Metrics } from '../gateway/observe/metrics/metrics.ts';
import { observeSharedState } from '../extensions/redis/shared-state-observer.ts';
import type { RateLimits } from '../extensions/redis/rate-limits.ts';
import type { SharedState } from '../extensions/redis/shared-state.ts';

/** @returns undefined where nothing is shared. */
export async function openSharedState(
  { fleet: { redisUrl: url, redisSecret } }: Config,
  { origin, pathPrefix }: { readonly origin: string; readonly pathPrefix: string },
  metrics: Metrics,
  logger: Logger,
): Promise<SharedState | undefined> {
  if (url === undefined) return undefined;
  const { openSharedState: open } = await import('../extensions/redis/shared-state.ts');
  const shared = await open({
    ...{ url, backend: origin + pathPrefix, secret: redisSecret ?? passwordOf(url) },
    observer: observeSharedState(metrics, logger, () => shared),
  });
  return shared;
}

/** @returns undefined where every read asks the backend. */
export async function openCache(
  { fleet: { cacheTtl, cacheBytes: maxBytes } }: Config,
  shared: SharedState | undefined,
): Promise<ReadCache | undefined> {
  if (!(cacheTtl?.isOn ?? shared)) return undefined;
  const { KeptReads } = await import('../extensions/cache/kept-reads.ts');
  const ttls = new Map(cacheTtl?.ttls.map(([route, ms]) => [route.replace(/^GET /, ''), ms]));
  const cache = new KeptReads({ maxBytes, ttls, shared: shared?.reads });
  await cache.open();
  return cache;
}

/** @returns undefined where keys may call as often as they like. */
export async function openRateLimits(
  { fleet: { rateLimit } }: Config,
  shared: SharedState | undefined,
): Promise<RateLimits | undefined> {
  if (rateLimit === undefined) return undefined;
  const limits = await import('../extensions/redis/rate-limits.ts');
  return new limits.RateLimits(rateLimit, shared?.store);
}
