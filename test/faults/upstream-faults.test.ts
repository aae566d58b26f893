/**
 * T1 to T18, and T23: what callers see when the backend is slow, broken or lying.
 *
 * One gateway serves all tests. Those that need their own (T10, T19 to T21) are in upstream-gone.test.ts.
 */
import type { Socket } from 'node:net';
import { getNamedType, isLeafType, type GraphQLObjectType } from 'graphql';
import { z } from 'zod';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { formatNodeId } from '../../src/graph/types/node-id.ts';
import { schema } from '../../src/app/schema.ts';
import { routes, type Route } from '../../src/v0/routes.ts';
import { openFaultUpstream } from '../support/fault-upstream.ts';
import {
  after,
  cut,
  drip,
  endless,
  hangUp,
  ok,
  raw,
  reset,
  status,
  text,
  type Behaviour,
} from '../support/faults.ts';
import { KEY, OTHER_KEY, type Reply } from '../support/gateway-process.ts';
import { isKeyId } from '../../src/v0/schemas/primitive.ts';
import { sampleOf, world } from '../support/world.ts';
import { expectBelow, IMPATIENT, openTestbed, type Range, type Testbed } from './testbed.ts';
import { until } from '../support/until.ts';

const DEADLINE_MS = Number(IMPATIENT.REQUEST_TIMEOUT_MS);

const testbed = await openTestbed();
await testbed.calm();

afterEach(() => testbed.calm());

/** A person, whose route a test stages, next to a topic that gets a response. */
const BESIDE = '{ person(personId: "p") { name } topic(topicId: "t") { title } }';
const PERSON = 'GET /v0/persons/p';
const TOPIC = 'GET /v0/topics/t';
const person = sampleOf(routes.getPerson, { person_id: 'p' });
const WELL = { title: 'title' };

function expectPartial({ status: code, data, errors, codes }: Reply, expected: string): void {
  expect(code).toBe(200);
  expect(data).toEqual({ person: null, topic: WELL });
  expect(codes).toEqual([expected]);
  expect(errors[0].path).toEqual(['person']);
  expect(errors[0].extensions.upstream).toMatchObject({
    method: 'GET',
    route: '/v0/persons/{person_id}',
  });
}

describe('slow and unresponsive backends', () => {
  it('T1 returns the other field when one field exceeds the attempt time-out', async () => {
    testbed.upstream.on(PERSON, after(800, ok(person)));

    const reply = await testbed.ask(BESIDE);

    expectPartial(reply, 'UPSTREAM_TIMEOUT');
    await testbed.holds(reply, { hits: 4 });
  });

  it('T2 ends a query with many slow hops at the deadline', async () => {
    const open = new Set<number>();
    let hops = 0;
    // One item a page, always more: a hundred hops of 200 ms.
    testbed.upstream.on('GET /v0/topics', async (response, seen, socket) => {
      const hop = hops++;
      open.add(hop);
      response.once('close', () => open.delete(hop));
      const list = sampleOf(routes.listTopics);
      const more = { items: [list['items'][0]], hasMore: true, nextCursor: `hop-${hop}` };
      await after(200, ok({ ...list, ...more }))(response, seen, socket);
    });

    const reply = await testbed.ask(
      '{ topics(first: 100) { nodes { title } } person(personId: "q") { name } }',
    );

    expect(reply.data).toEqual({ topics: null, person: { name: 'name' } });
    expect(reply.codes).toEqual(['UPSTREAM_TIMEOUT']);
    expect(reply.tookMs).toBeGreaterThan(DEADLINE_MS - 100);
    // More would take longer than the request may.
    await testbed.holds(reply, { hits: [3, 14] });
    // The hop in flight is aborted, not left to end by itself.
    await until(() => expect([...open]).toEqual([]));
  });

  it('T3 times out on a backend that accepts connections and never responds, and closes its sockets', async () => {
    const sockets = new Set<Socket>();
    testbed.upstream.on(PERSON, (_response, _seen, socket) => void sockets.add(socket));

    const reply = await testbed.ask(BESIDE);

    expectPartial(reply, 'UPSTREAM_TIMEOUT');
    await testbed.holds(reply, { hits: 4 });
    await until(
      () => expect([...sockets].filter(({ destroyed }) => !destroyed)).toEqual([]),
      1_000,
    );
  });

  it('T4 times out on an endless body that arrives slowly', async () => {
    testbed.upstream.on(PERSON, drip(100));

    const reply = await testbed.ask(BESIDE);

    expectPartial(reply, 'UPSTREAM_TIMEOUT');
    await testbed.holds(reply, { hits: 4 });
  });
});

