/**
 * T57 and T58: how the process ends, and who may hold its front door.
 *
 * That the embedded backend, killed in the middle of writes, loses nothing it has answered for is
 * told in test/backend/restart.test.ts; here it is tried once through the gateway.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { held, silence } from '../support/faults.ts';
import { KEY, startGateway, type GatewayProcess } from '../support/gateway-process.ts';
import { world } from '../support/world.ts';
import { openCallers } from './callers.ts';
import { rawHttp } from './raw-http.ts';
import {
  eventually,
  expectBelow,
  expectSilent,
  openStand,
  percentile,
  type Stand,
} from './stand.ts';

const closing: (() => Promise<unknown>)[] = [];

afterAll(() => Promise.all(closing.map((close) => close())));

async function open(env: Record<string, string> = {}): Promise<Stand> {
  const stand = await openStand(env);
  closing.push(() => stand.close());
  return stand;
}

/** Gateways that a test ends; opened before, because starting some keeps the machine busy. */
let mortal: Record<'SIGTERM' | 'SIGINT' | 'unused' | 'stuck' | 'twice' | 'left', Stand>;

beforeAll(async () => {
  const [SIGTERM, SIGINT, unused, stuck, twice, left] = await Promise.all([
    open(),
    open(),
    open(),
    open({ SHUTDOWN_TIMEOUT_MS: '700' }),
    open({ SHUTDOWN_TIMEOUT_MS: '60000' }),
    open(),
  ]);
  mortal = { SIGTERM, SIGINT, unused, stuck, twice, left };
}, 60_000);

let count = 0;
/** A query that no other is shared with. */
const next = (): string => `{ person(personId: "p${count++}") { name } }`;

/** Whether a new connection is taken. */
const knock = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('connect', () => resolve(true));
    socket.on('error', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });

/** A connection that is held open for as long as the gateway lets it. */
interface Hold {
  readonly socket: Socket;
  readonly sinceMs: number;
  closedMs?: number;
  text: string;
}

let besieged: Stand;
const slow = { headers: [] as Hold[], bodies: [] as Hold[], mute: [] as Hold[] };

/** A connection that sends a little, and a little more every now and then. */
function hold(first: string, more: string): Hold {
  const socket = connect(besieged.gateway.port, '127.0.0.1');
  const one: Hold = { socket, sinceMs: performance.now(), text: '' };
  socket.on('data', (chunk) => (one.text += chunk.toString()));
  socket.on('error', () => {});
  const timer = more ? setInterval(() => socket.write(more), 1_000) : undefined;
  socket.on('close', () => {
    clearInterval(timer);
    one.closedMs = performance.now() - one.sinceMs;
  });
  socket.write(first);
  return one;
}

// T58's siege begins before all else: it takes ten seconds, in which other tests can run.
beforeAll(async () => {
  besieged = await open();
  const post = `POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n`;
  for (let i = 0; i < 200; i++) {
    slow.headers.push(hold('GET /graphql HTTP/1.1\r\nhost: x\r\n', 'x-a: b\r\n'));
    if (i % 4 === 0) slow.mute.push(hold('', ''));
    if (i % 4 === 0) slow.bodies.push(hold(`${post}content-length: 90000\r\n\r\n{`, ' '));
  }
}, 30_000);

afterAll(() => {
  for (const { socket } of Object.values(slow).flat()) socket.destroy();
});

const quick = async (): Promise<number> => {
  const times: number[] = [];
  for (let i = 0; i < 60; i++) {
    const reply = await besieged.ask('{ __typename }');
    expect(reply.status).toBe(200);
    times.push(reply.tookMs);
  }
  return percentile(times, 0.99);
};

it('T58 answers others as ever while 300 slow connections are held', async () => {
  await quick();
  // For scale: such a request takes a few milliseconds with nobody at the door.
  await expectBelow(50, quick);
  await besieged.holds([], { hits: 0 });
});

