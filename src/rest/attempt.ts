/**
 * An attempt of a REST call: one HTTP request to the backend.
 *
 * Passes the policies (`policies/policies.ts`), is sent, and ends once, with a response or an error. It is the handler
 * of undici, whose calls after the end have no effect, and its own entry of the call log. A retry is a new attempt.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { isRead, type Call, type Priority, type Requester, type Settled } from './call/call.ts';
import type { CallLogEntry } from './call/call-log.ts';
import {
  endOfWait,
  outcomeUnknown,
  RestError,
  type FailureKind,
  type ReceiveRefusal,
} from './call/errors.ts';
import type { KeyRoute } from './call/keys.ts';
import type { UpstreamSettings } from './call/options.ts';
import type { Timed } from './call/timeouts.ts';
import type { SpanRef } from './call/trace.ts';
import { ByteCollector } from '../lib/byte-collector.ts';
import type { EndOfWait } from '../lib/cancel.ts';
import type { Timer } from '../lib/clock.ts';
import type { Route } from '../v0/routes.ts';
import { faultOf } from './transport/transport-fault.ts';

/** A policy around attempts. */
export interface AttemptPolicy {
  /** @returns an error to reject an attempt, or `HELD` to delay it until the policy calls `proceed`. */
  before?(attempt: Attempt): Error | typeof HELD | undefined;
  /** Ends the wait of a held attempt that is cancelled or times out. @returns its error. */
  release?(attempt: Attempt, why: EndOfWait): Error;
  /** Called at the end of each attempt that passed `before`, in reverse order. */
  after?(attempt: Attempt, settled: Settled): void;
}

export const HELD = Symbol('held');

/** State shared by all attempts. */
export interface Attempts {
  readonly settings: UpstreamSettings;
  /** Policies in the order in which attempts pass them. */
  readonly policies: readonly AttemptPolicy[];
}

/** A call as its attempts see it. */
export interface AttemptedCall extends Call {
  readonly body: string | null;
  readonly priority: Priority;
  /** Latest deadline of its callers, on the upstream's clock. */
  readonly deadlineMs: number;
  /** Headers that make it conditional on a cached response: name, value, name, value. */
  readonly validators: readonly string[] | undefined;
  /** Settles all callers, while the attempt may go on. Idempotent. */
  settle(error: Error): void;
  /** Called once at the end of each attempt. */
  ended(attempt: Attempt, settled: Settled): void;
}

type State = 'passing' | 'held' | 'sent' | 'over';

export class Attempt implements Dispatcher.DispatchHandler, CallLogEntry, Timed {
  readonly call: AttemptedCall;
  /** 1 for the first, 2 for its first retry. */
  readonly attempt: number;

  // Times by the upstream's clock.
  /** Start, before any queue. */
  startedMs: number;
  /** Time of leaving the queue; 0 before. */
  sentMs = 0;
  endedMs = 0;
  /** Whether it has a connection, after which the backend may have seen it. */
  isConnected = false;

  // Entry of the call log.
  source: 'sent' | 'unsent' = 'unsent';
  status: number | undefined;
  failure: FailureKind | undefined;
  span: SpanRef | undefined;
  startMs = 0;
  endMs: number | undefined;

  // Fields of policies.
  /** Timeout, and whether it is the request's deadline. */
  untilMs = 0;
  isCutShort = false;
  earlier: Timed | undefined;
  later: Timed | undefined;
  /** Whether it probes a half-open circuit; it then goes on without callers. */
  isProbe = false;
  /** Index among the attempts in flight. */
  index = -1;
  /** Route of the key for which the limiter counts it. */
  turn: KeyRoute | undefined;
  /** Timer of a pause. */
  timer: Timer | undefined;

  readonly #attempts: Attempts;
  /** Whether to use a new connection. */
  readonly #isFresh: boolean;
  #state: State = 'passing';
  #passed = 0;
  #controller: Dispatcher.DispatchController | undefined;
  #answerStatus = 0;
  #answerHeaders: IncomingHttpHeaders | undefined;
  #answerBody: Buffer | ByteCollector | undefined;
  /** Bytes of the response that its request has counted. */
  #received = 0;

  constructor(
    attempts: Attempts,
    call: AttemptedCall,
    number: number,
    startedMs: number,
    isFresh: boolean,
  ) {
    this.#attempts = attempts;
    this.call = call;
    this.attempt = number;
    this.startedMs = startedMs;
    this.#isFresh = isFresh;
  }

  get from(): Requester {
    return this.call.from;
  }

  get route(): Route {
    return this.call.route;
  }

  get origin(): unknown {
    return this.call.origin;
  }

  get isHeld(): boolean {
    return this.#state === 'held';
  }

  /** Passes the remaining policies, then sends the request. */
  begin(): void {
    const { policies } = this.#attempts;
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
    this.begin();
  }

