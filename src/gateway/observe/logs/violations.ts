/**
 * Logs violations of the backend's contract: at most one line per hour for each route and field.
 */
import type { RouteLabel } from '../../../rest/call/errors.ts';
import type { Logger } from './logger.ts';

/** Minimum time between two lines of one field, in milliseconds. */
const PAUSE_MS = 3_600_000;

/** @param now clock in milliseconds. */
export function logViolations(
  logger: Logger,
  now: () => number = () => performance.now(),
): (route: RouteLabel, field: string) => void {
  // Bounded: routes and documented fields are fixed sets.
  const saidMs = new Map<string, number>();
  return ({ method, path }, field) => {
    const route = `${method} ${path}`;
    const key = `${route} ${field}`;
    if (now() - (saidMs.get(key) ?? -Infinity) < PAUSE_MS) return;
    saidMs.set(key, now());
    logger.warn(
      { route, field },
      field === ''
        ? 'REST response violates the API spec'
        : 'Field of a REST response violates the API spec',
    );
  };
}
