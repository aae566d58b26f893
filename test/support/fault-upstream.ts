/**
 * A backend with a script of responses and faults for each route.
 *
 * `upstream.on('GET /v0/pages/p1', status(503), ok(page))` responds with 503 once and then always with the page.
 * `faults.ts` has the responses and faults.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Certificate } from './certificates.ts';
import { status, type Behaviour, type Seen } from './faults.ts';

export interface FaultUpstream {
  /** `http://localhost:1234`, or https. */
  readonly url: string;
  readonly port: number;
  /** Everything that arrived, in order. */
  readonly seen: readonly Seen[];
  /** The number of calls of a script's route, or of all requests. */
  hits(route?: string): number;
  /** Open connections. */
  readonly connections: number;
  /**
   * The responses of a route in order; the last one is repeated. A route is a method and a path, without the
   * query; `*` stands for every route that has no script.
   */
  on(route: string, ...behaviours: readonly Behaviour[]): void;
  /** Closes the port and every connection at once, as a killed process does. */
  stop(): Promise<void>;
  /** Opens the same port again. */
  start(): Promise<void>;
}

export interface FaultUpstreamOptions {
  /** Speaks TLS with this certificate. */
  readonly certificate?: Certificate;
  /** Opened later, by `start`, on a port that is free now. */
  readonly stopped?: boolean;
}

/** Opens a backend that responds with 404 until it has a script. */
export async function openFaultUpstream({
  certificate,
  stopped = false,
}: FaultUpstreamOptions = {}): Promise<FaultUpstream> {
  const seen: Seen[] = [];
  const scripts = new Map<string, { turns: readonly Behaviour[]; hits: number }>();
  const sockets = new Set<Socket>();

  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('error', () => {});
    response.on('error', () => {});
    request.on('end', () => {
      const { method = '', url: target = '', headers } = request;
      const body = Buffer.concat(chunks).toString();
      const one: Seen = { method, target, headers, body, atMs: performance.now() };
      seen.push(one);
      const route = `${method} ${target.split('?')[0]}`;
      const script = scripts.get(route) ?? scripts.get('*');
      const turn = script?.turns[Math.min(script.hits, script.turns.length - 1)];
      // The gateway's own probes come at any time, so that they take no turn of a script.
      if (script && isCall(one)) script.hits += 1;
      void Promise.resolve((turn ?? status(404))(response, one, request.socket)).catch(() => {});
    });
  };
  const open = () => {
    const server = certificate ? createTlsServer(certificate, listener) : createServer(listener);
    server.keepAliveTimeout = 60_000;
    server.on('connection', (socket) => {
      sockets.add(socket);
      socket.on('close', () => sockets.delete(socket));
      socket.on('error', () => {});
    });
    server.on('tlsClientError', () => {});
    return server;
  };
  let server = open();
  const listen = (port: number) =>
    new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, 'localhost', resolve);
    });
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    });

  await listen(0);
  // A TCP server that listens has an AddressInfo.
  const { port } = server.address() as AddressInfo;
  if (stopped) await stop();
  return {
    url: `${certificate ? 'https' : 'http'}://localhost:${port}`,
    port,
    seen,
    hits: (route) => (route === undefined ? seen.length : (scripts.get(route)?.hits ?? 0)),
    get connections() {
      return sockets.size;
    },
    on: (route, ...turns) => scripts.set(route, { turns, hits: 0 }),
    stop,
    start: () => {
      server = open();
      return listen(port);
    },
  };
}

/** Whether it is made for a caller; the gateway's own probes have no request id. */
export const isCall = ({ headers }: Pick<Seen, 'headers'>): boolean => 'x-request-id' in headers;
