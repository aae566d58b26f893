/**
 * The gateway on a port: Node's server with Node's limits. TLS and HTTP/2 are left to proxies.
 */
import { once } from 'node:events';
import { statSync, unlinkSync } from 'node:fs';
import { createServer, STATUS_CODES, type IncomingMessage } from 'node:http';
import { connect, type AddressInfo, type ListenOptions } from 'node:net';
import type { Duplex } from 'node:stream';
import { systemClock, type Clock } from '../../lib/clock.ts';
import { createAddressCheck } from './address.ts';
import { arrive } from '../operation/operation.ts';
import { drain, type Port } from './drain.ts';
import { requestListener } from './http-exchange.ts';
import type { Site } from './site.ts';

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
  const { host, port, socketPath, reusePort = false, clock = systemClock } = options;
  const server = createServer(SERVER_LIMITS);
  server.maxConnections = MAX_CONNECTIONS;
  const served: Port = {
    site,
    server,
    checkAddress: createAddressCheck(options.basePath ?? '', options.allowedHosts),
    maxBodyBytes: options.maxBodyBytes,
    clock,
    isClosed: false,
  };
  server.on('request', requestListener(served));
  server.on('upgrade', upgradeListener(served));
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
    close: (timeoutMs, delayMs = 0) => (closing ??= drain(served, timeoutMs, delayMs)),
  };
}

/**
 * Accepts WebSockets, and serves requests with other upgrades without them: with a listener, Node emits `upgrade` for
 * every protocol, and some clients offer one with their first request (`h2c` of Java's).
 */
const upgradeListener =
  ({ server, site, checkAddress }: Port) =>
  (incoming: IncomingMessage, socket: Duplex, head: Buffer): void => {
    // Node handles errors of a socket only while it reads requests from it.
    socket.on('error', () => socket.destroy());
    const { upgrade = '' } = incoming.headers;
    if (upgrade.toLowerCase() !== 'websocket') {
      socket.unshift(Buffer.concat([Buffer.from(headWithoutUpgrade(incoming), 'latin1'), head]));
      server.emit('connection', socket);
      return;
    }
    const error = checkAddress(incoming) ?? site.upgrade(incoming, socket, head);
    if (error) void rejectUpgrade(incoming, socket, error);
  };

const OF_UPGRADES = new Set(['upgrade', 'connection', 'http2-settings']);

function headWithoutUpgrade({ method, url, httpVersion, rawHeaders }: IncomingMessage): string {
  let head = `${method} ${url} HTTP/${httpVersion}\r\n`;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (OF_UPGRADES.has(rawHeaders[i]!.toLowerCase())) continue;
    head += `${rawHeaders[i]}: ${rawHeaders[i + 1]}\r\n`;
  }
  return `${head}\r\n`;
}

async function rejectUpgrade(
  { headers }: IncomingMessage,
  socket: Duplex,
  response: Response,
): Promise<void> {
  const body = await response.text();
  const { status } = response;
  response.headers.set('x-request-id', arrive(headers['x-request-id']).requestId);
  response.headers.set('content-length', String(Buffer.byteLength(body)));
  response.headers.set('connection', 'close');
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    ...Array.from(response.headers, ([name, value]) => `${name}: ${value}`),
  ];
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`);
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
