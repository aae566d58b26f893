/**
 * A whole backend out of the route table: it has every object that is requested, made from the
 * contract's own schemas.
 */
import type { Route } from '../../src/v0/routes.ts';
import * as samples from './sample-responses.ts';
import { ok, status, type Behaviour } from './faults.ts';

export { INSTANT, routeOf } from './sample-responses.ts';

/** Responds to every documented request with what its route promises; 404 for any other. */
export const world = (): Behaviour => (response, seen, socket) => {
  const found = samples.routeOf(seen);
  const answer = found ? ok(sampleOf(found.route, found.values)) : status(404);
  return answer(response, seen, socket);
};

/** A whole backend whose lists of audiences have four, the third of which has no valid date. */
export const worldWithBrokenRow = (): Behaviour => {
  const others = world();
  return (response, seen, socket) => {
    const { route, values } = samples.routeOf(seen)!;
    if (!route.path.endsWith('/audiences')) return others(response, seen, socket);
    const list = sampleOf(route, values);
    const items = ['a0', 'a1', 'a2', 'a3'].map((audienceId, i) => ({
      ...{ ...list['items'][0], audienceId, personId: `p${i}` },
      ...(i === 2 && { createdAt: 'no date' }),
    }));
    return ok({ ...list, items })(response, seen, socket);
  };
};

/** The response of each route, with `<page_id>` instead of the path's value. */
const templates = new Map<string, string>();

/** The documented response of a route, whose fields tests change. */
export function sampleOf(
  route: Route,
  values: Readonly<Record<string, string>> = {},
): Record<string, any> {
  const names = Object.keys(values);
  const kind = [route.method, route.path, ...names].join(' ');
  let template = templates.get(kind);
  if (template === undefined) {
    // Kept, since tests ask by the ten thousand, and walking the schema takes most of their backend's time.
    const places = Object.fromEntries(names.map((name) => [name, `<${name}>`]));
    template = JSON.stringify(samples.sampleOf(route, places));
    templates.set(kind, template);
  }
  const written = (_: string, name: string) => JSON.stringify(values[name]).slice(1, -1);
  return JSON.parse(template.replace(/<(\w+)>/g, written)) as Record<string, any>;
}
