/**
 * T48 to T52: what is one caller's stays that caller's.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { formatNodeId } from '../../src/graph/types/node-id.ts';
import { routes } from '../../src/v0/routes.ts';
import { after, held, ok, status } from '../support/faults.ts';
import { KEY, OTHER_KEY, type Reply } from '../support/gateway-process.ts';
import { sampleOf, world } from '../support/world.ts';
import { openCallers, type Callers } from './callers.ts';
import { expectBelow, openStand, percentile, type Stand } from './stand.ts';
import { until } from '../support/until.ts';

const stand = await openStand({});

afterEach(async () => {
  stand.upstream.on('*', world());
  await stand.calm();
});

let count = 0;
/** A query that no other is shared with. */
const next = (): string => `{ person(personId: "n${count++}") { name } }`;

const QUERY = '{ person(personId: "p") { name } }';
const person = sampleOf(routes.getPerson, { person_id: 'p' });
const nameOf = ({ data }: Reply): string => data.person.name as string;

/** A person whose name is the key that was sent. */
const named = (headers: Record<string, string> = {}) =>
  ok(
    (seen: { headers: Record<string, unknown> }) => ({
      ...person,
      name: `of ${seen.headers['x-api-key'] === KEY ? 'a' : 'b'}`,
    }),
    headers,
  );

it('T48 shares a read in flight among callers of one key, and with no other', async () => {
  const late = held(named());
  stand.upstream.on('GET /v0/persons/p', late.behaviour);

  const asked = [KEY, KEY, OTHER_KEY, OTHER_KEY, KEY].map((apiKey) => stand.ask(QUERY, { apiKey }));
  await stand.underWay(asked.length);
  await until(() => expect(stand.hits).toBe(2));
  await sleep(20); // the other reads have joined these two
  late.release();
  const replies = await Promise.all(asked);

  expect(replies.map(nameOf)).toEqual(['of a', 'of a', 'of b', 'of b', 'of a']);
  await stand.holds(replies, { hits: 2 });
});

it.each<[string, Record<string, string>]>([
  ['Cache-Control', { 'cache-control': 'public, max-age=600' }],
  ['Last-Modified', { 'last-modified': 'Mon, 01 Jan 2024 00:00:00 GMT' }],
  ['ETag', { etag: '"1"' }],
])(
  'T49 answers nobody with what another was answered, whatever %s says',
  async (_name, headers) => {
    stand.upstream.on('GET /v0/persons/p', named(headers));

    const replies = [
      await stand.ask(QUERY),
      await stand.ask(QUERY, { apiKey: OTHER_KEY }),
      await stand.ask(QUERY),
    ];

    expect(replies.map(nameOf)).toEqual(['of a', 'of b', 'of a']);
    await stand.holds(replies, { hits: 3 });
  },
);

it('T50 reads again after a write of the same request', async () => {
  let title = 'old';
  const topic = sampleOf(routes.getTopic, { topic_id: 't' });
  stand.upstream.on('GET /v0/topics/t', (...args) => ok({ ...topic, title })(...args));
  stand.upstream.on('PATCH /v0/topics/t', (response, seen, socket) => {
    title = JSON.parse(seen.body).title;
    return ok({ ...topic, title })(response, seen, socket);
  });
  const id = formatNodeId('Topic', ['t']);
  const write = (alias: string) =>
    `${alias}: updateTopic(input: { id: "${id}", title: "${alias}" }) { topic { title } }`;

  const reply = await stand.ask(`mutation { ${write('first')} ${write('second')} }`);
  const read = await stand.ask('{ topic(topicId: "t") { title } }');

  expect(reply.data).toEqual({
    first: { topic: { title: 'first' } },
    second: { topic: { title: 'second' } },
  });
  expect(read.data).toEqual({ topic: { title: 'second' } });
  await stand.holds([reply, read], { hits: 3 });
});

it('T50 lets a read that began before a write answer no caller who asks after it', async () => {
  const topic = sampleOf(routes.getTopic, { topic_id: 't' });
  const stale = held(ok({ ...topic, title: 'old' }));
  stand.upstream.on('GET /v0/topics/t', stale.behaviour, ok({ ...topic, title: 'new' }));

  const before = stand.ask('{ topic(topicId: "t") { title } }');
  await until(() => expect(stand.hits).toBe(1));
  const wrote = await stand.ask(
    `mutation { updateTopic(input: { id: "${formatNodeId('Topic', ['t'])}", title: "new" }) { userErrors { code } } }`,
  );
  const after = await stand.ask('{ topic(topicId: "t") { title } }');
  stale.release();

  expect(after.data).toEqual({ topic: { title: 'new' } });
  expect((await before).data).toEqual({ topic: { title: 'old' } });
  await stand.holds([wrote, after], { hits: 3 });
});

