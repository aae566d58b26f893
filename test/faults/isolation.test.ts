/**
 * T22 and T48 to T52: the isolation of callers from each other.
 */
import { afterEach, expect, it } from 'vitest';
import { formatNodeId } from '../../src/graph/types/node-id.ts';
import { routes } from '../../src/v0/routes.ts';
import { held, ok, status } from '../support/faults.ts';
import { KEY, OTHER_KEY, type Reply } from '../support/gateway-process.ts';
import { sampleOf, world } from '../support/world.ts';
import { openCallers } from './callers.ts';
import { openTestbed } from './testbed.ts';
import { until } from '../support/until.ts';

const testbed = await openTestbed({});

afterEach(async () => {
  testbed.upstream.on('*', world());
  await testbed.calm();
});

let count = 0;
/** A query that shares its calls with no other. */
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

it("T22 a client that disconnects does not fail another client's identical read", async () => {
  const late = held(ok(person));
  testbed.upstream.on('GET /v0/persons/p', late.behaviour);
  const leaving = new AbortController();

  const first = testbed.ask(QUERY, { signal: leaving.signal }).catch(() => undefined);
  await until(() => expect(testbed.hits).toBe(1));
  const second = testbed.ask(QUERY);
  await testbed.underWay(2);
  leaving.abort();
  await testbed.underWay(1);
  late.release();

  const reply = await second;
  expect(await first).toBeUndefined();
  expect(reply.body).toEqual({ data: { person: { name: 'name' } } });
  await testbed.holds(reply, { hits: 1 });
});

it('T48 shares a read in flight among requests with the same API key only', async () => {
  const late = held(named());
  testbed.upstream.on('GET /v0/persons/p', late.behaviour);

  const asked = [KEY, KEY, OTHER_KEY, OTHER_KEY, KEY].map((apiKey) =>
    testbed.ask(QUERY, { apiKey }),
  );
  await testbed.underWay(asked.length);
  await until(() => expect(testbed.hits).toBe(2));
  late.release();
  const replies = await Promise.all(asked);

  expect(replies.map(nameOf)).toEqual(['of a', 'of a', 'of b', 'of b', 'of a']);
  await testbed.holds(replies, { hits: 2 });
});

it.each<[string, Record<string, string>]>([
  ['Cache-Control', { 'cache-control': 'public, max-age=600' }],
  ['Last-Modified', { 'last-modified': 'Mon, 01 Jan 2024 00:00:00 GMT' }],
  ['ETag', { etag: '"1"' }],
])(
  'T49 does not reuse a response with %s for another API key or a later request',
  async (_name, headers) => {
    testbed.upstream.on('GET /v0/persons/p', named(headers));

    const replies = [
      await testbed.ask(QUERY),
      await testbed.ask(QUERY, { apiKey: OTHER_KEY }),
      await testbed.ask(QUERY),
    ];

    expect(replies.map(nameOf)).toEqual(['of a', 'of b', 'of a']);
    await testbed.holds(replies, { hits: 3 });
  },
);

it('T50 returns the result of each of two writes in a request, and the last one for a later read', async () => {
  let title = 'old';
  const topic = sampleOf(routes.getTopic, { topic_id: 't' });
  testbed.upstream.on('GET /v0/topics/t', (...args) => ok({ ...topic, title })(...args));
  testbed.upstream.on('PATCH /v0/topics/t', (response, seen, socket) => {
    title = JSON.parse(seen.body).title;
    return ok({ ...topic, title })(response, seen, socket);
  });
  const id = formatNodeId('Topic', ['t']);
  const write = (alias: string) =>
    `${alias}: updateTopic(input: { id: "${id}", title: "${alias}" }) { topic { title } }`;

  const reply = await testbed.ask(`mutation { ${write('first')} ${write('second')} }`);
  const read = await testbed.ask('{ topic(topicId: "t") { title } }');

  expect(reply.data).toEqual({
    first: { topic: { title: 'first' } },
    second: { topic: { title: 'second' } },
  });
  expect(read.data).toEqual({ topic: { title: 'second' } });
  await testbed.holds([reply, read], { hits: 3 });
});

