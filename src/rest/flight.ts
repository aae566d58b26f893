/**
 * Calls in flight: the callers that wait for them, their attempts, and their results.
 *
 * Identical reads share one flight (single-flight, request coalescing). A write has one caller, and one attempt.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { EndOfWait } from '../lib/cancel.ts';
import type { Route } from '../v0/routes.ts';
import { Attempt, type Attempts } from './attempt.ts';
import {
  isRead,
  type CachedFlight,
  type Call,
  type DecodedResponse,
  type RestResponse,
  type Settled,
} from './call/call.ts';
import type { CallLogEntry, ExposedHeader, SpanRef } from './call/call-log.ts';
import { endOfWait, failureOf, isNotFound, RestError, type FailureKind } from './call/errors.ts';
import type { WaitOfRequest } from './call/deadlines.ts';
import { IDLE_KEYS } from './call/keys.ts';
import { freeze } from './decode/decode-cache.ts';
import type { RateLimitBackoff } from './policies/rate-limit-backoff.ts';
import type { Retries } from './policies/retry.ts';

interface FlightOptions extends Attempts {
  readonly backoff: RateLimitBackoff;
  readonly retries: Retries;
  readonly decode: (call: Call, response: RestResponse) => DecodedResponse;
}

/**
 * A read that others may join, without its flight once that has ended. A table that a Map has outgrown refers to the next
 * one, so in V8's old generation it retains all later tables and what their entries refer to. With flights in the Map,
 * those of ended requests would be copied there.
 */
interface JoinableRead {
  readonly among: JoinableReads;
  readonly id: string;
  flight: Flight | undefined;
}

/** Reads of one sharing key. Their Map is dropped when it is empty, since most are after every request. */
interface JoinableReads {
  /** By path. */
  byId: Map<string, JoinableRead> | undefined;
}

export class Flights {
  readonly options: FlightOptions;
  /** By sharing key. */
  #joinable = new Map<string, JoinableReads>();

  constructor(options: FlightOptions) {
    this.options = options;
  }

  /** Makes a call, or joins an identical read in flight. @returns the checked body. */
  make(call: Call): Promise<unknown> {
    if (!isRead(call)) this.endAllJoining();
    if (!isRead(call) || call.priority === 'speculative') return new Flight(this, call).start();
    const { from, path, newerThan } = call;
    // Reads that must be newer than a write do not join reads that may have begun before it.
    const id = newerThan === undefined ? path : `${path} ${newerThan}`;
    let among = this.#joinable.get(from.sharingKey);
    const known = among?.byId?.get(id)?.flight;
    // A probe may take its whole timeout, so only its own request waits for it.
    if (known && (known.call.from === from || !known.isProbe)) return known.join(call);
    if (!among) this.#joinable.set(from.sharingKey, (among = { byId: undefined }));
    const joinable: JoinableRead = { among, id, flight: undefined };
    joinable.flight = new Flight(this, call, joinable);
    (among.byId ??= new Map()).set(id, joinable);
    return joinable.flight.start();
  }

  endJoining(joinable: JoinableRead, sharingKey: string): void {
    joinable.flight = undefined;
    const { among, id } = joinable;
    const { byId } = among;
    if (byId?.get(id) !== joinable) return;
    byId.delete(id);
    if (byId.size > 0) return;
    among.byId = undefined;
    // After a write, the key may have other reads.
    if (this.#joinable.size > IDLE_KEYS && this.#joinable.get(sharingKey) === among)
      this.#joinable.delete(sharingKey);
  }

  /**
   * No read joins one that began before the end of a write, which may have seen either state. Which reads a write affects
   * is not documented, and two keys may belong to one customer. Costs a few more calls around a write.
   */
  endAllJoining(): void {
    this.#joinable = new Map();
  }
}

/** A caller of a call, who waits for the response, the deadline of the request, or the caller's own cancellation. */
abstract class Caller implements WaitOfRequest {
  readonly call: Call;
  place = -1;
  #resolve: ((value: unknown) => void) | undefined;
  #reject: ((error: Error) => void) | undefined;

  constructor(call: Call) {
    this.call = call;
  }

  abstract onEnd(why: EndOfWait): void;

