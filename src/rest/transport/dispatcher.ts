/**
 * The connections to one backend.
 *
 * undici's `Pool` is given paths only: it neither follows redirects nor normalises paths, either of which
 * could send a caller's key or id somewhere else.
 */
import { buildConnector, Pool, type Dispatcher } from 'undici';
import { withoutInformational } from './informational-responses.ts';

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
 * Each write has a connection of its own, closed after it: a backend may close an idle connection just as
 * a write is sent, which leaves the outcome of the write unknown. Reads are sent again.
 */
export class BackendDispatcher {
  readonly #reads: Pool;
  readonly #writes: Pool;

  constructor(origin: string) {
    const options = {
      connections: 128,
      connect: withoutInformational(buildConnector({ timeout: 2_000 })),
      keepAliveTimeout: 4_000,
      keepAliveMaxTimeout: 30_000,
    };
    this.#reads = new Pool(origin, options);
    // In undici `pipelining: 0` switches keep-alive off.
    this.#writes = new Pool(origin, { ...options, pipelining: 0 });
  }

  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    return (options.method === 'GET' ? this.#reads : this.#writes).dispatch(options, handler);
  }

  request(options: Dispatcher.RequestOptions): Promise<Dispatcher.ResponseData> {
    return this.#reads.request(options);
  }

  /** Ends when the calls under way have. */
  async close(): Promise<void> {
    await Promise.all([this.#reads.close(), this.#writes.close()]);
  }

  /** Ends the calls under way. */
  async destroy(): Promise<void> {
    await Promise.all([this.#reads.destroy(), this.#writes.destroy()]);
  }
}
