/**
 * Responses made up from the routes' own schemas, for tests and benchmarks.
 *
 * A string is the name of its field, an id is that of the path, and each timestamp is the same, so that a new field or
 * route gets a response without a change here.
 */
import { z } from 'zod';
import { parametersOf, routes, type Route } from '../../src/v0/routes.ts';

/** The timestamp of all samples, in the API spec's form. */
export const INSTANT = '+1700000000000';

interface SampleOptions {
  /** Of every list. @default 2 */
  readonly items?: number;
  /** Of ids that are not in the path. @default '' */
  readonly idPrefix?: string;
}

/** The documented response of a route: `sampleOf(routes.getPage, { page_id: 'p1' })`. */
export function sampleOf(
  route: Route,
  values: Readonly<Record<string, string>> = {},
  { items = 2, idPrefix = '' }: SampleOptions = {},
): unknown {
  const known = Object.entries(values).map(([name, value]) => [camel(name), value] as const);
  return sample(route.response, '', Object.fromEntries(known), { items, idPrefix });
}

/** The route of the table that a request is for, and the values of its path's parameters. */
export function routeOf({
  method,
  target,
}: {
  readonly method: string;
  readonly target: string;
}): { readonly route: Route; readonly values: Readonly<Record<string, string>> } | undefined {
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
const PATTERNS = Object.values<Route>(routes)
  .map((route) => ({
    route,
    pattern: new RegExp(`^${route.path.replace(/\{\w+\}/g, '([^/]+)')}$`),
    parameters: parametersOf(route.path),
  }))
  .sort((a, b) => a.parameters.length - b.parameters.length);

const camel = (name: string): string =>
  name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

type Known = Readonly<Record<string, string>>;

function sample(
  schema: z.core.$ZodType,
  name: string,
  known: Known,
  options: Required<SampleOptions>,
): unknown {
  const { items, idPrefix } = options;
  if (schema instanceof z.ZodObject) {
    const shape = Object.entries<z.core.$ZodType>(schema.shape);
    return Object.fromEntries(
      shape.map(([field, inner]) => [field, sample(inner, field, known, options)]),
    );
  }
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional) {
    // A cursor in each response would be followed without end.
    return name === 'nextCursor' ? null : sample(schema.unwrap(), name, known, options);
  }
  if (schema instanceof z.ZodArray) {
    return Array.from({ length: items }, (_, i) => {
      const own = Object.fromEntries(OWN_IDS.map((id) => [id, `${idPrefix}${id}-${i}`]));
      return sample(schema.element, name, { ...own, ...known }, options);
    });
  }
  if (schema instanceof z.ZodRecord) return { any: 'thing' };
  if (schema instanceof z.ZodEnum) return schema.options[0];
  if (schema instanceof z.ZodNumber) return name === 'totalCount' ? items : 1;
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
