/**
 * How a server stops: load balancers see it first, and no caller loses a request.
 */
import { once } from 'node:events';
import type { Server } from 'node:http';
import { Server as NetServer } from 'node:net';
import { setImmediate as pollOnce, setTimeout as sleep } from 'node:timers/promises';
import type { Site } from './site.ts';

/**
 * How long connections may stay idle once the port is closed, in milliseconds: a caller who is about to
 * send on one is still answered.
 */
const IDLE_MS = 200;

/** A server that stops, and how far it has come. */
export interface Stopping {
  readonly server: Server;
  /** From then on each answer ends its connection. */
  isPortClosed: boolean;
}

/**
 * Not ready at once, and serving as ever for a while; then closes the port and finishes what is under way.
 *
 * @param timeoutMs how long after the delay connections are cut; subscriptions end over half of it.
 * @returns whether everything was finished.
 */
export async function drain(
  stopping: Stopping,
  site: Site,
  timeoutMs: number,
  delayMs: number,
): Promise<boolean> {
  const { server } = stopping;
  site.readiness.drain();
  await sleep(delayMs);
  // After a busy turn, timers run before connections are accepted, which the system would reset with the port.
  await pollOnce();
  stopping.isPortClosed = true;
  const closed = once(server, 'close');
  // Not http's close(): it closes idle connections at once, and some are about to be used.
  NetServer.prototype.close.call(server);
  const finished = async (): Promise<boolean> => {
    void site.subscriptions.drain(timeoutMs / 2);
    await Promise.race([closed, sleep(IDLE_MS)]);
    // After a busy turn, timers run before requests that have arrived are read.
    await pollOnce();
    server.closeIdleConnections();
    // Those on which nothing was ever sent do not count as idle.
    server.headersTimeout = IDLE_MS;
    await closed;
    // Writes whose callers have left are under way without a connection.
    await site.idle();
    return true;
  };
  const fuse = sleep(timeoutMs, false, { ref: false });
  const inTime = await Promise.race([finished(), fuse]);
  server.closeAllConnections();
  return inTime;
}
