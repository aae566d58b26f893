/**
 * T57 and T58: what a process finishes before it exits, and what slow or many callers can hold.
 *
 * Other ends of a process are in test/gateway/process.test.ts. The kill of the embedded backend during writes is in
 * test/backend/restart.test.ts, and here once through the gateway.
 */
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'undici';
import { beforeAll, describe, expect, it } from 'vitest';
import { formatNodeId } from '../../src/graph/types/node-id.ts';
import { routes } from '../../src/v0/routes.ts';
import { openFolder } from '../support/folder.ts';
import { afterFile } from '../support/after-file.ts';
import { held, text } from '../support/faults.ts';
import { KEY, startGateway, type GatewayProcess } from '../support/gateway-process.ts';
import { sampleOf, world } from '../support/world.ts';
import { openCallers } from './callers.ts';
import { rawHttp } from './raw-http.ts';
import { openTestbed, type Testbed, type TestbedOptions } from './testbed.ts';
import { until } from '../support/until.ts';

const open = (env: Record<string, string> = {}, options?: TestbedOptions): Promise<Testbed> =>
  openTestbed(env, options);

/** Gateways that a test stops; started before, because starting them keeps the machine busy. */
let mortal: Record<'peaceful' | 'left', Testbed>;

beforeAll(async () => {
  const [peaceful, left] = await Promise.all([open(), open()]);
  mortal = { peaceful, left };
});

let count = 0;
/** A query that shares its calls with no other. */
const next = (): string => `{ person(personId: "p${count++}") { name } }`;

/** A connection that is held open for as long as the gateway lets it. */
interface Hold {
  readonly socket: Socket;
  readonly sinceMs: number;
  closedMs?: number;
  text: string;
}

/** 300 slow connections: each sends a little, and a little more every half second, or nothing. */
interface Siege {
  readonly testbed: Testbed;
  readonly headers: readonly Hold[];
  readonly bodies: readonly Hold[];
  /** Connections that send nothing. */
  readonly mute: readonly Hold[];
}

let besieged: Siege;
/** The same before a gateway whose limits are a tenth. */
let hurried: Siege;

function besiege(testbed: Testbed): Siege {
  const hold = (first: string, more: string): Hold => {
    const socket = connect(testbed.gateway.port, '127.0.0.1');
    const one: Hold = { socket, sinceMs: performance.now(), text: '' };
    socket.on('data', (chunk) => (one.text += chunk.toString()));
    socket.on('error', () => {});
    const timer = more ? setInterval(() => socket.write(more), 500) : undefined;
    socket.on('close', () => {
      clearInterval(timer);
      one.closedMs = performance.now() - one.sinceMs;
    });
    if (first) socket.write(first);
    afterFile(() => socket.destroy());
    return one;
  };
  const many = (count: number, first: string, more: string) =>
    Array.from({ length: count }, () => hold(first, more));
  const post = `POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n`;
  return {
    testbed,
    headers: many(200, 'GET /graphql HTTP/1.1\r\nhost: x\r\n', 'x-a: b\r\n'),
    bodies: many(50, `${post}content-length: 90000\r\n\r\n{`, ' '),
    mute: many(50, '', ''),
  };
}

/** Waits until all have been closed; the milliseconds until the first and until the last. */
async function allCut(holds: readonly Hold[], ms: number): Promise<[first: number, last: number]> {
  await until(() => {
    expect(holds.filter(({ closedMs }) => closedMs === undefined)).toHaveLength(0);
  }, ms);
  const times = holds.map(({ closedMs }) => closedMs!);
  return [Math.min(...times), Math.max(...times)];
}

// The slow connections of T58 begin first: they take seconds, in which other tests can run.
beforeAll(async () => {
  const hurry = { preload: [new URL('hurried-clock.ts', import.meta.url).href] };
  const stands = await Promise.all([open(), open({ MAX_RESULT_BYTES: '6000000' }, hurry)]);
  [besieged, hurried] = stands.map(besiege) as [Siege, Siege];
});

