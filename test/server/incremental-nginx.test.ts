/**
 * Answers in parts through an nginx as it comes: the first part must not wait there for the last.
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { eventually } from '../faults/stand.ts';
import { openFaultUpstream } from '../support/fault-upstream.ts';
import { held } from '../support/faults.ts';
import { world } from '../support/world.ts';
import { openSite, POST_JSON } from './support.ts';

const isThere = spawnSync('nginx', ['-v']).error === undefined;

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Nothing is set but where it listens and what is behind it. */
async function openNginx(url: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'nginx-'));
  const port = await freePort();
  writeFileSync(
    join(folder, 'nginx.conf'),
    `daemon off; pid ${folder}/pid; error_log stderr; events {}
    http {
      access_log off; gzip on; gzip_types *;
      client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy;
      fastcgi_temp_path ${folder}/f; uwsgi_temp_path ${folder}/u; scgi_temp_path ${folder}/s;
      server { listen 127.0.0.1:${port}; location / { proxy_pass ${url}; } }
    }`,
  );
  const nginx = spawn('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf')], {
    stdio: 'ignore',
  });
  onTestFinished(async () => {
    const ended = new Promise((resolve) => nginx.once('exit', resolve));
    nginx.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true });
  });
  const front = `http://127.0.0.1:${port}`;
  await eventually(async () => expect((await fetch(`${front}/health`)).status).toBe(200));
  return front;
}

it.skipIf(!isThere)('passes each part on at once', async () => {
  const upstream = await openFaultUpstream();
  onTestFinished(() => upstream.stop());
  const late = held(world());
  upstream.on('*', world());
  upstream.on('GET /v0/pages/p/audiences', late.behaviour);
  const site = await openSite({ upstreamUrl: upstream.url });
  const front = await openNginx(site.url);

  const response = await fetch(`${front}/graphql`, {
    method: 'POST',
    headers: {
      ...{ 'x-api-key': 'key', ...POST_JSON },
      accept: 'multipart/mixed;incrementalSpec=v0.2, application/json;q=0.9',
    },
    body: JSON.stringify({
      query: '{ page(pageId: "p") { name ... @defer { audiences { totalCount } } } }',
    }),
  });
  const reader = response.body!.getReader();
  const first = new TextDecoder().decode((await reader.read()).value);
  late.release();
  let rest = '';
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    rest += new TextDecoder().decode(read.value);
  }

  expect(first).toContain('"name":"name"');
  expect(first).not.toContain('audiences":');
  expect(rest).toContain('"totalCount"');
});
