/**
 * The typed way to `/v0`: one function that calls a route of the table.
 *
 * An `Upstream` is shared by the whole process (connections, breaker, reads in flight); a
 * `RestClient` belongs to one request and carries its key, its deadline, its budget and its journal.
 */
import type { Route, RouteSet } from '../v0/routes.ts';
import { Cancel } from './cancel.ts';
import {
  isNotFound,
  RestBudgetError,
  RestError,
  RestUnauthenticatedError,
  RestUnsupportedError,
} from './errors.ts';
import { Journal } from './journal.ts';
import { fillPath, formatQuery, type PathValues } from './path.ts';
import { Patience } from './patience.ts';
import type { Pipeline } from './pipeline.ts';
import { isRead, type Outgoing } from './send.ts';

/** What a route wants: values for its path's holes, its query, its body. */
export type CallInput<Path extends string, Query, Body> = (PathValues<Path> extends Record<
  string,
  never
>
  ? { readonly path?: undefined }
  : { readonly path: PathValues<Path> }) &
  ([Query] extends [undefined] ? { readonly query?: undefined } : { readonly query?: Query }) &
  (undefined extends Body ? { readonly body?: undefined } : { readonly body: Body });

export interface CallOptions {
  /** Ends a GET nobody waits for; a write runs on. */
  readonly signal?: AbortSignal | undefined;
  /** Who causes the call, for the journal. */
  readonly origin?: unknown;
}

export interface RestClient {
  readonly routeSet: RouteSet;
  readonly journal: Journal;

  /**
   * Calls a route and answers its checked body.
   *
   * @throws {RestError} one class a cause, see errors.ts.
   */
  call<Path extends string, Response, Query, Body>(
    route: Route<Path, Response, Query, Body>,
    input: CallInput<Path, Query, Body>,
    options?: CallOptions,
  ): Promise<Response>;

  /** As `call`, with null for a 404. */
  find<Path extends string, Response, Query, Body>(
    route: Route<Path, Response, Query, Body>,
    input: CallInput<Path, Query, Body>,
    options?: CallOptions,
  ): Promise<Response | null>;
}

/** What one request of a caller brings along. */
export interface RequestScope {
  /** Undefined when the caller sent none and the gateway has none: nothing is called then. */
  readonly apiKey: string | undefined;
  readonly requestId: string;
  /** Aborted when the caller leaves: its reads end, its writes go on. */
  readonly signal?: AbortSignal | undefined;
  /** When the request's time is over, on `performance.now()`'s clock; 10 s from now when absent. */
  readonly deadlineMs?: number | undefined;
  /** The most calls it may make, shared ones included, retries not; 250 when absent. */
  readonly maxCalls?: number | undefined;
}

export interface ClientOptions {
  readonly pipeline: Pipeline;
  /** What stands before `/v0` in every path: empty, or `/prefix`. */
  readonly pathPrefix: string;
  readonly routeSet: RouteSet;
  readonly requestTimeoutMs: number;
  readonly maxCalls: number;
}

export class ScopedClient implements RestClient {
  readonly journal = new Journal();
  readonly #options: ClientOptions;
  readonly #scope: RequestScope;
  readonly #patience: Patience;
  readonly #maxCalls: number;
  #calls = 0;

  constructor(options: ClientOptions, scope: RequestScope) {
    this.#options = options;
    this.#scope = scope;
    this.#maxCalls = scope.maxCalls ?? options.maxCalls;
    this.#patience = new Patience(
      scope.deadlineMs ?? performance.now() + options.requestTimeoutMs,
      scope.signal,
    );
  }

  get routeSet(): RouteSet {
    return this.#options.routeSet;
  }

  async call<Path extends string, Response, Query, Body>(
    route: Route<Path, Response, Query, Body>,
    input: CallInput<Path, Query, Body>,
    { signal, origin }: CallOptions = {},
  ): Promise<Response> {
    const outgoing = this.#prepare(route, input, origin);
    const { journal } = this;
    const { pipeline } = this.#options;
    const answer = await pipeline(outgoing, {
      patience: this.#patience,
      signal: isRead(outgoing) ? signal : undefined,
      onJoin: () => {
        const entry = journal.begin(route, origin, 'shared', 1);
        return (outcome) => journal.end(entry, statusOf(outcome));
      },
    });
    // The pipeline decodes with this very route's schema.
    return answer.value as Response;
  }

  async find<Path extends string, Response, Query, Body>(
    route: Route<Path, Response, Query, Body>,
    input: CallInput<Path, Query, Body>,
    options?: CallOptions,
  ): Promise<Response | null> {
    try {
      return await this.call(route, input, options);
    } catch (error) {
      if (isNotFound(error)) return null;
      throw error;
    }
  }

  #prepare(
    route: Route,
    input: { readonly path?: unknown; readonly query?: unknown; readonly body?: unknown },
    origin: unknown,
  ): Outgoing {
    if (route.set === 'extended' && this.routeSet === 'document') {
      throw new RestUnsupportedError('This backend does not have the route', route);
    }
    const { apiKey, requestId } = this.#scope;
    if (apiKey === undefined) {
      throw new RestUnauthenticatedError('Send an API key in the x-api-key header', route);
    }
    if (!KEY.test(apiKey)) {
      throw new RestUnauthenticatedError('Send an API key of visible ASCII characters', route);
    }
    // Both are texts and numbers by the route table's own types.
    const holes = (input.path ?? {}) as Record<string, string>;
    const query = input.query as Record<string, string | number | undefined> | undefined;
    const path = this.#options.pathPrefix + fillPath(route, holes) + formatQuery(query);
    const body = input.body === undefined ? null : JSON.stringify(input.body);
    this.#patience.check(route);
    if (this.#calls >= this.#maxCalls) {
      throw new RestBudgetError(`A request may make ${this.#maxCalls} calls`, route);
    }
    this.#calls += 1;
    const { journal } = this;
    return {
      route,
      apiKey,
      path,
      headers: headersOf(apiKey, requestId, body !== null),
      body,
      deadlineMs: this.#patience.deadlineMs,
      cancel: new Cancel(),
      onTry: (attempt) => {
        const entry = journal.begin(route, origin, 'sent', attempt);
        return (status) => journal.end(entry, status);
      },
    };
  }
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

const statusOf = (outcome: unknown): number | undefined =>
  outcome instanceof RestError
    ? outcome.status
    : (outcome as { readonly status?: number } | undefined)?.status;
