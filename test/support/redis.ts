/**
 * A Redis (or Valkey) of a test's own on a unix socket, as Debian installs it. Without one, tests are skipped.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis as Client } from 'ioredis';
import { onTestFinished } from 'vitest';
import { openFolder } from './folder.ts';

const PROGRAM = ['/usr/bin/redis-server', '/usr/bin/valkey-server'].find((path) =>
  existsSync(path),
);

export const hasRedis = PROGRAM !== undefined;
if (!hasRedis) process.stderr.write('redis-server is not installed: its tests are skipped.\n');

export interface RedisServer {
  /** For `REDIS_URL`. */
  readonly url: string;
  /** Sends a command, and returns what Redis returns. */
  command(name: string, ...args: readonly (string | number)[]): Promise<unknown>;
  /** Suspends it (SIGSTOP), and resumes it. */
  freeze(): void;
  thaw(): void;
  kill(): Promise<void>;
  /** Starts it again, empty. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** @param args more arguments of the server. */
export async function openRedis(...args: readonly string[]): Promise<RedisServer> {
  const redis = await startRedis(...args);
  onTestFinished(() => redis.stop());
  return redis;
}

/** A Sentinel, which watches nothing. */
export async function openSentinel(port: number): Promise<void> {
  const settings = join(openFolder({ 'sentinel.conf': '' }), 'sentinel.conf');
  const sentinel = spawn(PROGRAM!, [settings, '--sentinel', '--port', String(port)], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  onTestFinished(() => void sentinel.kill('SIGKILL'));
  const client = new Client(port, { retryStrategy: () => 10 });
  client.on('error', () => {});
  await client.ping();
  client.disconnect();
}

/** As `openRedis`, outside of tests: its caller stops it. */
export async function startRedis(...args: readonly string[]): Promise<RedisServer> {
  const folder = mkdtempSync(join(tmpdir(), 'redis-'));
  const socket = join(folder, 'socket');
  let server: ChildProcess | undefined;
  const end = () => void server?.kill('SIGKILL');
  process.once('exit', end);

  const client = () => {
    const opened = new Client(socket, { lazyConnect: true, retryStrategy: () => null });
    opened.on('error', () => {});
    return opened;
  };
  const command = async (name: string, ...rest: readonly (string | number)[]) => {
    const one = client();
    try {
      return await one.call(name, ...rest);
    } finally {
      one.disconnect();
    }
  };
  const start = async () => {
    server = spawn(
      PROGRAM!,
      ['--port', '0', '--unixsocket', socket, '--save', '', '--dir', folder, ...args],
      { stdio: 'ignore' },
    );
    while (!(await command('PING').catch(isRefused))) await sleep(10);
  };
  const kill = async () => {
    const ended = once(server!, 'exit');
    server!.kill('SIGKILL');
    await ended;
    server = undefined;
  };
  await start();
  return {
    url: `unix://${socket}`,
    command,
    freeze: () => void server!.kill('SIGSTOP'),
    thaw: () => void server!.kill('SIGCONT'),
    kill,
    start,
    stop: async () => {
      process.off('exit', end);
      if (server) await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Whether the server runs and requires a password. */
const isRefused = (error: Error): boolean => /^(?:NOAUTH|NOPERM)/.test(error.message);