  protected get isWaiting(): boolean {
    return this.#resolve !== undefined;
  }

  /** The promise is not kept, since the call log refers to callers, and would retain responses. */
  protected result(): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  protected wait(): void {
    const { from, cancel } = this.call;
    from.deadline.add(this);
    if (cancel?.cancelled) this.onEnd('cancelled');
    else cancel?.listen(this);
  }

  /** Idempotent. */
  protected respond(
    settled: Settled<DecodedResponse>,
    exposed: readonly ExposedHeader[] | undefined,
  ): void {
    const [resolve, reject] = [this.#resolve, this.#reject];
    if (!resolve || !reject) return;
    this.#resolve = this.#reject = undefined;
    const { from, cancel, isOptional } = this.call;
    from.deadline.delete(this);
    cancel?.listen(undefined);
    if (exposed) from.callLog.expose(exposed);
    if (!(settled instanceof Error)) resolve(settled.value);
    else if (isOptional && isNotFound(settled)) resolve(null);
    else reject(settled);
  }
}

/** A call in flight, which is its first caller, too. */
class Flight extends Caller implements CachedFlight {
  /** Latest deadline of its callers, on the upstream's clock. */
  deadlineMs: number;
  validators: readonly string[] | undefined;
  exposed: readonly ExposedHeader[] | undefined;
  readonly #flights: Flights;
  readonly #joinable: JoinableRead | undefined;
  #followers: Follower[] | undefined;
  #waiting = 1;
  #isSettled = false;
  #attempt: Attempt | undefined;
  #cancelWait: (() => void) | undefined;
  /** Gets the response instead of the callers. */
  #onResponse: ((settled: Settled) => void) | undefined;

  /** @param joinable undefined for a call that is never joined, such as a write. */
  constructor(flights: Flights, call: Call, joinable?: JoinableRead) {
    super(call);
    this.#flights = flights;
    this.#joinable = joinable;
    this.deadlineMs = call.from.deadline.untilMs;
  }

  get isProbe(): boolean {
    return this.#attempt !== undefined && this.#flights.options.breaker.isProbe(this.#attempt);
  }

  get span(): SpanRef | undefined {
    return this.#attempt?.span;
  }

