/**
 * An nginx in front of a server, as Debian installs it. Without one, tests are skipped.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { freePort } from './free-port.ts';

const PROGRAM = ['/usr/sbin/nginx', '/usr/bin/nginx'].find((path) => existsSync(path));

export const hasNginx = PROGRAM !== undefined;
if (!hasNginx) process.stderr.write('nginx is not installed: its tests are skipped.\n');

/** The content of nginx's `http` block, for the port to listen on and the host to pass requests to. */
export type NginxSettings = (port: number, host: string) => string;

/** Passes requests on with nginx's defaults, by which responses are buffered. */
export const passing =
  (settings = ''): NginxSettings =>
  (port, host) =>
    `${settings} server { listen 127.0.0.1:${port}; location / { proxy_pass http://${host}; } }`;

/** Starts nginx for one test. @returns its URL, once the server behind it responds. */
export async function openNginx(upstreamUrl: string, settings = passing()): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'nginx-'));
  const port = await freePort();
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${folder}/${name};`)
    .join(' ');
  const file = join(folder, 'nginx.conf');
  writeFileSync(
    file,
    `daemon off; pid ${folder}/pid; error_log ${folder}/error.log; events { worker_connections 4096; }
     http { access_log off; ${temporary} ${settings(port, new URL(upstreamUrl).host)} }`,
  );
  const nginx = spawn(PROGRAM!, ['-p', folder, '-c', file], { stdio: 'ignore' });
  onTestFinished(async () => {
    const ended = nginx.exitCode === null ? once(nginx, 'exit') : undefined;
    nginx.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  });
  const url = `http://127.0.0.1:${port}`;
  await expect
    .poll(() => fetch(`${url}/health`).then((answer) => answer.status, String), { timeout: 5_000 })
    .toBe(200);
  return url;
}
