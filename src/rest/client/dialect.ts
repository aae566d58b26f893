/**
 * How what the six extended routes answer is read: by them, or by the routes of the REST document.
 *
 * Resource modules declare both ways beside each other. A dialect says which routes there are, and nothing else does.
 */
import type { Route } from '../../v0/routes.ts';
import { isMissingRoute } from '../call/errors.ts';

/** Immutable: what was derived from it can be kept for it. */
export interface Dialect {
  /** Whether a route is called at all. */
  serves(route: Route): boolean;
}

/** The dialect of a backend that lacks these routes. */
export const dialectWithout = (missing: ReadonlySet<Route>): Dialect => ({
  serves: (route) => !missing.has(route),
});

/**
 * Reads by an extended route, and in another way where the backend lacks it, or this very read finds that out.
 *
 * @param instead Assumed: see docs/assumptions.md.
 */
export function readBy<Value>(
  route: Route,
  dialect: Dialect,
  read: () => Promise<Value>,
  instead: () => Promise<Value>,
): Promise<Value> {
  if (!dialect.serves(route)) return instead();
  return read().catch((error: unknown) => {
    if (isMissingRoute(error, route)) return instead();
    throw error;
  });
}
