/**
 * The connections to one backend.
 *
 * undici's `Pool` is given paths only: it neither follows redirects nor normalises paths, either of which
 * could send a caller's key or id somewhere else.
 */
import type { Dispatcher } from 'undici';
import { openConnections, type ConnectionOptions } from './connections.ts';

/** Splits a base URL: `https://host/a/b/` → origin `https://host`, prefix `/a/b`: the path before `/v0`. */
export const splitUpstreamUrl = ({ origin, pathname }: URL) => ({
  origin,
  pathPrefix: pathname.replace(/\/+$/, ''),
});

/**
 * For how long new calls go to the same connections, in milliseconds. While there are calls, a connection is never idle
 * long enough to be closed, and the name of the backend would never be looked up again.
 */
const MAX_AGE_MS = 30_000;

/**
 * A backend may close an idle connection just as a request is sent. So each write, whose outcome would be
 * unknown then, has a connection of its own, closed after it. A read that met this is sent again in the same way
 * (`reset` in undici's words): the other idle connections may be closing too.
 */
export class BackendDispatcher {
  #kept: Dispatcher;
  readonly #fresh: Dispatcher;
  /** Both, and those that still finish calls. */
  readonly #all = new Set<Dispatcher>();
  readonly #renewal: NodeJS.Timeout;

  constructor(origin: string, options: ConnectionOptions = {}, maxAgeMs = MAX_AGE_MS) {
    const open = (isKept: boolean): Dispatcher => {
      const opened = openConnections(origin, options, isKept);
      this.#all.add(opened);
      return opened;
    };
    this.#kept = open(true);
    this.#fresh = open(false);
    // Not undici's `clientTtl`: a call that finds all connections past it waits for the next call.
    this.#renewal = setInterval(() => {
      const old = this.#kept;
      this.#kept = open(true);
      void old.close().finally(() => this.#all.delete(old));
    }, maxAgeMs).unref();
  }

  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const connections = options.method === 'GET' && !options.reset ? this.#kept : this.#fresh;
    return connections.dispatch(options, handler);
  }

  request(options: Dispatcher.RequestOptions): Promise<Dispatcher.ResponseData> {
    return this.#kept.request(options);
  }

  /** Ends when the calls under way have. */
  async close(): Promise<void> {
    clearInterval(this.#renewal);
    await Promise.all([...this.#all].map((one) => one.close()));
  }

  /** Ends the calls under way. */
  async destroy(): Promise<void> {
    clearInterval(this.#renewal);
    await Promise.all([...this.#all].map((one) => one.destroy()));
  }
}
