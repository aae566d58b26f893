/**
 * A route and its values → what is sent.
 *
 * What no backend needs to be asked about is refused here, before anything else has begun.
 */
import type { Route } from '../../v0/routes.ts';
import { Cancel } from './cancel.ts';
import { RestUnauthenticatedError } from './errors.ts';
import type { Journal } from './journal.ts';
import { fillPath, formatQuery } from './path.ts';
import type { RequestDeadline } from './request-deadline.ts';
import type { Outgoing } from './send.ts';

/** Values for a route, as `CallInput` has checked them against it. */
export interface Values {
  readonly path?: unknown;
  readonly query?: unknown;
  readonly body?: unknown;
}

export interface CallOptions {
  /** Ends a GET nobody waits for; a write runs on. */
  readonly cancel?: Cancel | undefined;
  /** Who causes the call, for the journal. */
  readonly origin?: unknown;
}

/** Who calls: the same for all calls of a request. */
export interface Sender {
  readonly apiKey: string | undefined;
  /** What stands before `/v0` in every path: empty, or `/prefix`. */
  readonly pathPrefix: string;
  /** Of reads, as `headersOf` makes them. */
  readonly headers: string[];
  readonly deadline: RequestDeadline;
  readonly journal: Journal;
}

/**
 * @throws {RestUnauthenticatedError} without a key that a header can hold.
 * @throws {RestInputError} when a value can't be part of a path.
 */
export function outgoingOf(
  route: Route,
  values: Values,
  { apiKey, pathPrefix, headers, deadline, journal }: Sender,
  isOptional: boolean,
  { cancel: ownCancel, origin }: CallOptions = {},
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
    headers: body === null ? headers : [...headers, 'content-type', 'application/json'],
    body,
    isOptional,
    deadline,
    ownCancel,
    journal,
    origin,
    deadlineMs: deadline.deadlineMs,
    cancel: new Cancel(),
    landing: undefined,
    attempt: 1,
    passed: 0,
    entry: undefined,
    startMs: 0,
    sentMs: 0,
    endMs: 0,
    untilMs: 0,
    timer: undefined,
    cut: false,
    probe: false,
  };
}

/** What a header can hold without being read as something else. */
const KEY = /^[\x21-\x7e]{1,4096}$/;

/** The headers of a request's reads: name, value, name, value. */
export const headersOf = (apiKey = '', requestId: string): string[] => [
  'x-api-key',
  apiKey,
  'x-request-id',
  requestId,
  'accept',
  'application/json',
  // Identity: an answer's size is then bounded by what arrives, and no bomb can be unpacked.
  'accept-encoding',
  'identity',
];
