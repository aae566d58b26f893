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
import { outcomeUnknown, RestError, statusError } from '../call/errors.ts';
import { checkOf } from './contract-check.ts';
import {
  inexactNumbers,
  mayHaveVanished,
  parseExactly,
  parseJson,
  textOf,
  writtenAs,
  WRITES_ALL_NUMBERS,
} from './json.ts';
import { retryAfterOf } from './retry-after.ts';

/** OK, Created, No Content; the document has no others. */
const SUCCESSES: readonly number[] = [200, 201, 204];

/** Maximum number of wrong values of a response; above it the whole response is rejected. */
export const MAX_FAULTS = 1_000;

/**
 * Returns the body of a success, checked against the schema of its route.
 *
 * @throws {RestError} `status` for other statuses, including redirects, which are never followed. `invalid_response` if
 * the whole body is unusable. `outcome_unknown` in place of both if a write may have been executed.
 */
export function decode(call: Pick<Call, 'route' | 'path'>, answer: RestResponse): DecodedResponse {
  try {
    const decoded = decodeBody(call.route, answer);
    if (isAsked(call, decoded.value)) return decoded;
    throw invalid('Backend answered another object than the one asked for', call.route, answer);
  } catch (error) {
    const isKnown = isRead(call) || isSurelyRefused(answer);
    throw error instanceof RestError && !isKnown ? outcomeUnknown(error) : error;
  }
}

/**
 * Statuses that a proxy answers too after it has passed a write on: 408 (Request Timeout), 421 (Misdirected Request),
 * 499 (client closed its request, of nginx) and 503 (Service Unavailable, of Envoy for a connection that broke).
 */
const STATUSES_OF_PROXIES: readonly number[] = [408, 421, 499, 503];

/**
 * Whether a response means that a write was not executed: 4xx, 501 (Not Implemented), 505 (HTTP Version Not Supported),
 * and those that proxies answer too if the backend itself has written them. A 500 may be sent after the write, and 502
 * or 504 say nothing about the backend.
 */
function isSurelyRefused(answer: RestResponse): boolean {
  const { status } = answer;
  if (STATUSES_OF_PROXIES.includes(status)) return isOfBackend(answer);
  return (status >= 400 && status < 500) || status === 501 || status === 505;
}

/** Whether an error response has the documented body, or `Retry-After`. */
function isOfBackend(answer: RestResponse): boolean {
  if (retryAfterOf(answer.headers) !== undefined) return true;
  const { data } = ErrorBody.safeParse(parseJson(textOf(answer.body, typeOf(answer)) ?? ''));
  return Boolean(data?.code && data.message);
}

/** The fields of a route's object that its path has too, by the place of their segments from the end. */
type KeyInPath = readonly (string | undefined)[];

const keysInPaths = new WeakMap<Route, KeyInPath>();

function keyInPath(route: Route): KeyInPath {
  let key = keysInPaths.get(route);
  if (!key) {
    const { path, response } = route;
    const shape = response instanceof z.ZodObject ? response.shape : {};
    const fields: (string | undefined)[] = [];
    for (const [fromEnd, segment] of path.split('/').toReversed().entries()) {
      const field = PARAMETER.exec(segment)?.[1]?.replace(/_(\w)/g, (_, letter: string) =>
        letter.toUpperCase(),
      );
      if (field !== undefined && field in shape) fields[fromEnd] = field;
    }
    key = Array.from(fields);
    keysInPaths.set(route, key);
  }
  return key;
}

const PARAMETER = /^\{(\w+)\}$/;

/** Whether an object has the ids of the path of its call. */
function isAsked({ route, path }: Pick<Call, 'route' | 'path'>, object: unknown): boolean {
  const query = path.indexOf('?');
  let end = query < 0 ? path.length : query;
  for (const field of keyInPath(route)) {
    const start = path.lastIndexOf('/', end - 1);
    if (field !== undefined) {
      const asked = decodeURIComponent(path.slice(start + 1, end));
      if (!isSameId((object as Readonly<Record<string, unknown>>)[field], asked)) return false;
    }
    end = start;
  }
  return true;
}

