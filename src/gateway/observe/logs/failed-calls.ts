/**
 * Logs failed backend calls: at most one line per second for each route and kind of failure.
 */
import type { ObservedCall } from '../../../rest/call/observer.ts';
import type { Logger } from './logger.ts';

/** Minimum time between two lines of one kind, in milliseconds. */
export const PAUSE_MS = 1_000;

/** @returns a function that returns whether it has logged a call. */
export function logFailedCalls(logger: Logger): (call: ObservedCall) => boolean {
  const lines = new Map<string, { loggedMs: number; suppressed: number }>();
  return ({ route, attempt, isSent, status, failure, durationMs, span }) => {
    // Cancelled calls are no failures; the cause of unsent calls is logged elsewhere.
    if (!isSent || failure === 'cancelled') return false;
    const kind =
      failure ?? (status !== undefined && status >= 500 ? `status ${status}` : undefined);
    if (kind === undefined) return false;
    const call = `${route.method} ${route.path}`;
    // Bounded: routes and kinds are fixed sets.
    const line = lines.get(`${call} ${kind}`) ?? { loggedMs: -Infinity, suppressed: 0 };
    if (performance.now() - line.loggedMs < PAUSE_MS) {
      line.suppressed += 1;
      return false;
    }
    logger.warn(
      {
        route: call,
        kind,
        attempt,
        durationMs: Math.round(durationMs * 10) / 10,
        trace_id: span?.traceId,
        span_id: span?.spanId,
        ...(line.suppressed > 0 && { suppressed: line.suppressed }),
      },
      'REST call failed',
    );
    lines.set(`${call} ${kind}`, { loggedMs: performance.now(), suppressed: 0 });
    return true;
  };
}