describe('broken connections and temporary faults', () => {
  it.each<[string, Behaviour]>([
    ['T5 retries after a reset before the headers', reset()],
    ['T5 retries after a connection closed without a response', hangUp()],
    ['T6 retries after a reset in the middle of a body', reset(500)],
    ['T7 retries after a body that ends early', cut(person)],
    [
      'T7 retries after a chunked body that ends with its connection',
      (response, _seen, socket) => {
        response.writeHead(200, { 'content-type': 'application/json', connection: 'close' });
        response.write('{"personId":', () => socket.end());
      },
    ],
    ['T1 retries after one slow response', after(700, ok(person))],
  ])('%s', async (_name, fault) => {
    testbed.upstream.on(PERSON, fault, ok(person));

    const reply = await testbed.ask('{ person(personId: "p") { name email } }');

    expect(reply.body).toEqual({ data: { person: { name: 'name', email: 'email' } } });
    await testbed.holds(reply, { hits: 2 });
    // The retry requests the whole response, not the rest of it.
    expect(testbed.upstream.seen.at(-1)?.headers).not.toHaveProperty('range');
  });

  it('T7 returns no part of a response that is truncated on every attempt', async () => {
    testbed.upstream.on(PERSON, cut(person));

    const reply = await testbed.ask(BESIDE);

    expectPartial(reply, 'UPSTREAM_INVALID_RESPONSE');
    await testbed.holds(reply, { hits: 4 });
  });

  it('T8 retries after a 503, and after a 429 once its Retry-After of one second has passed', async () => {
    testbed.upstream.on(PERSON, status(503), status(429, { 'retry-after': '1' }), ok(person));

    const reply = await testbed.ask(BESIDE);

    expect(reply.body).toEqual({ data: { person: { name: 'name' }, topic: WELL } });
    expect(reply.tookMs).toBeGreaterThanOrEqual(1_000);
    await testbed.holds(reply, { hits: 4 });
  });

  it.each([
    [503, 'UPSTREAM_UNAVAILABLE'],
    [429, 'RATE_LIMITED'],
  ])(
    'T8 returns retryAfterMs immediately when the Retry-After of a %i exceeds the deadline',
    async (code, expected) => {
      testbed.upstream.on(TOPIC, world());
      // A 429 pauses the key: the topic is requested before.
      testbed.upstream.on(PERSON, async (...args) => {
        await until(() => testbed.upstream.hits(TOPIC) > 0);
        await status(code, { 'retry-after': '30' })(...args);
      });

      const reply = await testbed.ask(BESIDE, { apiKey: `limited-by-${code}` });

      expectPartial(reply, expected);
      expect(reply.errors[0].extensions.retryAfterMs).toBe(30_000);
      expect(reply.tookMs).toBeLessThan(DEADLINE_MS);
      await testbed.holds(reply, { hits: 2 });
    },
  );

  it('T9 stops calling a failing route after at most twenty attempts and keeps calling other routes', async () => {
    testbed.upstream.on(PERSON, status(503));
    const query =
      '{ person(personId: "p") { name } a: topic(topicId: "a") { title } b: topic(topicId: "b") { title } }';

    const replies = [];
    for (let i = 0; i < 200; i++) replies.push(await testbed.ask(query));

    expect(replies.every(({ codes }) => codes.join() === 'UPSTREAM_UNAVAILABLE')).toBe(true);
    expect(replies.every(({ data }) => data?.a.title && data.b.title)).toBe(true);
    // Two of each request; fewer than twenty failures where a new window began with successes; and a few probes.
    await testbed.holds(replies, { hits: [400 + 10, 400 + 25] });
  });
});

