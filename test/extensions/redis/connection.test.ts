/**
 * A Redis that is unavailable, slow, frozen or rejects: commands return undefined in bounded time, and never fail.
 */
import { readFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  createConnection,
  PREFIX,
  type CommandOutcome,
} from '../../../src/extensions/redis/connection.ts';
import { freePort } from '../../support/free-port.ts';
import { ROOT } from '../../support/pages.ts';
import { listen } from '../../support/listen.ts';
import { openRelay, type Relay } from '../../support/relay.ts';
import { hasRedis, openRedis, openSentinel, type RedisServer } from '../../support/redis.ts';
import { immediate } from '../../support/immediate.ts';
import { until } from '../../support/until.ts';

const WRITE = { name: 'writeArgument', lua: "return redis.call('SET', KEYS[1], ARGV[1])" };
const ECHO = { name: 'echoArgument', lua: 'return ARGV[1]' };

async function open(url: string) {
  const outcomes: CommandOutcome[] = [];
  const changes: string[] = [];
  const refusals: string[] = [];
  const connection = createConnection(url, {
    onCommand: (outcome) => outcomes.push(outcome),
    onChange: (isAvailable, why) => changes.push(isAvailable ? 'available' : `away: ${why}`),
    onRefusal: (why) => refusals.push(why),
  });
  onTestFinished(() => connection.close());
  await connection.open();
  const echo = (text: string) => connection.run(ECHO, [], [text]);
  return { connection, outcomes, changes, refusals, echo };
}