describe('T57 the end of a process', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)(
    'T57 %s: not ready at once, what is under way is finished, nobody is reset',
    async (signal) => {
      const stand = mortal[signal];
      const { gateway } = stand;
      const late = held(world());
      stand.upstream.on('GET /v0/persons/late', late.behaviour);
      const callers = openCallers(gateway);
      closing.push(() => callers.close());
      // Twenty who ask all the time on connections they keep, until the port is closed.
      const failures: { code: string; begunMs: number; endedMs: number }[] = [];
      let signalledMs = Infinity;
      let answered = 0;
      const load = callers.loop(20, 3_000, async () => {
        const begunMs = performance.now();
        try {
          const { body } = await callers.ask(next());
          expect(body.errors).toBeUndefined();
          answered += 1;
        } catch (error) {
          const { code = String(error) } = error as { code?: string };
          const [begun, ended] = [begunMs, performance.now()].map((ms) => ms - signalledMs);
          failures.push({ code, begunMs: begun!, endedMs: ended! });
          await sleep(50);
        }
      });
      const underWay = stand.ask('{ person(personId: "late") { name } }');
      await eventually(() => expect(stand.upstream.hits('GET /v0/persons/late')).toBe(1));
      const idle = connect(gateway.port, '127.0.0.1');
      const idleClosed = new Promise((resolve) => idle.once('close', resolve));
      await sleep(300);

      signalledMs = performance.now();
      const exit = gateway.stop(signal);
      await eventually(async () => {
        const { status, body } = await gateway.get('/ready');
        expect([status, body.draining]).toEqual([503, true]);
      }, 150);
      await eventually(async () => expect(await knock(gateway.port)).toBe(false));
      late.release();
      const reply = await underWay;

      expect(reply.data).toEqual({ person: { name: 'name' } });
      expect(reply.headers.get('connection')).toBe('close');
      await idleClosed;
      expect(await exit).toBe(0);
      await load;
      expect(answered).toBeGreaterThan(50);
      // Refused once the port is closed; a reset would have been a request lost.
      expect(failures.filter(({ code }) => code !== 'ECONNREFUSED')).toEqual([]);
      expect(failures.length).toBeGreaterThan(0);
      expectSilent(gateway.output, stand.upstream.port);
      expect(stand.hits).toBe(answered + 1);
    },
    30_000,
  );

  it('T57 ends at once when nothing is under way, and leaves no connection to the backend', async () => {
    const stand = mortal.unused;
    await stand.ask(next());

    const startMs = performance.now();
    const code = await stand.gateway.stop();

    expect(code).toBe(0);
    expect(performance.now() - startMs).toBeLessThan(2_000);
    await eventually(() => expect(stand.upstream.connections).toBe(0), 500);
  }, 30_000);

  it('T57 cuts what does not end in SHUTDOWN_TIMEOUT_MS', async () => {
    const stand = mortal.stuck;
    stand.upstream.on('GET /v0/persons/stuck', silence());
    const stuck = stand
      .ask('{ person(personId: "stuck") { name } }')
      .catch((error: Error) => error);
    await eventually(() => expect(stand.hits).toBe(1));

    const startMs = performance.now();
    await stand.gateway.stop();

    expect(performance.now() - startMs).toBeGreaterThan(600);
    expect(performance.now() - startMs).toBeLessThan(2_500);
    expect(await stuck).toBeInstanceOf(Error);
    expect(stand.gateway.output).toContain('Time is up');
  }, 30_000);

  it('T57 ends now at the second signal', async () => {
    const stand = mortal.twice;
    stand.upstream.on('GET /v0/persons/stuck', silence());
    void stand.ask('{ person(personId: "stuck") { name } }').catch(() => {});
    await eventually(() => expect(stand.hits).toBe(1));

    void stand.gateway.stop('SIGTERM');
    await eventually(() => expect(stand.gateway.output).toContain('Stopping'));
    const startMs = performance.now();
    const code = await stand.gateway.stop('SIGINT');

    expect(code).not.toBe(0);
    expect(performance.now() - startMs).toBeLessThan(500);
  }, 30_000);

  it('T57 finishes a write whose caller has left before it ends', async () => {
    const stand = mortal.left;
    const late = held(world());
    stand.upstream.on('POST /v0/topics/t/entries', late.behaviour);
    const leaving = new AbortController();
    const gone = stand.ask(
      'mutation { createTopicEntry(input: { topicId: "t", content: { type: "a", content: "b" } }) { topicEntry { id } } }',
      { signal: leaving.signal },
    );
    await eventually(() => expect(stand.hits).toBe(1));
    leaving.abort();
    await gone.catch(() => {});

    const exit = stand.gateway.stop();
    let ended = false;
    void exit.then(() => (ended = true));
    await sleep(600);
    expect(ended, 'it waits for the answer').toBe(false);
    late.release();

    expect(await exit).toBe(0);
  }, 30_000);

  it('T57 killed with SIGKILL in the middle of writes, the product loses none it has answered for', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'gateway-killed-'));
    closing.push(async () => rmSync(folder, { recursive: true, force: true }));
    const start = async (): Promise<GatewayProcess> => {
      const gateway = await startGateway({ BACKEND_DATABASE_URL: `file:${join(folder, 'db')}` });
      closing.push(() => gateway.stop('SIGKILL'));
      return gateway;
    };
    const first = await start();
    const answered: string[] = [];
    const writers = Array.from({ length: 4 }, async () => {
      for (;;) {
        const { data } = await first.ask(
          'mutation { createTopicEntry(input: { topicId: "topic_01", content: { type: "text", content: "x" } }) { topicEntry { id } } }',
          { apiKey: 'demo' },
        );
        answered.push(data.createTopicEntry.topicEntry.id);
      }
    });

    await eventually(() => expect(answered.length).toBeGreaterThan(40), 15_000);
    const ended = Promise.allSettled(writers);
    await first.stop('SIGKILL');
    await ended;
    const second = await start();
    const lost: string[] = [];
    for (const id of answered) {
      const { data } = await second.ask('query ($id: ID!) { node(id: $id) { id } }', {
        apiKey: 'demo',
        variables: { id },
      });
      if (data?.node?.id !== id) lost.push(id);
    }

    expect(lost).toEqual([]);
  }, 60_000);
});

