/**
 * The fast path answers what Yoga alone does: status, headers and every byte.
 *
 * A failure prints the seed and the query: `randomQuery(seed, …)` makes it again.
 */
import { serverAudits } from 'graphql-http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { EXAMPLE_API_KEY } from '../../src/backend/seed/example.ts';
import { schema } from '../../src/schema.ts';
import {
  cut,
  drip,
  endless,
  hangUp,
  ok,
  raw,
  reset,
  silence,
  status,
  text,
  type Behaviour,
} from '../support/faults.ts';
import { openFaultUpstream } from '../support/fault-upstream.ts';
import { IDS, SAMPLE_NODES, SAMPLE_VALUES } from '../support/ids.ts';
import { randomQuery, UNLIMITED } from '../support/random-query.ts';
import { openSite, POST_JSON, send, shareBackend, type Site } from './support.ts';

shareBackend();

const PAGE =
  'query ($id: ID!) { page(pageId: $id) { name audiences { nodes { effectiveName } } } }';
const ASKED = { query: PAGE, variables: { id: IDS.page } };

describe('the fast path', () => {
  it('answers a plain query', async () => {
    const roads = await openRoads();

    const { status: code } = await ask(roads);

    expect(code).toBe(200);
    expect(roads.served()).toBe(1);
  });

  it('answers random queries as Yoga does', async () => {
    const roads = await openRoads({ limits: UNLIMITED, maxUpstreamCalls: 10_000 });
    const nodes = [...SAMPLE_NODES, 'no id'];
    const values = { ...SAMPLE_VALUES, id: nodes, ids: nodes };

    for (let seed = 9_000; seed < 9_100; seed++) {
      const { source: query, variables } = randomQuery(seed, { schema, values, depth: 6 });
      const asked = { body: { query, variables }, hint: `seed ${seed}: ${query}` };
      // The second time it was prepared.
      await ask(roads, asked);
      await ask(roads, asked);
    }

    expect(roads.served()).toBeGreaterThan(20);
  }, 60_000);

  const TWO = 'query A { a: __typename } query B { b: __typename }';

  it.each<[what: string, body: unknown]>([
    ['nothing to call', { query: '{ __typename }' }],
    ['introspection', { query: '{ __schema { queryType { name } } }' }],
    ['the first of two operations', { query: TWO, operationName: 'A' }],
    ['the second of two operations', { query: TWO, operationName: 'B' }],
    ['one of two operations, unnamed', { query: TWO }],
    ['an operation that is not there', { query: TWO, operationName: 'C' }],
    ['an operation name that is none', { query: TWO, operationName: 7 }],
    ['an empty operation name', { query: TWO, operationName: '' }],
    ['no operation name', { ...ASKED, operationName: null }],
    ['properties nobody defined', { ...ASKED, id: '1', doc_id: 2 }],
    ['extensions', { ...ASKED, extensions: { persistedQuery: { version: 1 } } }],
    ['extensions that are none', { ...ASKED, extensions: 'x' }],
    ['no query', { variables: {} }],
    ['an empty query', { query: '' }],
    ['a query that is none', { query: 7 }],
    ['a query with a mistake', { query: '{ page(' }],
    ['a field that is not there', { query: '{ pages }' }],
    ['a fragment without an operation', { query: 'fragment F on Page { name }' }],
    ['variables in a list', { ...ASKED, variables: ['x'] }],
    ['a missing variable', { ...ASKED, variables: {} }],
    ['no variables', { ...ASKED, variables: null }],
    ['a variable of another type', { ...ASKED, variables: { id: { a: 1 } } }],
    ['a bad id', { ...ASKED, variables: { id: '../x' } }],
    ['an object that is not there', { ...ASKED, variables: { id: 'nobody' } }],
    [
      'a prototype for variables',
      JSON.parse('{"query":"{ __typename }","__proto__":{"query":"x"}}'),
    ],
    ['a list of requests', [ASKED, ASKED]],
    ['null', null],
    ['a text', 'query'],
    ['a subscription', { query: 'subscription { x }' }],
    [
      'a write',
      {
        query:
          'mutation ($id: ID!) { restorePage(input: { id: $id }) { page { status } userErrors { code } } }',
        variables: { id: SAMPLE_NODES[0] },
      },
    ],
    [
      'a write that is refused',
      { query: 'mutation { restorePage(input: { id: "x" }) { page { id } } }' },
    ],
    ['too many fields', { query: `{ ${'a: __typename '.repeat(2_000)} }` }],
    ['too many calls', { query: `{ ${aliases(60)} }` }],
  ])('leaves %s as it is', async (_, body) => {
    const roads = await openRoads();

    await ask(roads, { body });
  });

  const headers: readonly Record<string, string>[] = [
    { accept: 'application/json' },
    { accept: 'application/graphql-response+json; charset=utf-8, application/json; q=0.5' },
    { accept: '*/*' },
    { accept: 'application/*' },
    { accept: 'text/html,application/xhtml+xml' },
    { accept: 'text/event-stream' },
    { accept: 'multipart/mixed' },
    { accept: 'image/png' },
    { accept: 'application/json, text/event-stream' },
    { 'content-type': 'application/json; charset=utf-8' },
    { 'content-type': 'application/json;charset=UTF-8' },
    { 'content-type': 'application/json; charset=latin1' },
    { 'content-type': 'APPLICATION/JSON' },
    { 'content-type': 'application/graphql+json' },
    { 'content-type': 'text/plain' },
    { 'content-type': 'application/graphql' },
    { 'content-encoding': 'gzip' },
    { 'x-explain': 'plan' },
    { 'x-request-id': 'my-own' },
    { 'x-api-key': '' },
    { 'x-api-key': 'nobody' },
    { 'x-api-key': 'two words' },
    { origin: 'https://known.example' },
    { origin: 'https://other.example' },
    { origin: 'null' },
  ];
  it.each(headers)('answers a request with %j alike', async (extra) => {
    const roads = await openRoads({ corsOrigins: ['https://known.example'] });

    await ask(roads, { headers: extra });
  });

  it('refuses introspection where it is off', async () => {
    const roads = await openRoads({ introspection: false });

    const { text: answer } = await ask(roads, {
      body: { query: '{ __schema { queryType { name } } }' },
    });

    expect(answer).toContain('introspection has been disabled');
  });

  it('answers pages of this origin as anybody', async () => {
    const roads = await openRoads();

    await ask(roads, { headers: { origin: 'https://any.example' } });

    expect(roads.served()).toBe(1);
  });

  it('answers every audit of graphql-http alike', async () => {
    const roads = await openRoads();
    const requests: [string, RequestInit][] = [];
    const audits = serverAudits({
      url: `${roads.fast.url}/graphql`,
      fetchFn: (input: string, init: RequestInit = {}) => {
        requests.push([input.slice(roads.fast.url.length), init]);
        return fetch(input, init);
      },
    });
    await Promise.all(audits.map((audit) => audit.fn()));

    for (const [path, init] of requests)
      await same(roads, path, init, `${path} ${JSON.stringify(init)}`);

    expect(requests.length).toBeGreaterThan(60);
    expect(roads.served()).toBeGreaterThan(10);
  });

  it.each<[what: string, behaviour: Behaviour]>([
    ['404', status(404)],
    ['401', status(401)],
    ['429', status(429)],
    ['500', status(500)],
    ['503', status(503)],
    ['a redirect', status(302, { location: 'http://elsewhere' })],
    ['no JSON', text('<html>', 'text/html')],
    ['half of JSON', text('{"pageId":')],
    ['a list', ok([])],
    ['an object of another shape', ok({ pageId: 7 })],
    ['wrong values', ok({ pageId: 'p', name: 7, status: 'unheard of', createdAt: 'yesterday' })],
    ['a reset', reset()],
    ['a body that is cut', cut({ pageId: 'p', name: 'n' })],
    ['a closed connection', hangUp()],
    ['silence', silence()],
    ['a drip', drip(10)],
    ['no end', endless()],
    ['broken HTTP', raw('HTTP/1.1 banana\r\n\r\n')],
  ])('answers alike when the backend answers %s', async (_, behaviour) => {
    const upstream = await openFaultUpstream();
    onTestFinished(() => upstream.stop());
    upstream.on('*', behaviour);
    const roads = await openRoads({ upstreamUrl: upstream.url, timeoutMs: 300 });

    const body = { query: '{ page(pageId: "p") { name status createdAt } }' };
    await ask(roads, { body });
  });

  it('executes once what it leaves to Yoga', async () => {
    const upstream = await openFaultUpstream();
    onTestFinished(() => upstream.stop());
    upstream.on('*', status(404));
    upstream.on('GET /v0/topics/t', status(500));
    const site = await openSite({ upstreamUrl: upstream.url });
    const query = '{ __typename topic(topicId: "t") { title } }';
    await site.query('{ __typename }');

    const { codes } = await site.query(query);

    expect(codes).toEqual(['UPSTREAM_UNAVAILABLE']);
    expect(upstream.hits()).toBe(1);
  });
});