describe('T11 the circuit breaker', () => {
  // The default time-outs: a hundred calls at once may take longer than 400 ms.
  let testbed: Testbed;
  beforeAll(async () => {
    testbed = await openTestbed({});
  });

  it.each([401, 404, 429])('T11 does not count five hundred responses of %i', async (code) => {
    testbed.upstream.on('*', (response, seen, socket) =>
      (seen.headers['x-api-key'] === KEY ? status(code) : world())(response, seen, socket),
    );
    const ids = Array.from({ length: 100 }, (_, i) => formatNodeId('Person', [`refused-${i}`]));
    const query = 'query ($ids: [ID!]!) { nodes(ids: $ids) { ... on Person { name } } }';

    const replies = [];
    for (let i = 0; i < 5; i++) replies.push(await testbed.ask(query, { variables: { ids } }));
    const other = await testbed.ask(query, { variables: { ids }, apiKey: OTHER_KEY });
    const { body } = await testbed.gateway.get('/ready');

    expect(body).toMatchObject({ ready: true, upstream: { breaker: 'closed' } });
    expect(other.errors).toEqual([]);
    await testbed.holds([...replies, other], { hits: 600 });
    testbed.upstream.on('*', world());
  });

  it('T12 backs off only the rate-limited API key', async () => {
    const limited = 'key-that-is-limited';
    testbed.upstream.on(PERSON, (response, seen, socket) =>
      (seen.headers['x-api-key'] === limited ? status(429, { 'retry-after': '30' }) : world())(
        response,
        seen,
        socket,
      ),
    );

    const first = await testbed.ask(BESIDE, { apiKey: limited });
    const second = await testbed.ask(BESIDE, { apiKey: limited });
    const other = await testbed.ask(BESIDE);

    expect(first.codes).toContain('RATE_LIMITED');
    expect(second.codes).toEqual(['RATE_LIMITED', 'RATE_LIMITED']);
    expect(second.errors[0].extensions.retryAfterMs).toBeGreaterThan(28_000);
    expect(other.body).toEqual({ data: { person: { name: 'name' }, topic: WELL } });
    await testbed.holds([first, second, other], { hits: 4 });
  });
});

describe('invalid responses', () => {
  it.each<[string, Behaviour]>([
    ['HTML', text('<html>secret upstream text</html>', 'text/html')],
    ['an empty body', text('')],
    ['null', text('null')],
    ['a list', text('[]')],
    ['JSON as text/plain', text(JSON.stringify(person), 'text/plain')],
    ['no media type', (response) => void response.end(JSON.stringify(person))],
    ['204', (response) => void response.writeHead(204).end()],
    ['broken JSON', text(JSON.stringify(person).slice(0, -1))],
  ])('T13 rejects %s', async (_name, behaviour) => {
    testbed.upstream.on(PERSON, behaviour);

    const reply = await testbed.ask(BESIDE);

    expectPartial(reply, 'UPSTREAM_INVALID_RESPONSE');
    await testbed.holds(reply, { hits: 2 });
  });

  it.each([301, 302, 307, 308])('T13 does not follow a %i to another host', async (code) => {
    const elsewhere = await openFaultUpstream();
    testbed.upstream.on(PERSON, status(code, { location: `${elsewhere.url}/v0/persons/p` }));

    const reply = await testbed.ask(BESIDE);

    expectPartial(reply, 'UPSTREAM_INVALID_RESPONSE');
    expect(elsewhere.hits()).toBe(0);
    await testbed.holds(reply, { hits: 2 });
    await elsewhere.stop();
  });

  it.each([500, 501, 505, 599])('T13 returns UPSTREAM_UNAVAILABLE for a %i', async (code) => {
    testbed.upstream.on(PERSON, status(code));

    const reply = await testbed.ask(BESIDE);

    expectPartial(reply, 'UPSTREAM_UNAVAILABLE');
    expect(reply.errors[0].extensions.upstream.status).toBe(code);
    await testbed.holds(reply, { hits: 2 });
  });
});

it.each([413, 414, 431])(
  'a %i from the backend for a read returns VALIDATION_FAILED, a client error',
  async (code) => {
    testbed.upstream.on(PERSON, status(code));

    const reply = await testbed.ask(BESIDE);

    expectPartial(reply, 'VALIDATION_FAILED');
    await testbed.holds(reply, { hits: 2 });
  },
);

/** A route, the query field that reads it, and the type it returns. */
interface Read {
  readonly type: string;
  readonly route: Route;
  readonly path: string;
  readonly root: string;
}

const node = (type: string, ...parts: string[]): string =>
  `node(id: "${formatNodeId(type, parts)}")`;

