/**
 * T24 to T30: many readers, more callers than the backend can serve, restarts under load, memory,
 * and amounts.
 *
 * Small enough for a machine of two cores. The long form of T27 is `npm run soak`, that of T25 `npm run load`.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { formatNodeId } from '../../src/graph/types/node-id.ts';
import { routes } from '../../src/v0/routes.ts';
import { after, ok, reset, silence, status, text, type Behaviour } from '../support/faults.ts';
import { isCall } from '../support/fault-upstream.ts';

import { sampleOf, world } from '../support/world.ts';
import { openCallers, type Callers, type Heard } from './callers.ts';
import { readAll } from './readers.ts';
import { IMPATIENT, openTestbed, type Testbed } from './testbed.ts';
import { until } from '../support/until.ts';

const isShed = (one: Heard): boolean => one.status === 503;

let count = 0;
/** A query that shares its calls with no other. */
const next = (): string => `{ person(personId: "p${count++}") { name } }`;

/**
 * Responds to one of the waiting calls every 20 ms, 50 a second, and skips those whose connections are closed. Returns
 * a function that stops it.
 */
function serveFifty({ upstream }: Testbed): () => void {
  const waiting: (() => boolean)[] = [];
  upstream.on('*', (response, seen, socket) => {
    waiting.push(() => {
      if (!socket.destroyed) void world()(response, seen, socket);
      return !socket.destroyed;
    });
  });
  const serving = setInterval(() => {
    while (waiting.length > 0 && !waiting.shift()!());
  }, 20);
  return () => clearInterval(serving);
}

