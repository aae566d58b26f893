/**
 * Behind nginx, as it is installed and as docs/clients.md sets it up.
 *
 * nginx is Debian's: where it is not installed, nothing is tested.
 */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, type AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openEvents, openLive, openSocket, until } from './support.ts';

const NGINX = ['/usr/sbin/nginx', '/usr/bin/nginx'].find((path) => existsSync(path));

/** The settings that docs/clients.md shows, for a server on a port. */
function exampleOf(upstream: string, port: number, folder: string): string {
  const text = readFileSync(new URL('../../docs/clients.md', import.meta.url), 'utf8');
  const [, example = ''] = /```nginx\n(.*?)```/s.exec(text) ?? [];
  return main(
    folder,
    example
      .replaceAll('127.0.0.1:4000', upstream)
      .replace('listen 443 ssl;', `listen 127.0.0.1:${port};`)
      .replace(/^\s*ssl_.*$/gm, ''),
  );
}

/** Nothing but where to: buffering is on, as it is by default. */
const plain = (upstream: string, port: number, folder: string): string =>
  main(
    folder,
    `server { listen 127.0.0.1:${port}; location / { proxy_pass http://${upstream}; proxy_http_version 1.1; } }`,
  );

const main = (folder: string, servers: string): string => `
daemon off; pid ${folder}/pid; error_log ${folder}/error.log;
events {}
http {
  access_log off;
  client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi; uwsgi_temp_path ${folder}/uwsgi; scgi_temp_path ${folder}/scgi;
${servers}
}
`;

async function startNginx(make: typeof plain, upstream: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'nginx-'));
  const port = await freePort();
  const file = join(folder, 'nginx.conf');
  writeFileSync(file, make(upstream, port, folder));
  execFileSync(NGINX!, ['-t', '-q', '-p', folder, '-c', file]);
  const child = spawn(NGINX!, ['-p', folder, '-c', file], { stdio: 'ignore' });
  onTestFinished(async () => {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  });
  const url = `http://127.0.0.1:${port}`;
  for (;;) {
    const isUp = await fetch(`${url}/health`).then(
      () => true,
      () => false,
    );
    if (isUp) return url;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A TCP server that listens has an AddressInfo.
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe.skipIf(!NGINX)('behind nginx', () => {
  it.each([
    ['as it is installed', plain],
    ['as it is documented', exampleOf],
  ])('%s, the first event comes at once, and the others when they happen', async (_, make) => {
    const live = await openLive();
    const id = await live.draft();
    const url = await startNginx(make, new URL(live.site.url).host);

    const stream = await openEvents(url, { id });
    await until(() => stream.events.length > 0);
    await live.publish(id);
    await stream.ended;

    expect(stream.isComplete()).toBe(true);
    await live.quiet();
  });

  it('as it is documented, sockets are passed on', async () => {
    const live = await openLive();
    const id = await live.draft();
    const url = await startNginx(exampleOf, new URL(live.site.url).host);

    const socket = await openSocket(url);
    socket.subscribe('a', { id });
    await until(() => socket.received('next').length > 0);
    socket.socket.terminate();

    await live.quiet();
  });
});