const READS: readonly Read[] = [
  { type: 'Page', route: routes.getPage, path: '/v0/pages/x', root: 'page(pageId: "x")' },
  { type: 'Person', route: routes.getPerson, path: '/v0/persons/x', root: 'person(personId: "x")' },
  { type: 'Topic', route: routes.getTopic, path: '/v0/topics/x', root: 'topic(topicId: "x")' },
  {
    type: 'Audience',
    route: routes.getAudience,
    path: '/v0/pages/x/audiences/y',
    root: 'audience(pageId: "x", audienceId: "y")',
  },
  {
    type: 'AudienceVersion',
    route: routes.getVersion,
    path: '/v0/pages/x/audiences/y/versions/z',
    root: 'audienceVersion(pageId: "x", audienceId: "y", versionId: "z")',
  },
  {
    type: 'Account',
    route: routes.getAccount,
    path: '/v0/accounts/x',
    root: 'account(accountId: "x")',
  },
  {
    type: 'PersonLog',
    route: routes.getPersonLog,
    path: '/v0/persons/x/logs/y',
    root: node('PersonLog', 'x', 'y'),
  },
  {
    type: 'AccountLog',
    route: routes.getAccountLog,
    path: '/v0/accounts/x/logs/y',
    root: node('AccountLog', 'x', 'y'),
  },
];

const HOLES = {
  page_id: 'x',
  person_id: 'x',
  topic_id: 'x',
  account_id: 'x',
};

const sampleFor = ({ route, path }: Read): Record<string, any> => {
  const names = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
  const ids = path.split('/').filter((part) => /^[xyz]$/.test(part));
  return sampleOf(route, {
    ...HOLES,
    ...Object.fromEntries(names.map((name, i) => [name, ids[i]!])),
  });
};

/** Every required field of the contract that the schema shows under the same name, as a leaf. */
function requiredOf(contract: z.core.$ZodType, type: string): string[] {
  const fields = (schema.getType(type) as GraphQLObjectType).getFields();
  return Object.entries((contract as z.ZodObject).shape)
    .filter(([, field]) => !(field instanceof z.ZodOptional))
    .filter(([name]) => fields[name] && isLeafType(getNamedType(fields[name].type)))
    .map(([name]) => name);
}

const REQUIRED = READS.flatMap((read) =>
  requiredOf(read.route.response, read.type).map((name) => ({ read, name })),
);

/** A route that returns a list, and the query that reads one field of its items. */
interface ListRead {
  readonly type: string;
  readonly route: Route;
  readonly path: string;
  /** The path of the connection in the response. */
  readonly at: readonly string[];
  readonly query: (field: string) => string;
}

const itemOf = (route: Route): z.core.$ZodType =>
  ((route.response as z.ZodObject).shape['items'] as z.ZodArray).element;

const inParent =
  (parent: string, list: string) =>
  (field: string): string =>
    `{ parent: ${parent} { list: ${list}(first: 2) { nodes { ${field} } } } }`;

const IN_PARENT = { at: ['parent', 'list'] };

const LISTS: readonly ListRead[] = [
  ...(
    [
      ['Topic', routes.listTopics, '/v0/topics', 'topics(first: 2)'],
      ['Person', routes.listPersons, '/v0/persons', 'persons(first: 2)'],
      ['Account', routes.searchAccounts, '/v0/accounts/search', 'accounts(query: "q", first: 2)'],
    ] as const
  ).map(([type, route, path, root]) => ({
    type,
    route,
    path,
    at: ['list'],
    query: (field: string) => `{ list: ${root} { nodes { ${field} } } }`,
  })),
  {
    type: 'Audience',
    route: routes.listAudiences,
    path: '/v0/pages/x/audiences',
    query: inParent('page(pageId: "x")', 'audiences'),
    ...IN_PARENT,
  },
  {
    type: 'AudienceVersion',
    route: routes.listVersions,
    path: '/v0/pages/x/audiences/y/versions',
    query: inParent('audience(pageId: "x", audienceId: "y")', 'versions'),
    ...IN_PARENT,
  },
  {
    type: 'PersonLog',
    route: routes.listPersonLogs,
    path: '/v0/persons/x/logs',
    query: inParent('person(personId: "x")', 'logs'),
    ...IN_PARENT,
  },
  {
    type: 'AccountLog',
    route: routes.listAccountLogs,
    path: '/v0/accounts/x/logs',
    query: inParent('account(accountId: "x")', 'logs'),
    ...IN_PARENT,
  },
];

/** Asks twice: the first time prepares the document. */
const twice = async (query: string): Promise<Reply[]> => [
  await testbed.ask(query),
  await testbed.ask(query),
];

