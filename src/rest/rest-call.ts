/**
 * A REST call in flight: its request, its callers, its current attempt and its response.
 *
 * A single object, which is its own call log entry too, keeps waiting calls small. Each attempt passes the policies
 * (`policies/policies.ts`); retries reuse the object. Identical reads share one call in flight (single-flight, request
 * coalescing).
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import {
  isRead,
  type Call,
  type DecodedResponse,
  type Flight,
  type Requester,
  type Settled,
} from './call/call.ts';
import {
  endOfWait,
  failureOf,
  isNotFound,
  outcomeUnknown,
  RestError,
  type FailureKind,
} from './call/errors.ts';
import type { ExposedHeader, CallLogEntry } from './call/call-log.ts';
import type { KeyRoute } from './call/keys.ts';
import type { UpstreamSettings } from './call/options.ts';
import type { WaitOfRequest } from './call/request-deadline.ts';
import type { Timed } from './call/timeouts.ts';
import type { BegunSpan, SpanRef } from './call/trace.ts';
import { freeze } from './decode/freeze.ts';
import { ByteCollector } from '../lib/byte-collector.ts';
import type { Cancel, EndOfWait } from '../lib/cancel.ts';
import type { Timer } from '../lib/clock.ts';
import type { Route } from '../v0/routes.ts';
import { exposedOf } from './transport/exposed-headers.ts';
import { faultOf } from './transport/transport-fault.ts';

/** A policy around the attempts of calls. */
export interface CallPolicy {
  /** @returns an error to reject an attempt, or `HELD` to delay it until the policy calls `proceed`. */
  before?(call: RestCall): Error | typeof HELD | undefined;
  /** Ends the wait of a held attempt that is cancelled or times out. @returns its error. */
  release?(call: RestCall, why: EndOfWait): Error;
  /** Called at the end of each attempt that passed `before`, in reverse order. */
  after?(call: RestCall, settled: Settled): void;
}

export const HELD = Symbol('held');

/** State shared by all calls. */
export interface Calls {
  readonly settings: UpstreamSettings;
  /** Policies in the order in which attempts pass them. */
  readonly policies: readonly CallPolicy[];
  /**
   * Reads in flight that others may join, by path and sharing key. Replaced by a new Map when empty: old tables of a
   * Map that grows and shrinks stay in V8's old generation and retain its calls.
   */
  inFlight: Map<string, RestCall>;
  /** Returns when to retry a failed read; undefined for never. */
  retryOf(call: RestCall, settled: Settled): Retry | undefined;
  /** Decodes a response, or returns its error. */
  decoded(call: Call, settled: Settled): Settled<DecodedResponse>;
  /** Responds from the response cache; undefined without one. */
  readonly kept: ((call: RestCall) => Promise<DecodedResponse>) | undefined;
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
  /** Whether it has a lower priority than the other calls of its key. */
  readonly isDeferred: boolean;
  readonly newerThan: string | undefined;
  /** Ends the wait of this caller only. */
  readonly cancel: Cancel | undefined;
}

type State = 'new' | 'passing' | 'held' | 'sent' | 'backing off' | 'settled';

/** Makes a call, or joins one in flight. @returns the checked body. */
export function make(calls: Calls, asked: CallRequest, nowMs: number): Promise<unknown> {
  if (asked.route.method !== 'GET') {
    // No read joins one that began before a write: which reads a write affects is not documented, and two keys may
    // belong to one customer. Costs a few more calls around a write.
    calls.inFlight = new Map();
    return new RestCall(calls, asked, '').begin(nowMs);
  }
  const { from, path, newerThan } = asked;
  // Reads that must be newer than a write do not join reads that may have begun before it.
  const id = `${path} ${newerThan ?? ''}\n${from.sharingKey}`;
  const known = calls.inFlight.get(id);
  // A probe may take its whole timeout, so only its own request waits for it.
  if (known && (!known.isProbe || known.from === from)) return known.join(asked);
  const call = new RestCall(calls, asked, id);
  calls.inFlight.set(id, call);
  return call.begin(nowMs);
}

export class RestCall implements Flight, CallLogEntry, Timed, WaitOfRequest {
  readonly from: Requester;
  readonly route: Route;
  readonly path: string;
  readonly origin: unknown;
  readonly isDeferred: boolean;
  readonly newerThan: string | undefined;
  readonly #calls: Calls;
  readonly #id: string;
  readonly #body: string | null;

