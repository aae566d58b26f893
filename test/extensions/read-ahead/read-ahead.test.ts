/** Prefetching as callers see it: a screen seen before takes one round, and its response stays the same. */
import { once } from 'node:events';
import fc from 'fast-check';
import type { ExecutionArgs } from 'graphql';
import { describe, expect, it } from 'vitest';
import { caching } from '../../../src/extensions/cache/cache.extension.ts';
import { ResponseCache } from '../../../src/extensions/cache/response-cache.ts';
import { MAX_BYTES, RememberedReads, Predictions } from '../../../src/extensions/read-ahead/run.ts';
import { openTracer } from '../../../src/extensions/traces/tracer.ts';
import { traces } from '../../../src/extensions/traces/traces.extension.ts';
import type { CallLogEntry } from '../../../src/rest/call/call-log.ts';
import type { GatewayPlugin } from '../../../src/gateway/yoga/gateway-plugin.ts';
import { silentLogger } from '../../../src/gateway/observe/logs/logger.ts';
import { formatNodeId } from '../../../src/graph/types/node-id.ts';
import { routes } from '../../../src/v0/routes.ts';
import { openSocket } from '../../live/support.ts';
import { cases } from '../../support/cases.ts';
import { OTHER_KEY } from '../../support/client.ts';
import { after, held, ok, silence, status, type Behaviour } from '../../support/faults.ts';
import { IDS } from '../../support/ids.ts';
import { openDecoder } from '../../support/collector.ts';
import { openGateway } from '../../support/open-gateway.ts';
import { openLog } from '../../support/open-log.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { until } from '../../support/until.ts';
import { world } from '../../support/world.ts';
import { openAhead, openPages, Pages, SCREEN, screenOf } from './screens.ts';

const TOPIC = formatNodeId('Topic', ['t1']);

const EXPLAINED = { headers: { 'x-explain': 'true' } };

const person = (id: string) => `GET /v0/persons/${id}`;

const UPDATE_TOPIC = 'PATCH /v0/topics/t1';

const isEndedAhead = ({ ahead, endMs }: CallLogEntry): boolean =>
  ahead !== undefined && endMs !== undefined;

type Gateway = Awaited<ReturnType<typeof openPages>>;

/** What arrives at the backend while something runs, in order of text. */
async function heard(gateway: Gateway, run: () => Promise<unknown>): Promise<readonly string[]> {
  const from = gateway.upstream.seen.length;
  await run();
  return gateway.upstream.seen
    .slice(from)
    .map(({ method, target }) => `${method} ${target}`)
    .sort();
}

const PAGE_CALLS = ['GET /v0/pages/p1', 'GET /v0/pages/p1/audiences?limit=20'];