describe('responses with an invalid field', () => {
  it('T14 covers more than 75 required fields of the API spec', () => {
    expect(REQUIRED.length).toBeGreaterThan(75);
  });

  it.each(READS)(
    'T14 fails only the missing field, or the whole object when part of its id is missing: $type',
    async (read) => {
      const replies: Reply[] = [];
      const missing = REQUIRED.filter((required) => required.read === read);
      expect(missing.length).toBeGreaterThan(3);
      for (const { name } of missing) {
        const { [name]: _left, ...rest } = sampleFor(read);
        testbed.upstream.on(`GET ${read.path}`, ok(rest));

        const query = `{ broken: ${read.root} { ... on ${read.type} { ${name} } } topic(topicId: "t") { title } }`;
        for (const reply of await twice(query)) {
          expect(reply.data.topic, name).toEqual(WELL);
          expect(reply.codes, name).toEqual(['UPSTREAM_INVALID_RESPONSE']);
          // Without an id of its key it is another object.
          const isKey = isKeyId((read.route.response as z.ZodObject).shape[name]);
          expect(reply.errors[0].path, name).toEqual(isKey ? ['broken'] : ['broken', name]);
          if (!isKey) expect(reply.errors[0].message, name).toContain(`"${name}"`);
          replies.push(reply);
        }
      }

      await testbed.holds(replies, { hits: 4 * missing.length });
      testbed.upstream.on(`GET ${read.path}`, world());
    },
  );

  it.each(LISTS)(
    'T14 keeps the other items of a list when one item lacks a field: $route.path',
    async (list) => {
      const { route, path, at } = list;
      const required = requiredOf(itemOf(route), list.type);
      expect(required.length).toBeGreaterThan(3);
      const replies: Reply[] = [];
      for (const name of required) {
        const whole = sampleOf(route, { ...HOLES, audience_id: 'y' });
        const [{ [name]: _left, ...rest }, other] = whole['items'];
        testbed.upstream.on(`GET ${path}`, ok({ ...whole, items: [rest, other] }));

        const reply = await testbed.ask(list.query(name));

        const { nodes } = at.reduce((data, key) => data[key], reply.data);
        expect(nodes, name).toHaveLength(2);
        expect(nodes[1][name], name).not.toBeNull();
        expect(reply.codes, name).toEqual(['UPSTREAM_INVALID_RESPONSE']);
        expect(reply.errors[0].path.slice(0, at.length + 2), name).toEqual([...at, 'nodes', 0]);
        replies.push(reply);
      }

      expect(required.length).toBeGreaterThan(0);
      await testbed.holds(replies, { hits: [required.length, 2 * required.length] });
      testbed.upstream.on(`GET ${path}`, world());
    },
  );

  it.each<[string, string, Record<string, unknown>]>([
    ['an unknown enum value', 'pageType', { pageType: 'hologram' }],
    ['an unknown status', 'status', { status: 'hologram' }],
    ['a number as a string', 'audiencesCount', { audiencesCount: '7' }],
    ['a fraction for a counter', 'audiencesCount', { audiencesCount: 1.5 }],
    ['a counter past 2^53', 'audiencesCount', { audiencesCount: 2 ** 53 }],
    ['a string instead of a list', 'actions', { actions: 'none' }],
    ['an invalid timestamp', 'createdAt', { createdAt: 'yesterday' }],
    ['a timestamp past the year 9999', 'createdAt', { createdAt: '+253402300800000' }],
    [
      'a timestamp with a year of six digits',
      'createdAt',
      { createdAt: '+033658-09-27T01:46:40Z' },
    ],
  ])('T15 fails only the field for %s', async (_name, field, change) => {
    testbed.upstream.on('GET /v0/pages/x', ok({ ...sampleOf(routes.getPage, HOLES), ...change }));

    const selection = field === 'actions' ? 'actions { url }' : field;
    const replies = await twice(
      `{ broken: page(pageId: "x") { ${selection} } well: page(pageId: "x") { name } }`,
    );

    for (const reply of replies) {
      expect(reply.codes).toEqual(['UPSTREAM_INVALID_RESPONSE']);
      expect(reply.errors[0].path).toEqual(['broken', field]);
      expect(reply.data.well).toEqual({ name: 'name' });
    }
    await testbed.holds(replies, { hits: 2 });
  });

  it('T15 returns large counters exactly', async () => {
    testbed.upstream.on(
      'GET /v0/pages/x',
      ok({ ...sampleOf(routes.getPage, HOLES), audiencesCount: 9_007_199_254_740_991 }),
    );

    const reply = await testbed.ask('{ page(pageId: "x") { audiencesCount } }');

    expect(reply.body).toEqual({ data: { page: { audiencesCount: 9_007_199_254_740_991 } } });
    await testbed.holds(reply, { hits: 1 });
  });

  it('T15 fails only the null item of a list', async () => {
    const list = sampleOf(routes.listTopics);
    testbed.upstream.on('GET /v0/topics', ok({ ...list, items: [list['items'][0], null] }));

    const reply = await testbed.ask('{ topics { nodes { title } totalCount } }');

    expect(reply.data.topics).toEqual({ nodes: [WELL, null], totalCount: 2 });
    expect(reply.codes).toEqual(['UPSTREAM_INVALID_RESPONSE']);
    expect(reply.errors[0].path).toEqual(['topics', 'nodes', 1]);
    await testbed.holds(reply, { hits: 1 });
  });
});