describe.skipIf(!hasRedis)('a connection to Redis', () => {
  it('runs a script, also after SCRIPT FLUSH', async () => {
    const redis = await openRedis();
    const { echo, outcomes } = await open(redis.url);

    expect(await echo('once')).toBe('once');
    await redis.command('SCRIPT', 'FLUSH');
    expect(await echo('twice')).toBe('twice');
    expect(outcomes).toEqual(['ok', 'ok']);
  });

  it('waits for a frozen Redis three times, then skips it until it responds again', async () => {
    const redis = await openRedis();
    const { connection, echo, outcomes, changes } = await open(redis.url);
    await echo('warm');
    redis.freeze();

    for (let i = 0; i < 3; i++) {
      const startMs = performance.now();
      expect(await echo('waited for')).toBeUndefined();
      expect(performance.now() - startMs).toBeGreaterThan(40);
    }
    for (let i = 0; i < 1_000; i++) expect(await immediate(echo('skipped'))).toBeUndefined();
    expect(outcomes.slice(1, 4)).toEqual(['timeout', 'timeout', 'timeout']);
    expect(new Set(outcomes.slice(4))).toEqual(new Set(['skipped']));

    redis.thaw();
    await until(() => connection.isAvailable);
    expect(await echo('back')).toBe('back');
    expect(changes).toEqual(['available', 'away: timeout', 'available']);
  });

  it('counts many commands that time out concurrently as one timeout', async () => {
    const redis = await openRedis();
    const { connection, echo } = await open(redis.url);
    await echo('warm');
    redis.freeze();

    await Promise.all(Array.from({ length: 100 }, () => echo('at once')));
    expect(connection.isAvailable).toBe(true);
    redis.thaw();
    expect(await echo('back')).toBe('back');
  });

  it('returns undefined immediately without a Redis, and connects to one that is started later', async () => {
    const redis = await openRedis();
    await redis.kill();
    const { connection, echo, changes } = await open(redis.url);

    expect(await immediate(echo('nobody'))).toBeUndefined();

    await redis.start();
    await until(() => connection.isAvailable);
    expect(await echo('there')).toBe('there');
    await redis.kill();
    await until(() => !connection.isAvailable);
    expect(changes).toEqual([
      expect.stringMatching(/^away: E(?:NOENT|CONNREFUSED)$/),
      'available',
      'away: closed',
    ]);
  });

  it('receives published messages, and reports a gap after a lost connection', async () => {
    const redis = await openRedis();
    const { connection } = await open(redis.url);
    const heard: string[] = [];
    await connection.subscribe('gateway:1:test', {
      onMessage: (text) => heard.push(text),
      onGap: () => heard.push('gap'),
    });

    await redis.command('PUBLISH', 'gateway:1:test', 'one');
    await until(() => heard.length === 1);
    await redis.command('CLIENT', 'KILL', 'TYPE', 'pubsub');
    await until(() => heard.includes('gap'));
    await redis.command('PUBLISH', 'gateway:1:test', 'two');
    await until(() => heard.includes('two'));

    expect(heard[0]).toBe('one');
  });

  it('reports a missing password as NOAUTH', async () => {
    const redis = await openRedis('--requirepass', 'the right password');
    const { echo, changes, refusals } = await open(redis.url);

    expect(await echo('without')).toBeUndefined();

    expect(refusals).toEqual(['NOAUTH']);
    expect(changes).toEqual(['available']);
  });

  it('reports a full memory as OOM', async () => {
    const redis = await openRedis('--maxmemory', '1', '--maxmemory-policy', 'noeviction');
    const { connection, refusals } = await open(redis.url);

    expect(await connection.run(WRITE, ['gateway:1:written'], ['value'])).toBeUndefined();

    expect(refusals).toEqual(['OOM']);
  });

  it('is never available with a wrong password, and reconnects with increasing delays', async () => {
    const port = await freePort();
    const redis = await openRedis('--port', String(port));
    await redis.command('ACL', 'SETUSER', 'gateway', 'on', '>password', 'allcommands');

    let own = 0; // each command of the test has a connection
    const received = async () => {
      const stats = String(await redis.command('INFO', 'stats'));
      return Number(/total_connections_received:(\d+)/.exec(stats)![1]) - (own += 1);
    };
    const before = await received();

    const startMs = performance.now();
    const { connection, changes } = await open(`redis://gateway:wrong@127.0.0.1:${port}`);
    await until(async () => (await received()) >= before + 8);

    expect(connection.isAvailable).toBe(false);
    expect(changes).toEqual(['away: WRONGPASS']);
    // Two connections with pauses of 50, 100, 150 … ms.
    expect(performance.now() - startMs).toBeGreaterThan(50 + 100 + 150);
  });

  it.each([
    [
      'are rejected',
      (socket: Socket) => void socket.end('-ERR max number of clients reached\r\n'),
      /^away: ERR max number of clients$/,
    ],
    [
      'are ended after a while, as by a proxy without a server',
      (socket: Socket) => void setTimeout(() => socket.destroy(), 100),
      /^away: /,
    ],
  ])(
    'is never available if connections %s, reports it once and reconnects with delays',
    async (_what, end, report) => {
      let count = 0;
      const server = createServer((socket) => {
        count += 1;
        end(socket.on('error', () => {}));
      });
      onTestFinished(() => void server.close());

      const url = `redis://127.0.0.1:${await listen(server)}`;
      const startMs = performance.now();
      const { changes } = await open(url);
      await until(() => count >= 12);

      expect(changes).toEqual([expect.stringMatching(report)]);
      // Two connections with pauses of 50, 100, 150 … ms.
      expect(performance.now() - startMs).toBeGreaterThan(50 + 100 + 150 + 200 + 250);
    },
  );

  it('works with the permissions in docs/scaling.md, which exclude other keys', async () => {
    const port = await freePort();
    const redis = await openRedis('--port', String(port));
    const page = readFileSync(join(ROOT, 'docs/scaling.md'), 'utf8');
    await redis.command('ACL', .../^ACL (SETUSER .*)$/m.exec(page)![1]!.split(' '));
    const url = `redis://gateway:password@127.0.0.1:${port}`;
    const { refusals, connection } = await open(url);
    const told: string[] = [];
    const onMessage = (text: string) => void told.push(text);
    await connection.subscribe(`${PREFIX}test`, { onMessage, onGap: () => {} });
    const publish = {
      name: 'publishMessage',
      lua: "return redis.call('PUBLISH', ARGV[1], ARGV[2])",
    };
    await connection.run(publish, [], [`${PREFIX}test`, 'a message']);
    await until(() => told.length > 0);

    expect(refusals).toEqual([]);
    expect(
      await connection.run(
        { name: 'getOfAnother', lua: "return redis.call('GET', 'of another')" },
        [],
        [],
      ),
    ).toBe(undefined);
    expect(refusals).toHaveLength(1);
  });
});

