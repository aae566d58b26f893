/**
 * A REST call: its request, the callers that wait for it, and its result.
 *
 * Identical reads share one call in flight (single-flight, request coalescing). A write has one caller, and one attempt.
 * Each request to the backend is an attempt (`attempt.ts`).
 */
import {
  isRead,
  type Call,
  type DecodedResponse,
  type Flight,
  type Priority,
  type Requester,
  type Settled,
} from './call/call.ts';
import { endOfWait, failureOf, isNotFound, RestError, type FailureKind } from './call/errors.ts';
import type { ExposedHeader, CallLogEntry } from './call/call-log.ts';
import type { WaitOfRequest } from './call/request-deadline.ts';
import type { SpanRef } from './call/trace.ts';
import { freeze } from './decode/freeze.ts';
import type { Cancel, EndOfWait } from '../lib/cancel.ts';
import type { Timer } from '../lib/clock.ts';
import type { Route } from '../v0/routes.ts';
import { Attempt, type AttemptedCall, type Attempts } from './attempt.ts';
import { exposedOf } from './transport/exposed-headers.ts';

/** State shared by all calls. */
export interface Calls extends Attempts {
  /** Reads in flight that others may join, by path and sharing key. Replaced when it is empty: see `JoinableRead`. */
  inFlight: Map<string, JoinableRead>;
  /** Returns when to retry a failed read; undefined for never. */
  retryOf(attempt: Attempt, settled: Settled): Retry | undefined;
  /** Decodes a response, or returns its error. */
  decoded(call: Call, settled: Settled): Settled<DecodedResponse>;
  /** Responds from the response cache; undefined without one. */
  readonly kept: ((call: RestCall) => Promise<DecodedResponse>) | undefined;
}

/**
 * A read in `inFlight`, without its call once that has ended. A table that a Map has outgrown refers to the next one, so
 * in V8's old generation it retains all later tables and what their entries refer to. With calls in the Map, those of
 * ended requests were copied there: a fifth of a screen's CPU (2026-11-28, Node 20).
 */
interface JoinableRead {
  readonly id: string;
  call: RestCall | undefined;
}

export interface Retry {
  readonly afterMs: number;
  /** Whether to use a new connection, since an idle one may be closing. */
  readonly isFresh: boolean;
}

/** Parameters of a call. */
export interface CallRequest {
  readonly from: Requester;
  readonly route: Route;
  readonly path: string;
  readonly body: string | null;
  readonly origin: unknown;
  /** Whether a 404 is null. */
  readonly isOptional: boolean;
  readonly priority: Priority;
  readonly newerThan: string | undefined;
  /** Ends the wait of this caller only. */
  readonly cancel: Cancel | undefined;
}

/** Makes a call, or joins one in flight. @returns the checked body. */
export function make(calls: Calls, asked: CallRequest, nowMs: number): Promise<unknown> {
  if (asked.route.method !== 'GET') {
    // No read joins one that began before a write: which reads a write affects is not documented, and two keys may
    // belong to one customer. Costs a few more calls around a write.
    calls.inFlight = new Map();
    return new RestCall(calls, asked).begin(nowMs);
  }
  const { from, path, newerThan } = asked;
  // Reads that must be newer than a write do not join reads that may have begun before it.
  const id = `${path} ${newerThan ?? ''}\n${from.sharingKey}`;
  const known = calls.inFlight.get(id)?.call;
  // A probe may take its whole timeout, so only its own request waits for it.
  if (known && (!known.isProbe || known.from === from)) return known.join(asked);
  const joinable: JoinableRead = { id, call: undefined };
  joinable.call = new RestCall(calls, asked, joinable);
  calls.inFlight.set(id, joinable);
  return joinable.call.begin(nowMs);
}

export class RestCall implements Flight, AttemptedCall, WaitOfRequest {
  readonly from: Requester;
  readonly route: Route;
  readonly path: string;
  readonly body: string | null;
  readonly origin: unknown;
  readonly priority: Priority;
  readonly newerThan: string | undefined;
  /** Latest deadline of its callers, on the upstream's clock. */
  deadlineMs: number;
  validators: readonly string[] | undefined;
  exposed: readonly ExposedHeader[] | undefined;
  place = -1;
  readonly #calls: Calls;
  readonly #joinable: JoinableRead | undefined;