it('T50 fails one id of a batch alone', async () => {
  stand.upstream.on('GET /v0/persons/bad', status(500));
  stand.upstream.on('GET /v0/persons/none', status(404));
  const ids = ['one', 'bad', 'none', 'two', 'one'].map((id) => formatNodeId('Person', [id]));

  const reply = await stand.ask(
    'query ($ids: [ID!]!) { nodes(ids: $ids) { ... on Person { personId name } } }',
    { variables: { ids } },
  );

  expect(reply.data.nodes.map((node: any) => node?.personId ?? null)).toEqual([
    'one',
    null,
    null,
    'two',
    'one',
  ]);
  expect(reply.errors.map(({ path }) => path)).toEqual([['nodes', 1]]);
  await stand.holds(reply, { hits: 4 });
});

it('T51 keeps a caller quick while another waits for a slow backend with all it may have', async () => {
  // Another gateway, asked at the same time and as often, where the noisy key holds half of the
  // connections: what so many requests cost this machine delays callers of both alike.
  const quiet = await openStand({});
  const stands = [stand, quiet];
  for (const [{ upstream }, ms] of [[stand, 1_000] as const, [quiet, 500] as const]) {
    // Not all at once, or they would come back in waves.
    const noisyMs = () => ms * (0.5 + Math.random());
    upstream.on('*', (response, seen, socket) => {
      const loud = seen.headers['x-api-key'] === KEY;
      return after(loud ? noisyMs() : 50, world())(response, seen, socket);
    });
  }
  const others = stands.map(({ gateway }) => openCallers(gateway));
  const noisy = stands.map(({ gateway }) => openCallers(gateway));
  let asked = 0;
  const slowest = async (callers: Callers, ms: number): Promise<number> => {
    const times: number[] = [];
    await callers.loop(10, ms, async () => {
      if (callers === others[0]) asked += 1;
      const { body, tookMs } = await callers.ask(next(), { apiKey: OTHER_KEY });
      expect(body).toEqual({ data: { person: { name: 'name' } } });
      times.push(tookMs);
    });
    return percentile(times, 0.99);
  };
  const both = (ms: number) => Promise.all(others.map((callers) => slowest(callers, ms)));
  await both(300);
  const retriesBefore = await retriesOf(stand);

  let silence = (): void => {};
  const silent = new Promise<void>((resolve) => (silence = resolve));
  const noise = noisy.map((callers, i) =>
    callers.loop([130, 56][i]!, silent, async () => {
      if (i === 0) asked += 1;
      await callers.ask(next());
    }),
  );
  try {
    // As many calls of one key as the gateway lets out at once, and more that wait.
    await until(() => expect(stand.upstream.connections).toBeGreaterThan(100), 20_000);
    await expectBelow(2, async () => {
      const [beside, alone] = await both(1_200);
      return beside! / alone!;
    });
  } finally {
    silence();
    await Promise.all(noise);
    await Promise.all([...noisy, ...others].map((callers) => callers.close()));
    await quiet.close();
  }

  // On a busy machine a noisy call may take the time of an attempt.
  const retries = (await retriesOf(stand)) - retriesBefore;
  await stand.holds([], { hits: [asked, asked + retries] });
});

const retriesOf = ({ gateway }: Stand): Promise<number> =>
  gateway.metric('gateway_upstream_retries_total');

it('T52 writes no key anywhere, whatever happens to its owner', async () => {
  const secret = 'SECRET-KEY-OF-A-TENANT';
  stand.upstream.on('GET /v0/persons/bad', status(500));
  const replies = [
    await stand.ask('{ person(personId: "bad") { name } }', { apiKey: secret }),
    await stand.ask('{ nonsense }', { apiKey: secret }),
    await stand.ask('{ person(personId: "p") { name } }', { apiKey: `${secret} two` }),
    await stand.ask('{ person(personId: "p") { name } }', {
      apiKey: secret,
      headers: { 'x-explain': 'true' },
    }),
    await stand.gateway.get('/ready'),
  ];
  const { text: metrics } = await stand.gateway.get('/metrics');

  const shown = [
    ...replies.map(({ text, headers }) => text + JSON.stringify([...headers])),
    metrics,
    stand.gateway.output,
  ];
  expect(shown.filter((one) => one.includes(secret))).toEqual([]);
  await stand.holds(replies.slice(0, -1), { hits: 2 });
});
