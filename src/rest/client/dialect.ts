/**
 * How what the six extended routes answer is read: by them, or by the routes of the REST document.
 *
 * Resource modules declare both ways beside each other, of a demand or of a reading. A dialect says which
 * routes there are, and nothing else does.
 */
import type { Route } from '../../v0/routes.ts';
import { isMissingRoute } from '../call/errors.ts';

/** Two ways to read the same. */
export interface Reading<Way> {
  /** The extended route that one of them needs. */
  readonly route: Route;
  readonly extended: Way;
  /** Without that route. Assumed: see docs/assumptions.md. */
  readonly document: Way;
}

/** Immutable: what was derived from it can be kept for it. */
export interface Dialect {
  /** Whether a route is called at all. */
  serves(route: Route): boolean;
}

/** The dialect of a backend that lacks these routes. */
export const dialectWithout = (missing: ReadonlySet<Route>): Dialect => ({
  serves: (route) => !missing.has(route),
});

/** Reads in a dialect, and in the document's where this very read finds out that the route is missing. */
export function readIn<Args extends readonly unknown[], Value>(
  dialect: Dialect,
  reading: Reading<(...args: Args) => Promise<Value>>,
  ...args: Args
): Promise<Value> {
  const { route, extended, document } = reading;
  if (!dialect.serves(route)) return document(...args);
  return extended(...args).catch((error: unknown) => {
    if (isMissingRoute(error, route)) return document(...args);
    throw error;
  });
}
