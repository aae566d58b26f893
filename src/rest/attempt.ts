/**
 * An attempt of a REST call: one HTTP request to the backend, which ends once, with a response or an error.
 *
 * It is undici's handler and its own entry of the call log; callbacks after its end have no effect. A retry is a new
 * attempt.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { ByteCollector } from '../lib/byte-collector.ts';
import type { EndOfWait } from '../lib/cancel.ts';
import type { Route } from '../v0/routes.ts';
import { isRead, type Call, type Settled } from './call/call.ts';
import type { CallLogEntry, SpanRef } from './call/call-log.ts';
import {
  endOfWait,
  failureOf,
  outcomeUnknown,
  RestError,
  type FailureKind,
  type ReceiveRefusal,
} from './call/errors.ts';
import type { KeyRoute } from './call/keys.ts';
import type { ObservedCall, UpstreamSettings } from './call/options.ts';
import type { Timed, Timeouts } from './call/deadlines.ts';
import { faultOf } from './transport/transport-fault.ts';

export interface Attempts {
  readonly settings: UpstreamSettings;
  readonly timeouts: Timeouts;
  /** Attempts that are queued or in flight, in no order. An array: V8 keeps tables of a Set until a full collection. */
  readonly inProgress: Attempt[];
  readonly breaker: {
    /** Returns why an attempt may not be made; undefined if it may. */
    reject(attempt: Attempt): Error | undefined;
    isProbe(attempt: Attempt): boolean;
    end(attempt: Attempt, settled: Settled): void;
  };
  readonly limiter: {
    /** Sends an attempt now or later. @returns why it never will. */
    start(attempt: Attempt): Error | undefined;
    remove(attempt: Attempt, why: EndOfWait): Error;
    /** Frees the connection of a sent attempt. */
    end(attempt: Attempt, settled: Settled): void;
  };
}

interface AttemptedFlight {
  readonly call: Call;
  readonly deadlineMs: number;
  readonly validators: readonly string[] | undefined;
  settle(error: Error): void;
  onAttemptEnd(attempt: Attempt, settled: Settled): void;
}

export class Attempt implements Dispatcher.DispatchHandler, CallLogEntry, ObservedCall, Timed {
  readonly flight: AttemptedFlight;
  readonly call: Call;
  readonly attempt: number;

  // Times on the upstream's clock.
  /** Start, before the queue. */
  readonly startedMs: number;
  /** Time of leaving the queue; 0 before. */
  sentMs = 0;
  endedMs = 0;
  /** Timeout, which covers the queue, the connection and every byte of the response. */
  readonly untilMs: number;
  /** Whether the timeout is the deadline of the request. */
  readonly isCutShort: boolean;
  earlier: Timed | undefined;
  later: Timed | undefined;

  source: 'sent' | 'unsent' = 'unsent';
  status: number | undefined;
  failure: FailureKind | undefined;
  span: SpanRef | undefined;
  /** Whether it has a connection, after which the backend may have seen it. */
  isConnected = false;
  /** Where the limiter counts it. */
  share: KeyRoute | undefined;
  /** Its turn in the limiter's queue. */
  turn = 0;

  readonly #attempts: Attempts;
  readonly #isFresh: boolean;
  #isOver = false;
  #index = -1;
  #controller: Dispatcher.DispatchController | undefined;
  #responseStatus = 0;
  #responseHeaders: IncomingHttpHeaders | undefined;
  #responseBody: ByteCollector | undefined;
  /** Bytes of the response that its request has counted. */
  #received = 0;

  constructor(
    attempts: Attempts,
    flight: AttemptedFlight,
    number: number,
    startedMs: number,
    isFresh: boolean,
  ) {
    this.#attempts = attempts;
    this.flight = flight;
    this.call = flight.call;
    this.attempt = number;
    this.startedMs = startedMs;
    this.#isFresh = isFresh;
    const untilMs = startedMs + attempts.settings.timeoutMs;
    // Callers of a read stop waiting at their own deadlines; a write ends with its attempt.
    this.isCutShort = !isRead(flight.call) && flight.deadlineMs < untilMs;
    this.untilMs = this.isCutShort ? flight.deadlineMs : untilMs;
  }

  get route(): Route {
    return this.call.route;
  }

  get origin(): unknown {
    return this.call.origin;
  }

  get startMs(): number {
    return this.startedMs - this.call.from.callLog.beganMs;
  }

  get endMs(): number | undefined {
    return this.#isOver ? this.endedMs - this.call.from.callLog.beganMs : undefined;
  }

  get isSent(): boolean {
    return this.source === 'sent';
  }

  get durationMs(): number {
    return this.endedMs - this.startedMs;
  }

  start(): void {
    const { breaker, limiter, inProgress, timeouts } = this.#attempts;
    this.call.from.callLog.add(this);
    this.#index = inProgress.push(this) - 1;
    timeouts.add(this, this.startedMs);
    const rejection = breaker.reject(this) ?? limiter.start(this);
    if (rejection) this.end(rejection);
  }

