/**
 * Fills in the path parameters of route templates.
 *
 * Every parameter becomes exactly one encoded segment. Values that would be normalised away (`.`, `..`),
 * shorten the path (empty), cannot be encoded or make another route's path are refused.
 */
import { isReserved, type PathParameters } from '../../v0/routes.ts';
import { RestError, type RouteLabel } from '../call/errors.ts';

/** The longest id that is passed on, in characters. Assumed: the document shows no limit. */
export const MAX_ID_LENGTH = 512;

/**
 * The path of one call: `/v0/pages/{page_id}` and `{ page_id: 'a/b' }` make `/v0/pages/a%2Fb`.
 *
 * @throws {RestError} `input` when a value can't be one segment.
 */
export function fillPath(route: RouteLabel, values: Readonly<Record<string, string>>): string {
  let parts = templates.get(route.path);
  if (!parts) templates.set(route.path, (parts = route.path.split(/\{(\w+)\}/)));
  let path = parts[0]!;
  for (let i = 1; i < parts.length; i += 2) {
    const name = parts[i]!;
    path += encodeSegment(route, name, values[name] ?? '') + parts[i + 1]!;
  }
  return path;
}

/** Templates split at their parameters: text, name, text, name, text. */
const templates = new Map<string, readonly string[]>();

/** `?cursor=…&limit=…` from what is set; empty when nothing is. */
export function formatQuery(
  query: Readonly<Record<string, string | number | undefined>> | undefined,
): string {
  let text = '';
  for (const name in query) {
    const value = query[name];
    if (value === undefined) continue;
    // A lone surrogate has no UTF-8 form: it becomes U+FFFD instead of an exception.
    text += `${text ? '&' : '?'}${name}=${encodeURIComponent(String(value).toWellFormed())}`;
  }
  return text;
}

function encodeSegment(route: RouteLabel, name: string, value: string): string {
  if (PLAIN.test(value) && !isReserved(name, value)) return value;
  const fault = segmentFault(value, name);
  if (fault) throw new RestError('input', `"${name}" ${fault}`, route);
  return encodeURIComponent(value);
}

/** Most ids: short, and without characters that are special in a URL. */
const PLAIN = /^[\w-]{1,100}$/;

/**
 * Why a text can't be one path segment; undefined when it can.
 *
 * @param parameter the parameter's name; absent where it is not known yet.
 */
export function segmentFault(value: string, parameter?: string): string | undefined {
  if (value === '') return 'must not be empty';
  if (value === '.' || value === '..') return `must be an id, got "${value}"`;
  if (value.length > MAX_ID_LENGTH) return `must be at most ${MAX_ID_LENGTH} characters long`;
  if (/\p{Cc}/u.test(value)) return 'must not hold control characters';
  if (!value.isWellFormed()) return 'must be well-formed Unicode';
  if (parameter !== undefined && isReserved(parameter, value)) {
    return `must be an id, and "${value}" is the name of another route`;
  }
  return undefined;
}

/** What a route takes: values for its path parameters, its query, its body. */
export type CallInput<Path extends string, Query, Body> = ([PathParameters<Path>] extends [never]
  ? { readonly path?: undefined }
  : { readonly path: Readonly<Record<PathParameters<Path>, string>> }) &
  ([Query] extends [undefined] ? { readonly query?: undefined } : { readonly query?: Query }) &
  (undefined extends Body ? { readonly body?: undefined } : { readonly body: Body });