describe('a gateway with default settings', () => {
  let testbed: Testbed;
  let callers: Callers;

  beforeAll(async () => {
    testbed = await openTestbed({});
    callers = openCallers(testbed.gateway);
  });

  beforeEach(async () => {
    testbed.upstream.on('*', world());
    await testbed.calm();
  });

  afterAll(async () => {
    await callers.close();
    await testbed.close();
  });

  it('T24 serves fifty concurrent readers, and none waits while ten times as many responses as readers are sent', async () => {
    testbed.upstream.on('*', after(5, world()));

    const { readers, wrong, calls } = await readAll(callers, 50, 20);

    expect(wrong.slice(0, 3)).toEqual([]);
    const answersBetween = Array.from({ length: 50 }, (_, reader) => {
      const own = readers.flatMap((one, i) => (one === reader ? [i] : []));
      return Math.max(...own.map((at, i) => at - (own[i - 1] ?? 0)));
    });
    expect(Math.max(...answersBetween)).toBeLessThan(10 * 50);
    await testbed.holds([], { hits: calls });
  }, 120_000);

  it('T26 hides a backend restart from readers and sends no write twice', async () => {
    const reads: (Heard | Error)[] = [];
    const writes: (Heard | Error)[] = [];
    const note = (into: (Heard | Error)[], asked: Promise<Heard>) =>
      asked.then(
        (heard) => void into.push(heard),
        (error: Error) => void into.push(error),
      );
    let titles = 0;

    let stop!: () => void;
    const stopped = new Promise<void>((resolve) => (stop = resolve));
    const load = callers.loop(50, stopped, async (caller) => {
      if (caller < 46) return note(reads, callers.ask(next()));
      const title = `title-${titles++}-`;
      const input = `{ id: ${JSON.stringify(formatNodeId('Topic', [title]))}, title: "${title}" }`;
      await note(
        writes,
        callers.ask(`mutation { updateTopic(input: ${input}) { topic { title } } }`),
      );
    });
    await until(() => reads.length > 2 * 46);
    await testbed.upstream.stop();
    await sleep(300);
    await testbed.upstream.start();
    const readBefore = reads.length;
    await until(() => reads.length > readBefore + 2 * 46);
    stop();
    await load;

    const failed = reads.filter((heard) => heard instanceof Error || heard.body.errors);
    expect(failed.slice(0, 3)).toEqual([]);
    const opened = await testbed.gateway.metric('gateway_breaker_opened_total');
    expect(opened, 'it took the restart for an outage').toBe(0);
    const bodies = testbed.upstream.seen
      .filter(({ method }) => method === 'PATCH')
      .map(({ body }) => body);
    expect(new Set(bodies).size, 'writes that arrived, each once').toBe(bodies.length);
    const codes = writes.flatMap((heard) =>
      heard instanceof Error
        ? ['gone']
        : (heard.body.errors ?? []).map((error: any) => error.extensions.code),
    );
    expect(codes.filter((code) => !/^(UPSTREAM_UNAVAILABLE|OUTCOME_UNKNOWN)$/.test(code))).toEqual(
      [],
    );
    await testbed.holds([], { hits: [reads.length, Infinity] });
  });

  it('T28 makes one call per object when a request selects it many times', async () => {
    const ids = Array.from({ length: 100 }, (_, i) => formatNodeId('Person', [`n${i % 10}`]));
    const audience = sampleOf(routes.getAudience, { page_id: 'x', audience_id: 'a' });
    testbed.upstream.on(
      'GET /v0/pages/x/audiences',
      ok({
        items: Array.from({ length: 50 }, (_, i) => ({
          ...audience,
          audienceId: `a${i}`,
          personId: 'same',
        })),
        hasMore: false,
        nextCursor: null,
        totalCount: 50,
      }),
    );

    const many = await testbed.ask(
      'query ($ids: [ID!]!) { nodes(ids: $ids) { ... on Person { name } } }',
      {
        variables: { ids },
      },
    );
    expect(many.data.nodes).toHaveLength(100);
    await testbed.holds(many, { hits: 10 });

    const page = await testbed.ask(
      '{ page(pageId: "x") { audiences(first: 50) { nodes { person { name } } } } }',
    );
    expect(page.data.page.audiences.nodes).toHaveLength(50);
    await testbed.holds(page, { hits: 2 });
  });

  describe('T30 counts and lists', () => {
    const nodes = 'query ($ids: [ID!]!) { nodes(ids: $ids) { ... on Person { name } } }';

    it('T30 rejects counts and lists of ids above the limit in variables', async () => {
      const replies = [
        await testbed.ask('query ($n: Int) { persons(first: $n) { nodes { name } } }', {
          variables: { n: 100_000 },
        }),
        await testbed.ask(nodes, {
          variables: {
            ids: Array.from({ length: 101 }, (_, i) => formatNodeId('Person', [`p${i}`])),
          },
        }),
        // 4,000 ids of nothing still fit into a body.
        await testbed.ask(nodes, { variables: { ids: Array(4_000).fill('UGVyc29uOjE') } }),
      ];

      expect(replies.map(({ codes }) => codes)).toEqual(Array(3).fill(['BAD_USER_INPUT']));
      await testbed.holds(replies, { hits: 0 });
    });

    it('T30 enforces the call budget for fifteen lists of 100 items', async () => {
      const account = sampleOf(routes.searchAccounts)['items'][0];
      testbed.upstream.on('GET /v0/accounts/search', (response, seen, socket) => {
        const query = new URL(seen.target, 'http://any').searchParams.get('query');
        const items = Array.from({ length: 100 }, (_, i) => ({
          ...account,
          accountId: `${query}-${i}`,
        }));
        const list = { items, hasMore: false, nextCursor: null, totalCount: 100 };
        return ok(list)(response, seen, socket);
      });
      const lists = Array.from(
        { length: 15 },
        (_, i) =>
          `l${i}: accounts(query: "q${i}", first: 100) { nodes { logs { nodes { type } } } }`,
      );

      const retries = () => testbed.gateway.metric('gateway_upstream_retries_total');
      const before = await retries();

      const reply = await testbed.ask(`{ ${lists.join(' ')} }`);

      expect(new Set(reply.codes)).toEqual(new Set(['UPSTREAM_BUDGET_EXCEEDED']));
      // A busy machine may take the time of an attempt.
      await testbed.holds(reply, { hits: [1, 250 + (await retries()) - before] });
    });
  });

  it('T25 responds to or rejects every request to a slow backend in bounded memory, opens no circuit and recovers', async () => {
    const stopServing = serveFifty(testbed);
    const opened = () => testbed.gateway.metric('gateway_breaker_opened_total');
    const openedBefore = await opened();
    const before = await testbed.gateway.metric('process_resident_memory_bytes');
    const heard: Heard[] = [];

    await callers.loop(300, 3_000, async (caller) => {
      const reply = await callers.ask(next(), { apiKey: `tenant-${caller % 10}` });
      heard.push(reply);
      if (isShed(reply)) await sleep(100 + 200 * Math.random());
    });

    const codesOf = ({ body }: Heard) => (body.errors ?? []).map((e: any) => e.extensions.code);
    const served = heard.filter(({ body }) => !body.errors);
    const refused = heard.filter(({ body }) => body.errors);
    for (const code of new Set(refused.flatMap(codesOf))) {
      expect(['UPSTREAM_TIMEOUT', 'UPSTREAM_UNAVAILABLE']).toContain(code);
    }
    expect(served.length).toBeGreaterThan(50);
    expect((await opened()) - openedBefore).toBe(0);
    const shed = heard.filter(isShed);
    expect(shed.every(({ retryAfter }) => Number(retryAfter) >= 1)).toBe(true);
    const grown = (await testbed.gateway.metric('process_resident_memory_bytes')) - before;
    expect(grown).toBeLessThan(100e6);

    stopServing();
    testbed.upstream.on('*', world());
    await until(async () => {
      const { body } = await callers.ask(next());
      expect(body.errors).toBeUndefined();
    });
    await testbed.holds([], { hits: [served.length, served.length + 2 * refused.length + 400] });
  });
});

