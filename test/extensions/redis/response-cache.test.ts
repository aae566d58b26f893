/** The response cache that replicas share in Redis, and its invalidation by writes. */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Epochs } from '../../../src/extensions/cache/epochs.ts';
import { ResponseCache, tokenOf } from '../../../src/extensions/cache/response-cache.ts';
import type { RequestScope, RestClient } from '../../../src/rest/client/client.ts';
import {
  createConnection,
  type CommandOutcome,
  storeOn,
  type Connection,
} from '../../../src/extensions/redis/connection.ts';
import { RedisReads } from '../../../src/extensions/redis/shared-reads.ts';
import { routes } from '../../../src/v0/routes.ts';
import { openRest, topic, type Rest } from '../../rest/open-rest.ts';
import { held, ok } from '../../support/faults.ts';
import { openFaultUpstream } from '../../support/fault-upstream.ts';
import { hasRedis, openRedis, type RedisServer } from '../../support/redis.ts';
import { until } from '../../support/until.ts';
import { openShared } from './support.ts';

const TOPIC = 'GET /v0/topics/t';
const TTLS = new Map([[routes.getTopic.path, 60_000]]);

async function openFleet(count = 2) {
  const redis = await openRedis();
  const backend = await openFaultUpstream();
  const state = { title: 1 };
  backend.on(TOPIC, (...args) => ok(topic('t', String(state.title)))(...args));
  backend.on('PATCH /v0/topics/t', (...args) => {
    state.title += 1;
    return ok(topic('t'))(...args);
  });
  const commands: CommandOutcome[] = [];
  const replicas = await Promise.all(
    Array.from({ length: count }, async () => {
      const shared = await openShared(redis, { onCommand: (outcome) => commands.push(outcome) });
      const newCache = () =>
        new ResponseCache({ maxBytes: 1_000_000, ttls: TTLS, shared: shared.reads });
      const cache = newCache();
      await cache.open();
      const rest = await openRest({ url: backend.url, cache });
      const readAnew = async () => read(await openRest({ url: backend.url, cache: newCache() }));
      return Object.assign(rest, { shared, readAnew });
    }),
  );
  return { redis, backend, state, commands, replicas, one: replicas[0]!, other: replicas[1]! };
}

const title = async (client: RestClient): Promise<string> =>
  (await client.call(routes.getTopic, { path: { topic_id: 't' } })).title;

/** The title that a request reads, and whether it was `sent` or `cached`. */
async function read(rest: Rest, scope?: Partial<RequestScope>): Promise<string> {
  const client = rest.client(scope);
  const found = await title(client);
  return `${client.callLog.entries.map(({ source }) => source).join()} ${found}`;
}

/** @returns the token of the write. */
async function write(rest: Rest): Promise<string> {
  const client = rest.client();
  const path = { topic_id: 't' };
  await client.call(routes.updateTopic, { path, body: { title: 'n' } });
  return tokenOf(client.callLog)!;
}

/**
 * Waits for a response in Redis. It is sent there once, after its caller has it; when Redis was late it is read again, with
 * nothing in memory.
 */
async function untilStored(
  redis: RedisServer,
  { readAnew }: { readonly readAnew: () => Promise<unknown> },
): Promise<void> {
  const found = () => until(async () => ((await redis.command('DBSIZE')) as number) > 1, 2_000);
  await until(() =>
    found().catch(async (error: unknown) => {
      await readAnew();
      throw error;
    }),
  );
}

