/**
 * Graceful stop of a server: load balancers see it before the port closes, and no request is lost.
 */
import { once } from 'node:events';
import type { Server } from 'node:http';
import { Server as NetServer } from 'node:net';
import { setImmediate as pollOnce } from 'node:timers/promises';
import type { Clock } from '../../lib/clock.ts';
import type { CheckAddress } from './address.ts';
import type { Site } from './site.ts';

/**
 * Time without requests before idle connections are closed, in milliseconds. A request that arrives on a connection
 * while it is closed is reset.
 */
export const QUIET_MS = 200;

/** Maximum number of pending connections: Node's default. */
const BACKLOG = 511;

/** A port that serves a site. */
export interface Port {
  readonly site: Site;
  readonly server: Server;
  readonly checkAddress: CheckAddress;
  /** Maximum size of a request body, in bytes. */
  readonly maxBodyBytes: number;
  /** Clock of the drain, and of readers that stall. */
  readonly clock: Clock;
  /** Responses end their connections once the port is closed, not earlier: callers would open new connections. */
  isClosed: boolean;
}

/**
 * Reports not ready, serves for a delay, then closes the port and finishes requests in flight.
 *
 * @param timeoutMs time after the delay until connections are cut; subscriptions end within half of it.
 * @returns whether all requests were finished.
 */
export async function drain(port: Port, timeoutMs: number, delayMs: number): Promise<boolean> {
  const { site, server, clock } = port;
  site.readiness.drain();
  await sleep(clock, delayMs);
  await acceptAll(server);
  port.isClosed = true;
  const closed = once(server, 'close');
  // Not `close()` of `http`, which immediately closes idle connections, even if a request is on its way.
  NetServer.prototype.close.call(server);
  const finished = async (): Promise<boolean> => {
    void site.subscriptions.drain(timeoutMs / 2);
    await closeWhenQuiet(port, closed);
    // Writes of callers who disconnected may still be in flight.
    await site.idle();
    return true;
  };
  const fuse = new Promise<false>((resolve) => {
    clock.setTimeout(() => resolve(false), timeoutMs).unref();
  });
  const inTime = await Promise.race([finished(), fuse]);
  server.closeAllConnections();
  return inTime;
}

/** Accepts pending connections, which the system resets when the port is closed. */
async function acceptAll(server: Server): Promise<void> {
  let hasAccepted = true;
  const onConnection = (): void => void (hasAccepted = true);
  server.on('connection', onConnection);
  // Node accepts at least one connection per turn of the event loop. Turns are counted, since one may take any time.
  for (let turn = 0; hasAccepted && turn <= BACKLOG; turn++) {
    hasAccepted = false;
    await pollOnce();
  }
  server.off('connection', onConnection);
}

/** Closes idle connections once no requests arrive; until then responses end their connections. */
async function closeWhenQuiet({ server, clock }: Port, closed: Promise<unknown>): Promise<void> {
  let isClosed = false;
  let isQuiet: boolean;
  void closed.then(() => (isClosed = true));
  server.on('request', () => (isQuiet = false));
  while (!isClosed) {
    isQuiet = true;
    await Promise.race([closed, sleep(clock, QUIET_MS)]);
    // After a busy turn, timers run before arrived requests are read.
    await pollOnce();
    if (!isQuiet) continue;
    server.closeIdleConnections();
    // Connections without any request do not count as idle.
    server.headersTimeout = QUIET_MS;
  }
}

const sleep = (clock: Clock, ms: number) =>
  new Promise<void>((resolve) => clock.setTimeout(resolve, ms));
