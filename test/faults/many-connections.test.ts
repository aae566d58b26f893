/**
 * T108: many connections at one moment, of which none is dropped.
 *
 * The moment is the one in which a gateway that was stopped goes on.
 */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { it } from 'vitest';
import { afterFile } from '../support/after-file.ts';
import { world } from '../support/world.ts';
import { openStand } from './stand.ts';

/** More than wait where a server does not say how many may. */
const VERY_MANY = 1_000;

/** What the system lets wait. */
const ALLOWED = Number(readFileSync('/proc/sys/net/core/somaxconn', 'utf8'));

/** Connections with a request each, of which the gateway has read nothing yet. */
async function sendToStopped(requests: readonly string[]): Promise<{
  readonly sockets: readonly Socket[];
  goOn(): void;
}> {
  const stand = await openStand({ LOG_LEVEL: 'warn' });
  stand.upstream.on('*', world());
  const { port, process: gateway } = stand.gateway;
  gateway.kill('SIGSTOP');
  afterFile(() => gateway.kill('SIGCONT'));
  const sockets: Socket[] = [];
  for (const request of requests) {
    const socket = connect(port, '127.0.0.1');
    afterFile(() => socket.destroy());
    sockets.push(socket);
    await once(socket, 'connect');
    socket.write(request);
  }
  return { sockets, goOn: () => gateway.kill('SIGCONT') };
}

const PROBE = 'GET /health HTTP/1.1\r\nhost: gateway\r\n\r\n';

it.skipIf(ALLOWED < VERY_MANY)('T108 drops no connection of a thousand', async () => {
  const { sockets, goOn } = await sendToStopped(Array.from({ length: VERY_MANY }, () => PROBE));
  const answers = sockets.map((socket) => once(socket, 'data'));

  goOn();

  await Promise.all(answers);
});