describe('a repeated query', () => {
  it('takes one round trip with the same calls and the same response', async () => {
    const gateway = await openAhead({ sample: { latencyMs: 20 } });
    const screen = screenOf(IDS.page);

    const first = await gateway.ask(screen);
    const calls = gateway.restCalls.toSorted();
    const { rounds } = gateway.journal;
    const again = await gateway.ask(screen);

    expect(calls.length).toBeGreaterThan(10);
    expect([rounds, gateway.journal.rounds]).toEqual([2, 1]);
    expect(gateway.restCalls.toSorted()).toEqual(calls);
    expect(again.body).toEqual(first.body);
    expect(again.headers.get('server-timing')).toContain('rounds;desc="1"');
  });

  it('takes two round trips and one wasted call when a person has changed, and returns the new one', async () => {
    const pages = new Pages(['ada', 'ben']);
    const gateway = await openPages(pages);
    await gateway.ask(SCREEN);

    pages.personsOf.set('p1', ['ada', 'cleo']);
    const { data, errors, extensions } = await gateway.ask(SCREEN, EXPLAINED);

    const { calls, rounds, journal } = extensions.upstream;
    expect(errors).toEqual([]);
    expect(data.page.audiences.nodes.map((node: any) => node.person.name)).toEqual([
      'Person ada',
      'Person cleo',
    ]);
    expect({ calls, rounds }).toEqual({ calls: 5, rounds: 2 });
    const pathOf = (i: number) => ['page', 'audiences', 'nodes', i, 'person'];
    expect(journal.filter(({ route }: any) => route === routes.getPerson.path)).toMatchObject([
      { source: 'sent', ahead: 'used', path: pathOf(0) },
      { source: 'sent', ahead: 'unused', path: [] },
      { source: 'sent', path: pathOf(1) },
    ]);
    expect(await gateway.metric('gateway_reads_ahead_total', 'used="true"')).toBe(1);
    expect(await gateway.metric('gateway_reads_ahead_total', 'used="false"')).toBe(1);
  });

  it('shows in its log line and its trace which calls were prefetched, and whether a field used them', async () => {
    const pages = new Pages(['ada', 'ben']);
    const { lines, logger } = openLog('debug');
    const decoder = await openDecoder();
    const tracer = openTracer({
      ...{ url: `${decoder.url}/v1/traces`, protocol: 'http/json', resourceAttributes: '' },
      ...{ backend: 'http://pages.example', version: '1', logger: silentLogger() },
    });
    const gateway = await openPages(pages, { logger, others: [traces(tracer)] });
    await gateway.ask(SCREEN);
    pages.personsOf.set('p1', ['ada', 'cleo']);
    await gateway.ask(SCREEN);
    await tracer.close();

    const logged = (lines.at(-1)!['journal'] as { readonly ahead?: string }[]).flatMap(
      ({ ahead }) => ahead ?? [],
    );
    const traced = decoder.spans.flatMap(({ attributes }) => attributes['gateway.ahead'] ?? []);
    expect(logged.sort()).toEqual(['unused', 'used']);
    expect(traced.sort()).toEqual(['unused', 'used']);
  });

  it('prefetches the reads of the last execution, not of earlier ones', async () => {
    const pages = new Pages(['ada']);
    const gateway = await openPages(pages);
    await gateway.ask(SCREEN);
    pages.personsOf.set('p1', ['ben']);
    await gateway.ask(SCREEN);

    const again = await heard(gateway, () => gateway.ask(SCREEN));
    pages.personsOf.set('p1', []);
    await gateway.ask(SCREEN);
    const without = await heard(gateway, () => gateway.ask(SCREEN));

    expect(again).toEqual([...PAGE_CALLS, person('ben')]);
    expect(without).toEqual(PAGE_CALLS);
  });

  it('has the same plan as without prefetching', async () => {
    const gateway = await openPages(new Pages());
    const plan = () => gateway.ask(SCREEN, { headers: { 'x-explain': 'plan' } });
    const before = await plan();
    await gateway.ask(SCREEN);
    await gateway.ask(SCREEN, EXPLAINED);

    const calls = await heard(gateway, async () => {
      expect((await plan()).body).toEqual(before.body);
    });

    expect(calls).toEqual([]);
    expect(await gateway.metric('gateway_plan_checks_total')).toBe(0);
  });

  it('makes no call twice when it is executed concurrently', async () => {
    const pages = new Pages();
    const gateway = await openPages(pages);
    await gateway.ask(SCREEN);
    const late = held(pages.answer);
    for (const call of ['GET /v0/pages/p1', 'GET /v0/pages/p1/audiences']) {
      gateway.upstream.on(call, late.behaviour);
    }
    gateway.upstream.on(person('ben'), pages.answer);

    const calls = await heard(gateway, async () => {
      const asked = [gateway.ask(SCREEN), gateway.ask(SCREEN), gateway.ask(SCREEN)];
      await until(() => gateway.upstream.hits(person('ben')) === 1);
      late.release();
      const names = (await Promise.all(asked)).map(({ data }) => data.page.audiences.nodes.length);
      expect(names).toEqual([2, 2, 2]);
    });

    // One run prefetches, and the two others share its calls.
    expect(calls.filter((call) => call === person('ada')).length).toBeLessThanOrEqual(2);
  });

  it('that uses its whole call budget succeeds when all predictions are wrong', async () => {
    const idsOf = (name: string) => Array.from({ length: 48 }, (_, i) => `${name}${i}`);
    const pages = new Pages(idsOf('a'));
    const gateway = await openPages(pages, { limits: { maxUpstreamCalls: 50 } });
    const screen = screenOf('p1', 48);
    await gateway.ask(screen);

    pages.personsOf.set('p1', idsOf('b'));
    const { errors, data } = await gateway.ask(screen);

    expect(errors).toEqual([]);
    expect(data.page.audiences.nodes.at(-1).person.name).toBe('Person b47');
    expect(gateway.journal.calls).toBeGreaterThan(50);
  });
});

