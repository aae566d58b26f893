/**
 * Fills in the path parameters of route templates.
 *
 * Every parameter becomes exactly one encoded segment. Values are rejected if they are empty, `.` or `..`, cannot be
 * encoded, or result in another route's path.
 */
import { isReserved, type PathParameters } from '../../v0/routes.ts';
import { RestError, type RouteLabel } from '../call/errors.ts';

/** Maximum length of an id, in characters. Assumed: the document states no limit. */
export const MAX_ID_LENGTH = 512;

/**
 * Maximum length of a caller's text in a query, percent-encoded. Leaves 1,000 octets for the rest of a request line of
 * 8,000, which all servers accept (RFC 9112, section 3).
 */
export const MAX_TEXT_OCTETS = 7_000;

/**
 * Returns the path of a call: `/v0/pages/{page_id}` with `{ page_id: 'a/b' }` is `/v0/pages/a%2Fb`.
 *
 * @throws {RestError} `input` if a value cannot be a segment.
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

/** Formats defined values as `?cursor=…&limit=…`; empty without any. */
export function formatQuery(
  query: Readonly<Record<string, string | number | undefined>> | undefined,
): string {
  let text = '';
  for (const name in query) {
    const value = query[name];
    if (value === undefined) continue;
    // Lone surrogates become U+FFFD, since `encodeURIComponent` would throw.
    text += `${text ? '&' : '?'}${name}=${encodeURIComponent(String(value).toWellFormed())}`;
  }
  return text;
}

/** Returns why a caller's text cannot be a query parameter; undefined if it can. */
export function textFault(value: string): string | undefined {
  if (value.length * MAX_OCTETS <= MAX_TEXT_OCTETS) return undefined;
  const octets = encodeURIComponent(value.toWellFormed()).length;
  if (octets <= MAX_TEXT_OCTETS) return undefined;
  return `must take at most ${MAX_TEXT_OCTETS} octets of a URL, got ${octets}`;
}

/** Octets of a percent-encoded UTF-16 unit: three bytes of UTF-8 at most. */
const MAX_OCTETS = 9;

function encodeSegment(route: RouteLabel, name: string, value: string): string {
  if (PLAIN_SEGMENT.test(value) && !isReserved(name, value)) return value;
  const fault = segmentFault(value, name);
  if (fault) throw new RestError('input', `"${name}" ${fault}`, route);
  return encodeURIComponent(value);
}

/** Fast path: short ids without characters that are special in a URL. */
const PLAIN_SEGMENT = /^[\w-]{1,100}$/;

/**
 * Returns why a string cannot be a path segment; undefined if it can.
 *
 * @param parameter name of the parameter, if it is known.
 */
export function segmentFault(value: string, parameter?: string): string | undefined {
  if (parameter === undefined && PLAIN_SEGMENT.test(value)) return undefined;
  if (value === '') return 'must not be empty';
  if (value === '.' || value === '..') return `must be an id, got "${value}"`;
  if (value.length > MAX_ID_LENGTH) return `must be at most ${MAX_ID_LENGTH} characters long`;
  if (/\p{Cc}/u.test(value)) return 'must not contain control characters';
  if (!value.isWellFormed()) return 'must be well-formed Unicode';
  if (parameter !== undefined && isReserved(parameter, value)) {
    return `must be an id, and "${value}" is the name of another route`;
  }
  return undefined;
}

export type CallInput<Path extends string, Query, Body> = ([PathParameters<Path>] extends [never]
  ? { readonly path?: undefined }
  : { readonly path: Readonly<Record<PathParameters<Path>, string>> }) &
  ([Query] extends [undefined] ? { readonly query?: undefined } : { readonly query?: Query }) &
  (undefined extends Body ? { readonly body?: undefined } : { readonly body: Body });