interface Roads {
  readonly fast: Site;
  readonly yoga: Site;
  /** How often the fast path answered by itself. */
  served(): number;
}

async function openRoads(options: Parameters<typeof openSite>[0] = {}): Promise<Roads> {
  const fast = await openSite(options);
  const yoga = await openSite({ ...options, fastPath: false });
  let served = 0;
  const { answerPost } = fast.gateway;
  (fast.gateway as { answerPost: typeof answerPost }).answerPost = async (...args) => {
    const answer = await answerPost(...args);
    if (answer) served += 1;
    return answer;
  };
  return { fast, yoga, served: () => served };
}

interface Asked {
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  readonly hint?: string;
}

/** POSTs to both and compares. The fast path knows the `Accept` header by then. */
async function ask(roads: Roads, { body = ASKED, headers = {}, hint }: Asked = {}) {
  const { accept } = { ...POST_JSON, ...headers };
  await send(`${roads.fast.url}/graphql?learn`, post({ query: '{ __typename }' }, { accept }));
  return same(roads, '/graphql', post(body, headers), hint);
}

const post = (body: unknown, headers: Readonly<Record<string, string>>): RequestInit => ({
  method: 'POST',
  headers: { 'x-api-key': EXAMPLE_API_KEY, ...POST_JSON, ...headers },
  body: JSON.stringify(body),
});

async function same({ fast, yoga }: Roads, path: string, init: RequestInit, hint?: string) {
  const [expected, found] = await Promise.all([
    shown(`${yoga.url}${path}`, init),
    shown(`${fast.url}${path}`, init),
  ]);
  expect(found, hint).toEqual(expected);
  return found;
}

/** An answer without what differs from one request to the next: times, and the ids of requests. */
async function shown(url: string, init: RequestInit) {
  const { status: code, headers, text: body } = await send(url, init);
  return {
    status: code,
    headers: [...headers].flatMap(([name, value]) => {
      if (name === 'date' || (name === 'x-request-id' && value !== 'my-own')) return [name];
      return [name, value.replace(/dur=[\d.]+/, '')];
    }),
    text: body.replace(/"requestId":"[^"]*"/g, ''),
  };
}

const aliases = (count: number): string =>
  Array.from(
    { length: count },
    (_, i) => `a${i}: nodes(ids: ${JSON.stringify(Array(9).fill(SAMPLE_NODES[0]))}) { id }`,
  ).join(' ');
