/**
 * Loaded into a gateway by T58: its limits on slow callers are a tenth of what it sets.
 *
 * What it does not set stays a tenth of Node's own: a body may take 300 seconds there.
 */
import { createRequire, syncBuiltinESMExports } from 'node:module';
import type { Server, ServerOptions } from 'node:http';

const FASTER = 10;

const http = createRequire(import.meta.url)('node:http') as {
  createServer: (options: ServerOptions, ...rest: readonly unknown[]) => Server;
};
const real = http.createServer;

http.createServer = (options, ...rest) => {
  const { headersTimeout = 60_000, requestTimeout = 300_000 } = options;
  const { connectionsCheckingInterval = 30_000 } = options;
  const hurried = {
    headersTimeout: headersTimeout / FASTER,
    requestTimeout: requestTimeout / FASTER,
    connectionsCheckingInterval: connectionsCheckingInterval / FASTER,
  };
  return real({ ...options, ...hurried }, ...rest);
};
syncBuiltinESMExports();

/** The time to read an answer is the gateway's own. */
const READ_WITHIN_MS = 30_000;
const realTimeout = globalThis.setTimeout;

globalThis.setTimeout = ((run: () => void, ms?: number, ...args: []) =>
  realTimeout(run, ms === READ_WITHIN_MS ? ms / FASTER : ms, ...args)) as typeof setTimeout;