function decodeBody(route: Route, answer: RestResponse): DecodedResponse {
  if (!SUCCESSES.includes(answer.status)) throw refusalOf(route, answer);
  const type = typeOf(answer);
  if (!JSON_TYPE.test(type)) throw invalid('Backend did not answer JSON', route, answer);
  const text = textOf(answer.body, type);
  if (text === undefined) throw invalid(`Backend answered ${notText(answer)}`, route, answer);
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
  const onFault = (holder: Record<PropertyKey, unknown>, name: PropertyKey): void => {
    const value = Object.hasOwn(holder, name) ? holder[name] : undefined;
    const number = written ?? writtenAs(value);
    const shown = number === undefined ? describe(name, value) : describeNumber(name, number);
    written = undefined;
    const fault = invalid(`Backend answered ${shown}`, route, answer, 'documented');
    // A page of a list is unusable without `items`.
    if (holder === root && name === 'items') throw fault;
    if (++faults > MAX_FAULTS) {
      throw invalid(`Backend answered over ${MAX_FAULTS} wrong values`, route, answer);
    }
    (wrong ??= new Set()).add(typeof name === 'string' ? name : '[]');
    holder[name] = fault;
  };
  let isWhole = checkOf(route.response)(root, onFault, isExact);
  if (WRITES_ALL_NUMBERS && inexact && inexact.size > 0) {
    faults = 0;
    wrong = undefined;
    root = parseExactly(text);
    isWhole = checkOf(route.response)(root, onFault);
  }
  if (!isWhole) {
    const body = typeof root === 'object' && root !== null ? 'documented' : undefined;
    const what = 'Backend answered something other than the documented object';
    throw invalid(what, route, answer, body);
  }
  // Checked in place, without a copy; unknown fields stay.
  return { value: root, status: answer.status, wrong: wrong ?? NONE };
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
  return `in the content coding "${coding}", although calls ask for "identity"`;
}

const CODING = /\b(?:gzip|deflate|br|zstd|compress)\b/i;

/** Returns the content type; several header lines, which undici answers as a list, as one. */
const typeOf = ({ headers }: RestResponse): string => String(headers['content-type'] ?? '');

const invalid = (
  what: string,
  route: Route,
  answer: RestResponse,
  body?: RestError['body'],
): RestError => new RestError('invalid_response', what, route, { ...originOf(answer), body });

function describe(name: PropertyKey, value: unknown): string {
  if (value === undefined) return `without "${String(name)}"`;
  // Short words and numbers help to find the fault; longer values could leak data.
  const shown =
    typeof value === 'string' && /^[\w-]{1,40}$/.test(value)
      ? `"${value}"`
      : typeof value === 'number' || typeof value === 'boolean' || value === null
        ? String(value)
        : Array.isArray(value)
          ? 'a list'
          : typeof value === 'object'
            ? 'an object'
            : 'a string';
  return `${shown} for "${String(name)}", which the contract does not allow`;
}

function describeNumber(name: PropertyKey, written: string): string {
  const shown = written.length > 40 ? `${written.slice(0, 40)}…` : written;
  return `${shown} in "${String(name)}", a number that cannot be passed on exactly`;
}

function refusalOf(route: Route, answer: RestResponse): RestError {
  const type = typeOf(answer);
  const { data } = ErrorBody.safeParse(
    parseJson(textOf(answer.body, type) ?? answer.body.toString()),
  );
  const field = data?.details?.field;
  const isDocumented = data?.code !== undefined && data.message !== undefined;
  const isForeign = type !== '' && !JSON_TYPE.test(type);
  return statusError(route, {
    ...originOf(answer, data?.requestId),
    body: isDocumented ? 'documented' : isForeign ? 'foreign' : undefined,
    field: field !== undefined && FIELD_PATH.test(field) ? field : undefined,
    retryAfterMs: retryAfterOf(answer.headers),
  });
}

/** Status and request id of a response, for errors. Invalid request ids are left out. */
function originOf(answer: RestResponse, fromBody?: string) {
  const header = answer.headers['x-request-id'];
  const requestId = fromBody ?? (Array.isArray(header) ? header[0] : header);
  const isSane = requestId !== undefined && /^[\w.:-]{1,128}$/.test(requestId);
  return { status: answer.status, requestId: isSane ? requestId : undefined };
}