  send(nowMs = this.startedMs): void {
    const { call } = this;
    const { trace } = call.from;
    let { headers } = call.from;
    if (trace?.begin) {
      const begun = trace.begin(this.startedMs);
      this.span = begun.span;
      headers = [...headers, ...begun.headers];
    }
    if (call.body !== null) headers = [...headers, 'content-type', 'application/json'];
    // For caches between the gateway and the backend.
    else if (isRead(call) && call.newerThan !== undefined)
      headers = [...headers, 'cache-control', 'no-cache'];
    const { validators } = this.flight;
    if (validators) headers = [...headers, ...validators];
    this.source = 'sent';
    this.sentMs = nowMs;
    try {
      this.#attempts.settings.dispatcher.dispatch(
        {
          method: call.route.method,
          path: call.path,
          headers,
          body: call.body,
          reset: this.#isFresh,
          // Covered by the timeout of the attempt; undici's timers can be half a second late.
          headersTimeout: 0,
          bodyTimeout: 0,
        },
        this,
      );
    } catch (error) {
      this.onResponseError(undefined, error as Error);
    }
  }

  /** Ends the attempt before its response, in its queue or on the wire. */
  cancel(why: EndOfWait): void {
    if (this.#isOver) return;
    if (this.source === 'unsent') this.end(this.#attempts.limiter.remove(this, why));
    else this.#abort(endOfWait(why, this.route));
  }

  onTime(): void {
    this.cancel('timeout');
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // Cancelled while it waited for a connection, so it must not be sent.
    if (this.#isOver) return controller.abort(new Error('cancelled before it was sent'));
    this.#controller = controller;
    this.isConnected = true;
  }

  onResponseStart(_controller: unknown, status: number, headers: IncomingHttpHeaders): void {
    if (this.#isOver) return;
    this.#responseStatus = status;
    this.#responseHeaders = headers;
    const length = headers['content-length'];
    if (length !== undefined) this.#checkSize(Number(length));
  }

  onResponseData(_controller: unknown, chunk: Buffer): void {
    if (this.#isOver) return;
    this.#responseBody ??= new ByteCollector();
    this.#responseBody.add(chunk);
    this.#checkSize(this.#responseBody.size);
  }

  onResponseEnd(): void {
    if (!this.#isOver) this.end(this.#response(this.#responseBody?.take()));
  }

  onResponseError(_controller: unknown, error: Error): void {
    if (this.#isOver) return;
    const { isConnected, attempt: number } = this;
    const progress = { isConnected, isAnswered: this.#responseStatus > 0, number };
    this.end(this.#failure(faultOf(error, this.route, progress)));
  }

  /** Ends the attempt, if its response has more bytes than it may have. */
  #checkSize(bytes: number): void {
    const { maxResponseBytes } = this.#attempts.settings;
    if (bytes <= this.#received) return;
    if (bytes <= maxResponseBytes) {
      const refusal = this.call.from.receive(bytes - this.#received);
      this.#received = bytes;
      // The response of a write is always read.
      if (refusal && isRead(this.call)) this.#abort(tooManyBytes(refusal, this.route));
      return;
    }
    const error = new RestError(
      'invalid_response',
      `Backend returned more than ${maxResponseBytes} bytes`,
      this.route,
    );
    // The status of an error is sufficient without its body.
    this.#abort(error, this.#responseStatus < 300 ? undefined : this.#response());
  }

  #response(body: Buffer = EMPTY) {
    return { status: this.#responseStatus, headers: this.#responseHeaders ?? {}, body };
  }

  #abort(error: RestError, settled: Settled = this.#failure(error)): void {
    const controller = this.#controller;
    this.end(settled);
    controller?.abort(error);
  }

  /** A write that may have been sent and has no complete response has an unknown outcome. */
  #failure(error: RestError): RestError {
    return isRead(this.call) || !this.isConnected ? error : outcomeUnknown(error);
  }

  /** Ends the attempt. To be called once. */
  end(settled: Settled): void {
    const { settings, breaker, limiter, timeouts } = this.#attempts;
    this.#isOver = true;
    this.endedMs = settings.clock.now();
    this.#controller = this.#responseHeaders = this.#responseBody = undefined;
    const isFailed = settled instanceof Error;
    this.status = isFailed ? undefined : settled.status;
    this.failure = isFailed ? failureOf(settled) : undefined;
    try {
      timeouts.delete(this);
      this.#leaveProgress();
      if (this.source === 'sent') {
        limiter.end(this, settled);
        breaker.end(this, settled);
      }
      settings.observer.onCall?.(this);
      this.flight.onAttemptEnd(this, settled);
    } catch (bug) {
      // Fails this call only, not the connection that undici reads from.
      this.flight.settle(bug as Error);
    }
  }

  #leaveProgress(): void {
    const last = this.#attempts.inProgress.pop()!;
    if (last === this) return;
    this.#attempts.inProgress[this.#index] = last;
    last.#index = this.#index;
  }
}

const EMPTY = Buffer.alloc(0);

const tooManyBytes = (refusal: ReceiveRefusal, route: Route): RestError =>
  refusal === 'budget'
    ? new RestError('budget', 'The request has used up its bytes of backend responses', route)
    : new RestError('overloaded', 'Too many bytes are in flight', route, { retryAfterMs: 1_000 });
