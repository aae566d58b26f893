/**
 * T107: a log that nobody reads: its pipe is full, and what is written to it waits.
 */
import { once } from 'node:events';
import { Pool } from 'undici';
import { expect, it, onTestFinished } from 'vitest';
import { KEY, startGateway, type GatewayProcess } from '../support/gateway-process.ts';
import { until } from '../support/until.ts';

async function open(): Promise<GatewayProcess> {
  const gateway = await startGateway({ LOG_LEVEL: 'info' });
  onTestFinished(async () => {
    gateway.process.stdout!.resume();
    await gateway.stop('SIGKILL');
  });
  return gateway;
}

const ID = 'r'.repeat(128);

/** Sends requests whose log lines have 600 bytes each. */
async function write(gateway: GatewayProcess, lines: number): Promise<void> {
  const pool = new Pool(gateway.url, { connections: 8 });
  const body = JSON.stringify({ query: `query ${'N'.repeat(200)} { __typename }` });
  const headers = { 'content-type': 'application/json', 'x-api-key': KEY, 'x-request-id': ID };
  let sent = 0;
  const send = async (): Promise<void> => {
    while (sent < lines) {
      sent += 1;
      const answer = await pool.request({ method: 'POST', path: '/graphql', headers, body });
      expect(answer.statusCode).toBe(200);
      await answer.body.dump();
    }
  };
  await Promise.all(Array.from({ length: 8 }, send));
  await pool.close();
}

it('T107 an unread log keeps lines up to a limit, counts those that it drops, and does not stop the gateway', async () => {
  const gateway = await open();
  const lines = 12_000;
  gateway.process.stdout!.pause();

  await write(gateway, lines);
  const health = await gateway.get('/health');
  gateway.process.stdout!.resume();

  const written = (): number => gateway.output.split('"GraphQL request"').length - 1;
  const dropped = (): number =>
    [...gateway.output.matchAll(/"lines":(\d+)/g)].reduce(
      (sum, [, count]) => sum + Number(count),
      0,
    );
  await until(() => expect(written() + dropped()).toBe(lines));
  expect(health.status).toBe(200);
  expect(dropped()).toBeGreaterThan(1_000);
  expect(written()).toBeGreaterThan(5_000);
});

it('T107 an unread log does not keep the process from exiting', async () => {
  const gateway = await open();
  gateway.process.stdout!.pause();
  await write(gateway, 3_000);

  const ended = once(gateway.process, 'exit');
  gateway.process.kill('SIGTERM');

  expect(await ended).toEqual([0, null]);
});