describe('the remembered reads', () => {
  it('belong to a document with its variables, and to an API key with its forwarded headers', async () => {
    const gateway = await openPages(new Pages(), { headers: { forward: ['accept-language'] } });
    const query = screenOf().replace(
      '{ page(pageId: "p1")',
      'query ($id: ID!) { page(pageId: $id)',
    );
    const asking = (id: string, apiKey?: string, language?: string) => () =>
      gateway.ask(query, {
        variables: { id },
        ...(apiKey !== undefined && { apiKey }),
        ...(language !== undefined && { headers: { 'accept-language': language } }),
      });
    const aheadOf = async (ask: () => Promise<unknown>) => {
      await ask();
      return gateway.journal.entries.filter(({ ahead }) => ahead).length;
    };
    await asking('p1')();

    expect(await aheadOf(asking('p1'))).toBe(2);
    expect(await aheadOf(asking('p2'))).toBe(0);
    expect(await aheadOf(asking('p1', OTHER_KEY))).toBe(0);
    expect(await aheadOf(asking('p1', undefined, 'de'))).toBe(0);
    expect(await aheadOf(() => gateway.ask(`${query}  `, { variables: { id: 'p1' } }))).toBe(0);
    expect(await aheadOf(asking('p1', OTHER_KEY))).toBe(2);
  });

  it.each([
    ['introspection', SCREEN.replace('{ page', '{ __schema { queryType { name } } page')],
    ['@defer', SCREEN.replace('{ name email }', '{ ... @defer { name email } }')],
  ])('include nothing of a query with %s', async (_, query) => {
    const gateway = await openPages(new Pages());

    await gateway.ask(query);
    const { text } = await gateway.ask(query);

    expect(text).toContain('Person ben');
    expect(gateway.journal.entries.some(({ ahead }) => ahead)).toBe(false);
  });

  it('include nothing of a mutation', async () => {
    const gateway = await openAhead({ fresh: true });
    const id = (await gateway.ask(`{ topic(topicId: "${IDS.topic}") { id } }`)).data.topic.id;
    const rename = () =>
      gateway.ask(
        `mutation ($input: UpdateTopicInput!) { updateTopic(input: $input) {
           topic { title entries { audience { person { name } } } } userErrors { message } } }`,
        { variables: { input: { id, title: 'News' } } },
      );

    await rename();
    await rename();

    expect(gateway.journal.calls).toBeGreaterThan(0);
    expect(gateway.journal.entries.some(({ ahead }) => ahead)).toBe(false);
  });

  it('remain unchanged when a caller disconnects during a request', async () => {
    const pages = new Pages();
    const gateway = await openPages(pages);
    await gateway.ask(SCREEN);
    gateway.upstream.on('GET /v0/pages/p1/audiences', silence());
    gateway.upstream.on(person('ben'), pages.answer);
    const left = new AbortController();
    const asked = gateway.ask(SCREEN, { signal: left.signal }).catch(() => 'left');
    await until(() => gateway.upstream.hits(person('ben')) === 1);
    left.abort();
    expect(await asked).toBe('left');
    gateway.upstream.on('GET /v0/pages/p1/audiences', pages.answer);
    await until(async () => (await gateway.metric('gateway_requests_in_flight')) === 0);

    await gateway.ask(SCREEN);

    expect(gateway.journal.entries.filter(({ ahead }) => ahead === 'used')).toHaveLength(2);
  });

  it('take at most 8 MB, whatever the paths are', () => {
    const remembered = new RememberedReads();
    const path = (i: number) => `/v0/pages/search?query=${i}${'x'.repeat(7_000)}`;
    for (let i = 0; i < 2_000; i++) {
      remembered.remember(`screen ${i}`, [[routes.searchPages, path(i)]]);
    }
    const huge = Array.from({ length: 250 }, (_, i) => [routes.searchPages, path(i)] as const);
    remembered.remember('huge', huge);

    const kept = Array.from({ length: 2_000 }, (_, i) => remembered.find(`screen ${i}`));
    expect(kept.filter(Boolean).length * 2 * 7_000).toBeLessThan(MAX_BYTES);
    expect(kept.at(-1)).toBeDefined();
    expect(remembered.find('huge')).toBeUndefined();
  });
});

