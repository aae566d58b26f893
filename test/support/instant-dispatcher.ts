/**
 * A dispatcher that answers at once, without a socket, so that a call consists of the gateway's work alone.
 */
import { Dispatcher } from 'undici';

/** @param bodies of the answers in turn, JSON. */
export function instantDispatcher(...bodies: readonly string[]): Dispatcher {
  return new InstantDispatcher(bodies.map((body) => Buffer.from(body)));
}

class InstantDispatcher extends Dispatcher {
  readonly #bodies: readonly Buffer[];
  #turn = 0;

  constructor(bodies: readonly Buffer[]) {
    super();
    this.#bodies = bodies;
  }

  override dispatch(
    _options: Dispatcher.DispatchOptions,
    handler: Dispatcher.DispatchHandler,
  ): boolean {
    const body = this.#bodies[this.#turn++ % this.#bodies.length]!;
    queueMicrotask(() => answerWith(handler, 200, body));
    return true;
  }

  override close(): Promise<void>;
  override close(callback: () => void): void;
  override close(callback?: () => void): Promise<void> | void {
    if (!callback) return Promise.resolve();
    callback();
  }
}

/** @param body JSON. */
export function answerWith(
  handler: Dispatcher.DispatchHandler,
  status: number,
  body: Buffer,
): void {
  handler.onRequestStart?.(CONTROLLER, {});
  handler.onResponseStart?.(CONTROLLER, status, { 'content-type': 'application/json' }, '');
  handler.onResponseData?.(CONTROLLER, body);
  handler.onResponseEnd?.(CONTROLLER, {});
}

const CONTROLLER: Dispatcher.DispatchController = {
  aborted: false,
  paused: false,
  reason: null,
  rawHeaders: [],
  rawTrailers: [],
  abort: () => {},
  pause: () => {},
  resume: () => {},
};