describe.skipIf(!hasRedis)('an unsupported kind of Redis server', () => {
  it('is unavailable if it is a cluster node, even one that owns the slot of the check', async () => {
    const ports = [await freePort(), await freePort()] as const;
    const [node, other] = await Promise.all(
      ports.map((port) => openRedis('--port', String(port), '--cluster-enabled', 'yes')),
    );
    const relay = await openRelay();
    relay.leadTo(ports[0]);
    const { connection, changes, refusals } = await open(`redis://127.0.0.1:${relay.port}`);
    await until(() => expect(changes).toEqual(['away: CLUSTERDOWN']));

    const slot = Number(await node!.command('CLUSTER', 'KEYSLOT', `${PREFIX}check`));
    await node!.command('CLUSTER', 'ADDSLOTS', slot);
    await other!.command('CLUSTER', 'ADDSLOTSRANGE', 0, slot - 1, slot + 1, 16_383);
    await other!.command('CLUSTER', 'BUMPEPOCH');
    await node!.command('CLUSTER', 'MEET', '127.0.0.1', ports[1]);
    await until(async () =>
      expect(String(await node!.command('CLUSTER', 'INFO'))).toContain('cluster_state:ok'),
    );
    await until(() => expect(changes).toHaveLength(2));
    const count = relay.connections;
    await until(() => relay.connections > count + 4);

    expect(connection.isAvailable).toBe(false);
    expect(changes).toEqual(['away: CLUSTERDOWN', 'away: CROSSSLOT']);
    expect(refusals).toEqual([]);
  });

  it('is unavailable if it is a Sentinel', async () => {
    const port = await freePort();
    await openSentinel(port);
    const { connection, changes } = await open(`redis://127.0.0.1:${port}`);

    expect(changes).toEqual(['away: ERR unknown command']);
    expect(connection.isAvailable).toBe(false);
  });
});

/** A server that responds to each command with an error. */
async function openRefusing(error: string): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', () => socket.write(`-${error}\r\n`));
  });
  onTestFinished(() => void server.close());
  return listen(server);
}