describe('a prefetched read', () => {
  it('is awaited by the field that requests it, without another call', async () => {
    const pages = new Pages(['ada']);
    const gateway = await openPages(pages);
    await gateway.ask(SCREEN);
    const late = held(pages.answer);
    gateway.upstream.on(person('ada'), late.behaviour);
    let isAnswered = false;
    const asked = gateway.ask(SCREEN).finally(() => (isAnswered = true));
    await until(() => gateway.journal.entries.some(({ ahead }) => ahead === 'used'));

    expect(isAnswered).toBe(false);
    late.release();

    expect((await asked).data.page.audiences.nodes[0].person.name).toBe('Person ada');
    expect(gateway.upstream.hits(person('ada'))).toBe(1); // of this script
    expect(gateway.journal.rounds).toBe(1);
  });

  it.each([
    ['before it is queried', false],
    ['while a field waits for it', true],
  ])('is repeated, and retried as usual, when it fails %s', async (_, isLate) => {
    const pages = new Pages(['ada']);
    const gateway = await openPages(pages);
    await gateway.ask(SCREEN);
    const failure = held(status(503));
    const list = held(pages.answer);
    gateway.upstream.on(person('ada'), failure.behaviour, status(503), pages.answer);
    gateway.upstream.on('GET /v0/pages/p1/audiences', list.behaviour);
    const asked = gateway.ask(SCREEN);
    await until(() => gateway.upstream.hits(person('ada')) === 1);
    const { entries } = gateway.journal;
    if (isLate) {
      list.release();
      await until(() => entries.some(({ ahead }) => ahead === 'used'));
      failure.release();
    } else {
      failure.release();
      await until(() => entries.some(({ ahead, endMs }) => ahead && endMs !== undefined));
      list.release();
    }

    const { data, errors } = await asked;

    expect(errors).toEqual([]);
    expect(data.page.audiences.nodes[0].person.name).toBe('Person ada');
    expect(gateway.upstream.hits(person('ada'))).toBe(3);
    expect(entries.flatMap(({ ahead = [] }) => ahead)).toEqual([isLate ? 'used' : 'unused']);
  });

  it('fails as usual when the backend keeps failing, and its error names the field', async () => {
    const pages = new Pages(['ada', 'ben']);
    pages.persons.set('ada', status(500));
    pages.persons.set('ben', status(404));
    const plain = await openGateway({ backend: 'faulty' });
    plain.upstream.on('*', pages.answer);
    const gateway = await openPages(pages);
    await gateway.ask(SCREEN);

    const again = await gateway.ask(SCREEN);

    expect(gateway.journal.entries.filter(({ ahead }) => ahead)).toHaveLength(2);
    expect(again.body).toEqual((await plain.ask(SCREEN)).body);
  });

  it('is cancelled without an error when the query ends without it on a connection that stays open', async () => {
    const pages = new Pages(['ada']);
    const gateway = await openPages(pages, {
      rest: { timeoutMs: 60_000 },
      limits: { requestTimeoutMs: 60_000 },
    });
    const { subscribe, received } = await openSocket(gateway.url);
    subscribe('1', {}, SCREEN);
    await until(() => received('complete').length === 1);
    pages.personsOf.set('p1', ['ben']);
    let closed: Promise<unknown> | undefined;
    gateway.upstream.on(person('ada'), (_response, _seen, socket) => {
      closed = once(socket, 'close');
    });
    const list = held(pages.answer);
    gateway.upstream.on('GET /v0/pages/p1/audiences', list.behaviour);

    subscribe('2', {}, SCREEN);
    await until(() => closed !== undefined);
    list.release();
    await until(() => received('complete').length === 2);

    const { payload } = received('next')[1]!;
    expect(payload).not.toHaveProperty('errors');
    expect(JSON.stringify(payload)).toContain('Person ben');
    await closed;
    expect(await gateway.metric('gateway_unhandled_rejections_total')).toBe(0);
  });

  it('that fails unused causes no unhandled rejection', async () => {
    const rejections: unknown[] = [];
    const note = (reason: unknown): void => void rejections.push(reason);
    process.on('unhandledRejection', note);
    const pages = new Pages(['ada']);
    const gateway = await openPages(pages, { rest: { timeoutMs: 60_000 } });
    await gateway.ask(SCREEN);
    pages.personsOf.set('p1', ['ben']);
    pages.persons.set('ada', status(500));

    const { errors } = await gateway.ask(SCREEN);
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', note);

    expect(errors).toEqual([]);
    expect(rejections).toEqual([]);
  });

  it('is cancelled when its caller disconnects', async () => {
    const pages = new Pages(['ada']);
    const gateway = await openPages(pages, { rest: { timeoutMs: 60_000 } });
    await gateway.ask(SCREEN);
    let closed: Promise<unknown> | undefined;
    gateway.upstream.on('GET /v0/pages/p1/audiences', silence());
    gateway.upstream.on(person('ada'), (_response, _seen, socket) => {
      closed = once(socket, 'close');
    });
    const left = new AbortController();
    const asked = gateway.ask(SCREEN, { signal: left.signal }).catch(() => 'left');
    await until(() => closed !== undefined);

    left.abort();

    expect(await asked).toBe('left');
    await closed;
  });

  it.each([
    ['before the write', 'while it is in flight'],
    ['before the write', 'after it'],
    ['during the write', 'after it'],
  ])('started %s of its key is repeated for a field that requests it %s', async (begun, asks) => {
    const pages = new Pages(['ada']);
    const gateway = await openPages(pages);
    await gateway.ask(SCREEN);
    const list = held(pages.answer);
    gateway.upstream.on('GET /v0/pages/p1/audiences', list.behaviour);
    const named = (name: string): Behaviour => ok((seen: unknown) => ({ ...personOf(seen), name }));
    pages.persons.set('ada', named('Before'));
    const write = held(world());
    gateway.upstream.on(UPDATE_TOPIC, write.behaviour);
    const open = async () => {
      const asked = gateway.ask(SCREEN);
      await until(() => gateway.journal.entries.some(isEndedAhead));
      return { asked };
    };
    const send = async () => {
      const written = gateway.ask(
        `mutation { updateTopic(input: { id: "${TOPIC}", title: "News" }) { userErrors { message } } }`,
      );
      await until(() => gateway.upstream.hits(UPDATE_TOPIC) === 1);
      return { written };
    };
    const early = begun === 'before the write' ? await open() : undefined;
    const { written } = await send();
    const { asked } = early ?? (await open());

    pages.persons.set('ada', named('After'));
    if (asks === 'after it') {
      write.release();
      expect((await written).errors).toEqual([]);
    }
    list.release();

    expect((await asked).data.page.audiences.nodes[0].person.name).toBe('After');
    write.release();
    await written;
  });

  it('returns its exposed header only to a field that requests it', async () => {
    const pages = new Pages(['ada']);
    const gateway = await openPages(pages, { headers: { expose: ['x-left'] } });
    const withLeft =
      (left: string, behaviour: Behaviour): Behaviour =>
      (response, ...rest) => {
        response.setHeader('x-left', left);
        return behaviour(response, ...rest);
      };
    gateway.upstream.on('*', withLeft('page', pages.answer));
    gateway.upstream.on(person('ada'), withLeft('ada', pages.answer));
    const leftOf = async () => (await gateway.ask(SCREEN)).headers.get('x-left');

    const asked = [await leftOf(), await leftOf()];
    pages.personsOf.set('p1', [null]);

    expect([...asked, await leftOf()]).toEqual(['ada', 'ada', 'page']);
    expect(gateway.journal.entries.some(({ ahead }) => ahead === 'unused')).toBe(true);
  });

  it('is a call if the response is not cached', async () => {
    const cache = caching(new ResponseCache({ maxBytes: 1_000_000, ttls: new Map() }));
    const gateway = await openPages(new Pages(), { others: [cache] });
    await gateway.ask(SCREEN);

    const calls = await heard(gateway, () => gateway.ask(SCREEN));

    expect(calls).toEqual([...PAGE_CALLS, person('ada'), person('ben')]);
    expect(gateway.journal.rounds).toBe(1);
    const how = gateway.journal.entries.map(({ ahead, source }) => ahead ?? source);
    expect(how).toEqual(['sent', 'sent', 'used', 'used']);
  });

  it('is no call if the response is cached', async () => {
    const ttls = new Map([[routes.getPerson.path, 60_000]]);
    const cache = caching(new ResponseCache({ maxBytes: 1_000_000, ttls }));
    const gateway = await openPages(new Pages(), { others: [cache] });
    await gateway.ask(SCREEN);

    const calls = await heard(gateway, () => gateway.ask(SCREEN));

    expect(calls).toEqual(PAGE_CALLS);
    const { entries } = gateway.journal;
    expect(entries.filter(({ source }) => source === 'cached')).toHaveLength(2);
    expect(entries.some(({ ahead }) => ahead)).toBe(false);
  });
});