  // Callers: the first one, and those that joined.
  place = -1;
  /** Latest deadline of its callers, on the upstream's clock. */
  deadlineMs: number;
  #resolve: ((value: unknown) => void) | undefined;
  #reject: ((error: Error) => void) | undefined;
  readonly #isOptional: boolean;
  readonly #cancel: Cancel | undefined;
  #followers: Follower[] | undefined;
  #waiting = 1;
  #hasLanded = false;
  #onSettled: ((settled: Settled) => void) | undefined;

  // Current attempt. Times are by the upstream's clock.
  #state: State = 'new';
  #passed = 0;
  /** 1 for the first, 2 for its first retry. */
  attempt = 0;
  source: 'sent' | 'unsent' = 'unsent';
  status: number | undefined;
  failure: FailureKind | undefined;
  span: SpanRef | undefined;
  startMs = 0;
  endMs: number | undefined;
  /** Start of the attempt, before any queue. */
  startedMs = 0;
  /** Time of leaving the queue; 0 before. */
  sentMs = 0;
  endedMs = 0;
  /** Whether it has a connection, after which the backend may have seen it. */
  isConnected = false;
  #isFresh = false;
  #controller: Dispatcher.DispatchController | undefined;
  #answerStatus = 0;
  #answerHeaders: IncomingHttpHeaders | undefined;
  #answerBody: Buffer | ByteCollector | undefined;

  // Fields of policies.
  /** Timeout of the attempt, and whether it is the request's deadline. */
  untilMs = 0;
  isCutShort = false;
  earlier: Timed | undefined;
  later: Timed | undefined;
  /** Whether the attempt probes a half-open circuit; it then goes on without callers. */
  isProbe = false;
  /** Index among the attempts in flight. */
  index = -1;
  /** Route of the key for which the limiter counts it. */
  turn: KeyRoute | undefined;
  /** Timer of a pause or a backoff. */
  timer: Timer | undefined;
  validators: readonly string[] | undefined;
  exposed: readonly ExposedHeader[] | undefined;

  /** @param id key in `inFlight`; empty for a write, which is never joined. */
  constructor(calls: Calls, asked: CallRequest, id: string) {
    this.#calls = calls;
    this.#id = id;
    this.from = asked.from;
    this.route = asked.route;
    this.path = asked.path;
    this.#body = asked.body;
    this.origin = asked.origin;
    this.isDeferred = asked.isDeferred;
    this.newerThan = asked.newerThan;
    this.#isOptional = asked.isOptional;
    this.#cancel = asked.cancel;
    this.deadlineMs = asked.from.deadline.untilMs;
  }

  // Callers.