describe('T27 memory', () => {
  const READ = 'query ($id: ID!) { person(personId: $id) { name } }';

  it('T27 keeps heap and handles stable over requests, aborts and faults', async () => {
    const testbed = await openTestbed(IMPATIENT, { gauged: true });
    onTestFinished(() => testbed.close());
    const faults: readonly Behaviour[] = [
      status(503),
      reset(),
      reset(400),
      text('<html>', 'text/html'),
      status(404),
    ];
    let asked = 0;
    testbed.upstream.on('*', (...args) => {
      if (!isCall(args[1])) return world()(...args);
      asked += 1;
      const fault = asked % 17 === 0 ? faults[(asked / 17) % faults.length] : undefined;
      return asked % 499 === 0 ? silence()(...args) : after(2, fault ?? world())(...args);
    });
    const round = async () => {
      const callers = openCallers(testbed.gateway);
      await callers.loop(20, 800, async (caller) => {
        const leaves = caller % 5 === 0 ? { signal: AbortSignal.timeout(3) } : {};
        // One document: T37 tests the memory of many.
        const variables = { id: `m${count++}` };
        await callers.ask(READ, { variables, ...leaves }).catch(() => {});
      });
      await callers.close();
      await testbed.underWay(0);
    };
    const heaps: number[] = [];
    const handles: number[] = [];

    for (let i = 0; i < 4; i++) {
      await round();
      const gauge = await testbed.gateway.gauge();
      heaps.push(gauge.heapBytes);
      handles.push(gauge.handles);
    }

    expect(heaps[3], String(heaps)).toBeLessThan(heaps[1]! * 1.05 + 1e6);
    // Idle connections to the backend come and go with the load; nothing else may.
    expect(handles[3], String(handles)).toBeLessThan(handles[1]! + 25);
    await until(async () => {
      const { handles: left } = await testbed.gateway.gauge();
      expect(left).toBeLessThan(20);
    }, 8_000);
    await testbed.holds([], { hits: asked });
  });
});
