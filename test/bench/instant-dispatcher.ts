/**
 * A dispatcher that answers at once, without a socket: what is left of a call is our own work.
 */
import { Dispatcher } from 'undici';

/** @param body of every answer, JSON. */
export function instantDispatcher(body: string): Dispatcher {
  return new InstantDispatcher(Buffer.from(body));
}

class InstantDispatcher extends Dispatcher {
  readonly #body: Buffer;

  constructor(body: Buffer) {
    super();
    this.#body = body;
  }

  override dispatch(
    _options: Dispatcher.DispatchOptions,
    handler: Dispatcher.DispatchHandler,
  ): boolean {
    queueMicrotask(() => {
      handler.onRequestStart?.(CONTROLLER, {});
      handler.onResponseStart?.(CONTROLLER, 200, { 'content-type': 'application/json' }, 'OK');
      handler.onResponseData?.(CONTROLLER, this.#body);
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
