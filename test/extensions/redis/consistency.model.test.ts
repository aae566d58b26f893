/**
 * Random reads and writes through three gateways whose messages to and from Redis are lost, late and out of order: each
 * read is compared with the writes that ended before it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { ResponseCache, tokenOf } from '../../../src/extensions/cache/response-cache.ts';
import {
  createConnection,
  storeOn,
  type Connection,
} from '../../../src/extensions/redis/connection.ts';
import { RedisReads } from '../../../src/extensions/redis/shared-reads.ts';
import { routes } from '../../../src/v0/routes.ts';
import { openRest, topic, type Rest } from '../../rest/open-rest.ts';
import { cases } from '../../support/cases.ts';
import { openFaultUpstream } from '../../support/fault-upstream.ts';
import { ok } from '../../support/faults.ts';
import { hasRedis, openRedis, type RedisServer } from '../../support/redis.ts';

/** `CASES=50` makes them 100,000. */
const OPERATIONS = cases(2_000);
const CALLERS = 24;
const KEYS = ['key-a', 'key-b'];
const TOPICS = ['t0', 't1', 't2'];
const TTL_MS = 150;

/** Clocks are read in whole milliseconds. */
const TOLERANCE_MS = 2;

const chance = (of: number): boolean => Math.random() < of;
const pick = <Item>(items: readonly Item[]): Item =>
  items[Math.floor(Math.random() * items.length)]!;

/** Loses commands, responses and messages, executes commands when no one waits any more, and delays the rest. */
const unreliable = (connection: Connection): Connection => ({
  ...connection,
  get isAvailable() {
    return connection.isAvailable;
  },
  run: async (...command) => {
    if (chance(0.03)) return undefined;
    if (chance(0.03)) {
      void sleep(Math.random() * 100).then(() => connection.run(...command));
      return undefined;
    }
    if (chance(0.2)) await sleep(Math.random() * 8);
    const answer = await connection.run(...command);
    if (chance(0.2)) await sleep(Math.random() * 8);
    return chance(0.03) ? undefined : answer;
  },
  subscribe: (channel, { onMessage, onGap }) =>
    connection.subscribe(channel, {
      onGap,
      onMessage: (text) => {
        if (!chance(0.3)) setTimeout(() => onMessage(text), Math.random() * 60);
      },
    }),
});

async function openReplica(redis: RedisServer, url: string): Promise<Rest> {
  const connection = createConnection(redis.url);
  await connection.open();
  onTestFinished(() => connection.close());
  const shared = new RedisReads(storeOn(unreliable(connection), 'a secret', 'backend'));
  const ttls = new Map([[routes.getTopic.path, TTL_MS]]);
  const cache = new ResponseCache({ maxBytes: 1_000_000, ttls, shared });
  await cache.open();
  return openRest({ url, cache });
}

/** Topics whose title is the number of their last write. */
async function openBackend() {
  const backend = await openFaultUpstream();
  /** By topic: when each state began. */
  const states = new Map(TOPICS.map((id) => [id, [performance.now()]]));
  for (const [id, begins] of states) {
    const late = () => sleep(chance(0.1) ? Math.random() * 30 : 0);
    const show = () => ok(topic(id, String(begins.length - 1)));
    backend.on(`GET /v0/topics/${id}`, async (...args) => {
      await late();
      const answer = show();
      await late();
      await answer(...args);
    });
    backend.on(`PATCH /v0/topics/${id}`, async (...args) => {
      await late();
      begins.push(performance.now());
      const answer = show();
      await late();
      await answer(...args);
    });
  }
  return { url: backend.url, states, stop: () => backend.stop() };
}

/** By topic: the state that a read must show, or a later one. */
type Floor = ReadonlyMap<string, number>;

const higher = (one: Floor, other: Floor): Floor =>
  new Map(TOPICS.map((id) => [id, Math.max(one.get(id) ?? 0, other.get(id) ?? 0)]));

it.skipIf(!hasRedis)(
  'a read with a token is never older than its write, and one without a token never older than the TTL of its route',
  async () => {
    const redis = await openRedis();
    const { url, states, stop } = await openBackend();
    onTestFinished(stop);
    const replicas = await Promise.all(Array.from({ length: 3 }, () => openReplica(redis, url)));
    /** States after the writes that have ended: by key, and by key and replica. */
    const written = new Map<string, Floor>();
    /** Start of the last read that others may join, by replica, key, topic and token. */
    const begun = new Map<string, number>();
    const faults: string[] = [];
    const counts = { writes: 0, sent: 0, shared: 0, cached: 0, withToken: 0, cachedWithToken: 0 };
    let left = OPERATIONS;

    const call = async (): Promise<void> => {
      const apiKey = pick(KEYS);
      let token: string | undefined;
      let floor: Floor = new Map();
      while ((left -= 1) >= 0) {
        const at = Math.floor(Math.random() * replicas.length);
        const id = pick(TOPICS);
        const through = `${apiKey} ${at}`;
        if (chance(0.0005)) await redis.command('FLUSHALL');
        if (chance(0.05)) {
          const before = written.get(apiKey) ?? new Map();
          const client = replicas[at]!.client({ apiKey });
          const path = { topic_id: id };
          const { title } = await client.call(routes.updateTopic, { path, body: { title: 'n' } });
          const own = higher(before, new Map([[id, Number(title)]]));
          for (const of of [apiKey, through]) written.set(of, higher(written.get(of) ?? own, own));
          token = tokenOf(client.callLog);
          floor = own;
          counts.writes += 1;
        } else {
          const isNamed = token !== undefined && chance(0.5);
          const least = higher(isNamed ? floor : new Map(), written.get(through) ?? new Map());
          const startMs = performance.now();
          const newerThan = isNamed ? token : undefined;
          const client = replicas[at]!.client({ apiKey, newerThan });
          const asked = client.call(routes.getTopic, { path: { topic_id: id } });
          const flight = `${through} ${id} ${newerThan}`;
          const hasJoined = client.callLog.entries.at(-1)?.source === 'shared';
          if (!hasJoined) begun.set(flight, startMs);
          // A request that joins a read gets its response, which may be old on a slow machine.
          const begunMs = begun.get(flight)!;
          const state = Number((await asked).title);
          const endedMs = states.get(id)![state + 1] ?? Infinity;
          const { source } = client.callLog.entries.at(-1)!;
          const isCached = source === 'cached';
          counts[isCached ? 'cached' : hasJoined ? 'shared' : 'sent'] += 1;
          if (isNamed) counts[isCached ? 'cachedWithToken' : 'withToken'] += 1;
          const what = `${id} ${state} of ${states.get(id)!.length - 1}`;
          if (state < least.get(id)!)
            faults.push(`${what}: older than ${least.get(id)} (${newerThan})`);
          if (endedMs < begunMs - TTL_MS - TOLERANCE_MS) {
            faults.push(`${what} (${source}): ended ${begunMs - endedMs} ms before its read began`);
          }
        }
        if (chance(0.3)) await sleep(Math.random() * 10);
      }
    };
    await Promise.all(Array.from({ length: CALLERS }, call));

    process.stderr.write(`${OPERATIONS} operations: ${JSON.stringify(counts)}\n`);
    expect(faults).toEqual([]);
    expect(counts.cached).toBeGreaterThan(OPERATIONS / 20);
    expect(counts.shared).toBeGreaterThan(0);
    expect(counts.cachedWithToken).toBeGreaterThan(0);
  },
  600_000,
);