it('a 429 to a prefetch causes no back-off: calls for fields are sent immediately and succeed', async () => {
  const pages = new Pages(['ada']);
  const gateway = await openPages(pages);
  await gateway.ask(SCREEN);
  const list = held(pages.answer);
  gateway.upstream.on(person('ada'), status(429, { 'retry-after': '60' }), pages.answer);
  gateway.upstream.on('GET /v0/pages/p1/audiences', list.behaviour);
  const asked = gateway.ask(SCREEN);
  await until(() => gateway.journal.entries.some((one) => one.ahead && one.endMs !== undefined));
  list.release();

  const { data, errors } = await asked;

  expect(errors).toEqual([]);
  expect(data.page.audiences.nodes[0].person.name).toBe('Person ada');
  expect(gateway.upstream.hits(person('ada'))).toBe(2);
});

it.each([
  ['one after the other', (execute: () => unknown) => Promise.resolve(execute()).then(execute)],
  ['at once', (execute: () => unknown) => Promise.all([execute(), execute()]).then(([one]) => one)],
])('an operation that a plugin executes twice, %s, is one prefetching run', async (_, twice) => {
  const plugin: GatewayPlugin = {
    onExecute({ executeFn, setExecuteFn }) {
      setExecuteFn((args: ExecutionArgs) => twice(() => executeFn(args)));
    },
  };
  const gateway = await openPages(new Pages(), { plugins: [plugin] });
  const used = () => gateway.metric('gateway_reads_ahead_total', 'used="true"');
  await gateway.ask(SCREEN);

  const counts = [];
  for (let i = 0; i < 2; i++) {
    expect((await gateway.ask(SCREEN)).errors).toEqual([]);
    counts.push(await used());
  }

  expect(counts).toEqual([2, 4]);
});

