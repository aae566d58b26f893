/**
 * The typed client of `/v0`: a function that calls a route of the table.
 *
 * An `Upstream` is shared by the process (connections, breaker, reads in flight). A `RestClient` belongs to one request
 * and has its key, deadline, budget and call log.
 */
import { API_KEY_FORM, API_KEY_HEADER, isApiKey } from '../../v0/api-key.ts';
import type { Cancel, EndOfWait } from '../../lib/cancel.ts';
import { systemClock } from '../../lib/clock.ts';
import { holds, sharingKeyOf, type ForwardedHeaders } from '../call/forwarded-headers.ts';
import type { Route } from '../../v0/routes.ts';
import {
  endOfWait,
  isMissingRoute,
  RestError,
  reusedRefusals,
  type RouteLabel,
} from '../call/errors.ts';
import { CallLog } from '../call/call-log.ts';
import { RequestDeadline } from '../call/request-deadline.ts';
import { NOW, type Requester } from '../call/call.ts';
import { ApiKey, type ApiKeys } from '../call/keys.ts';
import type { UpstreamOptions, UpstreamSettings } from '../call/options.ts';
import { Timeouts } from '../call/timeouts.ts';
import type { CircuitStates } from '../policies/circuit-breaker.ts';
import { make, type Calls } from '../rest-call.ts';
import type { CallTrace } from '../call/trace.ts';
import type { RouteCapabilities } from './route-capabilities.ts';
import { fillPath, formatQuery, type CallInput } from './path.ts';
import { openCalls } from '../policies/policies.ts';
import {
  missingRoute,
  RouteDiscovery,
  type Discoverer,
  type RouteState,
} from './route-discovery.ts';

export type { CallInput };

export interface CallOptions {
  /** Cancels a GET; a write goes on. */
  readonly cancel?: Cancel | undefined;
  /** Cause of the call, for the call log. */
  readonly origin?: unknown;
  /** Bound on cached responses in place of that of the request. */
  readonly newerThan?: string | undefined;
}

export interface RestClient {
  /** Replaced when a route is found to be missing, is reviewed, or is found again. */
  readonly capabilities: RouteCapabilities;
  readonly callLog: CallLog;
  /** Deadline of the request on `performance.now()`'s clock. */
  readonly deadlineMs: number;
  /** Cancels reads in flight and rejects further calls. Writes are finished. */
  abort(): void;
  /** Gives calls of these origins a lower priority than the others of their key. */
  deferWhere(isDeferred: (origin: unknown) => boolean): void;
  /** Makes each call of the request. A policy may replace it by a function around it. */
  makeCall: typeof make;

  /**
   * Calls a route and returns the checked body.
   *
   * @throws {RestError} see errors.ts for its kinds.
   */
  readonly call: CallRoute<never>;
  /** Like `call` for a read, but null for a 404. */
  readonly find: CallRoute<null>;
}

type CallRoute<Missing> = <Path extends string, Response, Query, Body>(
  route: Route<Path, Response, Query, Body>,
  input: CallInput<Path, Query, Body>,
  options?: CallOptions,
) => Promise<Response | Missing>;

/** The request that a client belongs to. */
export interface RequestScope {
  /** Undefined if neither the caller nor the gateway has a key; calls fail then. */
  readonly apiKey: string | undefined;
  /** Headers of the caller sent with each call. @default none */
  readonly forwarded?: ForwardedHeaders | undefined;
  readonly requestId: string;
  /**
   * Cancelled when the caller disconnects, which ends reads but not writes. A `Cancel` has one listener, so each client
   * needs its own.
   */
  readonly leaving?: Cancel | undefined;
  /** Deadline of the request on `performance.now()`'s clock. */
  readonly deadlineMs: number;
  /** Maximum number of calls, with shared ones, without retries. */
  readonly maxCalls: number;
  /** Trace of the request. @default none */
  readonly trace?: CallTrace | undefined;
  /** Counts bytes of a response, and returns why they may not be received. @default no limit */
  readonly receive?: Requester['receive'] | undefined;
  /** Bound on cached responses: `NOW`, or one that only the cache understands. @default any */
  readonly newerThan?: string | undefined;
}

