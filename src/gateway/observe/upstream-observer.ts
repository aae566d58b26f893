/** Counts events of the REST client, and logs failures and outages of the backend. */
import type { ObservedCall, UpstreamObserver } from '../../rest/call/options.ts';
import { DIFFERENCES } from '../../v0/extended-routes.ts';
import type { Logger } from './logs/logger.ts';
import type { Metrics } from './metrics/metrics.ts';
import type { Readiness } from './readiness.ts';

/** Minimum time between two log lines about failed calls of one route and kind, in milliseconds. */
export const PAUSE_MS = 1_000;

/** Minimum time between two log lines about one violation of the contract, in milliseconds. */
const VIOLATION_PAUSE_MS = 3_600_000;

/** Minimum time between log lines about exhausted file descriptors, in milliseconds. */
const OUT_OF_FILES_PAUSE_MS = 10_000;

/** Documentation linked by warnings about optional routes. */
const MISSING_ROUTES_DOCS = 'docs/assumptions.md#without-optional-routes';

interface ObserveUpstreamOptions {
  readonly metrics: Metrics;
  readonly logger: Logger;
  /** Called per event, since the upstream is created before the gateway. */
  readonly readiness: () => Pick<Readiness, 'recordCall' | 'recordFailure'>;
  /** Clock in milliseconds. @default the system's */
  readonly now?: () => number;
}

export function observeUpstream(options: ObserveUpstreamOptions): UpstreamObserver {
  const { metrics, logger, readiness, now = () => performance.now() } = options;
  /** Bounded: routes, fields and kinds of failures are fixed sets. */
  const logged = new Map<string, { readonly atMs: number; suppressed: number }>();
  /** Returns the number of lines suppressed before this one; undefined if this one is suppressed. */
  const admitLine = (key: string, pauseMs: number): number | undefined => {
    const last = logged.get(key);
    if (last && now() - last.atMs < pauseMs) {
      last.suppressed += 1;
      return undefined;
    }
    logged.set(key, { atMs: now(), suppressed: 0 });
    return last?.suppressed ?? 0;
  };

  /** @returns whether the call was logged. */
  const logFailure = (call: ObservedCall): boolean => {
    const { isSent, attempt, status, failure, durationMs, span } = call;
    // Cancelled calls are not failures; the cause of unsent calls is logged elsewhere.
    if (!isSent || failure === 'cancelled') return false;
    const kind =
      failure ?? (status !== undefined && status >= 500 ? `status ${status}` : undefined);
    if (kind === undefined) return false;
    const route = labelOf(call.route);
    const suppressed = admitLine(`${route} ${kind}`, PAUSE_MS);
    if (suppressed === undefined) return false;
    logger.warn(
      {
        route,
        kind,
        attempt,
        durationMs: Math.round(durationMs * 10) / 10,
        trace_id: span?.traceId,
        span_id: span?.spanId,
        ...(suppressed > 0 && { suppressed }),
      },
      'REST call failed',
    );
    return true;
  };

  return {
    ...metrics.observer,
    onCall: (call) => {
      metrics.observer.onCall?.(call);
      readiness().recordCall(call, logFailure(call));
      if (call.failure !== 'out_of_files') return;
      if (admitLine('out_of_files', OUT_OF_FILES_PAUSE_MS) === undefined) return;
      logger.error(
        'No file descriptors left for calls to the backend. Raise the limit of this process (ulimit -n).',
      );
    },
    onViolation: (given, field) => {
      metrics.observer.onViolation?.(given, field);
      const route = labelOf(given);
      if (admitLine(`violation ${route} ${field}`, VIOLATION_PAUSE_MS) === undefined) return;
      const what = field === '' ? 'REST response' : 'Field of a REST response';
      logger.warn({ route, field }, `${what} violates the API spec`);
    },
    onMissingRoute: (given) => {
      const route = labelOf(given);
      logger.warn(
        { route },
        `The backend lacks the optional route ${route}: ${DIFFERENCES.get(given.path)}. UPSTREAM_ROUTES=auto detected this, and checks again after a minute, then less often. See ${MISSING_ROUTES_DOCS}`,
      );
    },
    onFoundRoute: (given) => {
      const route = labelOf(given);
      logger.info(
        { route },
        `The backend now has the optional route ${route}, which is used again`,
      );
    },
    onUndecidedRoute: (given) => {
      const route = labelOf(given);
      logger.warn(
        { route },
        `Cannot detect whether the backend has the optional route ${route}. Until it is detected, fields that need the route fail, and rejected calls cost extra reads. Set UPSTREAM_ROUTES if you know the routes. See ${MISSING_ROUTES_DOCS}`,
      );
    },
    onBreaker: (change) => {
      metrics.observer.onBreaker?.(change);
      const { scope, route, state } = change;
      if (scope === 'host' && state === 'open') readiness().recordFailure();
      logger.warn(
        { scope, route: route && labelOf(route), state },
        `Circuit breaker of scope ${scope} is ${state}`,
      );
    },
  };
}

const labelOf = ({ method, path }: ObservedCall['route']): string => `${method} ${path}`;
