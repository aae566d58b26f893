/**
 * `RATE_LIMIT` in one process and in several that share a Redis, and the backend's `Retry-After` for all of them.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { LeasedRateLimits, limiting } from '../../../src/extensions/redis/rate-limit.ts';
import { hasRedis, openRedis } from '../../support/redis.ts';
import { openGateway } from '../../support/open-gateway.ts';
import { openEvents } from '../../live/support.ts';
import { ID, openShared } from './support.ts';

const MINUTE = { calls: 600, windowMs: 60_000 };
const PAGE = '{ page(pageId: "p") { name } }';

/** The number of granted calls, of so many single ones requested in turn. */
async function granted(limits: readonly LeasedRateLimits[], count: number, apiKey = 'key') {
  let calls = 0;
  for (let i = 0; i < count; i++) {
    if ((await limits[i % limits.length]!.take(apiKey, 1)) === 0) calls += 1;
  }
  return calls;
}

describe('a rate limit of one process', () => {
  it('grants a tenth of its calls immediately and the rest over the window, and returns how long to wait', async () => {
    const limits = new LeasedRateLimits(MINUTE, undefined);
    const startMs = performance.now();

    const first = await granted([limits], 100);
    const waitMs = await limits.take('key', 1);
    const other = await limits.take('another', 1);
    const tookMs = performance.now() - startMs;

    expect(first).toBeGreaterThanOrEqual(60);
    expect(first).toBeLessThanOrEqual(60 + tookMs / 100 + 1);
    expect(waitMs).toBeGreaterThan(0);
    expect(waitMs).toBeLessThanOrEqual(100);
    expect(other).toBe(0);
    await sleep(waitMs + 1); // by the clock of Redis
    expect(await limits.take('key', 1)).toBe(0);
  });

  it('grants an idle API key a request above that tenth, and delays its next request', async () => {
    const limits = new LeasedRateLimits(MINUTE, undefined);

    expect(await limits.take('key', 200)).toBe(0);
    const waitMs = await limits.take('key', 1);

    expect(waitMs).toBeGreaterThan(13_000);
    expect(waitMs).toBeLessThanOrEqual(14_100);
  });

  it('charges unplanned calls to later requests', async () => {
    const limits = new LeasedRateLimits(MINUTE, undefined);

    await limits.take('key', 1);
    limits.owe('key', 58);

    expect(await granted([limits], 1)).toBe(1);
    expect(await limits.take('key', 30)).toBeGreaterThan(0);
  });
});

describe.skipIf(!hasRedis)('a rate limit shared by three replicas', () => {
  const open = async (count = 3) => {
    const redis = await openRedis();
    let commands = 0;
    const shared = await Promise.all(
      Array.from({ length: count }, () =>
        openShared(redis, { onCommand: () => void (commands += 1) }),
      ),
    );
    return {
      ...{ redis, shared },
      limits: shared.map(({ store }) => new LeasedRateLimits(MINUTE, store)),
      commands: () => commands,
    };
  };

  it('grants all replicas together as many calls as one process', async () => {
    const { limits } = await open();
    const startMs = performance.now();

    const calls = await granted(limits, 300);
    const tookMs = performance.now() - startMs;

    // Calls that one replica has leased cannot be used by another.
    expect(calls).toBeGreaterThanOrEqual(60 - 2 * 6);
    expect(calls).toBeLessThanOrEqual(60 + tookMs / 100 + 1);
  });

  it('leases calls from Redis in blocks, and rarely queries Redis while the limit is reached', async () => {
    const { limits, commands } = await open(1);

    expect(await granted(limits, 50)).toBe(50);
    expect(commands()).toBeLessThan(15);
    await granted(limits, 20);
    const before = commands();
    const startMs = performance.now();
    for (let i = 0; i < 1_000; i++) await limits[0]!.take('key', 1);

    expect(commands() - before).toBeLessThanOrEqual((performance.now() - startMs) / 50 + 2);
  });

  it('falls back to a limit per process within a second while Redis is frozen or killed', async () => {
    const { redis, limits } = await open(2);
    expect(await granted(limits, 10)).toBe(10);

    redis.freeze();
    const startMs = performance.now();
    expect(await granted(limits, 40)).toBe(40);
    expect(performance.now() - startMs).toBeLessThan(1_000);
    redis.thaw();
    await redis.kill();
    expect(await granted(limits, 20)).toBe(20);
  });

  it('stores one hashed name in Redis, which expires within six seconds', async () => {
    const { redis, limits } = await open(1);
    await granted(limits, 10, 'the-key-of-a-caller');

    const names = (await redis.command('KEYS', '*')) as string[];
    expect(names).toHaveLength(1);
    expect(names[0]).toMatch(/^gateway:1:limit:[\w-]{22}$/);
    const leftMs = await redis.command('PTTL', names[0]!);
    expect(leftMs).toBeGreaterThan(0);
    expect(leftMs).toBeLessThanOrEqual(6_001);
  });
});

describe('a gateway with RATE_LIMIT', () => {
  const openLimited = (calls: number) =>
    openGateway({
      backend: 'faulty',
      extensions: [limiting(new LeasedRateLimits({ calls, windowMs: 60_000 }, undefined))],
    });

  it('rejects a request above the limit with 429, and reports when to retry', async () => {
    const gateway = await openLimited(20);

    const answers = [await gateway.ask(PAGE), await gateway.ask(PAGE)];
    const refused = await gateway.ask(PAGE);
    const other = await gateway.ask(PAGE, { apiKey: 'another' });

    expect(answers.map((answer) => answer.status)).toEqual([200, 200]);
    expect([refused.status, refused.codes]).toEqual([429, ['RATE_LIMITED']]);
    expect(refused.errors[0]!.extensions!['retryAfterMs']).toBeGreaterThan(0);
    expect(Object.fromEntries(refused.headers)).toMatchObject({
      'retry-after': expect.stringMatching(/^[123]$/),
      'ratelimit-limit': '20',
      'ratelimit-remaining': '0',
      'ratelimit-reset': expect.stringMatching(/^[123]$/),
      'ratelimit-policy': '20;w=60;burst=2',
    });
    expect(other.status).toBe(200);
  });

  it('counts the calls of a request, and one for a request without calls', async () => {
    const gateway = await openLimited(40);

    const three = await gateway.ask(
      '{ a: page(pageId: "a") { name } b: page(pageId: "b") { name } c: page(pageId: "c") { name } }',
    );
    const none = await gateway.ask('{ __typename }');
    const refused = await gateway.ask('{ __typename }');

    expect([three.status, none.status, refused.status]).toEqual([200, 200, 429]);
  });

  it('counts a subscription when it starts', async () => {
    const gateway = await openLimited(20);
    const open = () => openEvents(gateway.url, { id: ID }, { apiKey: 'key' });

    const [one, two, refused] = [await open(), await open(), await open()];

    expect([one.response.status, two.response.status]).toEqual([200, 200]);
    const text = refused.response.ok
      ? await refused.ended.then(() => JSON.stringify(refused.events))
      : await refused.response.text();
    expect(text).toContain('RATE_LIMITED');
  });
});