  // Callers: the first one, and those that joined.
  readonly #isOptional: boolean;
  readonly #cancel: Cancel | undefined;
  #resolve: ((value: unknown) => void) | undefined;
  #reject: ((error: Error) => void) | undefined;
  #followers: Follower[] | undefined;
  #waiting = 1;
  #isSettled = false;

  #attempt: Attempt | undefined;
  /** Timer of the backoff between two attempts. */
  #backoff: Timer | undefined;
  /** Gets the response in place of the callers. */
  #onResponse: ((settled: Settled) => void) | undefined;

  /** @param joinable undefined for a call that is never joined, such as a write. */
  constructor(calls: Calls, asked: CallRequest, joinable?: JoinableRead) {
    this.#calls = calls;
    this.#joinable = joinable;
    this.from = asked.from;
    this.route = asked.route;
    this.path = asked.path;
    this.body = asked.body;
    this.origin = asked.origin;
    this.priority = asked.priority;
    this.newerThan = asked.newerThan;
    this.#isOptional = asked.isOptional;
    this.#cancel = asked.cancel;
    this.deadlineMs = asked.from.deadline.untilMs;
  }

  /** Whether the current attempt probes a half-open circuit. */
  get isProbe(): boolean {
    return this.#attempt?.isProbe ?? false;
  }

  /** Span of the current attempt. */
  get span(): SpanRef | undefined {
    return this.#attempt?.span;
  }

