/**
 * The gateway on a port: Node's server, with limits on what slow or greedy callers can hold.
 */
import { createServer } from 'node:http';
import { Connections } from './connections.ts';
import { drain, ownPort, type Listener, type Stopping } from './drain.ts';
import { requestListener } from './request-listener.ts';
import type { Site } from './site.ts';
import { upgradeListener } from './upgrade-listener.ts';

interface HttpServerOptions {
  /** What is served. */
  readonly site: Site;
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  /** The largest request body that is read. @default 100_000 */
  readonly maxBodyBytes?: number;
  /** The hosts that requests may name, in lower case and without ports. @default any */
  readonly allowedHosts?: readonly string[] | undefined;
  /** @default 1_024, and any number from this machine */
  readonly maxConnectionsPerAddress?: number | undefined;
  /** Over what time subscriptions are ended when it closes, in milliseconds. @default 5_000 */
  readonly liveDrainMs?: number;
  /** Where connections come from. @default a port of its own, at `host` and `port` */
  readonly listener?: Listener;
}

export interface HttpServer {
  /** `http://127.0.0.1:4000`, without a path. */
  readonly url: string;
  readonly port: number;
  /**
   * Not ready at once; finishes what is under way, then closes.
   *
   * @param timeoutMs after which connections are cut.
   * @returns whether everything was finished.
   */
  close(timeoutMs: number): Promise<boolean>;
}

/** The limits of Node's server. */
const SERVER_LIMITS = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  // Connections whose time is over are closed in one turn, a tenth of a millisecond for each: looking often
  // keeps them few.
  connectionsCheckingInterval: 20,
  keepAliveTimeout: 65_000,
  maxHeaderSize: 16_384,
};
const MAX_CONNECTIONS = 4_096;
const MAX_REQUESTS_A_SOCKET = 10_000;

/** @throws what Node throws when the port can't be had: `EADDRINUSE`, `EACCES`, … */
export async function openHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const { site, host, maxBodyBytes = 100_000, allowedHosts, liveDrainMs = 5_000 } = options;
  const { listener = ownPort({ host, port: options.port }) } = options;
  const server = createServer(SERVER_LIMITS);
  server.maxConnections = MAX_CONNECTIONS;
  server.maxRequestsPerSocket = MAX_REQUESTS_A_SOCKET;
  const connections = new Connections(options.maxConnectionsPerAddress);
  const stopping: Stopping = { server, listener, connections, lastAnswers: false };
  const answer = requestListener({ site, maxBodyBytes, allowedHosts, connections, stopping });
  server.on('connection', connections.take);
  server.on('request', (incoming, outgoing) => connections.receive(incoming, outgoing, answer));
  server.on('upgrade', upgradeListener({ server, site, allowedHosts, connections }));
  const port = await listener.open(server);
  let closing: Promise<boolean> | undefined;
  return {
    url: `http://${urlHost(host)}:${port}`,
    port,
    close: (timeoutMs) => (closing ??= drain(stopping, site, timeoutMs, liveDrainMs)),
  };
}

/** What to open in a browser for a host that means every interface, or an IPv6 address. */
export function urlHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}
