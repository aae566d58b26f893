/** `npm run backend`: the embedded backend as a service, and a gateway without its packages. */
import { spawnSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { linesOf } from '../support/open-log.ts';
import { openFolder } from '../support/folder.ts';
import { startBackend } from '../support/backend-service.ts';
import { startGateway } from '../support/gateway-process.ts';
import { buildGateway } from '../support/gateway-build.ts';
import { POST_JSON } from '../support/client.ts';
import { listen } from '../support/listen.ts';

const DEMO = { 'x-api-key': 'demo' };

it('logs its address in one line, serves a gateway, and exits with 0 on SIGTERM', async () => {
  const backend = await startBackend();
  const url = await backend.ready();
  const gateway = await startGateway({ UPSTREAM_URL: url });

  const { data } = await gateway.ask('{ page(pageId: "page_northwind") { name } }', {
    apiKey: 'demo',
  });
  backend.process.kill('SIGTERM');

  expect(data).toEqual({ page: { name: 'Northwind launch' } });
  expect(linesOf(backend.output)).toMatchObject([{ url }]);
  expect(await backend.exit).toBe(0);
});

it('listens on every interface with HOST=0.0.0.0', async () => {
  const backend = await startBackend({ HOST: '0.0.0.0' });

  const { port } = new URL(await backend.ready());

  const { status } = await fetch(`http://127.0.0.2:${port}/v0/topics`, { headers: DEMO });
  expect(status).toBe(200);
});

it('serves writes after SIGTERM for DRAIN_DELAY_MS, then closes its port and exits with 0', async () => {
  const backend = await startBackend({ DRAIN_DELAY_MS: '500' });
  const url = await backend.ready();
  const write = () =>
    fetch(`${url}/v0/pages/page_empty/audiences`, {
      method: 'POST',
      headers: { ...DEMO, ...POST_JSON },
      body: '{}',
    });
  const statuses: number[] = [];
  let connection: string | null = null;
  let failure: unknown;

  backend.process.kill('SIGTERM');
  while (failure === undefined) {
    await write().then(
      ({ status, headers }) => {
        statuses.push(status);
        connection = headers.get('connection');
      },
      (error: Error) => (failure = error.cause),
    );
    await sleep(5); // the pace of the writes
  }

  expect(await backend.exit).toBe(0);
  expect(statuses.length).toBeGreaterThan(0);
  expect(new Set(statuses)).toEqual(new Set([201]));
  // Its last response ends the connection, so that no request is on its way when it is closed.
  expect(connection).toBe('close');
  expect(failure).toMatchObject({ code: 'ECONNREFUSED' });
});

it.each([
  [{ PORT: 'none' }, /^PORT .*"none"/],
  [{ BACKEND_ROUTES: 'all' }, /^BACKEND_ROUTES .*"document" or "extended".*"all"/],
  [{ BACKEND_DATABASE_URL: 'file:/proc/none/backend.db' }, / file:\/proc\/none\/backend\.db: /],
  [{ HOST: '192.0.2.1' }, /^HOST 192\.0\.2\.1 /],
])('fails to start with %o, in one line', async (env, line) => {
  const backend = await startBackend(env);

  expect(await backend.exit).toBe(1);

  expect(backend.output.trim()).toMatch(line);
  expect(backend.output.trim().split('\n')).toHaveLength(1);
});

it('fails to start when its port is in use, and states what to set', async () => {
  const port = await listen(createServer());
  const backend = await startBackend({ PORT: `${port}` });

  expect(await backend.exit).toBe(1);

  expect(backend.output).toMatch(new RegExp(`^Port ${port} on 127\\.0\\.0\\.1 .*\\bPORT\\b.*\n$`));
});

it('a gateway that is installed without the backend’s packages requires UPSTREAM_URL in one line', async () => {
  const folder = openFolder();
  const main = await buildGateway();
  cpSync(dirname(main), join(folder, 'dist'), { recursive: true });
  cpSync('node_modules/graphql', join(folder, 'node_modules/graphql'), { recursive: true });

  const { status, stderr } = spawnSync(process.execPath, [join(folder, 'dist/main.js')], {
    env: { PATH: process.env['PATH'], PORT: '0' },
  });

  expect(status).toBe(1);
  expect(stderr.toString()).toMatch(/^UPSTREAM_URL .+\n$/);
});
