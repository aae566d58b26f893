/**
 * A whole backend out of the route table: it has every object that is asked for, made from the
 * contract's own schemas.
 *
 * Strings are their field's name, ids what the path says, instants one instant; so a new field or
 * route is answered without a change here.
 */
import { z } from 'zod';
import { routes, type Route } from '../../src/v0/routes.ts';
import { ok, status, type Behaviour, type Seen } from './faults.ts';

/** When everything happened, as the document writes it. */
export const INSTANT = '+1700000000000';

/** Items of every list. */
const ITEMS = 2;

/** Answers every documented request with what its route promises; 404 for any other. */
export const world = (): Behaviour => (response, seen, socket) => {
  const found = routeOf(seen);
  const answer = found ? ok(sampleOf(found.route, found.values)) : status(404);
  return answer(response, seen, socket);
};

/** The documented answer of a route: `sampleOf(routes.getPage, { page_id: 'p1' })`. */
export function sampleOf(
  route: Route,
  values: Readonly<Record<string, string>> = {},
): Record<string, any> {
  const known = Object.fromEntries(
    Object.entries(values).map(([name, value]) => [camel(name), value]),
  );
  return sample(route.response, '', known) as Record<string, any>;
}

/** The route of the table that a request is for, and the ids in its path. */
export function routeOf({
  method,
  target,
}: Pick<Seen, 'method' | 'target'>):
  { readonly route: Route; readonly values: Record<string, string> } | undefined {
  const path = target.split('?')[0]!;
  for (const { route, pattern, parameters } of PATTERNS) {
    const found = route.method === method ? pattern.exec(path) : null;
    if (!found) continue;
    const values = parameters.map(
      (parameter, i) => [parameter, decodeURIComponent(found[i + 1]!)] as const,
    );
    return { route, values: Object.fromEntries(values) };
  }
  return undefined;
}

// `/v0/pages/search` is also `/v0/pages/{page_id}`: paths without parameters come first.
const PATTERNS = Object.values(routes as Readonly<Record<string, Route>>)
  .map((route) => ({
    route,
    pattern: new RegExp(`^${route.path.replace(/\{\w+\}/g, '([^/]+)')}$`),
    parameters: [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!),
  }))
  .sort((a, b) => a.parameters.length - b.parameters.length);

const camel = (name: string): string => name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase());

type Known = Readonly<Record<string, string>>;

function sample(schema: z.core.$ZodType, name: string, known: Known): unknown {
  if (schema instanceof z.ZodObject) {
    const shape = Object.entries<z.core.$ZodType>(schema.shape);
    return Object.fromEntries(shape.map(([field, inner]) => [field, sample(inner, field, known)]));
  }
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional) {
    // A next page without end would be asked for without end.
    return name === 'nextCursor' ? null : sample(schema.unwrap(), name, known);
  }
  if (schema instanceof z.ZodArray) {
    return Array.from({ length: ITEMS }, (_, i) => {
      const own = Object.fromEntries(OWN_IDS.map((id) => [id, known[id] ?? `${id}-${i}`]));
      return sample(schema.element, name, { ...own, ...known });
    });
  }
  if (schema instanceof z.ZodRecord) return { any: 'thing' };
  if (schema instanceof z.ZodEnum) return schema.options[0];
  if (schema instanceof z.ZodNumber) return name === 'totalCount' ? ITEMS : 1;
  if (schema instanceof z.ZodBoolean) return false;
  if (name.endsWith('At')) return INSTANT;
  return known[name] ?? (/url$/i.test(name) ? 'https://example.com/' : name);
}

/** Makes the items of a list differ. */
const OWN_IDS = [
  'pageId',
  'audienceId',
  'versionId',
  'topicId',
  'topicEntryId',
  'accountId',
  'personId',
  'personLogId',
  'accountLogId',
  'activityId',
  'pageLinkId',
];
