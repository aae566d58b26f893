/**
 * Logs the recovery of the backend.
 */
import type { ObservedCall } from '../../../rest/call/observer.ts';
import type { Logger } from './logger.ts';

/** Consecutive failed attempts that count as an outage. */
const ABSENCE = 2;

export function logReturn(
  logger: Logger,
): (call: Pick<ObservedCall, 'isSent' | 'status' | 'failure'>) => void {
  let failures = 0;
  let sinceMs = 0;
  return ({ isSent, status, failure }) => {
    // Unsent and cancelled calls say nothing about the backend.
    if (!isSent || failure === 'cancelled') return;
    if (status === undefined || status >= 500) {
      if (failures === 0) sinceMs = performance.now();
      failures += 1;
      return;
    }
    if (failures >= ABSENCE) {
      const awayMs = Math.round(performance.now() - sinceMs);
      logger.info({ awayMs }, 'The backend answers again');
    }
    failures = 0;
  };
}