  start(): Promise<unknown> {
    const result = this.result();
    // A write ends with its attempt.
    if (isRead(this.call)) this.wait();
    if (this.#waiting === 0) return result;
    const { cache } = this.#flights.options.settings;
    if (cache) {
      const settle = (settled: Settled<DecodedResponse>): void => this.settle(settled);
      cache.read(this).then(settle, settle);
    } else {
      this.#startAttempt(1, false);
    }
    return result;
  }

  join(call: Call): Promise<unknown> {
    this.deadlineMs = Math.max(this.deadlineMs, call.from.deadline.untilMs);
    this.#waiting += 1;
    const follower = new Follower(this, call);
    if (this.#followers) this.#followers.push(follower);
    else this.#followers = [follower];
    return follower.start();
  }

  onEnd(why: EndOfWait): void {
    this.respond(endOfWait(why, this.call.route), undefined);
    this.leave();
  }

  /** Removes a caller; the last one cancels the call, except a probe that was sent. */
  leave(): void {
    this.#waiting -= 1;
    if (this.#waiting > 0) return;
    this.#endJoining();
    if (this.#cancelWait) {
      this.#cancelWait();
      this.#cancelWait = undefined;
      this.#receive(endOfWait('cancelled', this.call.route));
    } else if (!this.isProbe || this.#attempt?.source === 'unsent') {
      this.#attempt?.cancel('cancelled');
    }
  }

  fetch(): Promise<Settled> {
    return new Promise((resolve) => {
      this.#onResponse = resolve;
      if (this.#waiting === 0) resolve(endOfWait('cancelled', this.call.route));
      else this.#startAttempt(1, false);
    });
  }

  decode(response: RestResponse): DecodedResponse {
    return this.#flights.options.decode(this.call, response);
  }

  onAttemptEnd(attempt: Attempt, settled: Settled): void {
    const { backoff, retries, settings } = this.#flights.options;
    backoff.end(this.call, settled);
    const isWanted = !this.#isSettled && this.#waiting > 0;
    const retry = isWanted ? retries.after(attempt, settled) : undefined;
    if (!retry) return this.#receive(settled);
    const { clock } = settings;
    const next = (): void => this.#startAttempt(attempt.attempt + 1, retry.isFresh);
    const timer = clock.setTimeout(next, retry.afterMs);
    // Named, so that V8 does not allocate it in its old generation.
    const cancelWait = (): void => clock.clearTimeout(timer);
    this.#cancelWait = cancelWait;
  }

  /** Responds to all callers, while the attempt may continue. Idempotent. */
  settle(settled: Settled<DecodedResponse>): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#endJoining();
    const followers = this.#followers;
    this.#followers = undefined;
    // Frozen only if shared: freezing takes a quarter of the time of parsing.
    if (followers && !(settled instanceof Error)) freeze(settled.value as object);
    this.respond(settled, this.exposed);
    if (followers) for (const follower of followers) follower.settle(settled);
  }

  #endJoining(): void {
    if (!isRead(this.call)) this.#flights.endAllJoining();
    else if (this.#joinable) {
      this.#flights.endJoining(this.#joinable, this.call.from.sharingKey);
    }
  }

  #startAttempt(number: number, isFresh: boolean): void {
    const { options } = this.#flights;
    const nowMs = options.settings.clock.now();
    this.#cancelWait = undefined;
    if (nowMs < options.backoff.endMs) {
      const next = (): void => this.#startAttempt(number, isFresh);
      const delayed = options.backoff.delay(this.call, this.deadlineMs, next);
      if (delayed instanceof Error) return this.#receive(delayed);
      this.#cancelWait = delayed;
      if (delayed) return;
    }
    this.#attempt = new Attempt(options, this, number, nowMs, isFresh);
    this.#attempt.start();
  }

  #receive(settled: Settled): void {
    const { exposeHeaders } = this.#flights.options.settings;
    if (exposeHeaders.length > 0 && !(settled instanceof Error)) {
      this.exposed = exposedOf(settled.headers, exposeHeaders);
    }
    if (this.#onResponse) this.#onResponse(settled);
    else if (!this.#isSettled) this.settle(this.#tryDecode(settled));
  }

  #tryDecode(settled: Settled): Settled<DecodedResponse> {
    if (settled instanceof Error) return settled;
    try {
      return this.decode(settled);
    } catch (error) {
      return error as Error;
    }
  }
}

/** A caller that joined a read in flight: its own entry of the call log. */
class Follower extends Caller implements CallLogEntry {
  readonly source = 'shared';
  readonly attempt = 1;
  readonly startMs: number;
  endMs: number | undefined;
  status: number | undefined;
  failure: FailureKind | undefined;
  span: SpanRef | undefined;
  readonly #flight: Flight;

  constructor(flight: Flight, call: Call) {
    super(call);
    this.#flight = flight;
    this.startMs = performance.now() - call.from.callLog.beganMs;
  }

  get route(): Route {
    return this.call.route;
  }

  get origin(): unknown {
    return this.call.origin;
  }

  start(): Promise<unknown> {
    const result = this.result();
    this.call.from.callLog.add(this);
    this.wait();
    return result;
  }

  settle(settled: Settled<DecodedResponse>): void {
    if (!this.isWaiting) return;
    const failed = settled instanceof Error;
    const status = failed && !(settled instanceof RestError) ? undefined : settled.status;
    this.call.from.callLog.end(this, status, failed ? failureOf(settled) : undefined);
    this.span = this.#flight.span;
    this.respond(settled, this.#flight.exposed);
  }

  onEnd(why: EndOfWait): void {
    if (!this.isWaiting) return;
    this.settle(endOfWait(why, this.route));
    this.#flight.leave();
  }
}

/** Values that Node can write; others are omitted, since they would fail the whole response. */
const WRITABLE = /^[\t\x20-\x7e]*$/;

/** Response headers for callers (`EXPOSE_HEADERS`). @param names in lower case. */
const exposedOf = (headers: IncomingHttpHeaders, names: readonly string[]): ExposedHeader[] =>
  names.flatMap((name) => {
    const value = headers[name];
    const text = Array.isArray(value) ? value.join(', ') : value;
    return text !== undefined && WRITABLE.test(text) ? [[name, text] as const] : [];
  });
