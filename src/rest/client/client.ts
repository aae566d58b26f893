/**
 * The typed way to `/v0`: one function that calls a route of the table.
 *
 * An `Upstream` is shared by the whole process (connections, breaker, reads in flight); a
 * `RestClient` belongs to one request and carries its key, its deadline, its budget and its journal.
 */
import type { Dispatcher } from 'undici';
import type { Route, RouteSet } from '../../v0/routes.ts';
import type { Breaker, BreakerOptions } from '../resilience/circuit-breaker.ts';
import type { Cancel } from './cancel.ts';
import { RestBudgetError, RestUnsupportedError } from './errors.ts';
import { Journal } from './journal.ts';
import type { UpstreamObserver } from './observer.ts';
import { headersOf, outgoingOf, type CallOptions, type Sender, type Values } from './outgoing.ts';
import type { PathValues } from './path.ts';
import { RequestDeadline } from './request-deadline.ts';
import { openPipeline, type Pipeline } from './pipeline.ts';
import type { Outgoing } from './send.ts';

export type { CallOptions } from './outgoing.ts';

/** What a route wants: values for its path's holes, its query, its body. */
export type CallInput<Path extends string, Query, Body> = (PathValues<Path> extends Record<
  string,
  never
>
  ? { readonly path?: undefined }
  : { readonly path: PathValues<Path> }) &
  ([Query] extends [undefined] ? { readonly query?: undefined } : { readonly query?: Query }) &
  (undefined extends Body ? { readonly body?: undefined } : { readonly body: Body });

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

  /** As `call` for a read, with null for a 404. */
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
  /**
   * Cancelled when the caller leaves: its reads end, its writes go on. A `Cancel` has one listener,
   * so each client needs its own.
   */
  readonly leaving?: Cancel | undefined;
  /** When the request's time is over, on `performance.now()`'s clock; 10 s from now when absent. */
  readonly deadlineMs?: number | undefined;
  /** The most calls it may make, shared ones included, retries not; 250 when absent. */
  readonly maxCalls?: number | undefined;
}

export interface UpstreamOptions {
  /** Sends requests; the origin is its own. Closed with the upstream. */
  readonly dispatcher: Dispatcher;
  /** What stands before `/v0` in every path: empty, or `/prefix`. */
  readonly pathPrefix: string;
  readonly routeSet: RouteSet;
  /** One try from its queue to its last byte, in milliseconds. */
  readonly timeoutMs: number;
  /** The largest answer that is read, in bytes. */
  readonly maxResponseBytes: number;
  /** One request with all its calls and retries, in milliseconds; 10,000 when absent. */
  readonly requestTimeoutMs?: number;
  /** The most calls of one request; 250 when absent. */
  readonly maxCalls?: number;
  /** Calls under way at once, of all keys; 128 when absent. The dispatcher needs as many. */
  readonly connections?: number;
  /** Calls that may wait before the backend's pace is known; 256 when absent. */
  readonly maxQueue?: number;
  readonly breaker?: BreakerOptions;
  readonly observer?: UpstreamObserver;
}

/** A client for one request. */
export interface Upstream {
  (scope: RequestScope): RestClient;
  readonly breaker: Pick<Breaker, 'state' | 'retryAfterMs'>;
  /** Ends when the calls under way have. */
  close(): Promise<void>;
}

const DEFAULTS = {
  requestTimeoutMs: 10_000,
  maxCalls: 250,
  connections: 128,
  maxQueue: 256,
  breaker: {},
  observer: {},
};

export function createUpstream(given: UpstreamOptions): Upstream {
  const options = { ...DEFAULTS, ...given };
  const { pipeline, breaker } = openPipeline(options);
  return Object.assign((scope: RequestScope) => new ScopedClient(options, pipeline, scope), {
    breaker,
    close: async () => {
      await options.dispatcher.close();
      breaker.close();
    },
  });
}

class ScopedClient implements RestClient {
  readonly routeSet: RouteSet;
  readonly journal = new Journal();
  readonly #pipeline: Pipeline;
  readonly #sender: Sender;
  #callsLeft: number;

  constructor(options: Required<UpstreamOptions>, pipeline: Pipeline, scope: RequestScope) {
    const { apiKey, requestId, leaving, maxCalls = options.maxCalls } = scope;
    const { deadlineMs = performance.now() + options.requestTimeoutMs } = scope;
    this.routeSet = options.routeSet;
    this.#pipeline = pipeline;
    this.#callsLeft = maxCalls;
    this.#sender = {
      apiKey,
      pathPrefix: options.pathPrefix,
      headers: headersOf(apiKey, requestId),
      deadline: new RequestDeadline(deadlineMs, leaving),
      journal: this.journal,
    };
  }

  call<Path extends string, Response, Query, Body>(
    route: Route<Path, Response, Query, Body>,
    input: CallInput<Path, Query, Body>,
    options?: CallOptions,
  ): Promise<Response> {
    // Decoded by this very route's schema, both.
    return this.#send(route, input, false, options) as Promise<Response>;
  }

  find<Path extends string, Response, Query, Body>(
    route: Route<Path, Response, Query, Body>,
    input: CallInput<Path, Query, Body>,
    options?: CallOptions,
  ): Promise<Response | null> {
    return this.#send(route, input, true, options) as Promise<Response | null>;
  }

  #send(route: Route, input: Values, isOptional: boolean, options?: CallOptions): Promise<unknown> {
    try {
      return this.#pipeline(this.#outgoingOf(route, input, isOptional, options));
    } catch (error) {
      const refusal = error as Error;
      return Promise.reject(refusal);
    }
  }

  /** What is to be sent, if it may be. */
  #outgoingOf(route: Route, input: Values, isOptional: boolean, options?: CallOptions): Outgoing {
    if (route.set === 'extended' && this.routeSet === 'document') {
      throw new RestUnsupportedError(
        'Leave it out, or select no more than its ids: the backend does not have the route',
        route,
      );
    }
    const outgoing = outgoingOf(route, input, this.#sender, isOptional, options);
    this.#sender.deadline.check(route);
    if (this.#callsLeft === 0) {
      throw new RestBudgetError('The request has made all the calls it may', route);
    }
    this.#callsLeft -= 1;
    return outgoing;
  }
}
