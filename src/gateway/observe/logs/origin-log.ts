/** Logs the origins of pages that may not call the gateway. */
import type { OnForeignOrigin } from '../../policies/cors.ts';
import type { Logger } from './logger.ts';

/** Maximum number of foreign origins in the log, and of characters of each. */
const MAX_LOGGED = 100;

/** Logs each origin once, since its pages see no more than a failed request. */
export function createOriginLog(logger: Logger): OnForeignOrigin {
  const logged = new Set<string>();
  return (given) => {
    const origin = given.slice(0, MAX_LOGGED);
    if (logged.has(origin) || logged.size >= MAX_LOGGED) return;
    logged.add(origin);
    logger.warn(
      { origin },
      'Cross-origin request rejected. Add the origin to CORS_ORIGINS to allow its pages.',
    );
  };
}
