/**
 * One HTTP exchange: a request out, a whole answer back, or one of our errors.
 *
 * Written on undici's `dispatch` so that the try's timer covers everything (waiting in the pool's
 * queue, connecting, sending, every byte of the answer) and so that we know whether a write has
 * left: `onRequestStart` comes only once a connection is there.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { ByteCollector } from '../../lib/byte-collector.ts';
import { abortedError, type End, type Waiter } from '../client/cancel.ts';
import { endOfTurn } from '../../lib/end-of-turn.ts';
import {
  RestInvalidResponseError,
  RestOutcomeUnknownError,
  RestTruncatedError,
  RestUnreachableError,
  type RestError,
} from '../client/errors.ts';
import { isRead, type Layer, type Outcome, type Outgoing, type Settle } from '../client/send.ts';
import { isMalformed, isTruncated, retryOf, withoutBytes } from './transport-fault.ts';

/**
 * Sends one request and collects its answer.
 *
 * It ends with an answer, RestTimeoutError, RestUnreachableError, RestInvalidResponseError,
 * RestAbortedError, or RestOutcomeUnknownError when a write left and its answer did not arrive.
 *
 * @param maxBytes the largest body that is read.
 */
export const exchanging =
  (dispatcher: Dispatcher, maxBytes: number): Layer =>
  (settle) => {
    let due: AnswerHandler[] = [];
    return (outgoing) => {
      const handler = new AnswerHandler(outgoing, maxBytes, settle);
      // Calls leave together when everything that has arrived is dealt with, in the order they
      // were made: one that is made while others are answered would overtake them.
      if (!handler.settled && due.push(handler) === 1) void endOfTurn().then(sendDue);
    };

    function sendDue(): void {
      const handlers = due;
      due = [];
      for (const handler of handlers) if (!handler.settled) handler.send(dispatcher);
    }
  };

const NO_HEADERS: IncomingHttpHeaders = {};

class AnswerHandler implements Dispatcher.DispatchHandler, Waiter {
  settled = false;
  readonly #outgoing: Outgoing;
  readonly #maxBytes: number;
  readonly #settle: Settle;
  #controller: Dispatcher.DispatchController | undefined;
  #status = 0;
  #headers = NO_HEADERS;
  readonly #body = new ByteCollector();

  constructor(outgoing: Outgoing, maxBytes: number, settle: Settle) {
    this.#outgoing = outgoing;
    this.#maxBytes = maxBytes;
    this.#settle = settle;
    if (outgoing.cancel.cancelled) this.giveUp(abortedError);
    else outgoing.cancel.listen(this);
  }

  send(dispatcher: Dispatcher): void {
    const { route, path, headers, body, entry } = this.#outgoing;
    if (entry) entry.source = 'sent';
    const { method } = route;
    try {
      // Our own timer covers both timeouts; undici's run up to half a second late.
      dispatcher.dispatch({ method, path, headers, body, headersTimeout: 0, bodyTimeout: 0 }, this);
    } catch (error) {
      this.onResponseError(undefined, error as Error);
    }
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // Given up while it waited for a connection: it must not leave now.
    if (this.settled) controller.abort(new Error('given up before it was sent'));
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
  ): void {
    if (status < 200) return; // only a hint of what is to come
    this.#status = status;
    this.#headers = headers;
    if (Number(headers['content-length'] ?? 0) > this.#maxBytes) this.#refuseSize(controller);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#body.size + chunk.length > this.#maxBytes) this.#refuseSize(controller);
    else this.#body.add(chunk);
  }

  onResponseEnd(): void {
    this.#land({ status: this.#status, headers: this.#headers, body: this.#body.take() });
  }

  onResponseError(_controller: unknown, error: Error): void {
    if (!this.settled) this.#land(this.#outcomeOf(this.#faultOf(withoutBytes(error))));
  }

  giveUp(end: End): void {
    this.#end(end(this.#outgoing.route));
  }

  #refuseSize(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    const { route } = this.#outgoing;
    this.#end(
      new RestInvalidResponseError(`Backend answered more than ${this.#maxBytes} bytes`, route),
    );
  }

  /** We ourselves want no more of it. */
  #end(error: RestError): void {
    if (this.settled) return;
    this.#land(this.#outcomeOf(error));
    this.#controller?.abort(error);
  }

  /** What follows from it (a retry, the next in the queue) is not sent before the turn ends. */
  #land(outcome: Outcome): void {
    if (this.settled) return;
    this.settled = true;
    this.#outgoing.cancel.listen(undefined);
    this.#settle(this.#outgoing, outcome);
  }

  #faultOf(cause: Error): RestError {
    const { route, attempt } = this.#outgoing;
    const answered = this.#status > 0;
    if (answered && isTruncated(cause)) {
      return new RestTruncatedError('Backend answered only in part', route, { cause });
    }
    if (isMalformed(cause)) {
      return new RestInvalidResponseError('Backend answered malformed HTTP', route, { cause });
    }
    const retry = retryOf(cause, this.#controller !== undefined, answered, attempt);
    return new RestUnreachableError('Backend could not be reached', route, { cause, retry });
  }

  #outcomeOf(error: RestError): RestError {
    const sent = this.#controller !== undefined;
    if (!sent || isRead(this.#outgoing)) return error;
    const { route } = this.#outgoing;
    return new RestOutcomeUnknownError('Write was sent and its answer lost', route, {
      cause: error,
    });
  }
}
