/**
 * How a server stops without resetting anybody.
 */
import type { Server } from 'node:http';
import { Server as NetServer } from 'node:net';
import { setImmediate as pollOnce, setTimeout as sleep } from 'node:timers/promises';
import type { Site } from '../gateway.ts';
import type { Connections } from './connections.ts';

/**
 * How long each step of stopping lasts, in milliseconds: time for load balancers to see that we are
 * not ready, and for callers who are about to send on a connection they keep.
 */
const FAREWELL_MS = 200;

/** The longest that callers who keep connecting may hold the port open, in milliseconds. */
const TAKE_IN_MS = 2_000;

/** A server that stops, and how far it has come. */
export interface Stopping {
  readonly server: Server;
  readonly connections: Pick<Connections, 'closeSilent'>;
  /** Nobody can connect any more, so connections are not kept for a next request. */
  lastAnswers: boolean;
}

/**
 * Not ready at once; finishes what is under way, then closes.
 *
 * @param timeoutMs after which connections are cut.
 * @returns whether everything was finished.
 */
export async function drain(stopping: Stopping, site: Site, timeoutMs: number): Promise<boolean> {
  const { server, connections } = stopping;
  site.readiness.drain();
  const finished = async () => {
    // First only not ready: who is still sent here is served, on connections that are kept.
    await sleep(Math.min(FAREWELL_MS, timeoutMs));
    await takeIn(server);
    // Then nobody can connect. Not http's close(): it resets kept connections that are about to
    // be used, where an answer with `Connection: close` ends them without harm.
    const closed = new Promise((resolve) => NetServer.prototype.close.call(server, resolve));
    stopping.lastAnswers = true;
    await Promise.race([closed, sleep(FAREWELL_MS)]);
    // After a busy moment timers come before what has arrived meanwhile: closing would reset it.
    await pollOnce();
    // Who has asked nothing in that time is idle.
    server.closeIdleConnections();
    connections.closeSilent();
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

/**
 * Accepts who has connected already: closing the port would reset them. libuv accepts one connection
 * a turn of the event loop, so a turn without any means that nobody is left.
 */
async function takeIn(server: Server): Promise<void> {
  const untilMs = performance.now() + TAKE_IN_MS;
  let accepted = true;
  const note = (): void => {
    accepted = true;
  };
  server.on('connection', note);
  while (accepted && performance.now() < untilMs) {
    accepted = false;
    await pollOnce();
  }
  server.off('connection', note);
}
