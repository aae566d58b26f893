/**
 * Loaded into a gateway by T58: divides the limits on slow callers that the gateway sets by ten.
 *
 * A limit that it does not set is a tenth of Node's default, as of the 300 seconds for a body.
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

/** The gateway's own limit on the time to read a response. */
const READ_WITHIN_MS = 30_000;
const realTimeout = globalThis.setTimeout;

globalThis.setTimeout = ((run: () => void, ms?: number, ...args: []) =>
  realTimeout(run, ms === READ_WITHIN_MS ? ms / FASTER : ms, ...args)) as typeof setTimeout;
