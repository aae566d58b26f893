/**
 * The response cache, and consistency tokens: requests with the token of a write read nothing older, on any replica.
 */
import type { Extension, Open, OptionsOf } from '../../gateway/extension.ts';
import type { Operation } from '../../gateway/operation/operation.ts';
import { NOW } from '../../rest/call/call.ts';
import { HEADER, type settings } from './cache.settings.ts';
import { ResponseCache, tokenOf } from './response-cache.ts';
import type {} from '../redis/shared-reads.ts';

export const open: Open<OptionsOf<typeof settings>> = async ({ maxBytes, ttls }, { opened }) => {
  const shared = opened.find(({ offers }) => offers?.sharedReads)?.offers?.sharedReads;
  const cache = new ResponseCache({
    maxBytes,
    ttls: new Map(ttls.map(([route, ms]) => [route.replace(/^GET /, ''), ms])),
    shared,
  });
  await cache.open();
  return caching(cache);
};

export const caching = (cache: ResponseCache): Extension => ({
  calls: { cache },
  headers: { varying: [HEADER], readable: [HEADER] },
  policies: {
    consistency: {
      onContextBuilding(operation) {
        operation.newerThan = boundOf(operation);
      },
      onAnswer({ rest }, { headers }) {
        const token = rest && tokenOf(rest.callLog);
        if (token !== undefined) headers.push(HEADER, token);
      },
    },
  },
});

/** The token that a caller sends; invalid ones count as an unknown write. */
function boundOf(operation: Operation): string | undefined {
  const token = operation.header(HEADER);
  if (token === undefined) return undefined;
  return /^[\w.-]{1,64}$/.test(token) ? token : NOW;
}
