/**
 * The stop of a server: load balancers see it first, and no caller loses a request.
 */
import { once } from 'node:events';
import type { Server } from 'node:http';
import { Server as NetServer } from 'node:net';
import { setImmediate as pollOnce } from 'node:timers/promises';
import type { Clock } from '../../lib/clock.ts';
import type { Site } from './site.ts';

/**
 * For how long no request has to come before idle connections are closed, in milliseconds: a caller who sends on one
 * in that moment is reset.
 */
const QUIET_MS = 200;

/** A server that stops, and how far it has come. */
export interface Stopping {
  readonly server: Server;
  readonly clock: Clock;
  /** From then on each response ends its connection; before, its caller would come back on a new one. */
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
  const { server, clock } = stopping;
  site.readiness.drain();
  await sleep(clock, delayMs);
  await acceptAll(stopping);
  stopping.isPortClosed = true;
  const closed = once(server, 'close');
  // Not http's close(): it closes idle connections at once, and some are about to be used.
  NetServer.prototype.close.call(server);
  const finished = async (): Promise<boolean> => {
    void site.subscriptions.drain(timeoutMs / 2);
    await closeWhenQuiet(stopping, closed);
    // Cancelled writes are under way without a connection.
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

/** Accepts the connections that the system has: it resets those that are left when the port is closed. */
async function acceptAll({ server, clock }: Stopping): Promise<void> {
  let hasAccepted = true;
  const onConnection = (): void => void (hasAccepted = true);
  server.on('connection', onConnection);
  const endMs = clock.now() + QUIET_MS;
  // One is accepted in each turn of the event loop, and after a busy turn timers run before.
  while (hasAccepted && clock.now() < endMs) {
    hasAccepted = false;
    await pollOnce();
  }
  server.off('connection', onConnection);
}

/** As long as requests come, their responses end the connections; the others are closed. */
async function closeWhenQuiet(
  { server, clock }: Stopping,
  closed: Promise<unknown>,
): Promise<void> {
  let isClosed = false;
  let isQuiet: boolean;
  void closed.then(() => (isClosed = true));
  server.on('request', () => (isQuiet = false));
  while (!isClosed) {
    isQuiet = true;
    await Promise.race([closed, sleep(clock, QUIET_MS)]);
    // After a busy turn, timers run before requests that have arrived are read.
    await pollOnce();
    if (!isQuiet) continue;
    server.closeIdleConnections();
    // Those on which nothing was ever sent do not count as idle.
    server.headersTimeout = QUIET_MS;
  }
}

const sleep = (clock: Clock, ms: number) =>
  new Promise<void>((resolve) => clock.setTimeout(resolve, ms));
