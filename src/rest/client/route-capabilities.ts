/**
 * How what the six extended routes answer is read: by them, or by the routes of the REST document.
 *
 * Resource modules declare both ways beside each other. `RouteCapabilities` alone say which routes there are.
 */
import type { Route } from '../../v0/routes.ts';
import { isMissingRoute } from '../call/errors.ts';

/** Immutable: what was derived from it can be kept for it. */
export interface RouteCapabilities {
  /** Whether a route is called at all. */
  serves(route: Route): boolean;
}

/** Of a backend that lacks these routes. */
export const capabilitiesWithout = (missing: ReadonlySet<Route>): RouteCapabilities => ({
  serves: (route) => !missing.has(route),
});

/**
 * Reads by an extended route, and in another way where the backend lacks it, or this very read finds that out.
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
