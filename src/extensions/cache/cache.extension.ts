/** The response cache, with lifetimes of the backend or the operator. */
import type { Open } from '../../gateway/extension.ts';
import { caching } from './consistency.ts';
import { ResponseCache } from './response-cache.ts';
import type {} from './shared-reads.ts';

interface CacheSettings {
  readonly maxBytes: number;
  /** Lifetimes by route, such as `GET /v0/topics`, in milliseconds. */
  readonly ttls: readonly (readonly [route: string, ms: number])[];
}

export const open: Open<CacheSettings> = async ({ maxBytes, ttls }, { opened }) => {
  const shared = opened.find(({ offers }) => offers?.sharedReads)?.offers?.sharedReads;
  const cache = new ResponseCache({
    maxBytes,
    ttls: new Map(ttls.map(([route, ms]) => [route.replace(/^GET /, ''), ms])),
    shared,
  });
  await cache.open();
  return caching(cache);
};
