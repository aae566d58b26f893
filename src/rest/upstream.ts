/** An upstream: what all requests to a backend share, and the policies that its calls pass. */
import { systemClock } from '../lib/clock.ts';
import type { Attempt } from './attempt.ts';
import type { Call, DecodedResponse, RestResponse } from './call/call.ts';
import { ApiKeys } from './call/keys.ts';
import type { UpstreamOptions, UpstreamSettings } from './call/options.ts';
import { Timeouts } from './call/deadlines.ts';
import { ScopedClient, type RequestScope, type RestClient } from './client/client.ts';
import { RouteDiscovery, type RouteState } from './client/route-discovery.ts';
import { DecodeCache } from './decode/decode-cache.ts';
import { Flights } from './flight.ts';
import { CircuitBreaker, type CircuitStates } from './policies/circuit-breaker.ts';
import { ConcurrencyLimiter } from './policies/concurrency-limiter.ts';
import { RateLimitBackoff } from './policies/rate-limit-backoff.ts';
import { Retries } from './policies/retry.ts';

export interface Upstream {
  (scope: RequestScope): RestClient;
  readonly breaker: CircuitStates;
  routes(): Readonly<Record<string, RouteState>>;
  /** Whether the backend's latest response accepted the key. */
  isAccepted(apiKey: string): boolean;
  /** Whether connections can carry the calls of an operation; see `ConcurrencyLimiter`. */
  readonly limiter: Pick<ConcurrencyLimiter, 'mayBegin' | 'whenRoom'>;
  close(): Promise<void>;
}

/** Name of the gateway in `User-Agent`; web application firewalls reject calls without the header. */
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

export function createUpstream(options: UpstreamOptions): Upstream {
  const settings = { ...DEFAULTS, ...options };
  const { clock, observer, routeSet, dispatcher } = settings;
  const keys = new ApiKeys();
  const inProgress: Attempt[] = [];
  // In the order in which a call passes them.
  const policies = {
    backoff: new RateLimitBackoff(settings),
    breaker: new CircuitBreaker(settings, keys, inProgress),
    limiter: new ConcurrencyLimiter(settings, keys, inProgress),
    retries: new Retries(settings, keys.routes),
  };
  const flights = new Flights({
    ...policies,
    settings,
    inProgress,
    timeouts: new Timeouts(clock),
    decode: decoderOf(settings),
  });
  const discovery = new RouteDiscovery(routeSet, observer, clock);
  const shared = { settings, flights, keys, discovery, deadlines: new Timeouts(clock) };
  const clientOf = (scope: RequestScope) => {
    discovery.review(clock.now());
    return new ScopedClient(shared, scope);
  };
  return Object.assign(clientOf, {
    breaker: policies.breaker,
    limiter: policies.limiter,
    routes: () => discovery.report(),
    isAccepted: (apiKey: string) => keys.isAccepted(apiKey),
    close: () => dispatcher.close(),
  });
}

function decoderOf({ observer }: UpstreamSettings) {
  const cache = new DecodeCache();
  return (call: Call, response: RestResponse): DecodedResponse => {
    try {
      const decoded = cache.decode(call, response);
      for (const field of decoded.wrong) observer.onViolation?.(call.route, field);
      return decoded;
    } catch (error) {
      if (response.status < 300) observer.onViolation?.(call.route, '');
      throw error;
    }
  };
}
