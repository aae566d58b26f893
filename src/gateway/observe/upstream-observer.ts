/**
 * Counts events of the REST client, and logs some.
 */
import type { UpstreamObserver } from '../../rest/call/observer.ts';
import { DIFFERENCES } from '../../v0/extended-routes.ts';
import type { Logger } from './logs/logger.ts';
import { logFailedCalls } from './logs/failed-calls.ts';
import type { Presence } from './logs/presence.ts';
import { logViolations } from './logs/violations.ts';
import type { Metrics } from './metrics/metrics.ts';
import type { Readiness } from './readiness.ts';

/** Minimum time between log lines about exhausted file descriptors, in milliseconds. */
const OUT_OF_FILES_MS = 10_000;

/** Documentation linked by the warning about a missing route. */
const MISSING_ROUTES_DOCS = 'docs/assumptions.md#a-deployment-with-the-documents-routes-only';

interface Watching {
  readonly readiness: Pick<Readiness, 'noticeCall'>;
}

/** @param gateway read at each call, since the upstream is created before the gateway. */
export function observeUpstream(
  metrics: Metrics,
  logger: Logger,
  presence: Presence,
  gateway: () => Watching,
): UpstreamObserver {
  let outOfFilesMs = -Infinity;
  const logOutOfFiles = (): void => {
    if (performance.now() - outOfFilesMs < OUT_OF_FILES_MS) return;
    outOfFilesMs = performance.now();
    logger.error(
      'No file descriptors left for calls to the backend. Raise the limit of this process (ulimit -n).',
    );
  };
  const logFailed = logFailedCalls(logger);
  const logged = logViolations(logger);
  return {
    ...metrics.observer,
    onCall: (call) => {
      metrics.observer.onCall?.(call);
      presence.noticeCall(call, logFailed(call));
      if (call.failure === 'out_of_files') logOutOfFiles();
      gateway().readiness.noticeCall(call);
    },
    onViolation: (route, field) => {
      metrics.observer.onViolation?.(route, field);
      logged(route, field);
    },
    onMissingRoute: ({ method, path }) => {
      const route = `${method} ${path}`;
      logger.warn(
        { route },
        `The backend lacks the optional route ${route}: ${DIFFERENCES.get(path)}. UPSTREAM_ROUTES=auto detected this, and checks again after a minute, then less often. See ${MISSING_ROUTES_DOCS}`,
      );
    },
    onFoundRoute: ({ method, path }) => {
      const route = `${method} ${path}`;
      logger.info(
        { route },
        `The backend now has the optional route ${route}, which is used again`,
      );
    },
    onUndecidedRoute: ({ method, path }) => {
      const route = `${method} ${path}`;
      logger.warn(
        { route },
        `Cannot detect whether the backend has the optional route ${route}. Until it is detected, fields that need the route fail, and rejected calls cost extra reads. Set UPSTREAM_ROUTES if you know the routes. See ${MISSING_ROUTES_DOCS}`,
      );
    },
    onBreaker: (change) => {
      metrics.observer.onBreaker?.(change);
      const { scope, route, state } = change;
      if (scope === 'host' && state === 'open') presence.noticeAbsence();
      const of = route ? `${route.method} ${route.path}` : undefined;
      logger.warn({ scope, route: of, state }, `Circuit breaker of scope ${scope} is ${state}`);
    },
  };
}
