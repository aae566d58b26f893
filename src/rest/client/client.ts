/**
 * The typed client of `/v0`: one function that calls a route of the table.
 *
 * An `Upstream` is shared by the whole process (connections, breaker, reads in flight); a
 * `RestClient` belongs to one request and carries its key, its deadline, its budget and its journal.
 */
import { API_KEY_FORM, API_KEY_HEADER, isApiKey } from '../../v0/api-key.ts';
import type { Cancel, EndOfWait } from '../../lib/cancel.ts';
import { systemClock } from '../../lib/clock.ts';
import { sharingKeyOf, type ForwardedHeaders } from '../call/forwarded-headers.ts';
import type { Route } from '../../v0/routes.ts';
import {
  endOfWait,
  isRouteRefusal,
  RestBudgetError,
  RestUnauthenticatedError,
  type RouteLabel,
} from '../call/errors.ts';
import { Journal } from '../call/journal.ts';
import { RequestDeadline } from '../call/request-deadline.ts';
import { NOW } from '../call/call.ts';
import type { Breaker } from '../resilience/circuit-breaker.ts';
import type { CallTrace } from '../call/trace.ts';
import type { Dialect } from './dialect.ts';
import { fillPath, formatQuery, type CallInput } from './path.ts';
import { openPipeline, type Pipeline, type UpstreamOptions } from './pipeline.ts';
import { missingRoute, RouteDiscovery, type RouteState } from './route-discovery.ts';

export type { CallInput };

export interface CallOptions {
  /** Cancels a GET; a write goes on. */
  readonly cancel?: Cancel | undefined;
  /** The cause of the call, for the journal. */
  readonly origin?: unknown;
}

export interface RestClient {
  /** Replaced by another when a route turns out to be missing. */
  readonly dialect: Dialect;
  readonly journal: Journal;
  /** When the request's time is over, on `performance.now()`'s clock. */
  readonly deadlineMs: number;
  /** Ends the reads in flight and makes no more calls. Writes are finished. */
  abort(): void;
  /** Which calls wait behind the others of their key, by what causes them. */
  deferWhere(isDeferred: (origin: unknown) => boolean): void;

  /**
   * Calls a route and answers its checked body.
   *
   * @throws {RestError} one class a cause, see errors.ts.
   */
  readonly call: CallRoute<never>;
  /** As `call` for a read, with null for a 404. */
  readonly find: CallRoute<null>;
}

type CallRoute<Missing> = <Path extends string, Response, Query, Body>(
  route: Route<Path, Response, Query, Body>,
  input: CallInput<Path, Query, Body>,
  options?: CallOptions,
) => Promise<Response | Missing>;

/** What a client needs to know of the request that it works for. */
export interface RequestScope {
  /** Undefined when the caller sent none and the gateway has none: nothing is called then. */
  readonly apiKey: string | undefined;
  /** The caller's headers that go with each call. @default none */
  readonly forwarded?: ForwardedHeaders | undefined;
  readonly requestId: string;
  /**
   * Cancelled when the caller leaves: its reads end, its writes go on. A `Cancel` has one listener,
   * so each client needs its own.
   */
  readonly leaving?: Cancel | undefined;
  /** When the request's time is over, on `performance.now()`'s clock. */
  readonly deadlineMs: number;
  /** The most calls it may make, shared ones included, retries not. */
  readonly maxCalls: number;
  /** The trace that the request belongs to. @default none */
  readonly trace?: CallTrace | undefined;
  /** What kept answers must be newer than: a consistency token, or `NOW`. @default any will do */
  readonly newerThan?: string | undefined;
}

/** A client for one request. */
export interface Upstream {
  (scope: RequestScope): RestClient;
  readonly breaker: Breaker;
  /** Whether a read may be answered by what was read before. */
  readonly keepsAnswers: boolean;
  /** What is known of the extended routes, by method and path. */
  routes(): Readonly<Record<string, RouteState>>;
  /** Whether the backend has lately answered this key with anything but a refusal of the key. */
  isAccepted(apiKey: string): boolean;
  /** Ends when the calls under way have. */
  close(): Promise<void>;
}

const DEFAULTS = {
  maxResponseBytes: 5_000_000,
  connections: 128,
  maxQueue: 4_096,
  breaker: {},
  clock: systemClock,
  exposeHeaders: [],
  observer: {},
  pauses: undefined,
  cache: undefined,
};

export function createUpstream(given: UpstreamOptions): Upstream {
  const options = { ...DEFAULTS, ...given };
  const { pipeline, breaker, limiter } = openPipeline(options);
  const discovery = new RouteDiscovery(options.routeSet, options.observer);
  const clientOf = (scope: RequestScope) => new ScopedClient(options, pipeline, discovery, scope);
  return Object.assign(clientOf, {
    breaker,
    keepsAnswers: options.cache !== undefined,
    routes: () => discovery.report(),
    isAccepted: (apiKey: string) => limiter.isAccepted(apiKey),
    close: () => options.dispatcher.close(),
  });
}

type Values = Readonly<Partial<Record<'path' | 'query' | 'body', unknown>>>;

class ScopedClient implements RestClient {
  readonly journal = new Journal();
  readonly #pipeline: Pipeline;
  readonly #discovery: RouteDiscovery;
  readonly #pathPrefix: string;
  readonly #apiKey: string | undefined;
  readonly #sharingKey: string;
  /** Of reads: name, value, name, value. */
  readonly #headers: string[];
  readonly #trace: CallTrace | undefined;
  readonly #hasCache: boolean;
  #newerThan: string | undefined;
  readonly #deadline: RequestDeadline;
  #callsLeft: number;
  #isDeferred: ((origin: unknown) => boolean) | undefined;

