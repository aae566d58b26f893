/** Routes of the contract: method, path template, and schemas of query, body and response. */
import type { z } from 'zod';

/** Sets of routes: the document's 20, or all 26. */
export const ROUTE_SETS = ['document', 'extended'] as const;
export type RouteSet = (typeof ROUTE_SETS)[number];

export interface Route<
  Path extends string = string,
  Response = unknown,
  Query = unknown,
  Body = unknown,
> {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Template with parameters in braces: `/v0/pages/{page_id}`. */
  readonly path: Path;
  /** `document`: part of interface.md. `extended`: part of the service's public reference only. */
  readonly set: RouteSet;
  readonly response: z.ZodType<Response>;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  /** Types of the input; for the compiler only. */
  readonly input?: { readonly query: Query; readonly body: Body };
}

/** Names of path parameters: `page_id` for `{page_id}`. */
export type PathParameters<Path extends string> =
  Path extends `${string}{${infer Name}}${infer Rest}` ? Name | PathParameters<Rest> : never;

export type PathValues = Readonly<Record<string, string>>;

export const parametersOf = (path: string): readonly string[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);

/**
 * Returns fixed segments of other routes at the place of a parameter: `search` for `page_id`, because of
 * `/v0/pages/search` and `/v0/pages/{page_id}`.
 */
export function reservedWords(paths: readonly string[]): ReadonlyMap<string, ReadonlySet<string>> {
  const words = new Map<string, Set<string>>();
  const templates = paths.map((path) => path.split('/'));
  for (const template of templates) {
    for (const [place, parameter] of template.entries()) {
      if (!isParameter(parameter)) continue;
      const name = parameter.slice(1, -1);
      const siblings = templates.filter((other) => meet(template, other, place));
      const known = words.get(name) ?? new Set();
      for (const { [place]: word } of siblings) if (word && !isParameter(word)) known.add(word);
      if (known.size > 0) words.set(name, known);
    }
  }
  return words;
}

const isParameter = (segment: string): boolean => segment.startsWith('{');

/** Whether two templates can match the same path up to a segment. */
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

/** Marks a route as optional. Assumed: routes of the public reference that the API spec lacks. */
export function extended<Of extends { readonly set: RouteSet }>(route: Of): Of {
  return { ...route, set: 'extended' };
}
