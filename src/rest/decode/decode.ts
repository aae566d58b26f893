/**
 * Decodes a response's bytes to JSON of the documented shape.
 *
 * A wrong value is replaced by an error, which the executor reports at its field.
 */
import { z } from 'zod';
import { isSameId } from '../../lib/same-id.ts';
import { ErrorBody } from '../../v0/error.ts';
import type { Route } from '../../v0/routes.ts';
import { isRead, type RestResponse, type Call, type DecodedResponse } from '../call/call.ts';
import { hasKind, outcomeUnknown, RestError, statusError } from '../call/errors.ts';
import { checkOf } from './contract-check.ts';
import {
  decodeText,
  inexactNumbers,
  mayHaveVanished,
  parseExactly,
  parseJson,
  writtenAs,
  WRITES_ALL_NUMBERS,
} from './json.ts';
import { retryAfterOf } from './http-date.ts';

/**
 * OK, Created, No Content. Assumed: Accepted too, since publishing is asynchronous. Proxies that change a response in
 * passing send 203 (Non-Authoritative Information).
 */
const SUCCESSES: readonly number[] = [200, 201, 202, 203, 204];

/** Maximum number of wrong values of a response; above it the whole response is rejected. */
export const MAX_FAULTS = 1_000;

/**
 * Returns the body of a success, checked against the schema of its route.
 *
 * @throws {RestError} `status` for other statuses, including redirects, which are never followed. `invalid_response` if
 * the whole body is unusable. `outcome_unknown` instead of both if a write may have been executed.
 */
export function decode(
  call: Pick<Call, 'route' | 'path'>,
  response: RestResponse,
): DecodedResponse {
  try {
    const decoded = decodeBody(call.route, response);
    if (isAsked(call, decoded.value)) return decoded;
    throw invalid('Backend returned another object than the requested one', call.route, response);
  } catch (error) {
    if (!(error instanceof RestError) || isRead(call) || isSurelyRejected(error)) throw error;
    throw outcomeUnknown(error);
  }
}

/**
 * Statuses that mean "not executed" only if the backend itself sends them: proxies send 408, 421, 499 (nginx: client
 * closed its request) and any 5xx after they have passed a write on, and add `Retry-After` to them.
 */
const PROVEN_BY_BODY: readonly number[] = [408, 421, 499, 501, 503, 505];

/** Whether an error means that a write was not executed. Other 5xx may be sent after the write, by anyone. */
function isSurelyRejected(error: RestError): boolean {
  if (!hasKind(error, 'status')) return false;
  const { status = 0, body } = error;
  if (PROVEN_BY_BODY.includes(status)) return body === 'documented';
  return status >= 400 && status < 500;
}

/** The fields of a route's object that its path has too, by the place of their segments from the end. */
type KeyInPath = readonly (string | undefined)[];

const keysInPaths = new WeakMap<Route, KeyInPath>();

function keyInPath(route: Route): KeyInPath {
  let key = keysInPaths.get(route);
  if (!key) {
    const { path, response } = route;
    const shape = response instanceof z.ZodObject ? response.shape : {};
    const fields = path.split('/').toReversed().map(fieldOf);
    const isKey = (field: string | undefined) => field !== undefined && field in shape;
    key = fields
      .slice(0, fields.findLastIndex(isKey) + 1)
      .map((field) => (isKey(field) ? field : undefined));
    keysInPaths.set(route, key);
  }
  return key;
}

/** `pageId` for the segment `{page_id}`. */
const fieldOf = (segment: string): string | undefined =>
  /^\{(\w+)\}$/.exec(segment)?.[1]?.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

function isAsked({ route, path }: Pick<Call, 'route' | 'path'>, object: unknown): boolean {
  const query = path.indexOf('?');
  let end = query < 0 ? path.length : query;
  for (const field of keyInPath(route)) {
    const start = path.lastIndexOf('/', end - 1);
    if (field !== undefined) {
      const segment = path.slice(start + 1, end);
      const asked = segment.includes('%') ? decodeURIComponent(segment) : segment;
      if (!isSameId((object as Readonly<Record<string, unknown>>)[field], asked)) return false;
    }
    end = start;
  }
  return true;
}

