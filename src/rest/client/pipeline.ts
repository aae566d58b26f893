/**
 * What every REST call passes, from its caller to the connection: single-flight, decoding, retries, and attempts.
 */
import type { Call, DecodedResponse, Flight, RestResponse, Settled } from '../call/call.ts';
import type { UpstreamSettings } from '../call/options.ts';
import { DecodeCache } from '../decode/decode-cache.ts';
import { attempts } from '../resilience/attempts.ts';
import { CircuitBreaker } from '../resilience/circuit-breaker.ts';
import { ConcurrencyLimiter } from '../resilience/concurrency-limiter.ts';
import { retry } from '../resilience/retry.ts';
import { singleFlight } from '../resilience/single-flight.ts';
import { exchange } from '../transport/exchange.ts';
import { exposeHeaders } from '../transport/exposed-headers.ts';

/** A call in, the checked body of its answer out. */
export type Pipeline = (call: Call) => Promise<unknown>;

export function openPipeline(settings: UpstreamSettings) {
  const { observer, exposeHeaders: names } = settings;
  const limiter = new ConcurrencyLimiter(exchange(settings), settings);
  const breaker = new CircuitBreaker(settings);
  const cache = new DecodeCache();

  let ask = retry(attempts(breaker, limiter, settings), settings);
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
  const kept = settings.cache?.layer({ answerTo, decode });
  const fetch = kept
    ? (flight: Flight): void => {
        const land = (settled: Settled<DecodedResponse>): void => flight.land(settled);
        kept(flight).then(land, land);
      }
    : (flight: Flight): void =>
        ask(flight, (settled) => flight.land(decoded(flight.call, settled)));
  // Single-flight is outermost: a shared answer is decoded once.
  const pipeline: Pipeline = singleFlight(fetch);
  return { pipeline, breaker, limiter };
}
