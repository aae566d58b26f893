/**
 * Answers through nginx as Debian installs it, and through one that compresses itself.
 *
 * Skipped, with a line that says so, where there is no nginx.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { IDS } from '../support/ids.ts';
import { openSite, shareBackend, type Site } from './support.ts';

shareBackend();

const hasNginx = spawnSync('nginx', ['-v']).status === 0;
if (!hasNginx) process.stderr.write('There is no nginx here: its tests are skipped.\n');

const QUERY = `{ page(pageId: "${IDS.page}") { name audiences(first: 20) { nodes { id audienceId effectiveName status createdAt } } } }`;

/** What Debian's nginx.conf says of compression. */
const DEBIAN = 'gzip on;';

/** A proxy that keeps coding to itself, which makes strong tags weak. */
const COMPRESSING = `gzip on; gzip_proxied any; gzip_types application/json application/graphql-response+json;
  proxy_set_header Accept-Encoding "";`;

async function openNginx(site: Site, settings: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'nginx-'));
  const port = await freePort();
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${folder}/${name};`)
    .join(' ');
  await writeFile(
    join(folder, 'nginx.conf'),
    `daemon off; pid ${folder}/pid; error_log stderr crit; worker_processes 1;
     events { worker_connections 64; }
     http { access_log off; ${temporary} ${settings}
       server { listen 127.0.0.1:${port}; location / { proxy_pass ${site.url}; } } }`,
  );
  const nginx = spawn('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf')], {
    stdio: 'ignore',
  });
  onTestFinished(async () => {
    nginx.kill('SIGTERM');
    if (nginx.exitCode === null) await once(nginx, 'exit');
    await rm(folder, { recursive: true, force: true });
  });
  const url = `http://127.0.0.1:${port}`;
  await expect
    .poll(
      () =>
        fetch(`${url}/health`).then(
          ({ status }) => status,
          () => 0,
        ),
      { timeout: 5_000 },
    )
    .toBe(200);
  return url;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return typeof address === 'object' && address ? address.port : 0;
}

const get = (url: string, headers: Record<string, string> = {}) =>
  fetch(`${url}/graphql?query=${encodeURIComponent(QUERY)}`, {
    headers: { 'x-api-key': 'demo', 'accept-encoding': 'gzip', ...headers },
  });

describe.skipIf(!hasNginx)('behind nginx', () => {
  it.each([
    ['as Debian installs it', DEBIAN, /^"/],
    ['that compresses itself', COMPRESSING, /^W\/"/],
  ])('%s, answers are compressed, and 304 by their tags', async (_, settings, tagForm) => {
    const site = await openSite({ timeoutMs: 5_000 });
    const url = await openNginx(site, settings);

    const first = await get(url);
    const tag = first.headers.get('etag')!;
    const same = await get(url, { 'if-none-match': tag });
    const other = await get(url, { 'if-none-match': tag, 'x-api-key': 'demo-two' });

    expect(first.headers.get('content-encoding')).toBe('gzip');
    expect((await first.json()).data.page.name).toBe('Northwind launch');
    expect(tag).toMatch(tagForm);
    expect(same.status).toBe(304);
    expect(same.headers.get('cache-control')).toBe('private, no-cache');
    expect(other.status).not.toBe(304);
  });

  it('POSTs are answered in the coding that was asked for', async () => {
    const site = await openSite({ timeoutMs: 5_000 });
    const url = await openNginx(site, DEBIAN);

    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: {
        'x-api-key': 'demo',
        'content-type': 'application/json',
        'accept-encoding': 'br',
      },
      body: JSON.stringify({ query: QUERY }),
    });

    expect(response.headers.get('content-encoding')).toBe('br');
    expect((await response.json()).data.page.name).toBe('Northwind launch');
  });
});
