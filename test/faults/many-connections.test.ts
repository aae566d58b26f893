/**
 * T108: many connections at one moment, of which none is lost.
 *
 * The moment is one in which the gateway is stopped. Of more than its backlog the system would drop the first packets,
 * which clients send again after a second and more.
 */
import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { afterFile } from '../support/after-file.ts';
import { openStand } from './stand.ts';

const VERY_MANY = 1_000;

const PROBE = 'GET /health HTTP/1.1\r\nhost: gateway\r\n\r\n';

it('T108 answers all of a thousand connections', async () => {
  const { port, process: gateway } = (await openStand({ LOG_LEVEL: 'warn' })).gateway;
  gateway.kill('SIGSTOP');
  afterFile(() => gateway.kill('SIGCONT'));
  const sockets = Array.from({ length: VERY_MANY }, () => connect(port, '127.0.0.1'));
  for (const socket of sockets) afterFile(() => socket.destroy());
  // All of them wait to be accepted.
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  const answers = sockets.map(async (socket) => {
    socket.write(PROBE);
    const [answer] = (await once(socket, 'data')) as [Buffer];
    return answer.toString().split('\r\n')[0];
  });

  gateway.kill('SIGCONT');

  expect(new Set(await Promise.all(answers))).toEqual(new Set(['HTTP/1.1 200 OK']));
});