  /** Begins the call for the first caller. */
  begin(nowMs: number): Promise<unknown> {
    const answer = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    // A write ends with its attempt.
    if (isRead(this)) {
      this.from.deadline.add(this, nowMs);
      if (this.#cancel?.cancelled) this.onEnd('cancelled');
      else this.#cancel?.listen(this);
      if (this.#waiting === 0) return answer;
    }
    const { kept } = this.#calls;
    if (!kept) {
      this.#begin(nowMs);
    } else {
      const land = (settled: Settled<DecodedResponse>): void => this.land(settled);
      kept(this).then(land, land);
    }
    return answer;
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
    this.#answer(endOfWait(why, this.route));
    this.leave();
  }

  /** Removes a caller; the last one cancels the call, except a probe that was sent. */
  leave(): void {
    this.#waiting -= 1;
    if (this.#waiting > 0) return;
    this.#part();
    if (!this.isProbe || this.#state !== 'sent') this.end('cancelled');
  }

  /** Settles all callers. Idempotent. */
  land(settled: Settled<DecodedResponse>): void {
    if (this.#hasLanded) return;
    this.#hasLanded = true;
    this.#part();
    const followers = this.#followers;
    this.#followers = undefined;
    // Frozen only if shared: freezing takes a quarter of the time of parsing.
    if (followers && !(settled instanceof Error)) freeze(settled.value as object);
    this.#answer(settled);
    if (followers) for (const follower of followers) follower.settle(settled);
  }

  /**
   * Prevents further joins. After a write this includes the reads that began during it, which may have seen either
   * state.
   */
  #part(): void {
    const calls = this.#calls;
    const { inFlight } = calls;
    if (isRead(this) && inFlight.get(this.#id) !== this) return;
    if (isRead(this) && inFlight.size > 1) inFlight.delete(this.#id);
    else calls.inFlight = new Map();
  }

  /** Settles the first caller. */
  #answer(settled: Settled<DecodedResponse>): void {
    const [resolve, reject] = [this.#resolve, this.#reject];
    if (!resolve || !reject) return;
    this.#resolve = this.#reject = undefined;
    this.from.deadline.delete(this);
    this.#cancel?.listen(undefined);
    tell(settled, this.#isOptional, resolve, reject);
  }

  // Attempts.

  /** Calls the backend, with retries. */
  ask(): Promise<Settled> {
    return new Promise((resolve) => {
      this.#onSettled = resolve;
      if (this.#waiting === 0) this.#settle(endOfWait('cancelled', this.route));
      else this.#begin(this.#calls.settings.clock.now());
    });
  }

  #begin(nowMs: number): void {
    this.attempt += 1;
    this.source = 'unsent';
    this.status = this.failure = this.span = undefined;
    this.sentMs = this.endedMs = 0;
    this.startedMs = nowMs;
    this.isConnected = false;
    this.#controller = undefined;
    this.#answerStatus = 0;
    this.#answerHeaders = this.#answerBody = undefined;
    this.#passed = 0;
    this.#pass();
  }

  /** Passes the remaining policies, then sends the attempt. */
  #pass(): void {
    const { policies } = this.#calls;
    this.#state = 'passing';
    for (; this.#passed < policies.length; this.#passed++) {
      const verdict = policies[this.#passed]!.before?.(this);
      if (verdict === undefined) continue;
      if (verdict === HELD) this.#state = 'held';
      else this.#end(verdict);
      return;
    }
    this.#send();
  }

  /** Resumes or rejects a held attempt. */
  proceed(refusal?: Error): void {
    if (refusal) return this.#end(refusal);
    this.#passed += 1;
    this.#pass();
  }

  get isHeld(): boolean {
    return this.#state === 'held';
  }

  /** Ends the current wait in any state. */
  end(why: EndOfWait): void {
    if (this.#state === 'held') {
      this.#end(this.#calls.policies[this.#passed]!.release!(this, why));
    } else if (this.#state === 'sent') {
      this.#abort(endOfWait(why, this.route));
    } else if (this.#state === 'backing off') {
      this.#calls.settings.clock.clearTimeout(this.timer);
      this.#settle(endOfWait('cancelled', this.route));
    }
  }

  onTime(): void {
    this.end('timeout');
  }

  #send(): void {
    const { trace } = this.from;
    const { method } = this.route;
    let { headers } = this.from;
    if (trace?.begin) headers = [...headers, ...this.#traced(trace.begin())];
    if (this.#body !== null) headers = [...headers, 'content-type', 'application/json'];
    if (this.validators) headers = [...headers, ...this.validators];
    this.#state = 'sent';
    this.source = 'sent';
    this.from.callLog.calls += 1;
    if (this.sentMs === 0) this.sentMs = this.startedMs;
    try {
      this.#calls.settings.dispatcher.dispatch(
        {
          method,
          path: this.path,
          headers,
          body: this.#body,
          reset: this.#isFresh,
          // Covered by the timeout of the attempt; undici's timers can be half a second late.
          headersTimeout: 0,
          bodyTimeout: 0,
        },
        new AttemptHandler(this, this.attempt),
      );
    } catch (error) {
      this.failed(this.attempt, error as Error);
    }
  }

  #traced({ span, headers }: BegunSpan): readonly string[] {
    this.span = span;
    return headers;
  }

  // Callbacks of undici, ignored for an abandoned attempt.

  #isPresent(attempt: number): boolean {
    return this.attempt === attempt && this.#state === 'sent';
  }

  /** The attempt has a connection. */
  started(attempt: number, controller: Dispatcher.DispatchController): void {
    // Abandoned while it waited for a connection, so it must not be sent.
    if (!this.#isPresent(attempt))
      return controller.abort(new Error('given up before it was sent'));
    this.#controller = controller;
    this.isConnected = true;
  }

  answered(attempt: number, status: number, headers: IncomingHttpHeaders): void {
    if (!this.#isPresent(attempt)) return;
    this.#answerStatus = status;
    this.#answerHeaders = headers;
    const length = headers['content-length'];
    if (length !== undefined) this.#checkSize(Number(length));
  }

  received(attempt: number, chunk: Buffer): void {
    if (!this.#isPresent(attempt)) return;
    const body = this.#answerBody;
    if (
      !this.#checkSize(
        chunk.length + (body instanceof ByteCollector ? body.size : (body?.length ?? 0)),
      )
    )
      return;
    if (!body) {
      this.#answerBody = chunk; // often the only one, which avoids a copy
    } else if (body instanceof ByteCollector) {
      body.add(chunk);
    } else {
      const collector = new ByteCollector();
      collector.add(body);
      collector.add(chunk);
      this.#answerBody = collector;
    }
  }

  finished(attempt: number): void {
    if (!this.#isPresent(attempt)) return;
    const body = this.#answerBody;
    this.#endExchange({
      status: this.#answerStatus,
      headers: this.#answerHeaders ?? {},
      body: body instanceof ByteCollector ? body.take() : (body ?? EMPTY),
    });
  }

  failed(attempt: number, error: Error): void {
    if (!this.#isPresent(attempt)) return;
    const isAnswered = this.#answerStatus > 0;
    const progress = { isConnected: this.isConnected, isAnswered, number: attempt };
    this.#endExchange(this.#failure(faultOf(error, this.route, progress)));
  }

  /** @returns whether the response is within the limit; ends the attempt if not. */
  #checkSize(bytes: number): boolean {
    const { maxResponseBytes } = this.#calls.settings;
    if (bytes <= maxResponseBytes) return true;
    const what = `Backend answered more than ${maxResponseBytes} bytes`;
    this.#abort(new RestError('invalid_response', what, this.route));
    return false;
  }

  /** Aborts the request. */
  #abort(error: RestError): void {
    const controller = this.#controller;
    this.#endExchange(this.#failure(error));
    controller?.abort(error);
  }

  /** A write that may have been sent and has no complete response has an unknown outcome. */
  #failure(error: RestError): RestError {
    return isRead(this) || !this.isConnected ? error : outcomeUnknown(error);
  }

  #endExchange(settled: Settled): void {
    this.endedMs = this.#calls.settings.clock.now();
    this.#end(settled);
  }

  /** Ends the attempt. Later timeouts and cancels have no effect. */
  #end(settled: Settled): void {
    this.#state = 'settled';
    this.#controller = this.#answerHeaders = this.#answerBody = undefined;
    try {
      const { policies } = this.#calls;
      for (let i = this.#passed - 1; i >= 0; i--) policies[i]!.after?.(this, settled);
      this.isProbe = false;
      const isWanted = !this.#hasLanded && this.#waiting > 0;
      const retry = isWanted ? this.#calls.retryOf(this, settled) : undefined;
      if (retry) this.#backOff(retry);
      else this.#settle(settled);
    } catch (mistake) {
      // A bug fails this call only, not the connection that undici reads from.
      this.land(mistake as Error);
    }
  }

  #backOff({ afterMs, isFresh }: Retry): void {
    const { clock } = this.#calls.settings;
    this.from.callLog.keep(this);
    this.#isFresh = isFresh;
    this.#state = 'backing off';
    this.timer = clock.setTimeout(() => this.#begin(clock.now()), afterMs);
  }

  #settle(settled: Settled): void {
    this.#state = 'settled';
    const { settings } = this.#calls;
    if (settings.exposeHeaders.length > 0 && !(settled instanceof Error)) {
      this.exposed = exposedOf(settled.headers, settings.exposeHeaders);
      this.from.callLog.expose(this.exposed);
    }
    if (this.#onSettled) this.#onSettled(settled);
    else if (!this.#hasLanded) this.land(this.#calls.decoded(this, settled));
  }
}

const EMPTY = Buffer.alloc(0);

/** Handler of undici for one attempt, which can be called after the attempt is abandoned. */
class AttemptHandler implements Dispatcher.DispatchHandler {
  readonly #call: RestCall;
  readonly #attempt: number;

  constructor(call: RestCall, attempt: number) {
    this.#call = call;
    this.#attempt = attempt;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#call.started(this.#attempt, controller);
  }

  onResponseStart(_controller: unknown, status: number, headers: IncomingHttpHeaders): void {
    this.#call.answered(this.#attempt, status, headers);
  }

  onResponseData(_controller: unknown, chunk: Buffer): void {
    this.#call.received(this.#attempt, chunk);
  }

  onResponseEnd(): void {
    this.#call.finished(this.#attempt);
  }

  onResponseError(_controller: unknown, error: Error): void {
    this.#call.failed(this.#attempt, error);
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
