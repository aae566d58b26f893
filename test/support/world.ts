/**
 * A whole backend out of the route table: it has every object that is asked for, made from the
 * contract's own schemas.
 */
import type { Route } from '../../src/v0/routes.ts';
import * as samples from '../../src/server/process/sample-answers.ts';
import { ok, status, type Behaviour } from './faults.ts';

export { INSTANT, routeOf } from '../../src/server/process/sample-answers.ts';

/** Answers every documented request with what its route promises; 404 for any other. */
export const world = (): Behaviour => (response, seen, socket) => {
  const found = samples.routeOf(seen);
  const answer = found ? ok(sampleOf(found.route, found.values)) : status(404);
  return answer(response, seen, socket);
};

/** The documented answer of a route, whose fields tests change. */
export const sampleOf = (
  route: Route,
  values?: Readonly<Record<string, string>>,
): Record<string, any> => samples.sampleOf(route, values) as Record<string, any>;
