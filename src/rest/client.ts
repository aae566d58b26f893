/**
 * The typed way to `/v0`: one function that calls a route of the table.
 *
 * An `Upstream` is shared by the whole process (connections); a `RestClient` belongs to one request
 * and carries its key, its request id, its deadline and its journal, so nothing crosses keys.
 */
import type { Dispatcher } from 'undici';
import type { Route, RouteSet } from '../v0/routes.ts';
import { decode } from './decode.ts';
import { isNotFound, RestUnauthenticatedError, RestUnsupportedError } from './errors.ts';
import { exchange } from './exchange.ts';
import { Journal } from './journal.ts';
import { fillPath, formatQuery, type PathValues } from './path.ts';

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

export interface UpstreamOptions {
  /** Sends requests; the origin is its own. */
  readonly dispatcher: Dispatcher;
  /** What stands before `/v0` in every path: empty, or `/prefix`. */
  readonly pathPrefix: string;
  readonly routeSet: RouteSet;
  /** One exchange, in milliseconds. */
  readonly timeoutMs: number;
  /** The largest answer that is read, in bytes. */
  readonly maxResponseBytes: number;
}

export interface RequestScope {
  /** Undefined when the caller sent none and the gateway has none: nothing is called then. */
  readonly apiKey: string | undefined;
  readonly requestId: string;
  /** Aborted when the caller leaves. */
  readonly signal?: AbortSignal | undefined;
}

export type Upstream = (scope: RequestScope) => RestClient;

/** Where to find the backend, for every request of the process. */
export function createUpstream(options: UpstreamOptions): Upstream {
  return (scope) => new ScopedClient(options, scope);
}

class ScopedClient implements RestClient {
  readonly journal = new Journal();
  readonly #options: UpstreamOptions;
  readonly #scope: RequestScope;

  constructor(options: UpstreamOptions, scope: RequestScope) {
    this.#options = options;
    this.#scope = scope;
  }

  get routeSet(): RouteSet {
    return this.#options.routeSet;
  }

  async call<Path extends string, Response, Query, Body>(
    route: Route<Path, Response, Query, Body>,
    input: CallInput<Path, Query, Body>,
    options: CallOptions = {},
  ): Promise<Response> {
    if (route.set === 'extended' && this.routeSet === 'document') {
      throw new RestUnsupportedError('This backend does not have the route', route);
    }
    const { apiKey, requestId } = this.#scope;
    if (apiKey === undefined) {
      throw new RestUnauthenticatedError('Send an API key in the x-api-key header', route);
    }
    const { dispatcher, pathPrefix, timeoutMs, maxResponseBytes } = this.#options;
    const path = pathPrefix + fillPath(route, input.path ?? {}) + formatQuery(queryOf(input));
    const body = input.body === undefined ? null : JSON.stringify(input.body);
    const entry = this.journal.begin(route, options.origin, 'sent', 1);
    let status: number | undefined;
    try {
      const answer = await exchange(
        dispatcher,
        {
          route,
          path,
          headers: headersOf(apiKey, requestId, body !== null),
          body,
          timeoutMs,
          signal: route.method === 'GET' ? this.#signal(options.signal) : undefined,
        },
        maxResponseBytes,
      );
      status = answer.status;
      return decode(route, answer);
    } finally {
      this.journal.end(entry, status);
    }
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

  #signal(own: AbortSignal | undefined): AbortSignal | undefined {
    const { signal } = this.#scope;
    return own && signal ? AbortSignal.any([own, signal]) : (own ?? signal);
  }
}

function headersOf(apiKey: string, requestId: string, withBody: boolean): string[] {
  const headers = ['x-api-key', apiKey, 'x-request-id', requestId];
  // Identity: an answer's size is then bounded by what arrives, and no bomb can be unpacked.
  headers.push('accept', 'application/json', 'accept-encoding', 'identity');
  if (withBody) headers.push('content-type', 'application/json');
  return headers;
}

/** Query values are texts and numbers by the route table's own schemas. */
const queryOf = (input: { readonly query?: unknown }) =>
  input.query as Record<string, string | number | undefined> | undefined;
