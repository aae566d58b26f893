/**
 * The connections to one backend.
 *
 * Uses undici's `Pool`, which neither follows redirects nor normalises paths: either could send a caller's key or id
 * elsewhere.
 */
import dns from 'node:dns';
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
 * Interval at which the names of the backend and its proxy are resolved, in milliseconds. Busy connections are never
 * closed as idle, so without it they would stay with addresses that the name no longer has.
 */
export const RESOLVE_MS = 30_000;

/** Calls move to new addresses in steps, so that a few connections are opened at a time. */
export const STEPS = 8;
export const STEP_MS = 1_000;

/**
 * A backend may close an idle connection just as a request is sent. So each write, whose outcome would be unknown, uses
 * a new connection, and so does a read that is retried for this reason (`reset` in undici), since other idle
 * connections may be closing too.
 */
export class BackendDispatcher {
  #pool: Dispatcher;
  /** Connections to new addresses, while calls move there. */
  #newPool: Dispatcher | undefined;
  /** Calls of every `STEPS` that use the new addresses. */
  #moved = 0;
  #turn = 0;
  readonly #fresh: Dispatcher;
  readonly #open: (isKeptAlive: boolean) => Dispatcher;
  /** Current pools, and old ones with calls in flight. */
  readonly #all = new Set<Dispatcher>();
  /** Addresses by name; empty if they are unknown. */
  readonly #addresses = new Map<string, string>();
  readonly #resolving: NodeJS.Timeout;
  #moving: NodeJS.Timeout | undefined;

  constructor(origin: string, options: ConnectionOptions = {}) {
    this.#open = (isKeptAlive) => {
      const opened = openConnections(origin, options, isKeptAlive);
      this.#all.add(opened);
      return opened;
    };
    this.#pool = this.#open(true);
    this.#fresh = this.#open(false);
    const resolve = (): void => {
      for (const name of namesOf(origin, options)) this.#resolve(name);
    };
    resolve();
    this.#resolving = setInterval(resolve, RESOLVE_MS).unref();
  }

  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const connections = options.method === 'GET' && !options.reset ? this.#current() : this.#fresh;
    return connections.dispatch(options, handler);
  }

  request(options: Dispatcher.RequestOptions): Promise<Dispatcher.ResponseData> {
    return this.#current().request(options);
  }

  #current(): Dispatcher {
    if (!this.#newPool) return this.#pool;
    this.#turn = (this.#turn + 1) % STEPS;
    return this.#turn < this.#moved ? this.#newPool : this.#pool;
  }

  #resolve(name: string): void {
    dns.lookup(name, { all: true }, (error, found) => {
      const before = this.#addresses.get(name);
      // Without a response, connections stay where they are.
      const sorted = () => found.map(({ address }) => address).sort();
      const addresses = error ? (before ?? '') : sorted().join();
      this.#addresses.set(name, addresses);
      if (before !== undefined && before !== addresses) this.#move();
    });
  }

  // Not undici's `clientTtl`: a call that finds all connections expired waits for the next call.
  #move(): void {
    if (this.#newPool) return;
    const newPool = (this.#newPool = this.#open(true));
    this.#moved = 1;
    this.#moving = setInterval(() => {
      this.#moved += 1;
      if (this.#moved < STEPS) return;
      clearInterval(this.#moving);
      const old = this.#pool;
      this.#pool = newPool;
      this.#newPool = undefined;
      void old.close().finally(() => this.#all.delete(old));
    }, STEP_MS).unref();
  }

  close(): Promise<void> {
    return this.#end((one) => one.close());
  }

  destroy(): Promise<void> {
    return this.#end((one) => one.destroy());
  }

  async #end(how: (one: Dispatcher) => Promise<void>): Promise<void> {
    clearInterval(this.#resolving);
    clearInterval(this.#moving);
    await Promise.all([...this.#all].map(how));
  }
}

/** Names that decide where connections lead. */
const namesOf = (
  origin: string,
  { socketPath, httpProxy, httpsProxy }: ConnectionOptions,
): readonly string[] =>
  socketPath === undefined
    ? [origin, httpProxy, httpsProxy].flatMap((url) => (url ? new URL(url).hostname : []))
    : [];
