/**
 * Three gateways behind the nginx of `deploy/`, over the embedded backend, which counts its calls. They share a Redis
 * that each reaches by its own relay, which can be cut. The clock of the second one is two seconds ahead.
 */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { clientOf, type Client } from '../support/client.ts';
import { startGateway, type GatewayProcess } from '../support/gateway-process.ts';
import { openHttp } from '../support/listen.ts';
import { openNginx } from '../support/nginx.ts';
import { nginxInFrontOf } from '../support/proxy.ts';
import { openRedis, type RedisServer } from '../support/redis.ts';
import { openSampleBackend } from '../support/sample-database.ts';

/** Of the second replica. */
const FAST_CLOCK = new URL('fast-clock.mjs', import.meta.url).href;

export interface Testbed extends Client {
  /** Of nginx. */
  readonly url: string;
  readonly backendUrl: string;
  readonly redis: RedisServer;
  readonly replicas: readonly GatewayProcess[];
  /** Calls to the backend so far: `GET /v0/pages/p1`. */
  readonly calls: readonly string[];
  /** The relays of the replicas to Redis. */
  readonly relays: readonly RedisRelay[];
  /** Stops a replica, and starts another in its place. @returns the exit code. */
  restart(i: number, signal?: NodeJS.Signals): Promise<number | null>;
}

/** @param backendUrl another backend than the embedded one. */
export async function openTestbed(
  settings: Readonly<Record<string, string>> = {},
  { count = 3, backendUrl }: { count?: number; backendUrl?: string } = {},
): Promise<Testbed> {
  const calls: string[] = [];
  const redis = await openRedis();
  const backend = await openSampleBackend({
    publishDelayMs: 300,
    onRequest: (line) => calls.push(line),
  });
  onTestFinished(async () => void (await backend.close()));
  const silentUrl = await openSilentAboutCaches(backend.url);
  const relays = await Promise.all(Array.from({ length: count }, () => openRedisRelay(redis)));
  const start = async (i: number, port = 0) =>
    startGateway(
      {
        ...{
          UPSTREAM_URL: backendUrl ?? silentUrl,
          REDIS_URL: relays[i]!.url,
          PORT: String(port),
        },
        ...{ REDIS_SECRET: 'a secret of the fleet', LOG_LEVEL: 'warn', LIVE_POLL_MS: '200..200' },
        ...settings,
      },
      { preload: i === 1 ? [FAST_CLOCK] : [] },
    );
  const replicas = await Promise.all(relays.map(async (_, i) => start(i)));
  onTestFinished(async () => {
    for (const { stop } of replicas) await stop('SIGKILL');
  });
  const urls = replicas.map(({ url }) => url);
  const url = await openNginx(urls[0]!, (port, host) =>
    // All callers of a test have one address.
    nginxInFrontOf(...urls)(port, host).replaceAll(/^.*\blimit_(?:conn|req).*$/gm, ''),
  );
  return {
    ...clientOf(url, 'demo'),
    ...{ url, backendUrl: backendUrl ?? silentUrl, redis, replicas, calls, relays },
    restart: async (i, signal) => {
      const { port, stop } = replicas[i]!;
      const code = await stop(signal);
      replicas[i] = await start(i, port);
      return code;
    },
  };
}

/** A backend's responses without its word on caching, so that replicas cache them by `CACHE_TTL`. @returns its URL. */
const openSilentAboutCaches = (url: string): Promise<string> =>
  openHttp((asked, answer) => {
    const { method, headers } = asked;
    const onwards = request(url + asked.url, { method, headers }, (told) => {
      const { 'cache-control': _, ...others } = told.headers;
      told.pipe(answer.writeHead(told.statusCode!, others));
    });
    asked.pipe(onwards.on('error', () => answer.destroy()));
  });

export interface RedisRelay {
  /** For `REDIS_URL`. */
  readonly url: string;
  cut(): Promise<void>;
  mend(): Promise<void>;
}

async function openRedisRelay({ url }: RedisServer): Promise<RedisRelay> {
  const folder = mkdtempSync(join(tmpdir(), 'relay-'));
  const path = join(folder, 'socket');
  const sockets = new Set<Socket>();
  const open = () =>
    createServer((here) => {
      const there = connect(url.replace('unix://', ''));
      for (const [one, other] of [
        [here, there],
        [there, here],
      ] as const) {
        sockets.add(one);
        one
          .on('error', () => {})
          .on('close', () => {
            sockets.delete(one);
            other.destroy();
          });
        one.pipe(other);
      }
    });
  let server = open();
  const mend = async () => {
    server = open();
    await once(server.listen(path), 'listening');
  };
  const cut = async () => {
    const closed = once(server, 'close');
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  await once(server.listen(path), 'listening');
  onTestFinished(async () => {
    if (server.listening) await cut();
    rmSync(folder, { recursive: true, force: true });
  });
  return { url: `unix://${path}`, cut, mend };
}
