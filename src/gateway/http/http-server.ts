/**
 * The gateway on a port: Node's server with Node's own limits. What a proxy does better is left to the proxy.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemClock, type Clock } from '../../lib/clock.ts';
import { createAddressCheck } from './address.ts';
import { removeStale } from './unix-socket.ts';
import { drain, type Stopping } from './drain.ts';
import { requestListener } from './request-listener.ts';
import type { Site } from './site.ts';
import { upgradeListener } from './upgrade-listener.ts';

export interface HttpOptions {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  /** A unix socket, in place of both. */
  readonly socketPath?: string | undefined;
  /** Prefix of all paths; may be empty. */
  readonly basePath?: string;
  /** The largest request body that is read. */
  readonly maxBodyBytes: number;
  /** The hosts that requests may name, in lower case and without ports; undefined for any. */
  readonly allowedHosts: readonly string[] | undefined;
  /** By which it drains. @default the system's */
  readonly clock?: Clock;
}

export interface HttpServer {
  /** `http://127.0.0.1:4000`, without a path; `http://unix:/run/gateway.sock:` as proxies write it. */
  readonly url: string;
  /** 0 for a unix socket. */
  readonly port: number;
  /**
   * Not ready at once; finishes what is under way, then closes.
   *
   * @param timeoutMs after which connections are cut.
   * @param delayMs for how long it is not ready and serves as ever before. @default 0
   * @returns whether everything was finished.
   */
  close(timeoutMs: number, delayMs?: number): Promise<boolean>;
}

const SERVER_LIMITS = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 1_000,
  keepAliveTimeout: 65_000,
  maxHeaderSize: 16_384,
};
/**
 * Open ones, and those that wait to be accepted: Node accepts one in each turn of the event loop, and of more than wait
 * here the system drops the first packet, which clients send again a second later.
 */
const MAX_CONNECTIONS = 4_096;

/** @throws what Node throws when the port can't be had: `EADDRINUSE`, `EACCES`, … */
export async function openHttpServer(site: Site, options: HttpOptions): Promise<HttpServer> {
  const { host, port, socketPath, basePath = '', maxBodyBytes, allowedHosts } = options;
  const { clock = systemClock } = options;
  const server = createServer(SERVER_LIMITS);
  server.maxConnections = MAX_CONNECTIONS;
  const stopping: Stopping = { server, clock, isPortClosed: false };
  const checkAddress = createAddressCheck(basePath, allowedHosts);
  server.on('request', requestListener({ site, checkAddress, maxBodyBytes, stopping }));
  server.on('upgrade', upgradeListener({ server, site, checkAddress }));
  if (socketPath !== undefined) await removeStale(socketPath);
  const at = socketPath === undefined ? { host, port } : { path: socketPath };
  server.listen({ ...at, backlog: MAX_CONNECTIONS });
  await once(server, 'listening');
  const address = server.address() as AddressInfo | string; // null for closed servers alone
  const taken = typeof address === 'string' ? 0 : address.port;
  let closing: Promise<boolean> | undefined;
  return {
    url:
      socketPath === undefined ? `http://${urlHost(host)}:${taken}` : `http://unix:${socketPath}:`,
    port: taken,
    close: (timeoutMs, delayMs = 0) => (closing ??= drain(stopping, site, timeoutMs, delayMs)),
  };
}

/** The host of a URL for browsers, where the configured one means every interface or is an IPv6 address. */
export function urlHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}
