/**
 * T107: a log that cannot be written: its pipe is not read, or its disk is full.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Pool } from 'undici';
import { expect, it, onTestFinished } from 'vitest';
import { KEY, startGateway, type GatewayProcess } from '../support/gateway-process.ts';
import { copySampleDatabase } from '../support/sample-database.ts';
import { openFolder } from '../support/folder.ts';
import { freePort } from '../support/free-port.ts';
import { buildBackend, buildGateway } from '../support/gateway-build.ts';
import { until } from '../support/until.ts';

const scratch = openFolder();

async function open(
  env: Readonly<Record<string, string>> = {},
  preload: readonly string[] = [],
): Promise<GatewayProcess> {
  const gateway = await startGateway({ LOG_LEVEL: 'info', ...env }, { preload });
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

const written = ({ output }: GatewayProcess): number => output.split('"outcome":').length - 1;
const dropped = ({ output }: GatewayProcess): number =>
  [...output.matchAll(/"lines":(\d+)/g)].reduce((sum, [, count]) => sum + Number(count), 0);

it('T107 an unread log buffers lines up to a limit, counts dropped lines and does not stop the gateway', async () => {
  const gateway = await open();
  const lines = 12_000;
  gateway.process.stdout!.pause();

  await write(gateway, lines);
  const health = await gateway.get('/health');
  gateway.process.stdout!.resume();

  await until(() => expect(written(gateway) + dropped(gateway)).toBe(lines));
  expect(health.status).toBe(200);
  expect(dropped(gateway)).toBeGreaterThan(1_000);
  expect(written(gateway)).toBeGreaterThan(5_000);
});

it('T107 an unread log does not prevent the process from exiting', async () => {
  const gateway = await open();
  gateway.process.stdout!.pause();
  await write(gateway, 3_000);

  const ended = once(gateway.process, 'exit');
  gateway.process.kill('SIGTERM');

  expect(await ended).toEqual([0, null]);
});

it.each(['ENOSPC', 'EPIPE'])(
  'T107 a log that fails with %s buffers lines up to a limit, counts dropped lines and continues once it is writable',
  async (code) => {
    const failure = join(scratch, `failure-${code}`);
    const gateway = await open({ STAGED_LOG: failure }, [
      new URL('staged-log.mjs', import.meta.url).href,
    ]);
    const lines = 8_000;
    writeFileSync(failure, code);

    await write(gateway, lines);
    expect((await gateway.get('/health')).status).toBe(200);
    expect(written(gateway)).toBe(0);
    rmSync(failure);

    await until(() => expect(written(gateway) + dropped(gateway)).toBe(lines));
    expect(dropped(gateway)).toBeGreaterThan(0);
    expect(gateway.output).toContain(`"failure":"${code}"`);
    expect(await gateway.stop()).toBe(0);
    expect(gateway.output).toContain('"Stopped"');
  },
);

it.skipIf(process.platform !== 'linux').each([
  ['the gateway', buildGateway],
  ['the backend', buildBackend],
])('T107 %s serves requests and shuts down with its log on a full disk', async (_what, build) => {
  const [main, port, database] = [await build(), await freePort(), copySampleDatabase()];
  const full = openSync('/dev/full', 'w');
  const env = { ...process.env, PORT: String(port), BACKEND_DATABASE_URL: database.url };
  const child = spawn(process.execPath, [main], { env, stdio: ['ignore', full, full] });
  closeSync(full);
  onTestFinished(() => {
    child.kill('SIGKILL');
    database.remove();
  });
  const topics = () =>
    fetch(`http://127.0.0.1:${port}/${main.endsWith('main.js') ? 'ready' : 'v0/topics'}`, {
      headers: { 'x-api-key': 'demo' },
    });

  await until(async () => expect((await topics()).status).toBe(200));
  expect((await topics()).status).toBe(200);
  const ended = once(child, 'exit');
  child.kill('SIGTERM');

  expect(await ended).toEqual([0, null]);
});
