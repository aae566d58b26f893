/**
 * How what the six extended routes answer is read: by them, or by the routes of the REST document.
 *
 * Resource modules declare both ways of a reading beside each other; which of them is gone is decided here
 * and nowhere else.
 */
import type { Route, RouteSet } from '../../v0/routes.ts';

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
  wayOf<Way>(reading: Reading<Way>): Way;
  /** Whether a route is called at all. */
  serves(route: Route): boolean;
}

const EXTENDED: Dialect = {
  wayOf: ({ extended }) => extended,
  serves: () => true,
};

const DOCUMENT: Dialect = {
  wayOf: ({ document }) => document,
  serves: ({ set }) => set === 'document',
};

export const dialectFor = (routeSet: RouteSet): Dialect =>
  routeSet === 'document' ? DOCUMENT : EXTENDED;
