/**
 * The gateway on a port: Node's server with Node's limits. TLS and HTTP/2 are left to proxies.
 */
import { once } from 'node:events';
import { statSync, unlinkSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect, type AddressInfo, type ListenOptions } from 'node:net';
import { systemClock, type Clock } from '../../lib/clock.ts';
import { createAddressCheck } from './address.ts';
import { drain, type Stopping } from './drain.ts';
import { requestListener } from './request-listener.ts';
import type { Site } from './site.ts';
import { upgradeListener } from './upgrade-listener.ts';

export interface HttpOptions {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  readonly socketPath?: string | undefined;
  /** Whether other processes may listen on the port too. @default false */
  readonly reusePort?: boolean;
  readonly basePath?: string;
  readonly maxBodyBytes: number;
  /** Allowed hosts of requests, in lower case, without ports; undefined allows any. */
  readonly allowedHosts: readonly string[] | undefined;
  /** Clock of the drain, and of readers that stall. @default the system's */
  readonly clock?: Clock;
}

export interface HttpServer {
  /** `http://127.0.0.1:4000`, without a path; `http://unix:/run/gateway.sock:` for a socket, as proxies write it. */
  readonly url: string;
  readonly port: number;
  /**
   * Reports not ready, finishes requests in flight, then closes.
   *
   * @param timeoutMs time until connections are cut.
   * @param delayMs time before that in which it serves while not ready. @default 0
   * @returns whether all requests were finished.
   */
  close(timeoutMs: number, delayMs?: number): Promise<boolean>;
}

export const SERVER_LIMITS = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 1_000,
  keepAliveTimeout: 65_000,
  maxHeaderSize: 16_384,
};
export const MAX_CONNECTIONS = 4_096;

/** @throws Node's error if listening fails: `EADDRINUSE`, `EACCES`, … */
export async function openHttpServer(site: Site, options: HttpOptions): Promise<HttpServer> {
  const {
    host,
    port,
    socketPath,
    reusePort = false,
    basePath = '',
    maxBodyBytes,
    allowedHosts,
  } = options;
  const { clock = systemClock } = options;
  const server = createServer(SERVER_LIMITS);
  server.maxConnections = MAX_CONNECTIONS;
  const stopping: Stopping = { server, clock, isPortClosed: false };
  const checkAddress = createAddressCheck(basePath, allowedHosts);
  server.on('request', requestListener(site, checkAddress, maxBodyBytes, stopping));
  server.on('upgrade', upgradeListener(server, site, checkAddress));
  if (socketPath !== undefined) await removeStale(socketPath);
  // Node's own backlog: a longer one fills with connections whose callers have left.
  // Since Node 22.12; older types lack it.
  const place: ListenOptions & { readonly reusePort?: boolean } =
    socketPath === undefined ? { host, port, reusePort } : { path: socketPath };
  server.listen(place);
  await once(server, 'listening');
  const address = server.address() as AddressInfo | string; // null only for closed servers
  const taken = typeof address === 'string' ? 0 : address.port;
  let closing: Promise<boolean> | undefined;
  return {
    url:
      socketPath === undefined ? `http://${urlHost(host)}:${taken}` : `http://unix:${socketPath}:`,
    port: taken,
    close: (timeoutMs, delayMs = 0) => (closing ??= drain(stopping, site, timeoutMs, delayMs)),
  };
}

/** Removes the socket file of a killed process, which would make listening fail. */
async function removeStale(path: string): Promise<void> {
  if (!statSync(path, { throwIfNoEntry: false })?.isSocket()) return;
  const socket = connect(path);
  const isStale = await new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(false));
    socket.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code === 'ECONNREFUSED'));
  });
  socket.destroy();
  if (isStale) unlinkSync(path);
}

/** The host for URLs: `localhost` for all interfaces, brackets around IPv6 addresses. */
export function urlHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}