describe.skipIf(!hasRedis)('a Redis that fails over', () => {
  it.each<[why: string, failOver: (primary: RedisServer, next: number, relay: Relay) => unknown]>([
    ['READONLY', (primary, next) => primary.command('REPLICAOF', '127.0.0.1', next)],
    [
      'MASTERDOWN',
      async (primary) => {
        await primary.command('CONFIG', 'SET', 'replica-serve-stale-data', 'no');
        await primary.command('REPLICAOF', '127.0.0.1', await freePort());
      },
    ],
    [
      'LOADING',
      async (_primary, _next, relay) =>
        relay.leadTo(await openRefusing('LOADING Redis is loading the dataset in memory')),
    ],
    ['NOREPLICAS', (primary) => primary.command('CONFIG', 'SET', 'min-replicas-to-write', '1')],
    [
      'MISCONF',
      async (_primary, _next, relay) =>
        relay.leadTo(await openRefusing('MISCONF Redis is configured to save RDB snapshots')),
    ],
  ])(
    'is unavailable while it returns %s, and is used again when its address points to a primary',
    async (why, failOver) => {
      const ports = [await freePort(), await freePort()] as const;
      const primary = await openRedis('--port', String(ports[0]));
      const next = await openRedis('--port', String(ports[1]));
      const relay = await openRelay();
      relay.leadTo(ports[0]);
      const { connection, changes, refusals } = await open(`redis://127.0.0.1:${relay.port}`);
      const write = () => connection.run(WRITE, ['gateway:1:written'], ['value']);
      // A busy machine exceeds the time of a command.
      await until(async () => expect(await write()).toBe('OK'));

      await failOver(primary, ports[1], relay);
      await until(async () => {
        expect(await write()).toBeUndefined();
        expect(changes).toContain(`away: ${why}`);
      });
      const [count, startMs] = [relay.connections, performance.now()];
      await until(() => relay.connections > count + 2);

      expect(performance.now() - startMs).toBeGreaterThan(1_000);
      expect(connection.isAvailable).toBe(false);
      expect(changes.filter((change) => change === 'available')).toHaveLength(1);
      relay.leadTo(ports[1]);
      await until(() => connection.isAvailable);
      await until(async () => expect(await write()).toBe('OK'));
      expect(await next.command('GET', 'gateway:1:written')).toBe('value');
      expect(refusals).toEqual([]);
    },
  );

  it('moves subscriptions to the server that accepts commands, and reports a gap, while the former primary keeps its connections', async () => {
    const ports = [await freePort(), await freePort()] as const;
    const primary = await openRedis('--port', String(ports[0]));
    const next = await openRedis('--port', String(ports[1]));
    const relay = await openRelay();
    relay.leadTo(ports[0]);
    const { connection } = await open(`redis://127.0.0.1:${relay.port}`);
    const heard: string[] = [];
    await connection.subscribe(`${PREFIX}test`, {
      onMessage: (text) => heard.push(text),
      onGap: () => heard.push('gap'),
    });
    const write = () => connection.run(WRITE, ['gateway:1:written'], ['value']);
    await until(async () => expect(await write()).toBe('OK'));
    heard.length = 0;

    // Without replication: messages of the next primary do not reach the former one.
    await primary.command('REPLICAOF', '127.0.0.1', await freePort());
    relay.turnTo(ports[1]);
    await until(async () => {
      await write();
      expect(connection.isAvailable).toBe(false);
    });
    await until(async () => {
      await next.command('PUBLISH', `${PREFIX}test`, 'a message');
      expect(heard).toContain('a message');
    });

    expect(heard[0]).toBe('gap');
    expect(await primary.command('PUBSUB', 'NUMSUB', `${PREFIX}test`)).toEqual([
      `${PREFIX}test`,
      0,
    ]);
  });

  it('is used again when its host disappears silently and its address points to another host', async () => {
    const ports = [await freePort(), await freePort()] as const;
    await openRedis('--port', String(ports[0]));
    const next = await openRedis('--port', String(ports[1]));
    const relay = await openRelay();
    relay.leadTo(ports[0]);
    const { connection } = await open(`redis://127.0.0.1:${relay.port}`);
    const write = () => connection.run(WRITE, ['gateway:1:written'], ['value']);
    const heard: string[] = [];
    await connection.subscribe(`${PREFIX}test`, {
      onMessage: (text) => heard.push(text),
      onGap: () => heard.push('gap'),
    });
    await until(async () => expect(await write()).toBe('OK'));

    relay.leaveFor(ports[1]);
    await until(async () => {
      await write();
      expect(connection.isAvailable).toBe(false);
    });
    await until(() => connection.isAvailable);

    await until(async () => expect(await write()).toBe('OK'));
    expect(await next.command('GET', 'gateway:1:written')).toBe('value');
    await until(async () => {
      await next.command('PUBLISH', `${PREFIX}test`, 'a message of the other');
      expect(heard).toContain('a message of the other');
    });
    expect(heard[0]).toBe('gap');
  });
});