describe('wrong predictions', () => {
  it('are counted only in the last twenty runs', () => {
    const predictions = new Predictions('screen');
    const run = (unused: number) => predictions.add({ begun: 10, unused }, 0);
    for (let i = 0; i < 100; i++) run(0);
    for (let i = 0; i < 10; i++) run(2);
    const before = predictions.isPaused(0);

    run(2);

    expect([before, predictions.isPaused(0)]).toEqual([false, true]); // after 22 of 200
  });

  it('disable prefetching for ten minutes if they exceed one in ten over twenty runs', async () => {
    const clock = new FakeClock();
    const pages = new Pages();
    const gateway = await openPages(pages, { guessClock: clock });
    let turn = 0;
    /** Of `count` persons as many as `wrong` are others than the last time. */
    const run = async (wrong: number, count = 10) => {
      turn += 1;
      const ids = Array.from({ length: count }, (_, i) => (i < wrong ? `${turn}x${i}` : `p${i}`));
      pages.personsOf.set('p1', ids);
      await gateway.ask(SCREEN);
      return gateway.journal.entries.filter(({ ahead }) => ahead).length;
    };
    await run(1);
    for (let i = 0; i < 20; i++) expect(await run(1)).toBe(10);

    expect(await run(2)).toBe(10); // 21 of 200 in the last twenty runs
    expect(await run(0)).toBe(0);
    clock.pass(10 * 60_000 - 1);
    expect(await run(0)).toBe(0);
    clock.pass(1);
    expect(await run(0)).toBe(10);

    // Again, twenty runs are judged together.
    for (let i = 0; i < 19; i++) expect(await run(10)).toBe(10);
    expect(await run(0)).toBe(0);
  });
});