describe('T16 inconsistent lists', () => {
  const list = sampleOf(routes.listTopics);
  const QUERY = '{ topics(first: 5) { nodes { title } pageInfo { hasNextPage } } }';

  it.each<[string, Record<string, unknown>, number]>([
    ['no items', { items: null }, 1],
    // The first page is requested without it, the second with it.
    ['the same cursor as in the request', { hasMore: true, nextCursor: 'same' }, 2],
  ])('T16 rejects %s', async (_name, change, hits) => {
    testbed.upstream.on('GET /v0/topics', ok({ ...list, ...change }));

    const reply = await testbed.ask(QUERY);

    expect(reply.data).toEqual({ topics: null });
    expect(reply.codes).toEqual(['UPSTREAM_INVALID_RESPONSE']);
    await testbed.holds(reply, { hits });
  });

  it.each<[string, Record<string, unknown>, boolean]>([
    ['hasMore and a null cursor', { hasMore: true, nextCursor: null }, true],
    ['hasMore and an empty cursor', { hasMore: true, nextCursor: '' }, true],
    ['hasMore and a cursor that is no string', { hasMore: true, nextCursor: 7 }, true],
    ['hasMore and a missing cursor', { hasMore: true, nextCursor: undefined }, true],
    ['no more pages and a missing cursor', { hasMore: false, nextCursor: undefined }, false],
  ])('T16 keeps the items and fails only endCursor with %s', async (_name, change, more) => {
    testbed.upstream.on('GET /v0/topics', ok({ ...list, ...change }));

    const reply = await testbed.ask(
      '{ topics(first: 5) { nodes { title } totalCount pageInfo { hasNextPage endCursor } } }',
    );

    expect(reply.data).toEqual({
      topics: {
        nodes: [WELL, WELL],
        totalCount: 2,
        pageInfo: { hasNextPage: more, endCursor: null },
      },
    });
    expect(reply.codes).toEqual(['UPSTREAM_INVALID_RESPONSE']);
    expect(reply.errors[0].path).toEqual(['topics', 'pageInfo', 'endCursor']);
    await testbed.holds(reply, { hits: 1 });
  });

  it.each<[string, Record<string, unknown>, number, boolean]>([
    ['neither hasMore nor a cursor', { hasMore: undefined, nextCursor: undefined }, 5, false],
    ['a full page without either', { hasMore: undefined, nextCursor: undefined }, 2, true],
    ['both in an undocumented form', { hasMore: 'no', nextCursor: 7 }, 5, false],
  ])(
    'T16 keeps the items, derives hasNextPage from their number and fails only endCursor with %s',
    async (_name, change, first, more) => {
      testbed.upstream.on('GET /v0/topics', ok({ ...list, ...change }));
      const pageOf = (cursor: string) =>
        testbed.ask(
          `{ topics(first: ${first}) { nodes { title } pageInfo { hasNextPage ${cursor} } } }`,
        );

      const whole = await pageOf('endCursor');
      const part = await pageOf('');

      expect(whole.data).toEqual({
        topics: { nodes: [WELL, WELL], pageInfo: { hasNextPage: more, endCursor: null } },
      });
      expect(whole.codes).toEqual(['UPSTREAM_INVALID_RESPONSE']);
      expect(whole.errors[0].path).toEqual(['topics', 'pageInfo', 'endCursor']);
      expect(part.body).toEqual({
        data: { topics: { nodes: [WELL, WELL], pageInfo: { hasNextPage: more } } },
      });
      await testbed.holds([whole, part], { hits: 2 });
    },
  );

  it('T16 derives hasNextPage from the next cursor when hasMore is missing', async () => {
    let asked = 0;
    testbed.upstream.on('GET /v0/topics', (...args) => {
      asked += 1;
      const nextCursor = asked % 2 === 1 ? 'second' : null;
      return ok({ ...list, hasMore: undefined, nextCursor })(...args);
    });
    const listed = (first: number) =>
      testbed.ask(
        `{ topics(first: ${first}) { nodes { title } pageInfo { hasNextPage endCursor } } }`,
      );

    const one = await listed(2);
    asked = 0;
    const both = await listed(4);

    const pageInfo = { endCursor: expect.any(String) as string };
    expect(one.body.data.topics).toEqual({
      nodes: [WELL, WELL],
      pageInfo: { ...pageInfo, hasNextPage: true },
    });
    expect(both.body.data.topics).toEqual({
      nodes: [WELL, WELL, WELL, WELL],
      pageInfo: { ...pageInfo, hasNextPage: false },
    });
    expect([one.codes, both.codes]).toEqual([[], []]);
    await testbed.holds([one, both], { hits: 3 });
  });

  it('T16 returns an empty page with a next cursor when a list of empty pages never ends', async () => {
    let asked = 0;
    testbed.upstream.on('GET /v0/topics', (...args) =>
      ok({ ...list, items: [], hasMore: true, nextCursor: `c${++asked}` })(...args),
    );

    const reply = await testbed.ask(
      '{ topics(first: 5) { nodes { title } pageInfo { hasNextPage endCursor } } }',
    );

    const pageInfo = { hasNextPage: true, endCursor: expect.any(String) as string };
    expect(reply.body).toEqual({ data: { topics: { nodes: [], pageInfo } } });
    await testbed.holds(reply, { hits: 11 });
  });

  it('T16 returns null for a total of null', async () => {
    testbed.upstream.on('GET /v0/topics', ok({ ...list, totalCount: null }));

    const reply = await testbed.ask('{ topics(first: 5) { totalCount pageInfo { hasNextPage } } }');

    expect(reply.body).toEqual({
      data: { topics: { totalCount: null, pageInfo: { hasNextPage: false } } },
    });
    await testbed.holds(reply, { hits: 1 });
  });
});

