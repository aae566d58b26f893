/**
 * A route and its values → what is sent.
 *
 * What no backend needs to be asked about is refused here, before anything else has begun.
 */
import type { Route } from '../v0/routes.ts';
import { Cancel } from './cancel.ts';
import { RestUnauthenticatedError } from './errors.ts';
import { fillPath, formatQuery } from './path.ts';
import type { Outgoing } from './send.ts';

/** Values for a route, as `CallInput` has checked them against it. */
export interface Values {
  readonly path?: unknown;
  readonly query?: unknown;
  readonly body?: unknown;
}

/** Who calls. */
export interface Sender {
  readonly apiKey: string | undefined;
  readonly requestId: string;
  /** What stands before `/v0` in every path: empty, or `/prefix`. */
  readonly pathPrefix: string;
  /** On `performance.now()`'s clock. */
  readonly deadlineMs: number;
}

/**
 * @throws {RestUnauthenticatedError} without a key that a header can hold.
 * @throws {RestInputError} when a value can't be part of a path.
 */
export function outgoingOf(
  route: Route,
  values: Values,
  { apiKey, requestId, pathPrefix, deadlineMs }: Sender,
  onTry: Outgoing['onTry'],
): Outgoing {
  if (apiKey === undefined) {
    throw new RestUnauthenticatedError('Send an API key in the x-api-key header', route);
  }
  if (!KEY.test(apiKey)) {
    throw new RestUnauthenticatedError('Send an API key of visible ASCII characters', route);
  }
  // Both are texts and numbers by the route table's own types.
  const holes = (values.path ?? {}) as Record<string, string>;
  const query = values.query as Record<string, string | number | undefined> | undefined;
  const body = values.body === undefined ? null : JSON.stringify(values.body);
  return {
    route,
    apiKey,
    path: pathPrefix + fillPath(route, holes) + formatQuery(query),
    headers: headersOf(apiKey, requestId, body !== null),
    body,
    deadlineMs,
    cancel: new Cancel(),
    onTry,
    attempt: 1,
    untilMs: deadlineMs,
    cut: false,
  };
}

/** What a header can hold without being read as something else. */
const KEY = /^[\x21-\x7e]{1,4096}$/;

function headersOf(apiKey: string, requestId: string, withBody: boolean): string[] {
  const headers = ['x-api-key', apiKey, 'x-request-id', requestId];
  // Identity: an answer's size is then bounded by what arrives, and no bomb can be unpacked.
  headers.push('accept', 'application/json', 'accept-encoding', 'identity');
  if (withBody) headers.push('content-type', 'application/json');
  return headers;
}
