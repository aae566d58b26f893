/**
 * Where a server's connections come from, and how it stops without resetting any.
 */
import type { Server } from 'node:http';
import { Server as NetServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { setImmediate as pollOnce, setTimeout as sleep } from 'node:timers/promises';
import type { Connections } from './connections.ts';
import type { Site } from './site.ts';

/**
 * How long each step of stopping lasts, in milliseconds: time for load balancers to see that we are
 * not ready, and for callers who are about to send on a connection they keep.
 */
const FAREWELL_MS = 200;

/** How long no connection may come before the port is closed, in milliseconds. */
const QUIET_MS = 2;

/** The port is closed after a turn of the event loop that lasted no longer, in milliseconds. */
const SHORT_TURN_MS = 0.5;

/** The longest that callers who keep connecting may hold the port open, in milliseconds. */
const ACCEPT_MS = 1_000;

/** Connections that may wait to be accepted: the system drops others, which come again a second later. */
const BACKLOG = 4_096;

/** What a server gets its connections from. */
export interface Listener {
  /** Connections come from now on; answers the port. */
  open(server: Server): Promise<number>;
  /** Resolves when the port is closed and every accepted connection is the server's. */
  close(server: Server): Promise<void>;
}

export interface Address {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
}

/** A port of the server's own. */
export const ownPort = (address: Address): Listener => ({
  open: (server) => listen(server, address),
  close: closePort,
});

/** @throws what Node throws when the port can't be had: `EADDRINUSE`, `EACCES`, … */
export async function listen(server: NetServer, address: Address): Promise<number> {
  server.listen({ ...address, backlog: BACKLOG });
  await once(server, 'listening');
  // A listening TCP server has an AddressInfo; only pipes have a text, closed servers nothing.
  return (server.address() as AddressInfo).port;
}

/**
 * Accepts the connections that wait, then closes the port when none comes: the operating system
 * resets those that are not accepted, and cannot close a port for new ones alone.
 */
export async function closePort(server: NetServer): Promise<void> {
  const startMs = performance.now();
  let acceptedMs = startMs;
  let accepted = true;
  const note = (): void => {
    acceptedMs = performance.now();
    accepted = true;
  };
  server.on('connection', note);
  // libuv accepts one connection a turn of the event loop, at its beginning. So only a turn without a
  // connection shows that none is left, and during a long one others may have come.
  let turnMs = Infinity;
  let nowMs = startMs;
  while (accepted || turnMs > SHORT_TURN_MS || nowMs - acceptedMs < QUIET_MS) {
    if (nowMs - startMs > ACCEPT_MS) break;
    accepted = false;
    await pollOnce();
    turnMs = performance.now() - nowMs;
    nowMs += turnMs;
  }
  server.off('connection', note);
  // Not http's close(): it resets kept connections that are about to be used, where an answer with
  // `Connection: close` ends them without harm.
  NetServer.prototype.close.call(server);
}

/** A server that stops, and how far it has come. */
export interface Stopping {
  readonly server: Server;
  readonly listener: Listener;
  readonly connections: Pick<Connections, 'closed' | 'closeSilent'>;
  /** The port is closed, so connections are not kept for a next request. */
  lastAnswers: boolean;
}

/**
 * Not ready at once; finishes what is under way, then closes.
 *
 * @param timeoutMs after which connections are cut.
 * @param liveDrainMs over which subscriptions are ended; less, where the time is shorter.
 * @returns whether everything was finished.
 */
export async function drain(
  stopping: Stopping,
  site: Site,
  timeoutMs: number,
  liveDrainMs: number,
): Promise<boolean> {
  const { server, listener, connections } = stopping;
  site.readiness.drain();
  const stepMs = Math.min(FAREWELL_MS, timeoutMs / 4);
  const finished = async () => {
    // First only not ready: requests that still come are served, on connections that are kept.
    await sleep(stepMs);
    await listener.close(server);
    const closed = connections.closed();
    stopping.lastAnswers = true;
    // Now, because clients that connect again reach another process.
    void site.subscriptions.drain(Math.min(liveDrainMs, timeoutMs / 2));
    await Promise.race([closed, sleep(stepMs)]);
    // After a busy turn, timers run before requests that have arrived are read: closing would reset
    // those.
    await pollOnce();
    // Connections without a request by now are idle.
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