describe('T58 the front door', () => {
  it('T58 refuses requests that two servers could read in two ways', async () => {
    const attack = (head: string, body = '') =>
      rawHttp(besieged.gateway, `POST /graphql HTTP/1.1\r\n${head}\r\n\r\n${body}`, {
        forMs: 1_000,
      });

    const replies = await Promise.all([
      attack(
        'host: x\r\ncontent-length: 5\r\ntransfer-encoding: chunked',
        '0\r\n\r\nGET /metrics HTTP/1.1\r\n\r\n',
      ),
      attack('host: x\r\ncontent-length: 5\r\ncontent-length: 6', '{}'),
      attack('content-length: 2', '{}'),
      attack('host: x\r\ncontent-length : 2', '{}'),
      attack('host: x\r\ntransfer-encoding: xchunked', '{}'),
      rawHttp(besieged.gateway, 'GET /health HTTP/1.1\nhost: x\n\n', { forMs: 1_000 }),
      rawHttp(besieged.gateway, 'nonsense\r\n\r\n', { forMs: 1_000 }),
    ]);

    expect(replies.map(({ status }) => status)).toEqual(Array(7).fill(400));
    await besieged.holds([], { hits: 0 });
  });

  it('T58 refuses headers past 16 KB with 431', async () => {
    const reply = await rawHttp(
      besieged.gateway,
      `GET /health HTTP/1.1\r\nhost: x\r\nx-long: ${'x'.repeat(17_000)}\r\n\r\n`,
    );

    expect([reply.status, reply.closed]).toEqual([431, true]);
    await besieged.holds([], { hits: 0 });
  });

  it('T58 answers pipelined requests in their order', async () => {
    const request = (id: string) => {
      const body = JSON.stringify({ query: `{ ${id}: __typename }` });
      return `POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\nx-api-key: ${KEY}\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
    };
    const names = Array.from({ length: 50 }, (_, i) => `n${i}`);

    const reply = await rawHttp(besieged.gateway, names.map(request).join(''), { forMs: 1_500 });

    expect([...reply.text.matchAll(/"(n\d+)":"Query"/g)].map(([, name]) => name)).toEqual(names);
    await besieged.holds([], { hits: 0 });
  });

  it('T58 holds its cap of connections, and serves again when they are gone', async () => {
    // One who is in already can still ask.
    const inside = new Client(besieged.gateway.url);
    closing.push(() => inside.destroy());
    await (await inside.request({ path: '/health', method: 'GET' })).body.dump();
    const sockets = Array.from({ length: 5_000 }, () => {
      const socket = connect(besieged.gateway.port, '127.0.0.1');
      socket.on('error', () => {});
      return socket.resume(); // or the end of it would not be seen
    });
    await eventually(() => expect(sockets.some((one) => one.connecting)).toBe(false), 10_000);
    let held = 0;
    await eventually(async () => {
      const answer = await inside.request({ path: '/metrics', method: 'GET' });
      const text = await answer.body.text();
      held = Number(/nodejs_active_handles\{type="Socket"\} (\d+)/.exec(text)?.[1]);
      expect(held).toBeGreaterThan(3_800);
    });
    // The cap, and connections of its own to the backend.
    expect(held).toBeLessThanOrEqual(4_096 + 64);
    for (const socket of sockets) socket.destroy();

    await eventually(async () => expect((await besieged.ask('{ __typename }')).status).toBe(200));
    await besieged.holds([], { hits: 0 });
  }, 30_000);

  it('T58 cuts who sends headers slowly within their 10 seconds and a little', async () => {
    await eventually(() => {
      expect(slow.headers.filter(({ closedMs }) => closedMs === undefined)).toHaveLength(0);
    }, 15_000);

    expect(Math.max(...slow.headers.map(({ closedMs }) => closedMs!))).toBeLessThan(13_000);
    expect(slow.headers[0]?.text).toMatch(/^HTTP\/1\.1 408/);
    await besieged.holds([], { hits: 0 });
  }, 20_000);

  it.runIf(process.env['SLOW_TESTS'] === 'on')(
    'T58 cuts who sends a body slowly within its 30 seconds and a little',
    async () => {
      await eventually(() => {
        expect(slow.bodies.filter(({ closedMs }) => closedMs === undefined)).toHaveLength(0);
      }, 35_000);

      expect(Math.max(...slow.bodies.map(({ closedMs }) => closedMs!))).toBeLessThan(34_000);
      await besieged.holds([], { hits: 0 });
    },
    40_000,
  );
});
