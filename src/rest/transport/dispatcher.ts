/**
 * The connections to one backend.
 *
 * Uses undici's `Pool`, which neither follows redirects nor normalises paths: either could send a caller's key or id
 * elsewhere.
 */
import type { Dispatcher } from 'undici';
import { openConnections, type ConnectionOptions } from './connections.ts';

/**
 * Splits a base URL: `https://host/a/b/` → origin `https://host`, prefix `/a/b` (the path before `/v0`). Repeated slashes,
 * as of a host and a path that were joined, are one.
 */
export const splitUpstreamUrl = ({ origin, pathname }: URL) => ({
  origin,
  pathPrefix: pathname.replace(/\/+/g, '/').replace(/\/$/, ''),
});

/**
 * Maximum age of a pool, in milliseconds. Busy connections are never closed as idle, so without renewal the backend's
 * name would not be resolved again.
 */
export const MAX_AGE_MS = 30_000;

/**
 * A backend may close an idle connection just as a request is sent. So each write, whose outcome would be unknown, uses
 * a new connection, and so does a read that is retried for this reason (`reset` in undici), since other idle
 * connections may be closing too.
 */
export class BackendDispatcher {
  #kept: Dispatcher;
  readonly #fresh: Dispatcher;
  /** Current pools, and old ones with calls in flight. */
  readonly #all = new Set<Dispatcher>();
  readonly #renewal: NodeJS.Timeout;

  constructor(origin: string, options: ConnectionOptions = {}) {
    const open = (isKept: boolean): Dispatcher => {
      const opened = openConnections(origin, options, isKept);
      this.#all.add(opened);
      return opened;
    };
    this.#kept = open(true);
    this.#fresh = open(false);
    // Not undici's `clientTtl`: a call that finds all connections expired waits for the next call.
    this.#renewal = setInterval(() => {
      const old = this.#kept;
      this.#kept = open(true);
      void old.close().finally(() => this.#all.delete(old));
    }, MAX_AGE_MS).unref();
  }

  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const connections = options.method === 'GET' && !options.reset ? this.#kept : this.#fresh;
    return connections.dispatch(options, handler);
  }

  request(options: Dispatcher.RequestOptions): Promise<Dispatcher.ResponseData> {
    return this.#kept.request(options);
  }

  /** Closes after the calls in flight. */
  async close(): Promise<void> {
    clearInterval(this.#renewal);
    await Promise.all([...this.#all].map((one) => one.close()));
  }

  /** Aborts the calls in flight. */
  async destroy(): Promise<void> {
    clearInterval(this.#renewal);
    await Promise.all([...this.#all].map((one) => one.destroy()));
  }
}
