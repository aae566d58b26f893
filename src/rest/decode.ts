/**
 * An answer's bytes → JSON of the documented shape.
 *
 * A bad field costs that field, not the object: where the contract is broken, the value is replaced
 * by the error itself, and GraphQL reports an error it finds in a field's place at that field.
 */
import { z } from 'zod';
import type { Route } from '../v0/routes.ts';
import { ErrorBody } from '../v0/error.ts';
import { RestInvalidResponseError, RestStatusError } from './errors.ts';
import type { Answer } from './exchange.ts';

/**
 * The body of a 2xx answer, checked against its route.
 *
 * @throws {RestStatusError} for any other status; a redirect is one, and is never followed.
 * @throws {RestInvalidResponseError} when the body as a whole is unusable.
 */
export function decode<Response>(route: Route<string, Response>, answer: Answer): Response {
  if (answer.status < 200 || answer.status > 299) throw statusError(route, answer);
  const type = answer.headers['content-type'];
  if (!type || !JSON_TYPE.test(type)) {
    throw new RestInvalidResponseError('Backend did not answer JSON', route, of(answer));
  }
  const value = parseJson(answer.body);
  const checked = route.response.safeParse(value);
  if (!checked.success) placeErrors(route, answer, value, checked.error.issues);
  // Checked in place: the answer keeps fields the contract does not know, and no copy is made.
  return value as Response;
}

const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\b/i;

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined; // not an object, so the schema refuses it as a whole
  }
}

function placeErrors(
  route: Route,
  answer: Answer,
  root: unknown,
  issues: readonly z.core.$ZodIssue[],
): void {
  for (const issue of issues) {
    const name = issue.path.at(-1);
    const holder = issue.path.slice(0, -1).reduce<unknown>(step, root);
    const value = step(holder, name ?? '');
    const fault = new RestInvalidResponseError(
      `Backend answered ${describe(name, value)}`,
      route,
      of(answer),
    );
    // Without a holder the body itself is wrong; without `items` a list is no list.
    if (name === undefined || (issue.path[0] === 'items' && issue.path.length === 1)) throw fault;
    if (isObject(holder)) holder[name] = fault;
  }
}

type Keyed = Record<PropertyKey, unknown>;

const isObject = (value: unknown): value is Keyed =>
  typeof value === 'object' && value !== null && !(value instanceof Error);

const step = (value: unknown, key: PropertyKey): unknown =>
  isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;

function describe(name: PropertyKey | undefined, value: unknown): string {
  if (name === undefined) return 'something other than the documented object';
  if (value === undefined) return `without "${String(name)}"`;
  // Enum values and numbers help whoever reads the error; whole texts and objects would leak.
  const shown =
    typeof value === 'string' && /^[\w-]{1,40}$/.test(value)
      ? `"${value}"`
      : typeof value === 'number' || typeof value === 'boolean' || value === null
        ? String(value)
        : `a ${Array.isArray(value) ? 'list' : typeof value}`;
  return `${shown} for "${String(name)}", which the contract does not allow`;
}

function statusError(route: Route, answer: Answer): RestStatusError {
  const parsed = ErrorBody.safeParse(parseJson(answer.body));
  const field = parsed.data?.details?.field;
  const retryAfterMs = parseRetryAfter(answer.headers['retry-after']);
  return new RestStatusError(route, {
    ...of(answer, parsed.data?.requestId),
    ...(field !== undefined && { field }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  });
}

/** What an error says of the answer it came from. Only sane request ids are repeated. */
function of(answer: Answer, fromBody?: string) {
  const header = answer.headers['x-request-id'];
  const requestId = fromBody ?? (Array.isArray(header) ? header[0] : header);
  const sane = requestId !== undefined && /^[\w.:-]{1,128}$/.test(requestId);
  return { status: answer.status, ...(sane && { requestId }) };
}

/** `Retry-After` in seconds or as a date → milliseconds from now; undefined when absent or unreadable. */
export function parseRetryAfter(header: string | undefined, now = Date.now()): number | undefined {
  if (!header) return undefined;
  const ms = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now;
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}
