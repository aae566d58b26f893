/**
 * Route capabilities: which of the six optional routes the backend has, and the fallback to routes of the API spec.
 *
 * Resource modules declare the optional read and its fallback together.
 */
import type { Route } from '../../v0/routes.ts';
import { isMissingRoute } from '../call/errors.ts';

/** Immutable, so derived values can be cached by identity. */
export interface RouteCapabilities {
  serves(route: Route): boolean;
}

export const capabilitiesWithout = (missing: ReadonlySet<Route>): RouteCapabilities => ({
  serves: (route) => !missing.has(route),
});

/**
 * Reads by an optional route, or by a fallback if the backend lacks the route or this read finds it missing.
 *
 * @param instead Assumed: see docs/assumptions.md.
 */
export function readBy<Value>(
  route: Route,
  capabilities: RouteCapabilities,
  read: () => Promise<Value>,
  instead: () => Promise<Value>,
): Promise<Value> {
  if (!capabilities.serves(route)) return instead();
  return read().catch((error: unknown) => {
    if (isMissingRoute(error, route)) return instead();
    throw error;
  });
}