it('T58 serves other clients while 300 slow connections are open', async () => {
  const { testbed } = besieged;
  const callers = openCallers(testbed.gateway);

  for (let i = 0; i < 10; i++) {
    const heard = await Promise.all(Array.from({ length: 10 }, () => callers.ask(next())));
    for (const { body } of heard) expect(body).toEqual({ data: { person: { name: 'name' } } });
  }

  // None has been closed, so no caller waited for one.
  expect(besieged.bodies.every(({ closedMs }) => closedMs === undefined)).toBe(true);
  await testbed.holds([], { hits: 100 });
});

describe('T57 a process on shutdown', () => {
  it('T57 exits with 0 when nothing is in flight and closes its connections to the backend', async () => {
    const testbed = mortal.peaceful;
    await testbed.ask(next());

    expect(await testbed.gateway.stop()).toBe(0);
    await until(() => expect(testbed.upstream.connections).toBe(0));
  });

  it('T57 completes the write of a disconnected client before it exits', async () => {
    const testbed = mortal.left;
    const late = held(world());
    testbed.upstream.on('POST /v0/topics/t/entries', late.behaviour);
    const leaving = new AbortController();
    const gone = testbed.ask(
      'mutation { createTopicEntry(input: { topicId: "t", content: { type: "a", content: "b" } }) { topicEntry { id } } }',
      { signal: leaving.signal },
    );
    await until(() => expect(testbed.hits).toBe(1));
    leaving.abort();
    await expect(gone).rejects.toThrow();

    const exit = testbed.gateway.stop();
    let ended = false;
    void exit.then(() => (ended = true));
    // Without a write it ends in some 200 ms, of which nothing else tells.
    await sleep(600);
    expect(ended, 'it waits for the response').toBe(false);
    late.release();

    expect(await exit).toBe(0);
  });

  it('T57 loses no acknowledged write when it is killed with SIGKILL during writes', async () => {
    const folder = openFolder();
    const start = async (): Promise<GatewayProcess> => {
      const gateway = await startGateway({ BACKEND_DATABASE_URL: `file:${join(folder, 'db')}` });
      afterFile(() => gateway.stop('SIGKILL'));
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

    await until(() => expect(answered.length).toBeGreaterThan(40), 15_000);
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
  });
});

describe('T58 the HTTP server', () => {
  it('T58 rejects ambiguous and malformed requests with 400', async () => {
    const attack = (head: string, body = '') =>
      rawHttp(besieged.testbed.gateway, `POST /graphql HTTP/1.1\r\n${head}\r\n\r\n${body}`);

    const replies = await Promise.all([
      attack(
        'host: x\r\ncontent-length: 5\r\ntransfer-encoding: chunked',
        '0\r\n\r\nGET /metrics HTTP/1.1\r\n\r\n',
      ),
      attack('host: x\r\ncontent-length: 5\r\ncontent-length: 6', '{}'),
      attack('content-length: 2', '{}'),
      attack('host: x\r\ncontent-length : 2', '{}'),
      attack('host: x\r\ntransfer-encoding: xchunked', '{}'),
      rawHttp(besieged.testbed.gateway, 'GET /health HTTP/1.1\nhost: x\n\n'),
      rawHttp(besieged.testbed.gateway, 'nonsense\r\n\r\n'),
    ]);

    expect(replies.map(({ status }) => status)).toEqual(Array(7).fill(400));
    await besieged.testbed.holds([], { hits: 0 });
  });

  it('T58 rejects headers over 16 KB with 431', async () => {
    const reply = await rawHttp(
      besieged.testbed.gateway,
      `GET /health HTTP/1.1\r\nhost: x\r\nx-long: ${'x'.repeat(17_000)}\r\n\r\n`,
    );

    expect([reply.status, reply.closed]).toEqual([431, true]);
    await besieged.testbed.holds([], { hits: 0 });
  });

  it('T58 responds to pipelined requests in order', async () => {
    const request = (id: string) => {
      const body = JSON.stringify({ query: `{ ${id}: __typename }` });
      const connection = id === 'n49' ? 'close' : 'keep-alive';
      return `POST /graphql HTTP/1.1\r\nhost: x\r\nconnection: ${connection}\r\ncontent-type: application/json\r\nx-api-key: ${KEY}\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
    };
    const names = Array.from({ length: 50 }, (_, i) => `n${i}`);

    const reply = await rawHttp(besieged.testbed.gateway, names.map(request).join(''));

    expect([...reply.text.matchAll(/"(n\d+)":"Query"/g)].map(([, name]) => name)).toEqual(names);
    await besieged.testbed.holds([], { hits: 0 });
  });

  it('T58 enforces its connection limit under 10,000 connections and responds again once they are closed', async () => {
    // A connection from before can still send requests.
    const inside = new Client(besieged.testbed.gateway.url);
    afterFile(() => inside.destroy());
    await (await inside.request({ path: '/health', method: 'GET' })).body.dump();
    const sockets: Socket[] = [];
    // No more at a time than the backlog of Node holds: the system retries others only after a second or two.
    for (let i = 0; i < 25; i++) {
      const some = Array.from({ length: 400 }, () => {
        const socket = connect(besieged.testbed.gateway.port, '127.0.0.1');
        socket.on('error', () => {});
        return socket.resume(); // or the end of it would not be seen
      });
      await until(() => expect(some.some((one) => one.connecting)).toBe(false), 20_000);
      sockets.push(...some);
    }
    let held = 0;
    await until(async () => {
      const answer = await inside.request({ path: '/metrics', method: 'GET' });
      const text = await answer.body.text();
      held = Number(/nodejs_active_handles\{type="Socket"\} (\d+)/.exec(text)?.[1]);
      expect(held).toBeGreaterThan(3_800);
    }, 20_000);
    // The cap, and its own connections to the backend.
    expect(held).toBeLessThanOrEqual(4_096 + 128);
    for (const socket of sockets) socket.destroy();

    await until(async () =>
      expect((await besieged.testbed.ask('{ __typename }')).status).toBe(200),
    );
    await besieged.testbed.holds([], { hits: 0 });
  });

  it('T58 closes connections that send headers slowly or send nothing after 10 seconds (scaled to a tenth)', async () => {
    const [first, last] = await allCut([...hurried.headers, ...hurried.mute], 5_000);

    expect(first).toBeGreaterThan(900);
    expect(last).toBeLessThan(3_500);
    expect(hurried.headers[0]?.text).toMatch(/^HTTP\/1\.1 408/);
    await hurried.testbed.holds([], { hits: 0 });
  });

  it('T58 closes connections that send a body slowly after 30 seconds (scaled to a tenth)', async () => {
    const [first, last] = await allCut(hurried.bodies, 15_000);

    expect(first).toBeGreaterThan(2_700);
    // Node's own limit would cut at 30 s by this clock; a busy machine needs a while more than 3 s.
    expect(last).toBeLessThan(10_000);
    expect(hurried.bodies[0]?.text).toMatch(/^HTTP\/1\.1 408/);
    await hurried.testbed.holds([], { hits: 0 });
  });

  it('T58 closes connections that do not read their responses within 30 seconds (scaled to a tenth)', async () => {
    const { gateway, upstream } = hurried.testbed;
    const log = sampleOf(routes.getPersonLog, { person_id: 'big', person_log_id: 'l' });
    const big = JSON.stringify({ ...log, payload: { text: 'x'.repeat(4_900_000) } });
    upstream.on('GET /v0/persons/big/logs/l', text(big));
    const id = formatNodeId('PersonLog', ['big', 'l']);
    const body = JSON.stringify({
      query: `{ node(id: "${id}") { ... on PersonLog { payload } } }`,
    });
    const before = await gateway.metric('nodejs_active_handles', '"Socket"');
    const held = async (): Promise<number> =>
      (await gateway.metric('nodejs_active_handles', '"Socket"')) - before;
    const sockets = Array.from({ length: 10 }, () => {
      const socket = connect(gateway.port, '127.0.0.1').pause();
      socket.on('error', () => {});
      afterFile(() => socket.destroy());
      socket.write(
        `POST /graphql HTTP/1.1\r\nhost: x\r\nx-api-key: ${KEY}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
      );
      return socket;
    });

    await until(async () => expect(await held()).toBeGreaterThanOrEqual(sockets.length));
    // Connections to the backend are sockets too, and may stay.
    await until(async () => expect(await held()).toBeLessThan(sockets.length / 2));
  });
});