  constructor(
    options: Required<UpstreamOptions>,
    pipeline: Pipeline,
    discovery: RouteDiscovery,
    scope: RequestScope,
  ) {
    const { apiKey = '', forwarded = [], requestId } = scope;
    const { leaving, deadlineMs, maxCalls, trace, newerThan } = scope;
    this.#pipeline = pipeline;
    this.#discovery = discovery;
    this.#pathPrefix = options.pathPrefix;
    this.#apiKey = scope.apiKey;
    this.#sharingKey = sharingKeyOf({ apiKey, forwarded });
    this.#headers = headersOf(apiKey, requestId, forwarded);
    if (trace) this.#headers.push(...trace.forwarded);
    this.#trace = trace;
    this.#hasCache = options.cache !== undefined;
    this.#newerThan = this.#hasCache ? newerThan : undefined;
    this.#deadline = new RequestDeadline(deadlineMs, leaving, options.clock);
    this.#callsLeft = maxCalls;
  }

  get dialect(): Dialect {
    return this.#discovery.dialect;
  }

  get deadlineMs(): number {
    return this.#deadline.deadlineMs;
  }

  abort(): void {
    this.#deadline.end();
  }

  deferWhere(isDeferred: (origin: unknown) => boolean): void {
    this.#isDeferred = isDeferred;
  }

  // Decoded by this very route's schema, both.
  readonly call = ((route, input, options) =>
    this.#make(route, input, false, options)) as CallRoute<never>;
  readonly find = ((route, input, options) =>
    this.#make(route, input, true, options)) as CallRoute<null>;

  #make(
    route: Route,
    values: Values,
    isOptional: boolean,
    options: CallOptions = {},
  ): Promise<unknown> {
    const discovery = this.#discovery;
    if (!discovery.dialect.serves(route)) return Promise.reject(missingRoute(route));
    if (!discovery.isOpen(route)) return this.#send(route, values, isOptional, options);
    const { origin } = options;
    const parameters = (values.path ?? {}) as Record<string, string>; // by the route table's own types
    return discovery.settle(
      {
        ...{ route, parameters, isOptional },
        reader: {
          find: (parentRoute, input) => this.find(parentRoute, input, { origin }),
          isAnswered: (known, path) => this.#isAnswered(known, path, origin),
        },
        within: (wait) => this.#within(wait, route),
      },
      this.#send(route, values, false, options),
    );
  }

  /** Whether a route answers for a path that must be there; no more than one item is read. */
  async #isAnswered(
    route: Route,
    path: Readonly<Record<string, string>>,
    origin: unknown,
  ): Promise<boolean> {
    const query = route.query && { limit: 1 };
    try {
      await this.#send(route, { path, query }, false, { origin });
      return true;
    } catch (error) {
      if (isRouteRefusal(error)) return false;
      throw error;
    }
  }

  /** Ends a wait for another request's call in time. */
  #within(wait: Promise<unknown>, route: RouteLabel): Promise<unknown> {
    const deadline = this.#deadline;
    return new Promise((resolve, reject) => {
      const waiter = { onEnd: (why: EndOfWait) => reject(endOfWait(why, route)) };
      deadline.add(waiter);
      void wait.then(() => {
        deadline.delete(waiter);
        resolve(undefined);
      });
    });
  }

  #send(
    route: Route,
    values: Values,
    isOptional: boolean,
    { cancel, origin }: CallOptions,
  ): Promise<unknown> {
    try {
      // Both are texts and numbers by the route table's own types.
      const parameters = (values.path ?? {}) as Record<string, string>;
      const query = values.query as Record<string, string | number | undefined> | undefined;
      const path = this.#pathPrefix + fillPath(route, parameters) + formatQuery(query);
      const body = values.body === undefined ? null : JSON.stringify(values.body);
      const apiKey = this.#admit(route);
      // What a request reads after a write of its own is never older than that.
      if (this.#hasCache && route.method !== 'GET') this.#newerThan = NOW;
      return this.#pipeline({
        route,
        apiKey,
        sharingKey: this.#sharingKey,
        path,
        headers: body === null ? this.#headers : [...this.#headers, 'content-type', JSON_TYPE],
        body,
        isOptional,
        isDeferred: this.#isDeferred?.(origin) ?? false,
        newerThan: this.#newerThan,
        deadline: this.#deadline,
        cancel,
        journal: this.journal,
        trace: this.#trace,
        origin,
      });
    } catch (error) {
      const refusal = error as Error;
      return Promise.reject(refusal);
    }
  }

  /**
   * Refuses a call that may not be made, before anything is sent, and takes any other off the budget.
   *
   * @returns the key to make it with.
   */
  #admit(route: Route): string {
    const apiKey = this.#apiKey;
    if (apiKey === undefined || !isApiKey(apiKey)) {
      throw new RestUnauthenticatedError(
        `Send an API key of ${API_KEY_FORM} in the ${API_KEY_HEADER} header`,
        route,
      );
    }
    this.#deadline.check(route);
    if (this.#callsLeft === 0) throw new RestBudgetError(route);
    this.#callsLeft -= 1;
    return apiKey;
  }
}

const JSON_TYPE = 'application/json';

const headersOf = (apiKey: string, requestId: string, forwarded: ForwardedHeaders): string[] => [
  API_KEY_HEADER,
  apiKey,
  'x-request-id',
  requestId,
  'accept',
  JSON_TYPE,
  // Identity, so that the limit on bytes received bounds the answer: no decompression bombs.
  'accept-encoding',
  'identity',
  ...forwarded,
];
