/**
 * What every REST call passes, from its caller to the connection: single-flight, decoding, retries, and attempts.
 */
import type { Clock } from '../../lib/clock.ts';
import type { RouteSet } from '../../v0/routes.ts';
import type { Call, DecodedResponse, Flight, RestResponse, Settled } from '../call/call.ts';
import type { UpstreamObserver } from '../call/observer.ts';
import { DecodeCache } from '../decode/decode-cache.ts';
import { attempts } from '../resilience/attempts.ts';
import { CircuitBreaker, type BreakerOptions } from '../resilience/circuit-breaker.ts';
import { ConcurrencyLimiter } from '../resilience/concurrency-limiter.ts';
import { RateLimitPauses, type PausesOfOthers } from '../resilience/rate-limit-pauses.ts';
import { retry } from '../resilience/retry.ts';
import { singleFlight } from '../resilience/single-flight.ts';
import type { BackendDispatcher } from '../transport/dispatcher.ts';
import { exchange } from '../transport/exchange.ts';
import { exposeHeaders } from '../transport/exposed-headers.ts';

export interface UpstreamOptions {
  /** Sends requests; the origin is its own. Closed with the upstream. */
  readonly dispatcher: Pick<BackendDispatcher, 'dispatch' | 'close'>;
  /** The path before `/v0`: empty, or `/prefix`. */
  readonly pathPrefix: string;
  /** `auto` finds out which of the extended routes there are. */
  readonly routeSet: RouteSet | 'auto';
  /** One attempt from its queue to its last byte, in milliseconds. */
  readonly timeoutMs: number;
  /** The largest answer that is read, in bytes; 5,000,000 when absent. */
  readonly maxResponseBytes?: number;
  /** Calls under way at once, of all keys; 128 when absent. The dispatcher needs as many. */
  readonly connections?: number;
  /** Calls that may wait, of all keys; 4,096 when absent. */
  readonly maxQueue?: number;
  readonly breaker?: BreakerOptions;
  /** By which calls wait and time out; the system's when absent. */
  readonly clock?: Clock;
  /** Names of headers of answers that go on to callers, in lower case; none when absent. */
  readonly exposeHeaders?: readonly string[];
  /** Shares pauses of limited keys with other processes. @default none are shared */
  readonly pauses?: PausesOfOthers | undefined;
  /** Keeps answers to reads, for as long as they may be used. @default none are kept */
  readonly cache?: ReadCache | undefined;
  readonly observer?: UpstreamObserver;
}

/** Answers reads itself where it can, and asks the backend where it cannot. */
export interface ReadCache {
  /** @returns what answers a call, and rejects with what failed. */
  layer(backend: AskedBackend): (flight: Flight) => Promise<DecodedResponse>;
}

export interface AskedBackend {
  /** Answers a call, with its retries. */
  answerTo(flight: Flight): Promise<Settled>;
  /** As `decode`, errors too. */
  decode(call: Call, answer: RestResponse): DecodedResponse;
}

/** A call in, the checked body of its answer out. */
export type Pipeline = (call: Call) => Promise<unknown>;

export function openPipeline(options: Required<UpstreamOptions>) {
  const { dispatcher, observer, clock, exposeHeaders: names } = options;
  const limiter = new ConcurrencyLimiter(options);
  const breaker = new CircuitBreaker(options.breaker, observer, clock);
  const cache = new DecodeCache();

  const pauses = new RateLimitPauses(clock, observer, options.pauses);
  const send = exchange(dispatcher, options.maxResponseBytes, clock);
  let ask = retry(options, attempts({ ...options, pauses, breaker, limiter, send }));
  if (names.length > 0) ask = exposeHeaders(names, ask);
  const decode = (call: Call, answer: RestResponse): DecodedResponse => {
    let read: DecodedResponse | undefined;
    try {
      return (read = cache.decode(call, answer));
    } finally {
      observer.onAnswer?.(call.route, answer, read);
    }
  };
  const decoded = (call: Call, settled: Settled): Settled<DecodedResponse> => {
    if (settled instanceof Error) return settled;
    try {
      return decode(call, settled);
    } catch (error) {
      return error as Error;
    }
  };
  const answerTo = (flight: Flight) => new Promise<Settled>((settle) => ask(flight, settle));
  const kept = options.cache?.layer({ answerTo, decode });
  const fetch = (flight: Flight): void => {
    const land = (settled: Settled<DecodedResponse>): void => flight.land(settled);
    if (kept) kept(flight).then(land, land);
    else ask(flight, (settled) => land(decoded(flight.call, settled)));
  };
  // Single-flight is outermost: a shared answer is decoded once.
  const pipeline: Pipeline = singleFlight(fetch);
  return { pipeline, breaker, limiter };
}
