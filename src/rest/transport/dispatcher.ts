/**
 * The connections to one backend.
 *
 * undici's `Pool` is given paths only: it neither follows redirects nor normalises paths, either of which
 * could send a caller's key or id somewhere else.
 */
import { buildConnector, Pool, type Dispatcher } from 'undici';
import { markReused } from './transport-fault.ts';

interface UpstreamUrl {
  readonly origin: string;
  /** Path before `/v0`, without a closing slash. */
  readonly pathPrefix: string;
}

/** Splits a base URL: `https://host/a/b/` → origin `https://host`, prefix `/a/b`. */
export function splitUpstreamUrl(url: URL): UpstreamUrl {
  return { origin: url.origin, pathPrefix: url.pathname.replace(/\/+$/, '') };
}

/**
 * At most 128 connections (a page of 100 items, each with a call of its own, leaves in one round), kept
 * alive for 4 s, with 2 s to connect.
 *
 * A backend may close an idle connection just as a request is sent. So each write, whose outcome would be
 * unknown then, has a connection of its own, closed after it. A read that met this is sent again in the same way
 * (`reset` in undici's words): the other idle connections may be closing too.
 */
export class BackendDispatcher {
  readonly #kept: Pool;
  readonly #fresh: Pool;

  constructor(origin: string) {
    const options = {
      connections: 128,
      connect: noticingReuse(buildConnector({ timeout: 2_000 })),
      keepAliveTimeout: 4_000,
      keepAliveMaxTimeout: 30_000,
    };
    this.#kept = new Pool(origin, options);
    // In undici `pipelining: 0` switches keep-alive off.
    this.#fresh = new Pool(origin, { ...options, pipelining: 0 });
  }

  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const pool = options.method === 'GET' && !options.reset ? this.#kept : this.#fresh;
    return pool.dispatch(options, handler);
  }

  request(options: Dispatcher.RequestOptions): Promise<Dispatcher.ResponseData> {
    return this.#kept.request(options);
  }

  /** Ends when the calls under way have. */
  async close(): Promise<void> {
    await Promise.all([this.#kept.close(), this.#fresh.close()]);
  }

  /** Ends the calls under way. */
  async destroy(): Promise<void> {
    await Promise.all([this.#kept.destroy(), this.#fresh.destroy()]);
  }
}

/** Notes which errors came from connections that had answered before. */
const noticingReuse =
  (connect: buildConnector.connector): buildConnector.connector =>
  (options, callback) => {
    connect(options, (...connected) => {
      const [, socket] = connected;
      socket?.once('error', (error: Error) => {
        if (socket.bytesRead > 0) markReused(error);
      });
      callback(...connected);
    });
  };
