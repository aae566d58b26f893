/**
 * The connections to one backend.
 *
 * `Pool` and path-only requests: it neither follows redirects nor normalises paths, both of which
 * would send a caller's key or id where it does not belong.
 */
import { Pool, type Dispatcher } from 'undici';

export interface UpstreamUrl {
  readonly origin: string;
  /** Path before `/v0`, without a closing slash. */
  readonly pathPrefix: string;
}

/** Splits a base URL: `https://host/a/b/` → origin `https://host`, prefix `/a/b`. */
export function splitUpstreamUrl(url: URL): UpstreamUrl {
  return { origin: url.origin, pathPrefix: url.pathname.replace(/\/+$/, '') };
}

export interface DispatcherOptions {
  /** Whom to trust instead of the machine's own authorities, as PEM. */
  readonly ca?: string;
}

/** Connections to `origin`: at most 128 (a page of 100 items, each with a call of its own, leaves in one round), kept alive for 4 s, 2 s to connect. */
export function createDispatcher(origin: string, { ca }: DispatcherOptions = {}): Dispatcher {
  return new Pool(origin, {
    connections: 128,
    connect: { timeout: 2_000, ...(ca !== undefined && { ca }) },
    keepAliveTimeout: 4_000,
    keepAliveMaxTimeout: 30_000,
  });
}