describe('hostile responses', () => {
  const LOG = 'GET /v0/persons/x/logs/y';
  const LOG_QUERY = `{ log: ${node('PersonLog', 'x', 'y')} { ... on PersonLog { payload } } topic(topicId: "t") { title } }`;
  const log = sampleOf(routes.getPersonLog, { person_id: 'x', person_log_id: 'y' });

  /** The hits of a reply: two calls, and retries when so many bytes take longer than an attempt may. */
  const timesMany = (replies: number): Range => [2 * replies, 4 * replies];

  it('T17 closes the connection of an endless response after five megabytes plus socket buffers', async () => {
    const sockets = new Set<Socket>();
    testbed.upstream.on(PERSON, (response, seen, socket) => {
      sockets.add(socket);
      return endless()(response, seen, socket);
    });

    const reply = await testbed.ask(BESIDE);

    expectPartial(reply, 'UPSTREAM_INVALID_RESPONSE');
    await until(() => expect([...sockets].every(({ destroyed }) => destroyed)).toBe(true));
    const written = Math.max(...[...sockets].map(({ bytesWritten }) => bytesWritten));
    expect(written).toBeGreaterThan(5_000_000);
    // The operating system's own buffers hold up to forty megabytes of a connection on loopback.
    expect(written).toBeLessThan(50_000_000);
    await testbed.holds(reply, { hits: timesMany(1) });
  });

  it.each<[string, Behaviour]>([
    ['endless chunks', endless()],
    [
      'a Content-Length of ten gigabytes',
      (response) => {
        response.writeHead(200, {
          'content-type': 'application/json',
          'content-length': '10000000000',
        });
        response.write('['.repeat(1_000));
      },
    ],
  ])('T17 stops reading %s without buffering 50 MB', async (_name, behaviour) => {
    testbed.upstream.on(PERSON, behaviour);
    const replies: Reply[] = [];

    await expectBelow(50e6, async () => {
      const before = await testbed.gateway.metric('process_resident_memory_bytes');
      const reply = await testbed.ask(BESIDE);
      expectPartial(reply, 'UPSTREAM_INVALID_RESPONSE');
      replies.push(reply);
      return (await testbed.gateway.metric('process_resident_memory_bytes')) - before;
    });

    await testbed.holds(replies, { hits: timesMany(replies.length) });
  });

  it.each<[string, () => string]>([
    ['a million nested lists', () => '['.repeat(1e6) + ']'.repeat(1e6)],
    ['lists nested a little too deep', () => '['.repeat(70) + ']'.repeat(70)],
    [
      'hundreds of thousands of keys',
      () => `{${Array.from({ length: 400_000 }, (_, i) => `"${i}":1`).join()}}`,
    ],
    [
      'a million keys, which exceed five megabytes',
      () => `{${Array.from({ length: 1e6 }, (_, i) => `"${i}":1`).join()}}`,
    ],
    ['a million empty objects', () => `[${'{},'.repeat(1e6)}{}]`],
  ])('T18 rejects %s and returns the field next to it', async (_name, payload) => {
    const body = JSON.stringify({ ...log, payload: 0 }).replace(
      '"payload":0',
      () => `"payload":${payload()}`,
    );
    testbed.upstream.on(TOPIC, world());
    // Megabytes keep a busy machine from responding in time to what is next to them.
    testbed.upstream.on(LOG, async (...args) => {
      await until(() => testbed.upstream.hits(TOPIC) > 0);
      await text(body)(...args);
    });

    const reply = await testbed.ask(LOG_QUERY);

    expect(reply.data).toEqual({ log: null, topic: WELL });
    expect(reply.codes).toEqual(['UPSTREAM_INVALID_RESPONSE']);
    await testbed.holds(reply, { hits: timesMany(1) });
  });
});

