/** Consistency tokens: requests with the token of a write read nothing older than it, on any replica. */
import type { Extension } from '../../gateway/extension.ts';
import type { Operation } from '../../gateway/operation/operation.ts';
import { NOW } from '../../rest/call/call.ts';
import { HEADER } from './cache.settings.ts';
import { tokenOf, type ResponseCache } from './response-cache.ts';

/** The cache around reads, and its header. */
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