/** Creates a client for one request. */
export interface Upstream {
  (scope: RequestScope): RestClient;
  readonly breaker: CircuitStates;
  /** States of the extended routes by method and path. */
  routes(): Readonly<Record<string, RouteState>>;
  /** Whether the backend's latest response accepted the key. */
  isAccepted(apiKey: string): boolean;
  /** Closes after the calls in flight. */
  close(): Promise<void>;
}

/** Name of the gateway in `User-Agent`; web application firewalls refuse calls without the header. */
export const USER_AGENT = 'content-pages-gateway';

export const DEFAULTS = {
  userAgent: USER_AGENT,
  maxResponseBytes: 5_000_000,
  connections: 128,
  maxQueue: 4_096,
  breaker: {},
  clock: systemClock,
  exposeHeaders: [],
  observer: {},
  cache: undefined,
};

export function createUpstream(given: UpstreamOptions): Upstream {
  const options = { ...DEFAULTS, ...given };
  const { calls, breaker, keys } = openCalls(options);
  const discovery = new RouteDiscovery(options.routeSet, options.observer, options.clock);
  const shared = { options, calls, keys, discovery, deadlines: new Timeouts(options.clock) };
  const clientOf = (scope: RequestScope) => {
    discovery.review(options.clock.now());
    return new ScopedClient(shared, scope);
  };
  return Object.assign(clientOf, {
    breaker,
    routes: () => discovery.report(),
    isAccepted: (apiKey: string) => keys.isAccepted(apiKey),
    close: () => options.dispatcher.close(),
  });
}

/** State shared by all clients. */
interface Shared {
  readonly options: UpstreamSettings;
  readonly calls: Calls;
  readonly keys: ApiKeys;
  readonly discovery: RouteDiscovery;
  /** Deadlines of all requests. */
  readonly deadlines: Timeouts;
}

/** Typed by the route table. */
interface RouteValues {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | undefined>> | undefined;
  readonly body?: unknown;
}

class ScopedClient implements RestClient, Requester {
  readonly callLog = new CallLog();
  readonly apiKey: string;
  readonly sharingKey: string;
  readonly headers: string[];
  readonly deadline: RequestDeadline;
  readonly trace: CallTrace | undefined;
  readonly receive: Requester['receive'];
  makeCall = make;
  readonly #shared: Shared;
  readonly #scope: RequestScope;
  #key: ApiKey;
  #newerThan: string | undefined;
  #callsLeft: number;
  #isDeferred: ((origin: unknown) => boolean) | undefined;

  constructor(shared: Shared, scope: RequestScope) {
    const { clock } = shared.options;
    const { apiKey = '', forwarded = [], trace } = scope;
    this.#shared = shared;
    this.#scope = scope;
    this.apiKey = apiKey;
    this.#key = shared.keys.find(apiKey) ?? new ApiKey(apiKey);
    this.sharingKey = sharingKeyOf({ apiKey, forwarded });
    this.headers = headersOf(apiKey, scope.requestId, forwarded);
    if (!holds(forwarded, 'user-agent')) {
      this.headers.push('user-agent', shared.options.userAgent);
    }
    this.trace = trace;
    this.receive = scope.receive ?? (() => undefined);
    if (trace) this.headers.push(...trace.forwarded);
    this.deadline = new RequestDeadline(scope.deadlineMs, scope.leaving, shared.deadlines, clock);
    this.#newerThan = scope.newerThan;
    this.#callsLeft = scope.maxCalls;
  }

