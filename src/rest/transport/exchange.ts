/**
 * One HTTP exchange: sends a request, and ends with a whole answer or an error of ours.
 *
 * Written on undici's `dispatch`, so that the attempt's timer covers everything (undici's queue,
 * connecting, sending, every byte of the answer), and because `onRequestStart` tells whether a write may
 * have been sent: it is called once there is a connection.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { ByteCollector } from '../../lib/byte-collector.ts';
import type { EndOfWait, Waiter } from '../../lib/cancel.ts';
import {
  isRead,
  type Attempt,
  type Exchange,
  type Outcome,
  type Send,
  type Settled,
} from '../call/call.ts';
import {
  endOfWait,
  RestInvalidResponseError,
  RestOutcomeUnknownError,
  type RestError,
} from '../call/errors.ts';
import type { UpstreamSettings } from '../call/options.ts';
import type { BegunSpan } from '../call/trace.ts';
import { faultOf } from './transport-fault.ts';

/**
 * Sends one request and collects its answer.
 *
 * It ends with an answer, RestTimeoutError, RestUnreachableError, RestInvalidResponseError,
 * RestAbortedError, or RestOutcomeUnknownError when a write left and its answer did not arrive.
 */
export const exchange =
  (settings: UpstreamSettings): Send =>
  (attempt, onEnd) =>
    new ResponseHandler(attempt, settings, onEnd).send();

class ResponseHandler implements Dispatcher.DispatchHandler, Exchange, Waiter {
  readonly beganMs: number;
  endedMs = 0;
  isConnected = false;
  #ended = false;
  readonly #attempt: Attempt;
  readonly #settings: UpstreamSettings;
  readonly #tell: (outcome: Outcome) => void;
  #controller: Dispatcher.DispatchController | undefined;
  #status = 0;
  #headers: IncomingHttpHeaders = {};
  readonly #body = new ByteCollector();

  constructor(attempt: Attempt, settings: UpstreamSettings, tell: (outcome: Outcome) => void) {
    this.beganMs = settings.clock.now();
    this.#attempt = attempt;
    this.#settings = settings;
    this.#tell = tell;
    const { cancel } = attempt.flight;
    if (cancel.cancelled) this.onEnd('cancelled');
    else cancel.listen(this);
  }

  send(): void {
    if (this.#ended) return;
    const { entry, call, flight, isFresh: reset } = this.#attempt;
    const { path, body, trace } = call;
    let headers = trace?.begin ? this.#traced(trace.begin()) : call.headers;
    if (flight.validators) headers = [...headers, ...flight.validators];
    const { method } = call.route;
    entry.source = 'sent';
    // Our own timer covers both timeouts; undici's run up to half a second late.
    const timeouts = { headersTimeout: 0, bodyTimeout: 0 };
    try {
      this.#settings.dispatcher.dispatch({ method, path, headers, body, reset, ...timeouts }, this);
    } catch (error) {
      this.onResponseError(undefined, error as Error);
    }
  }

  /** The headers of an attempt with a span of its own, which the journal is told. */
  #traced({ span, headers }: BegunSpan): string[] {
    const { entry, call, flight } = this.#attempt;
    entry.span = span;
    flight.span = span;
    return [...call.headers, ...headers];
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // Given up while it waited for a connection: it must not be sent any more.
    if (this.#ended) controller.abort(new Error('given up before it was sent'));
    else this.isConnected = true;
  }

  onResponseStart(_controller: unknown, status: number, headers: IncomingHttpHeaders): void {
    this.#status = status;
    this.#headers = headers;
    if (Number(headers['content-length'] ?? 0) > this.#settings.maxResponseBytes)
      this.#refuseSize();
  }

  onResponseData(_controller: unknown, chunk: Buffer): void {
    if (this.#body.size + chunk.length > this.#settings.maxResponseBytes) this.#refuseSize();
    else this.#body.add(chunk);
  }

  onResponseEnd(): void {
    this.#end({ status: this.#status, headers: this.#headers, body: this.#body.take() });
  }

  onResponseError(_controller: unknown, error: Error): void {
    if (this.#ended) return;
    const { call, number } = this.#attempt;
    const progress = { isConnected: this.isConnected, isAnswered: this.#status > 0, number };
    this.#end(this.#outcomeOf(faultOf(error, call.route, progress)));
  }

  onEnd(why: EndOfWait): void {
    this.#abort(endOfWait(why, this.#attempt.call.route));
  }

  #refuseSize(): void {
    const what = `Backend answered more than ${this.#settings.maxResponseBytes} bytes`;
    this.#abort(new RestInvalidResponseError(what, this.#attempt.call.route));
  }

  /** Ends the exchange from our side. */
  #abort(error: RestError): void {
    if (this.#ended) return;
    this.#end(this.#outcomeOf(error));
    this.#controller?.abort(error);
  }

  /** Ends the exchange: from here on neither a timeout nor a cancel changes its outcome. */
  #end(settled: Settled): void {
    if (this.#ended) return;
    this.#ended = true;
    this.endedMs = this.#settings.clock.now();
    this.#attempt.flight.cancel.listen(undefined);
    try {
      this.#tell({ settled, exchange: this });
    } catch (mistake) {
      // Of our own: it costs this call, and not the connection on which undici has read its answer.
      this.#attempt.flight.land(mistake as Error);
    }
  }

  /** The outcome of a write is unknown when it may have been sent and no whole answer arrived. */
  #outcomeOf(error: RestError): RestError {
    const isKnown = isRead(this.#attempt.call) || !this.isConnected;
    return isKnown ? error : new RestOutcomeUnknownError(error);
  }
}
