/**
 * One HTTP exchange: a request out, a whole answer back, or one of our errors.
 *
 * Written on undici's `dispatch` so that one timer covers everything (waiting in the pool's queue,
 * connecting, sending, every byte of the answer) and so that we know whether a write has left:
 * `onRequestStart` comes only once a connection is there.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { abortedError, type End, type Waiter } from './cancel.ts';
import {
  RestInvalidResponseError,
  RestOutcomeUnknownError,
  RestTruncatedError,
  RestUnreachableError,
  type RestError,
} from './errors.ts';
import { timedOut } from './patience.ts';
import { isRead, type Answer, type Outgoing, type Send } from './send.ts';
import { isMalformed, isTruncated, retryOf, withoutBytes } from './transport-fault.ts';

/**
 * Sends one request and collects its answer.
 *
 * @param maxBytes the largest body that is read.
 * @throws {RestTimeoutError | RestUnreachableError | RestInvalidResponseError | RestAbortedError}
 * @throws {RestOutcomeUnknownError} when a write left and its answer did not arrive.
 */
export const exchanging =
  (dispatcher: Dispatcher, maxBytes: number): Send =>
  (outgoing) =>
    new Promise((resolve, reject) => {
      const handler = new AnswerHandler(outgoing, maxBytes, resolve, reject);
      if (handler.settled) return;
      if (outgoing.entry) outgoing.entry.source = 'sent';
      dispatcher.dispatch(
        {
          method: outgoing.route.method,
          path: outgoing.path,
          headers: outgoing.headers,
          body: outgoing.body,
          // Our own timer covers both; undici's run up to half a second late.
          headersTimeout: 0,
          bodyTimeout: 0,
        },
        handler,
      );
    });

const NO_HEADERS: IncomingHttpHeaders = {};

class AnswerHandler implements Dispatcher.DispatchHandler, Waiter {
  settled = false;
  readonly #outgoing: Outgoing;
  readonly #maxBytes: number;
  readonly #resolve: (answer: Answer) => void;
  readonly #reject: (error: RestError) => void;
  readonly #timer: NodeJS.Timeout;
  #controller: Dispatcher.DispatchController | undefined;
  #status = 0;
  #headers = NO_HEADERS;
  #chunks: Buffer[] | undefined;
  #size = 0;

  constructor(
    outgoing: Outgoing,
    maxBytes: number,
    resolve: (answer: Answer) => void,
    reject: (error: RestError) => void,
  ) {
    this.#outgoing = outgoing;
    this.#maxBytes = maxBytes;
    this.#resolve = resolve;
    this.#reject = reject;
    const left = Math.ceil(outgoing.untilMs - outgoing.sentMs);
    this.#timer = setTimeout(() => this.giveUp(timedOut), Math.max(0, left));
    if (outgoing.cancel.cancelled) this.giveUp(abortedError);
    else outgoing.cancel.listen(this);
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
    this.#status = status;
    this.#headers = headers;
    if (Number(headers['content-length'] ?? 0) > this.#maxBytes) this.#refuseSize(controller);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#size += chunk.length;
    if (this.#size > this.#maxBytes) this.#refuseSize(controller);
    else if (this.#chunks) this.#chunks.push(chunk);
    else this.#chunks = [chunk]; // mostly all of it; pushing makes room for seventeen
  }

  onResponseEnd(): void {
    if (!this.#settle()) return;
    const chunks = this.#chunks ?? [];
    const body = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
    this.#resolve({ status: this.#status, headers: this.#headers, body });
  }

  onResponseError(_controller: unknown, error: Error): void {
    const cause = withoutBytes(error);
    const { route } = this.#outgoing;
    const sent = this.#controller !== undefined;
    if (this.#status > 0 && isTruncated(cause)) {
      this.#fail(new RestTruncatedError('Backend answered only in part', route, { cause }));
    } else if (isMalformed(cause)) {
      this.#fail(new RestInvalidResponseError('Backend answered malformed HTTP', route, { cause }));
    } else {
      const retry = retryOf(cause, sent, this.#status > 0);
      this.#fail(new RestUnreachableError('Backend could not be reached', route, { cause, retry }));
    }
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

  #end(error: RestError): void {
    this.#fail(error);
    this.#controller?.abort(error);
  }

  #fail(error: RestError): void {
    if (!this.#settle()) return;
    const { route } = this.#outgoing;
    const sent = this.#controller !== undefined;
    const lost = sent && !isRead(this.#outgoing);
    this.#reject(
      lost
        ? new RestOutcomeUnknownError('Write was sent and its answer lost', route, { cause: error })
        : error,
    );
  }

  #settle(): boolean {
    if (this.settled) return false;
    this.settled = true;
    clearTimeout(this.#timer);
    this.#outgoing.cancel.listen(undefined);
    return true;
  }
}