  /** Begins the call for the first caller. */
  begin(nowMs: number): Promise<unknown> {
    const result = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    // A write ends with its attempt.
    if (isRead(this)) {
      this.from.deadline.add(this, nowMs);
      if (this.#cancel?.cancelled) this.onEnd('cancelled');
      else this.#cancel?.listen(this);
      if (this.#waiting === 0) return result;
    }
    const { kept } = this.#calls;
    if (kept) {
      const settle = (settled: Settled<DecodedResponse>): void => this.settle(settled);
      kept(this).then(settle, settle);
    } else {
      this.#attemptNow(1, nowMs, false);
    }
    return result;
  }

  join(asked: CallRequest): Promise<unknown> {
    this.deadlineMs = Math.max(this.deadlineMs, asked.from.deadline.untilMs);
    this.#waiting += 1;
    return new Promise((resolve, reject) => {
      const follower = new Follower(this, asked, resolve, reject);
      // Most calls have no followers.
      if (this.#followers) this.#followers.push(follower);
      else this.#followers = [follower];
    });
  }

  /** Ends the first caller's wait before the response. */
  onEnd(why: EndOfWait): void {
    this.#settleFirst(endOfWait(why, this.route));
    this.leave();
  }

  /** Removes a caller; the last one cancels the call, except a probe that was sent. */
  leave(): void {
    this.#waiting -= 1;
    if (this.#waiting > 0) return;
    this.#endJoining();
    if (this.#backoff) {
      this.#calls.settings.clock.clearTimeout(this.#backoff);
      this.#backoff = undefined;
      this.#respond(endOfWait('cancelled', this.route));
    } else if (!this.isProbe || this.#attempt?.source === 'unsent') {
      this.#attempt?.cancel('cancelled');
    }
  }

  /** Calls the backend, with retries. */
  ask(): Promise<Settled> {
    return new Promise((resolve) => {
      this.#onResponse = resolve;
      if (this.#waiting === 0) resolve(endOfWait('cancelled', this.route));
      else this.#attemptNow(1, this.#calls.settings.clock.now(), false);
    });
  }

  ended(attempt: Attempt, settled: Settled): void {
    const isWanted = !this.#isSettled && this.#waiting > 0;
    const retry = isWanted ? this.#calls.retryOf(attempt, settled) : undefined;
    if (!retry) return this.#respond(settled);
    const { clock } = this.#calls.settings;
    const next = (): void => this.#attemptNow(attempt.attempt + 1, clock.now(), retry.isFresh);
    this.#backoff = clock.setTimeout(next, retry.afterMs);
  }

  settle(settled: Settled<DecodedResponse>): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#endJoining();
    const followers = this.#followers;
    this.#followers = undefined;
    // Frozen only if shared: freezing takes a quarter of the time of parsing.
    if (followers && !(settled instanceof Error)) freeze(settled.value as object);
    this.#settleFirst(settled);
    if (followers) for (const follower of followers) follower.settle(settled);
  }

  #settleFirst(settled: Settled<DecodedResponse>): void {
    const [resolve, reject] = [this.#resolve, this.#reject];
    if (!resolve || !reject) return;
    this.#resolve = this.#reject = undefined;
    this.from.deadline.delete(this);
    this.#cancel?.listen(undefined);
    if (this.exposed) this.from.callLog.expose(this.exposed);
    tell(settled, this.#isOptional, resolve, reject);
  }

  /**
   * Prevents further joins. After a write this includes the reads that began during it, which may have seen either
   * state.
   */
  #endJoining(): void {
    const calls = this.#calls;
    const joinable = this.#joinable;
    if (!isRead(this)) calls.inFlight = new Map();
    if (!joinable) return;
    joinable.call = undefined;
    const { inFlight } = calls;
    if (inFlight.get(joinable.id) !== joinable) return;
    if (inFlight.size > 1) inFlight.delete(joinable.id);
    else calls.inFlight = new Map();
  }

  #attemptNow(number: number, nowMs: number, isFresh: boolean): void {
    this.#backoff = undefined;
    this.#attempt = new Attempt(this.#calls, this, number, nowMs, isFresh);
    this.#attempt.begin();
  }

  #respond(settled: Settled): void {
    const { exposeHeaders } = this.#calls.settings;
    if (exposeHeaders.length > 0 && !(settled instanceof Error)) {
      this.exposed = exposedOf(settled.headers, exposeHeaders);
    }
    if (this.#onResponse) this.#onResponse(settled);
    else if (!this.#isSettled) this.settle(this.#calls.decoded(this, settled));
  }
}

/** A caller that joined a read in flight; waits for the response, its request's deadline, or its own cancel. */
class Follower implements CallLogEntry, WaitOfRequest {
  readonly route: Route;
  readonly origin: unknown;
  readonly source = 'shared';
  readonly attempt = 1;
  readonly startMs: number;
  endMs: number | undefined;
  status: number | undefined;
  failure: FailureKind | undefined;
  span: SpanRef | undefined;
  place = -1;
  readonly #call: RestCall;
  readonly #asked: CallRequest;
  readonly #resolve: (value: unknown) => void;
  readonly #reject: (error: Error) => void;

  constructor(
    call: RestCall,
    asked: CallRequest,
    resolve: (value: unknown) => void,
    reject: (error: Error) => void,
  ) {
    this.#call = call;
    this.#asked = asked;
    this.#resolve = resolve;
    this.#reject = reject;
    this.route = asked.route;
    this.origin = asked.origin;
    const { deadline, callLog } = asked.from;
    this.startMs = performance.now() - callLog.beganMs;
    callLog.add(this);
    deadline.add(this);
    if (asked.cancel?.cancelled) this.onEnd('cancelled');
    else asked.cancel?.listen(this);
  }

  /** Ends the wait. Idempotent. */
  settle(settled: Settled<DecodedResponse>): void {
    if (this.endMs !== undefined) return;
    const { from, cancel, isOptional } = this.#asked;
    from.deadline.delete(this);
    cancel?.listen(undefined);
    const failed = settled instanceof Error;
    const status = failed && !(settled instanceof RestError) ? undefined : settled.status;
    from.callLog.end(this, status, failed ? failureOf(settled) : undefined);
    this.span = this.#call.span;
    if (this.#call.exposed) from.callLog.expose(this.#call.exposed);
    tell(settled, isOptional, this.#resolve, this.#reject);
  }

  onEnd(why: EndOfWait): void {
    if (this.endMs !== undefined) return;
    this.settle(endOfWait(why, this.route));
    this.#call.leave();
  }
}

function tell(
  settled: Settled<DecodedResponse>,
  isOptional: boolean,
  resolve: (value: unknown) => void,
  reject: (error: Error) => void,
): void {
  if (!(settled instanceof Error)) resolve(settled.value);
  else if (isOptional && isNotFound(settled)) resolve(null);
  else reject(settled);
}