  get key(): ApiKey {
    // Another request may have stored the key meanwhile.
    if (!this.#key.isKnown) this.#key = this.#shared.keys.find(this.apiKey) ?? this.#key;
    return this.#key;
  }

  get capabilities(): RouteCapabilities {
    return this.#shared.discovery.capabilities;
  }

  get deadlineMs(): number {
    return this.#scope.deadlineMs;
  }

  abort(): void {
    this.deadline.end();
  }

  deferWhere(isDeferred: (origin: unknown) => boolean): void {
    this.#isDeferred = isDeferred;
  }

  // Casts are safe: the body is decoded by the route's schema.
  readonly call = ((route, input, options) =>
    this.#make(route, input, false, options)) as CallRoute<never>;
  readonly find = ((route, input, options) =>
    this.#make(route, input, true, options)) as CallRoute<null>;

  #make(
    route: Route,
    input: object,
    isOptional: boolean,
    options: CallOptions = {},
  ): Promise<unknown> {
    const { discovery } = this.#shared;
    const values: RouteValues = input;
    if (!discovery.capabilities.serves(route)) return Promise.reject(missingRoute(route));
    if (!discovery.isOpen(route)) return this.#send(route, values, isOptional, options);
    const answer = this.#send(route, values, false, options);
    const { origin } = options;
    return discovery.settle(answer, isOptional, route, values.path ?? {}, {
      find: ((from, sample) =>
        this.#make(from, sample, true, { origin }).catch((error: unknown) => {
          if (!isMissingRoute(error, from)) throw error;
        })) as Discoverer['find'],
      probe: (path) =>
        this.#send(route, { path, query: route.query && { limit: 1 } }, false, { origin }),
      within: (wait) => this.#within(wait, route),
    });
  }

  /** Waits for another request's call until this request's deadline. */
  #within(wait: Promise<unknown>, route: RouteLabel): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const waiter = { place: -1, onEnd: (why: EndOfWait) => reject(endOfWait(why, route)) };
      this.deadline.add(waiter);
      void wait.then(() => {
        this.deadline.delete(waiter);
        resolve(undefined);
      });
    });
  }

  #send(
    route: Route,
    values: RouteValues,
    isOptional: boolean,
    { cancel, origin, newerThan }: CallOptions,
  ): Promise<unknown> {
    // Checked first: a large response can cause thousands of calls above the budget.
    if (this.#callsLeft === 0) return Promise.reject(budgetSpent(route));
    const { options, calls } = this.#shared;
    try {
      const path =
        options.pathPrefix + fillPath(route, values.path ?? {}) + formatQuery(values.query);
      const body = values.body === undefined ? null : JSON.stringify(values.body);
      const nowMs = options.clock.now();
      this.#admit(route, nowMs);
      // Reads after a write of the same request are never older than the write.
      if (route.method !== 'GET') this.#newerThan = NOW;
      const asked = {
        from: this,
        route,
        path,
        body,
        origin,
        isOptional,
        priority: this.#isDeferred?.(origin) ? ('deferred' as const) : ('normal' as const),
        newerThan: newerThan ?? this.#newerThan,
        cancel,
      };
      return this.makeCall(calls, asked, nowMs);
    } catch (error) {
      const refusal = error as Error;
      return Promise.reject(refusal);
    }
  }

  /** Rejects a call that may not be made, or charges it to the budget. */
  #admit(route: Route, nowMs: number): void {
    const { apiKey } = this.#scope;
    if (apiKey === undefined || !isApiKey(apiKey)) {
      throw new RestError(
        'unauthenticated',
        `Send an API key of ${API_KEY_FORM} in the ${API_KEY_HEADER} header`,
        route,
      );
    }
    this.deadline.check(route, nowMs);
    this.#callsLeft -= 1;
  }
}

const budgetSpent = reusedRefusals(
  (route) => new RestError('budget', 'The request has made all the calls it may', route),
);

const headersOf = (apiKey: string, requestId: string, forwarded: ForwardedHeaders): string[] => [
  API_KEY_HEADER,
  apiKey,
  'x-request-id',
  requestId,
  'accept',
  'application/json',
  // No compression: the size limit applies to received bytes, which excludes decompression bombs.
  'accept-encoding',
  'identity',
  ...forwarded,
];