describe.skipIf(!hasRedis)('replicas that share a Redis', () => {
  it('use a response that another replica has read, only for the same API key and headers', async () => {
    const { redis, one, other } = await openFleet();
    expect(await read(one)).toBe('sent 1');
    await untilStored(redis, one);

    expect(await read(other)).toBe('cached 1');
    expect(await read(other, { apiKey: 'key-b' })).toBe('sent 1');
    expect(await read(other, { forwarded: ['accept-language', 'de'] })).toBe('sent 1');
  });

  it('do not query Redis for a response in memory', async () => {
    const { redis, commands, one } = await openFleet();
    await read(one);
    await untilStored(redis, one);
    const before = commands.length;

    for (let i = 0; i < 10; i++) expect(await read(one)).toBe('cached 1');

    expect(commands.length).toBe(before);
  });

  it('read nothing older than a write at another replica when the request has its token', async () => {
    const { redis, one, other } = await openFleet();
    await read(other);
    await untilStored(redis, other);
    await read(one);

    const token = await write(one);

    expect(token).toMatch(/^\d{16}$/);
    expect(await read(other, { newerThan: token })).toBe('sent 2');
    expect(await read(one)).toMatch(/ 2$/);
  });

  it('soon read the state after a write at another replica without its token', async () => {
    const { one, other } = await openFleet();
    await read(other);

    await write(one);

    await until(async () => (await read(other)).endsWith(' 2'));
  });

  it('neither cache nor share a slow read that began before a write at another replica', async () => {
    const { backend, one, other } = await openFleet();
    const slow = held(ok(topic('t', 'old')));
    const now = ok(topic('t', 'new'));
    backend.on(TOPIC, slow.behaviour, now);
    const begun = read(other);
    await until(() => backend.hits(TOPIC) === 1);

    const token = await write(one);
    expect(await read(other, { newerThan: token })).toBe('sent new');
    slow.release();

    expect(await begun).toBe('sent old');
    // Before both messages of the write have arrived, a response read in between is not used.
    await until(async () => (await read(other, { newerThan: token })) === 'cached new');
    expect(await read(one, { newerThan: token })).toMatch(/ new$/);
  });

  it.each([
    ['is frozen', async (redis: Redis) => redis.freeze()],
    ['is killed', (redis: Redis) => redis.kill()],
    ['has lost its data', (redis: Redis) => redis.command('FLUSHALL')],
    [
      'is restarted empty',
      async (redis: Redis) => {
        await redis.kill();
        await redis.start();
      },
    ],
  ])('query the backend for a request with a token while Redis %s', async (state, fault) => {
    const { redis, one, other } = await openFleet();
    await read(other);
    const token = await write(one);
    await fault(redis);

    const client = other.client({ newerThan: token });
    const beganMs = performance.now();
    expect(await title(client)).toBe('2');

    expect(performance.now() - beganMs).toBeLessThan(1_000);
    expect(client.callLog.calls).toBe(1);
    expect(await read(one)).toMatch(/ 2$/);
    if (state === 'is frozen') redis.thaw();
  });

  it('query the backend after a write while Redis was frozen, and use no older response', async () => {
    const { redis, one, other } = await openFleet();
    await read(one);
    await untilStored(redis, one);
    await read(other);
    redis.freeze();
    const token = await write(one);
    expect(token).not.toMatch(/^\d{16}$/);
    redis.thaw();

    expect(await read(other, { newerThan: token })).toBe('sent 2');
    await until(() => one.shared.connection.isAvailable);
    expect(await read(one)).toMatch(/ 2$/);
  });

  it('report a write that Redis missed, even after 10,000 other keys', async () => {
    const redis = await openRedis();
    const shared = await openShared(redis);
    const epochs = new Epochs(shared.reads);
    await epochs.open();
    await redis.kill();
    expect(await epochs.move('key')).toBe(undefined);
    for (let i = 0; i < 10_000; i++) epochs.of(`key-${i}`);
    await redis.start();
    await until(() => shared.connection.isAvailable);

    await until(() => epochs.isSettled('key'));

    expect(await redis.command('DBSIZE')).toBe(1);
  });

  it('wait for a frozen Redis in at most four of twenty reads', async () => {
    const { redis, one } = await openFleet();
    redis.freeze();
    const times: number[] = [];
    for (let i = 0; i < 20; i++) {
      const beganMs = performance.now();
      await read(one, { apiKey: `key-${i}` });
      times.push(performance.now() - beganMs);
    }
    redis.thaw();

    expect(times.filter((ms) => ms >= 50).length).toBeLessThanOrEqual(4);
    expect(Math.max(...times)).toBeLessThan(500);
  });

  it('do not use a response that Redis returned before the end of a write that it missed', async () => {
    const { redis, backend, one } = await openFleet();
    await read(one);
    await untilStored(redis, one);
    const connection = createConnection(redis.url);
    await connection.open();
    onTestFinished(() => connection.close());
    let release = () => {};
    const late = new Promise<void>((resolve) => (release = resolve));
    const refusing: Connection = {
      isAvailable: true,
      ...{ subscribe: async () => {}, open: async () => {}, close: async () => {} },
      run: async (script, keys, args) => {
        if (script.name === 'gatewayMoveReads') return undefined;
        const answer = await connection.run(script, keys, args);
        await late;
        return answer;
      },
    };
    const shared = new RedisReads(storeOn(refusing, 'a secret of the tests', 'backend'));
    const cache = new ResponseCache({ maxBytes: 1_000_000, ttls: TTLS, shared });
    const rest = await openRest({ url: backend.url, cache });
    const begun = read(rest);
    await write(rest);
    release();
    await begun;

    expect(await read(rest)).toMatch(/ 2$/);
  });

  it('do not use a response beyond its max-age when it was stored late', async () => {
    const { redis, backend, one, other } = await openFleet();
    const brief = { 'cache-control': 'max-age=1' };
    backend.on(TOPIC, ok(topic('t', 'old'), brief), ok(topic('t', 'new'), brief));
    await read(one, { apiKey: 'key-b' });
    backend.on(TOPIC, ok(topic('t', 'old'), brief), ok(topic('t', 'new'), brief));
    expect(await read(one)).toBe('sent old');
    const readMs = performance.now();
    // The command that stores it may still be in flight to Redis.
    redis.freeze();
    await sleep(700);
    redis.thaw();
    await until(() => other.shared.connection.isAvailable);
    await read(other);
    // A timer may come a part of a millisecond early.
    await sleep(readMs + 1_005 - performance.now());

    expect(await read(one)).toMatch(/new$/);
    expect(await read(other)).toMatch(/new$/);
  });

  it('store hashed names with an expiry in Redis, without a caller’s API key', async () => {
    const { redis, one } = await openFleet();
    await read(one);
    await write(one);
    await read(one);
    await untilStored(redis, one);

    const names = (await redis.command('KEYS', '*')) as string[];
    expect(names.length).toBe(2);
    for (const name of names) {
      expect(name).toMatch(/^gateway:1:reads:\{[\w-]{22}\}:(epoch|[\w-]{22})$/);
      expect(await redis.command('PTTL', name)).toBeGreaterThan(0);
      expect(String(await redis.command('GET', name))).not.toContain('key-a');
    }
  });
});

type Redis = Awaited<ReturnType<typeof openRedis>>;