describe('T23 responses that violate HTTP', () => {
  it.each<[string, string, string, number]>([
    [
      'a header of 40 KB',
      `HTTP/1.1 200 OK\r\nx-bomb: ${'x'.repeat(40_000)}\r\ncontent-length: 2\r\n\r\n{}`,
      'UPSTREAM_INVALID_RESPONSE',
      2,
    ],
    [
      'an invalid chunk size',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nZZZ\r\n{}\r\n0\r\n\r\n',
      'UPSTREAM_INVALID_RESPONSE',
      2,
    ],
    ['HTTP/0.9', '{"personId":"p"}\n', 'UPSTREAM_INVALID_RESPONSE', 2],
    [
      'two content-length headers',
      'HTTP/1.1 200 OK\r\ncontent-length: 4\r\ncontent-length: 9\r\ncontent-type: application/json\r\n\r\n{"a":1}',
      'UPSTREAM_INVALID_RESPONSE',
      2,
    ],
    [
      'a body longer than its Content-Length',
      'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{} and more',
      'UPSTREAM_INVALID_RESPONSE',
      2,
    ],
  ])('T23 rejects %s', async (_name, bytes, code, hits) => {
    const sockets = new Set<Socket>();
    testbed.upstream.on(PERSON, (response, seen, socket) => {
      sockets.add(socket);
      return raw(bytes)(response, seen, socket);
    });

    const reply = await testbed.ask(BESIDE);

    if (code === 'UPSTREAM_INVALID_RESPONSE' && bytes.includes('{} and more')) {
      // The object that arrived lacks everything.
      expect(reply.codes).toEqual([code]);
      expect(reply.data.topic).toEqual(WELL);
    } else {
      expectPartial(reply, code);
    }
    // The rest reaches no caller, because the connection is closed.
    await until(() => expect([...sockets].filter((one) => !one.destroyed)).toEqual([]));
    await testbed.holds(reply, { hits });
  });

  it('T23 never delivers the second of two responses to one request', async () => {
    const answer = (name: string) => {
      const body = JSON.stringify({ ...person, name });
      return `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
    };
    testbed.upstream.on(PERSON, raw(answer('first') + answer('poison')));

    const reply = await testbed.ask('{ person(personId: "p") { name } }');
    const next = [];
    for (let i = 0; i < 20; i++)
      next.push(await testbed.ask(`{ person(personId: "n${i}") { name } }`));

    expect(['first', undefined]).toContain(reply.data.person?.name);
    expect(new Set(next.map(({ data }) => data.person?.name))).toEqual(new Set(['name']));
    await testbed.holds([reply, ...next], { hits: 21 });
  });
});