function decodeBody(route: Route, response: RestResponse): DecodedResponse {
  if (!SUCCESSES.includes(response.status)) throw errorOf(route, response);
  const type = typeOf(response);
  if (!JSON_TYPE.test(type)) throw invalid('Backend did not return JSON', route, response);
  const text = decodeText(response.body, type);
  if (text === undefined) throw invalid(`Backend returned ${notText(response)}`, route, response);
  let root = parseJson(text);
  let faults = 0;
  let wrong: Set<string> | undefined;
  let inexact: Map<number, string> | undefined;
  let mayVanish: boolean | undefined;
  let written: string | undefined; // text of an inexact number
  const isExact = (value: number): boolean => {
    if (value === 0 && !(mayVanish ??= mayHaveVanished(text))) return true;
    inexact ??= inexactNumbers(text);
    return (written = inexact.get(value)) === undefined;
  };
  const onFault = (
    holder: Record<PropertyKey, unknown>,
    name: PropertyKey,
    idPath: string | false,
  ): void => {
    const own = Object.hasOwn(holder, name) ? holder[name] : undefined;
    const [label, value] = idPath === false ? [String(name), own] : idIn(own, idPath, name);
    const number = written ?? writtenAs(value);
    const shown = number === undefined ? describe(label, value) : describeNumber(label, number);
    written = undefined;
    const fault = invalid(`Backend returned ${shown}`, route, response, 'documented');
    // A page of a list is unusable without `items`.
    if (holder === root && name === 'items') throw fault;
    if (++faults > MAX_FAULTS) {
      throw invalid(`Backend returned over ${MAX_FAULTS} wrong values`, route, response);
    }
    (wrong ??= new Set()).add(idPath || (typeof name === 'string' ? name : '[]'));
    holder[name] = fault;
  };
  let outcome = checkOf(route.response)(root, onFault, isExact);
  if (WRITES_ALL_NUMBERS && inexact && inexact.size > 0) {
    faults = 0;
    wrong = undefined;
    root = parseExactly(text);
    outcome = checkOf(route.response)(root, onFault);
  }
  if (outcome !== true) {
    const body = typeof root === 'object' && root !== null ? 'documented' : undefined;
    const shown = outcome
      ? describe(...idIn(root, outcome))
      : 'something other than the documented object';
    throw invalid(`Backend returned ${shown}`, route, response, body);
  }
  // Checked in place, without a copy; unknown fields stay.
  return { value: root, status: response.status, wrong: wrong ?? NONE };
}

const NONE: ReadonlySet<string> = new Set();

/** Matches paths of fields, not sentences. */
const FIELD_PATH = /^[\w.[\]{}-]{1,200}$/;

/** Content types of JSON; one of several is enough. Source: https://mimesniff.spec.whatwg.org/#json-mime-type */
const JSON_TYPE = /(?:^|,)\s*(?:(?:application|text)\/json|[\w.+-]+\/[\w.+-]+\+json)\s*(?:[;,]|$)/i;

/** Describes a body that is not UTF-8: compressed in spite of `accept-encoding: identity`, or of another charset. */
function notText({ headers }: RestResponse): string {
  const coding = CODING.exec(String(headers['content-encoding'] ?? ''))?.[0].toLowerCase();
  if (coding === undefined) return 'text that is not UTF-8';
  return `a body in the content coding "${coding}", although requests accept only "identity"`;
}

const CODING = /\b(?:gzip|deflate|br|zstd|compress)\b/i;

/** Returns the content type; several header lines, which undici passes as a list, as one. */
const typeOf = ({ headers }: RestResponse): string => String(headers['content-type'] ?? '');

const invalid = (
  what: string,
  route: Route,
  response: RestResponse,
  body?: RestError['body'],
): RestError => new RestError('invalid_response', what, route, { ...originOf(response), body });

/**
 * Returns the label and the value of a wrong id: `items[3].personId` for the path `items[].personId`.
 *
 * @param name of the object in its parent: an index in a list.
 */
function idIn(object: unknown, path: string, name?: PropertyKey): [label: string, value: unknown] {
  const id = path.slice(path.lastIndexOf('.') + 1);
  const label = typeof name === 'number' ? path.replace(`[].${id}`, `[${name}].${id}`) : path;
  return [label, (object as Readonly<Record<string, unknown>>)[id]];
}

const describe = (name: string, value: unknown): string =>
  value === undefined
    ? `no "${name}"`
    : `${shownAs(value)} for "${name}", which the contract does not allow`;

/** Short words and numbers help to find the fault; longer values could leak data. */
function shownAs(value: unknown): string {
  if (typeof value === 'string') return /^[\w-]{0,40}$/.test(value) ? `"${value}"` : 'a string';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}

function describeNumber(name: string, written: string): string {
  const shown = written.length > 40 ? `${written.slice(0, 40)}…` : written;
  return `${shown} in "${name}", a number that cannot be passed on exactly`;
}

function errorOf(route: Route, response: RestResponse): RestError {
  const { data, isDocumented } = errorBodyOf(response);
  const type = typeOf(response);
  const field = data?.details?.field;
  const isForeign = type !== '' && !JSON_TYPE.test(type);
  return statusError(route, {
    ...originOf(response, data?.requestId),
    body: isDocumented ? 'documented' : isForeign ? 'foreign' : undefined,
    field: field !== undefined && FIELD_PATH.test(field) ? field : undefined,
    retryAfterMs: retryAfterOf(response.headers),
  });
}

/** Parses the body of an error; `isDocumented` if it has a code and a message, which only the backend writes. */
export function errorBodyOf(response: RestResponse) {
  const text = decodeText(response.body, typeOf(response)) ?? response.body.toString();
  const { data } = ErrorBody.safeParse(parseJson(text));
  return { data, isDocumented: Boolean(data?.code && data.message) };
}

/** Status and request id of a response, for errors. Invalid request ids are omitted. */
function originOf(response: RestResponse, fromBody?: string) {
  const header = response.headers['x-request-id'];
  const requestId = fromBody ?? (Array.isArray(header) ? header[0] : header);
  const isSane = requestId !== undefined && /^[\w.:-]{1,128}$/.test(requestId);
  return { status: response.status, requestId: isSane ? requestId : undefined };
}
