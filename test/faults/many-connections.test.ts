/**
 * T108: a thousand connections that wait for a suspended gateway until it continues.
 *
 * Node's backlog holds 511 connections; the system retries the others a second later. A longer backlog would delay
 * a probe behind connections whose callers have left.
 */
import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { afterFile } from '../support/after-file.ts';
import { until } from '../support/until.ts';
import { openTestbed } from './testbed.ts';

const VERY_MANY = 1_000;
const BACKLOG = 511;

const PROBE = 'GET /health HTTP/1.1\r\nhost: gateway\r\n\r\n';

it('T108 responds to all of a thousand connections opened while it was suspended', async () => {
  const { port, process: gateway } = (await openTestbed({ LOG_LEVEL: 'warn' })).gateway;
  gateway.kill('SIGSTOP');
  afterFile(() => gateway.kill('SIGCONT'));
  let connected = 0;
  const answers = Array.from({ length: VERY_MANY }, async () => {
    const socket = connect(port, '127.0.0.1', () => {
      connected += 1;
      socket.write(PROBE);
    });
    afterFile(() => socket.destroy());
    const [answer] = (await once(socket, 'data')) as [Buffer];
    return answer.toString().split('\r\n')[0];
  });
  await until(() => connected >= BACKLOG);

  gateway.kill('SIGCONT');

  expect(new Set(await Promise.all(answers))).toEqual(new Set(['HTTP/1.1 200 OK']));
});
