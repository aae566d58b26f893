/**
 * What a route of the contract is: method, the path as the document writes it, and the shapes that travel.
 */
import type { z } from 'zod';

/** Which routes a deployment has: the document's 20, or all 26. */
export const ROUTE_SETS = ['document', 'extended'] as const;
export type RouteSet = (typeof ROUTE_SETS)[number];

export interface Route<
  Path extends string = string,
  Response = unknown,
  Query = unknown,
  Body = unknown,
> {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** The template, with parameters in braces: `/v0/pages/{page_id}`. */
  readonly path: Path;
  /** `document`: in interface.md. `extended`: in the service's public reference only. */
  readonly set: RouteSet;
  readonly response: z.ZodType<Response>;
  /** The query string's parameters; absent where the route takes none. */
  readonly query?: z.ZodObject;
  /** The JSON body; absent where the route takes none. */
  readonly body?: z.ZodType;
  /** What a caller hands over; exists for the compiler only. */
  readonly input?: { readonly query: Query; readonly body: Body };
}

/** The parameters of a path: `{page_id}` makes `page_id`. */
export type PathParameters<Path extends string> =
  Path extends `${string}{${infer Name}}${infer Rest}` ? Name | PathParameters<Rest> : never;

/** Their names, in the order of the path. */
export const parametersOf = (path: string): readonly string[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);

/**
 * The fixed segments of other routes that stand in a parameter's place: `search` for `page_id`, because of
 * `/v0/pages/search` beside `/v0/pages/{page_id}`.
 */
export function reservedWords(paths: readonly string[]): ReadonlyMap<string, ReadonlySet<string>> {
  const words = new Map<string, Set<string>>();
  const templates = paths.map((path) => path.split('/'));
  for (const template of templates) {
    for (const [place, parameter] of template.entries()) {
      if (!isParameter(parameter)) continue;
      const name = parameter.slice(1, -1);
      const beside = templates.filter((other) => meet(template, other, place));
      const known = words.get(name) ?? new Set();
      for (const { [place]: word } of beside) if (word && !isParameter(word)) known.add(word);
      if (known.size > 0) words.set(name, known);
    }
  }
  return words;
}

const isParameter = (segment: string): boolean => segment.startsWith('{');

/** Whether two templates can be the same path up to a place. */
const meet = (one: readonly string[], other: readonly string[], place: number): boolean =>
  one
    .slice(0, place)
    .every(
      (segment, i) => segment === other[i] || isParameter(segment) || isParameter(other[i] ?? ''),
    );

export function get<Path extends string, Response, Query extends z.ZodObject = z.ZodObject<{}>>(
  path: Path,
  response: z.ZodType<Response>,
  query?: Query,
): Route<Path, Response, z.input<Query>, undefined> {
  return { method: 'GET', path, set: 'document', response, ...(query && { query }) };
}

export function write<Path extends string, Response, Body extends z.ZodType = z.ZodUndefined>(
  method: 'POST' | 'PATCH' | 'DELETE',
  path: Path,
  response: z.ZodType<Response>,
  body?: Body,
): Route<Path, Response, undefined, z.input<Body>> & { readonly body?: Body } {
  return { method, path, set: 'document', response, ...(body && { body }) };
}

/** Assumed: routes of the public reference which the REST document does not have. */
export function extended<Of extends { readonly set: RouteSet }>(route: Of): Of {
  return { ...route, set: 'extended' };
}