it('T50 does not reuse a read that began before a write for a read after the write', async () => {
  const topic = sampleOf(routes.getTopic, { topic_id: 't' });
  const stale = held(ok({ ...topic, title: 'old' }));
  testbed.upstream.on('GET /v0/topics/t', stale.behaviour, ok({ ...topic, title: 'new' }));

  const before = testbed.ask('{ topic(topicId: "t") { title } }');
  await until(() => expect(testbed.hits).toBe(1));
  const wrote = await testbed.ask(
    `mutation { updateTopic(input: { id: "${formatNodeId('Topic', ['t'])}", title: "new" }) { userErrors { code } } }`,
  );
  const after = await testbed.ask('{ topic(topicId: "t") { title } }');
  stale.release();

  expect(after.data).toEqual({ topic: { title: 'new' } });
  expect((await before).data).toEqual({ topic: { title: 'old' } });
  await testbed.holds([wrote, after], { hits: 3 });
});

it('T50 fails only the affected id of a batch', async () => {
  testbed.upstream.on('GET /v0/persons/bad', status(500));
  testbed.upstream.on('GET /v0/persons/none', status(404));
  const ids = ['one', 'bad', 'none', 'two', 'one'].map((id) => formatNodeId('Person', [id]));

  const reply = await testbed.ask(
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
  await testbed.holds(reply, { hits: 4 });
});

it('T51 serves an API key while another key exhausts its share of a slow backend', async () => {
  // No call times out.
  const patient = await openTestbed({ UPSTREAM_TIMEOUT_MS: '60000', REQUEST_TIMEOUT_MS: '61000' });
  const noisy = openCallers(patient.gateway);
  const others = openCallers(patient.gateway);
  const slow = held(world());
  patient.upstream.on('*', (response, seen, socket) =>
    (seen.headers['x-api-key'] === KEY ? slow.behaviour : world())(response, seen, socket),
  );
  const ask = async () =>
    expect((await others.ask(next(), { apiKey: OTHER_KEY })).body).toEqual({
      data: { person: { name: 'name' } },
    });
  await ask(); // the backend accepts the key
  let answered = 0;

  // More calls of one key than the gateway sends at once. The size of the document's responses is known.
  const personById = 'query ($id: ID!) { person(personId: $id) { name } }';
  const askNoisy = (id: string, apiKey = KEY) =>
    noisy.ask(personById, { variables: { id }, apiKey });
  await askNoisy('known', OTHER_KEY);
  const noise = Array.from({ length: 130 }, (_, i) =>
    askNoisy(`noise-${i}`).then(() => (answered += 1)),
  );
  await patient.underWay(130);
  for (let i = 0; i < 50; i++) await ask();

  expect(answered).toBe(0);
  slow.release();
  await Promise.all(noise);
  await patient.holds([], { hits: 182 });
});

it('T52 never reveals an API key in responses, metrics or logs', async () => {
  const secret = 'SECRET-KEY-OF-A-TENANT';
  testbed.upstream.on('GET /v0/persons/bad', status(500));
  const replies = [
    await testbed.ask('{ person(personId: "bad") { name } }', { apiKey: secret }),
    await testbed.ask('{ nonsense }', { apiKey: secret }),
    await testbed.ask('{ person(personId: "p") { name } }', { apiKey: `${secret} two` }),
    await testbed.ask('{ person(personId: "p") { name } }', {
      apiKey: secret,
      headers: { 'x-explain': 'true' },
    }),
    await testbed.gateway.get('/ready'),
  ];
  const { text: metrics } = await testbed.gateway.get('/metrics');

  const shown = [
    ...replies.map(({ text, headers }) => text + JSON.stringify([...headers])),
    metrics,
    testbed.gateway.output,
  ];
  expect(shown.filter((one) => one.includes(secret))).toEqual([]);
  await testbed.holds(replies.slice(0, -1), { hits: 2 });
});
