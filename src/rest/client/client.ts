/** The typed client of `/v0` for one request: calls routes with its key, deadline, budget and call log. */
import { API_KEY_FORM, API_KEY_HEADER, isApiKey } from '../../v0/api-key.ts';
import type { Cancel, EndOfWait } from '../../lib/cancel.ts';
import type { Route } from '../../v0/routes.ts';
import {
  endOfWait,
  isMissingRoute,
  RestError,
  reusedErrors,
  type RouteLabel,
} from '../call/errors.ts';
import { CallLog, type CallTrace } from '../call/call-log.ts';
import { NOW, type Call, type Requester } from '../call/call.ts';
import { ApiKey, sharingKeyOf, type ApiKeys, type ForwardedHeaders } from '../call/keys.ts';
import type { UpstreamSettings } from '../call/options.ts';
import { RequestDeadline, type Timeouts } from '../call/deadlines.ts';
import type { Flights } from '../flight.ts';
import type { RouteCapabilities } from './route-capabilities.ts';
import { fillPath, formatQuery, type CallInput } from './path.ts';
import { missingRoute, type Discoverer, type RouteDiscovery } from './route-discovery.ts';

export type { CallInput };

export interface CallOptions {
  /** Cancels a GET; a write continues. */
  readonly cancel?: Cancel | undefined;
  readonly origin?: unknown;
  /** Bound on cached responses instead of the request's. */
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
  makeCall: (call: Call) => Promise<unknown>;

  /** Calls a route and returns the checked body. @throws {RestError} of the kinds in errors.ts. */
  readonly call: CallRoute<never>;
  /** Like `call` for a read, but null for a 404. */
  readonly find: CallRoute<null>;
}

type CallRoute<Missing> = <Path extends string, Response, Query, Body>(
  route: Route<Path, Response, Query, Body>,
  input: CallInput<Path, Query, Body>,
  options?: CallOptions,
) => Promise<Response | Missing>;

export interface RequestScope {
  /** Undefined if neither the caller nor the gateway has a key; calls fail then. */
  readonly apiKey: string | undefined;
  /** Headers of the caller sent with each call. @default none */
  readonly forwarded?: ForwardedHeaders | undefined;
  readonly requestId: string;
  /** Cancelled when the caller disconnects. It has one listener, so each client needs its own. */
  readonly leaving?: Cancel | undefined;
  /** Deadline of the request on `performance.now()`'s clock. */
  readonly deadlineMs: number;
  readonly maxCalls: number;
  readonly trace?: CallTrace | undefined;
  /** Counts bytes of a response, and returns why they may not be received. @default no limit */
  readonly receive?: Requester['receive'] | undefined;
  /** Bound on cached responses: `NOW`, or one that only the cache understands. @default any */
  readonly newerThan?: string | undefined;
}

interface Shared {
  readonly settings: UpstreamSettings;
  readonly flights: Flights;
  readonly keys: ApiKeys;
  readonly discovery: RouteDiscovery;
  readonly deadlines: Timeouts;
}

/** Typed by the route table. */
interface RouteValues {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | undefined>> | undefined;
  readonly body?: unknown;
}

export class ScopedClient implements RestClient, Requester {
  readonly callLog = new CallLog();
  readonly apiKey: string;
  readonly sharingKey: string;
  readonly headers: string[];
  readonly deadline: RequestDeadline;
  readonly trace: CallTrace | undefined;
  readonly receive: Requester['receive'];
  turn = 0;
  queuedCalls = 0;
  makeCall = (call: Call): Promise<unknown> => this.#shared.flights.make(call);
  readonly #shared: Shared;
  #key: ApiKey;
  #newerThan: string | undefined;
  #callsLeft: number;
  #isDeferred: ((origin: unknown) => boolean) | undefined;

  constructor(shared: Shared, scope: RequestScope) {
    const { clock, userAgent } = shared.settings;
    const { apiKey = '', forwarded = [], trace } = scope;
    this.#shared = shared;
    this.apiKey = apiKey;
    this.#key = shared.keys.find(apiKey) ?? new ApiKey(apiKey);
    this.sharingKey = sharingKeyOf({ apiKey, forwarded });
    this.headers = [
      API_KEY_HEADER,
      apiKey,
      'x-request-id',
      scope.requestId,
      'accept',
      'application/json',
      // No compression: the size limit applies to received bytes, which excludes decompression bombs.
      'accept-encoding',
      'identity',
      ...forwarded,
    ];
    const isNamed = forwarded.some((name, i) => i % 2 === 0 && name === 'user-agent');
    if (!isNamed) this.headers.push('user-agent', userAgent);
    if (trace) this.headers.push(...trace.forwarded);
    this.trace = trace;
    this.receive = scope.receive ?? (() => undefined);
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
    return this.deadline.untilMs;
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
    if (!discovery.isUndecided(route)) return this.#send(route, values, isOptional, options);
    const response = this.#send(route, values, false, options);
    const { origin } = options;
    return discovery.decide(response, isOptional, route, values.path ?? {}, {
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
    const { pathPrefix } = this.#shared.settings;
    try {
      const path = pathPrefix + fillPath(route, values.path ?? {}) + formatQuery(values.query);
      const body = values.body === undefined ? null : JSON.stringify(values.body);
      if (!isApiKey(this.apiKey)) {
        const what = `Missing or malformed API key. Send ${API_KEY_FORM} in the \`${API_KEY_HEADER}\` header`;
        throw new RestError('unauthenticated', what, route);
      }
      this.deadline.check(route);
      this.#callsLeft -= 1;
      // Reads after a write of the same request are never older than the write.
      if (route.method !== 'GET') this.#newerThan = NOW;
      return this.makeCall({
        from: this,
        route,
        path,
        body,
        origin,
        isOptional,
        priority: this.#isDeferred?.(origin) ? 'deferred' : 'normal',
        newerThan: newerThan ?? this.#newerThan,
        cancel,
      });
    } catch (error) {
      const rejection = error as Error;
      return Promise.reject(rejection);
    }
  }
}

const budgetSpent = reusedErrors(
  (route) => new RestError('budget', 'The request has used up its backend calls', route),
);