describe('with and without prefetching', () => {
  const QUERIES = [
    SCREEN,
    screenOf('p1', 3),
    `{ page(pageId: "p1") { audiences(first: 2) { pageInfo { hasNextPage } nodes {
         person { name logs(first: 2) { nodes { type } } } versions(first: 2) { nodes { versionNumber } } } } }
       person(personId: "a") { name } other: page(pageId: "p2") { audiences { nodes { person { personId name } } } } }`,
    `{ a: audience(pageId: "p1", audienceId: "a0") { person { name account { name } } page { name } }
       page(pageId: "p1") { audiences(first: 20) { nodes { person { ...P } } } } } fragment P on Person { name email }`,
  ];
  const personId = fc.option(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { nil: null });
  const fault = fc.constantFrom<[string, Behaviour]>(
    ['gone', status(404)],
    ['failing', status(500)],
    ['refused', status(403)],
    ['odd', ok({ name: 1 })],
    [
      'slow',
      after(
        3,
        ok((seen: unknown) => personOf(seen)),
      ),
    ],
  );
  const world = fc.record({
    p1: fc.array(personId, { maxLength: 6 }),
    p2: fc.array(personId, { maxLength: 3 }),
    faults: fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), fault, { maxKeys: 2 }),
  });
  const step = fc.record({ query: fc.constantFrom(...QUERIES), world: fc.option(world) });

  it('the responses to any queries are equal while the data changes', async () => {
    const pages = new Pages();
    const ahead = await openPages(pages, { rest: { breaker: { volume: 1e9 } } });
    const plain = await openGateway({ backend: 'faulty', rest: { breaker: { volume: 1e9 } } });
    plain.upstream.on('*', pages.answer);
    let used = 0;

    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 12 }), async (steps) => {
        for (const { query, world: changed } of steps) {
          if (changed) {
            pages.personsOf.set('p1', changed.p1).set('p2', changed.p2);
            pages.persons.clear();
            for (const [id, [, behaviour]] of Object.entries(changed.faults)) {
              pages.persons.set(id, behaviour);
            }
          }
          const [one, other] = [await ahead.ask(query), await plain.ask(query)];
          expect(sorted(one.body)).toEqual(sorted(other.body));
          used += ahead.journal.entries.filter(({ ahead: how }) => how === 'used').length;
        }
      }),
      { numRuns: cases(40) },
    );

    expect(used).toBeGreaterThan(0);
  });
});

/** Errors are in the order in which calls end. */
const sorted = ({ data, errors = [] }: { data?: unknown; errors?: readonly unknown[] }) => ({
  data,
  errors: errors.map((error) => JSON.stringify(error)).sort(),
});

const personOf = (seen: unknown): object => {
  const { target } = seen as { readonly target: string };
  return { ...PERSON, personId: target.split('/').at(-1) };
};

const PERSON = {
  ...{ personId: '', name: 'Person', email: null, domain: null, slug: 's', phoneNumber: null },
  ...{ linkedinProfileUrl: null, createdAt: '+1700000000000', updatedAt: '+1700000000000' },
};
