/**
 * A dispatcher that answers at once, without a socket: what is left of a call is our own work.
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
    queueMicrotask(() => {
      handler.onRequestStart?.(CONTROLLER, {});
      handler.onResponseStart?.(CONTROLLER, 200, { 'content-type': 'application/json' }, 'OK');
      handler.onResponseData?.(CONTROLLER, this.#bodies[this.#turn++ % this.#bodies.length]!);
      handler.onResponseEnd?.(CONTROLLER, {});
    });
    return true;
  }

  override close(): Promise<void>;
  override close(callback: () => void): void;
  override close(callback?: () => void): Promise<void> | void {
    if (!callback) return Promise.resolve();
    callback();
  }
}

export const CONTROLLER: Dispatcher.DispatchController = {
  aborted: false,
  paused: false,
  reason: null,
  rawHeaders: [],
  rawTrailers: [],
  abort: () => {},
  pause: () => {},
  resume: () => {},
};
