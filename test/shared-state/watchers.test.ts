/**
 * Watchers at several replicas that share a Redis: one of them polls, and whatever happens to Redis or to that one,
 * all see the final state and no state after a later one.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { statusesOf, type Events } from '../live/support.ts';
import { hasRedis, openRedis, type RedisServer } from '../support/redis.ts';
import { openBackend, openReplicas, POLL_MS, watchAll, type Replica } from './support.ts';
import { until } from '../support/until.ts';

const ORDER = ['draft', 'queued', 'processing', 'published'];

const allSee = (watchers: readonly Events[], state: string) =>
  until(() => watchers.every(({ events }) => statusesOf(events).at(-1) === state));

/** Each has seen states in their order, and the final one. */
function expectInOrder(watchers: readonly Events[]): void {
  for (const { events } of watchers) {
    const seen = statusesOf(events);
    expect(seen).toEqual(ORDER.filter((state) => seen.includes(state)));
    expect(seen.at(-1)).toBe('published');
  }
}

const rolesOf = (replicas: readonly Replica[]) => ({
  holders: replicas.reduce((sum, { shared }) => sum + shared.leases.count('holder'), 0),
  followers: replicas.reduce((sum, { shared }) => sum + shared.leases.count('follower'), 0),
});

/** Three replicas, thirty watchers at each, all of whom have seen the first state. */
async function openFleet(watchersOf = 30, pollMs = POLL_MS) {
  const redis = await openRedis();
  const backend = await openBackend();
  const replicas = await openReplicas(redis, backend.url, 3, pollMs);
  const watchers = await watchAll(replicas, 3 * watchersOf);
  await allSee(watchers, 'draft');
  await until(() => rolesOf(replicas).holders === 1 && rolesOf(replicas).followers === 2);
  return { redis, backend, replicas, watchers };
}

describe.skipIf(!hasRedis)('watchers at three replicas', () => {
  it('cost the REST calls of one', async () => {
    const { backend, watchers } = await openFleet(67);

    backend.reads = 0;
    const startMs = performance.now();
    await sleep(2_000);
    const { reads } = backend;
    const tookMs = performance.now() - startMs;
    backend.state = 'published';
    await allSee(watchers, 'published');
    await Promise.all(watchers.map(({ ended }) => ended));

    // The time between two polls is up to a tenth shorter.
    expect(reads).toBeLessThanOrEqual(tookMs / (POLL_MS.least * 0.9) + 1);
    expect(reads).toBeGreaterThan(2);
    expect(backend.reads - reads).toBeLessThanOrEqual(2);
    expectInOrder(watchers);
  });

  it('are shown their first state after a poll that began when they had come, wherever they come', async () => {
    const { backend, replicas, watchers } = await openFleet(1);

    backend.state = 'queued';
    const newcomers = await watchAll(replicas, 30);
    await until(() => newcomers.every(({ events }) => events.length > 0));

    for (const { events } of newcomers) expect(statusesOf(events)[0]).toBe('queued');
    backend.state = 'published';
    await allSee([...watchers, ...newcomers], 'published');
  });

  it('go on when the replica that polls has no watchers any more, for one poll more', async () => {
    const { backend, replicas, watchers } = await openFleet(1, { least: 5_000, most: 5_000 });
    const holds = ({ shared }: Replica) => shared.leases.count('holder') === 1;
    const holder = replicas.findIndex(holds);
    const { reads } = backend;

    const [left] = watchers.splice(holder, 1);
    left!.leave();
    await until(() => replicas.some((replica, i) => i !== holder && holds(replica)));
    await sleep(1_000);
    expect(backend.reads - reads).toBe(1);

    backend.state = 'published';
    await allSee(watchers, 'published');
    expectInOrder(watchers);
  });

  it('are told of the backend failing, and of its recovery', async () => {
    const { backend, replicas, watchers } = await openFleet(1);
    await backend.upstream.stop();
    await until(() => watchers.every(({ events }) => events.at(-1)!.errors !== undefined));
    await backend.upstream.start();
    backend.state = 'published';
    await allSee(watchers, 'published');
    expectInOrder(watchers);
    await until(() => rolesOf(replicas).holders === 0);
  });

  it.each<[what: string, fault: (redis: RedisServer) => Promise<unknown>]>([
    [
      'loses the connections that hear',
      (redis) => redis.command('CLIENT', 'KILL', 'TYPE', 'pubsub'),
    ],
    ['loses all connections', (redis) => redis.command('CLIENT', 'KILL', 'TYPE', 'normal')],
    ['loses all that it knows', (redis) => redis.command('FLUSHALL')],
    ['forgets its scripts', (redis) => redis.command('SCRIPT', 'FLUSH')],
    [
      'is frozen for three seconds',
      async (redis) => {
        redis.freeze();
        await sleep(3_000);
        redis.thaw();
      },
    ],
    [
      'is killed and comes back empty',
      async (redis) => {
        await redis.kill();
        await sleep(500);
        await redis.start();
      },
    ],
  ])('all see the final state when Redis %s, and none goes back', async (_what, fault) => {
    const { redis, backend, replicas, watchers } = await openFleet();

    const faulted = fault(redis);
    backend.state = 'queued';
    await allSee(watchers, 'queued');
    backend.state = 'processing';
    await faulted;
    await allSee(watchers, 'processing');
    await until(() => rolesOf(replicas).holders === 1 && rolesOf(replicas).followers === 2);
    backend.state = 'published';
    await allSee(watchers, 'published');
    await Promise.all(watchers.map(({ ended }) => ended));

    expectInOrder(watchers);
    expect(watchers.every(({ isComplete }) => isComplete())).toBe(true);
  });

  it('are served by each replica alone while there is no Redis', async () => {
    const { redis, backend, replicas, watchers } = await openFleet();

    await redis.kill();
    backend.state = 'queued';
    await allSee(watchers, 'queued');
    const newcomers = await watchAll(replicas, 3);
    await allSee(newcomers, 'queued');
    backend.state = 'published';
    await allSee([...watchers, ...newcomers], 'published');

    expectInOrder(watchers);
  });
});