  /** Ends the attempt before its response, in its queue or on the wire. */
  cancel(why: EndOfWait): void {
    if (this.#state === 'held')
      this.#end(this.#attempts.policies[this.#passed]!.release!(this, why));
    else if (this.#state === 'sent') this.#abort(endOfWait(why, this.route));
  }

  onTime(): void {
    this.cancel('timeout');
  }

  #send(): void {
    const { call } = this;
    const { trace } = call.from;
    const { method } = call.route;
    let { headers } = call.from;
    if (trace?.begin) {
      const begun = trace.begin();
      this.span = begun.span;
      headers = [...headers, ...begun.headers];
    }
    if (call.body !== null) headers = [...headers, 'content-type', 'application/json'];
    // For caches between the gateway and the backend.
    else if (isRead(call) && call.newerThan !== undefined)
      headers = [...headers, 'cache-control', 'no-cache'];
    if (call.validators) headers = [...headers, ...call.validators];
    this.#state = 'sent';
    this.source = 'sent';
    if (this.sentMs === 0) this.sentMs = this.startedMs;
    try {
      this.#attempts.settings.dispatcher.dispatch(
        {
          method,
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

  /** The attempt has a connection. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    // Abandoned while it waited for a connection, so it must not be sent.
    if (this.#state !== 'sent') return controller.abort(new Error('given up before it was sent'));
    this.#controller = controller;
    this.isConnected = true;
  }

  onResponseStart(_controller: unknown, status: number, headers: IncomingHttpHeaders): void {
    if (this.#state !== 'sent') return;
    this.#answerStatus = status;
    this.#answerHeaders = headers;
    const length = headers['content-length'];
    if (length !== undefined) this.#checkSize(Number(length));
  }

  onResponseData(_controller: unknown, chunk: Buffer): void {
    if (this.#state !== 'sent') return;
    const body = this.#answerBody;
    const size = body instanceof ByteCollector ? body.size : (body?.length ?? 0);
    if (!this.#checkSize(size + chunk.length)) return;
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

  onResponseEnd(): void {
    if (this.#state !== 'sent') return;
    const body = this.#answerBody;
    this.#endExchange({
      status: this.#answerStatus,
      headers: this.#answerHeaders ?? {},
      body: body instanceof ByteCollector ? body.take() : (body ?? EMPTY),
    });
  }

  onResponseError(_controller: unknown, error: Error): void {
    if (this.#state !== 'sent') return;
    const { isConnected, attempt: number } = this;
    const progress = { isConnected, isAnswered: this.#answerStatus > 0, number };
    this.#endExchange(this.#failure(faultOf(error, this.route, progress)));
  }

  /** @returns whether the response is within the limits; ends the attempt if not. */
  #checkSize(bytes: number): boolean {
    const { maxResponseBytes } = this.#attempts.settings;
    if (bytes <= this.#received) return true;
    if (bytes <= maxResponseBytes) {
      const refusal = this.from.receive(bytes - this.#received);
      this.#received = bytes;
      // The response of a write is always read.
      if (!refusal || !isRead(this.call)) return true;
      this.#abort(tooManyBytes[refusal](this.route));
      return false;
    }
    const error = new RestError(
      'invalid_response',
      `Backend answered more than ${maxResponseBytes} bytes`,
      this.route,
    );
    const status = this.#answerStatus;
    // The status of an error is sufficient without its body.
    if (status < 300) this.#abort(error);
    else this.#abort(error, { status, headers: this.#answerHeaders ?? {}, body: EMPTY });
    return false;
  }

  #abort(error: RestError, settled: Settled = this.#failure(error)): void {
    const controller = this.#controller;
    this.#endExchange(settled);
    controller?.abort(error);
  }

  /** A write that may have been sent and has no complete response has an unknown outcome. */
  #failure(error: RestError): RestError {
    return isRead(this.call) || !this.isConnected ? error : outcomeUnknown(error);
  }

  #endExchange(settled: Settled): void {
    this.endedMs = this.#attempts.settings.clock.now();
    this.#end(settled);
  }

  #end(settled: Settled): void {
    this.#state = 'over';
    this.#controller = this.#answerHeaders = this.#answerBody = undefined;
    try {
      const { policies } = this.#attempts;
      for (let i = this.#passed - 1; i >= 0; i--) policies[i]!.after?.(this, settled);
      this.call.ended(this, settled);
    } catch (mistake) {
      // A bug fails this call only, not the connection that undici reads from.
      this.call.settle(mistake as Error);
    }
  }
}

const EMPTY = Buffer.alloc(0);

const tooManyBytes: Readonly<Record<ReceiveRefusal, (route: Route) => RestError>> = {
  budget: (route) =>
    new RestError('budget', 'The request has received all the bytes it may', route),
  overloaded: (route) =>
    new RestError('overloaded', 'Too many bytes are in flight', route, { retryAfterMs: 1_000 }),
};
