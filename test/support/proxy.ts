/**
 * The proxies' configurations of `deploy/proxy/`, for a test's port and replicas, and haproxy.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { freePort } from './free-port.ts';
import { openNginx, type NginxSettings } from './nginx.ts';

const HAPROXY = ['/usr/sbin/haproxy', '/usr/local/sbin/haproxy'].find((path) => existsSync(path));

export const hasHaproxy = HAPROXY !== undefined;
if (!hasHaproxy) process.stderr.write('haproxy is not installed: its tests are skipped.\n');

export const readProxy = (file: string): string =>
  readFileSync(new URL(`../../deploy/proxy/${file}`, import.meta.url), 'utf8');

/** The configuration with a test's replicas instead of `gateway-1:4000` and the others. */
function inFrontOf(replicas: readonly string[], file: string): string {
  const hosts = replicas.map((url) => new URL(url).host);
  return readProxy(file).replaceAll(
    /gateway-(\d):4000/g,
    (_, n) => hosts[(Number(n) - 1) % hosts.length]!,
  );
}

/** `deploy/proxy/nginx.conf` in front of replicas. */
export const nginxInFrontOf =
  (...replicas: readonly string[]): NginxSettings =>
  (port) =>
    inFrontOf(replicas, 'nginx.conf').replace('listen 8080', `listen 127.0.0.1:${port}`);

/** @returns its URL. */
export const openNginxInFrontOf = (...replicas: readonly string[]): Promise<string> =>
  openNginx(replicas[0]!, nginxInFrontOf(...replicas));

/** `deploy/proxy/haproxy.cfg` in front of replicas, for one test. @returns its URL. */
export async function openHaproxyInFrontOf(...replicas: readonly string[]): Promise<string> {
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'haproxy-'));
  const file = join(folder, 'haproxy.cfg');
  writeFileSync(
    file,
    inFrontOf(replicas, 'haproxy.cfg').replace('bind :8080', `bind 127.0.0.1:${port}`),
  );
  // `-db`: in the foreground.
  const haproxy = spawn(HAPROXY!, ['-db', '-f', file], { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  haproxy.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  onTestFinished(async () => {
    const ended = haproxy.exitCode === null ? once(haproxy, 'exit') : undefined;
    haproxy.kill('SIGKILL');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  });
  const url = `http://127.0.0.1:${port}`;
  await expect
    .poll(
      () =>
        fetch(`${url}/health`).then(
          ({ status }) => status,
          () => said,
        ),
      { timeout: 5_000 },
    )
    .toBe(200);
  return url;
}
