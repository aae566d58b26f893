/**
 * The same operation has the same response by POST and GET, and by `fetch` in process, which passes Yoga's hooks of HTTP.
 *
 * A failure prints the seed and the query; `randomQuery(seed, …)` makes it again.
 */
import { serverAudits } from 'graphql-http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { EXAMPLE_API_KEY } from '../../src/backend/seed/example.ts';
import { schema } from '../../src/app/schema.ts';
import { cases } from '../support/cases.ts';
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
import { POST_JSON } from '../support/client.ts';
import {
  openGateway,
  type InProcessOptions,
  type InProcessGateway,
} from '../support/open-gateway.ts';

const PAGE =
  'query ($id: ID!) { page(pageId: $id) { name audiences { nodes { effectiveName } } } }';
/** The last field is non-null and fails, since it takes a hundred ids. */
const FAILING = {
  query: `{ ok: __typename nodes(ids: [${'"no id" '.repeat(101)}]) { id } }`,
};
const ASKED = { query: PAGE, variables: { id: IDS.page } };

describe('every transport', () => {
  it('returns the same response with status 200 for a query', async () => {
    const site = await open();

    const { status: code } = await ask(site);

    expect(code).toBe(200);
  });

  it('returns the same responses for random queries', async () => {
    const site = await open({
      documents: { limits: UNLIMITED },
      limits: { maxUpstreamCalls: 10_000 },
    });
    const count = cases(4);
    const nodes = [...SAMPLE_NODES, 'no id'];
    const values = { ...SAMPLE_VALUES, id: nodes, ids: nodes };

    for (let seed = 9_000; seed < 9_000 + count; seed++) {
      const { source: query, variables } = randomQuery(seed, { schema, values, depth: 6 });
      const asked = { body: { query, variables }, hint: `seed ${seed}: ${query}` };
      // The second time it is prepared.
      await ask(site, asked);
      await ask(site, asked);
    }
  });

  const TWO = 'query A { a: __typename } query B { b: __typename }';

  it.each<[what: string, body: unknown]>([
    ['a query without calls', { query: '{ __typename }' }],
    ['introspection', { query: '{ __schema { queryType { name } } }' }],
    ['the first of two operations', { query: TWO, operationName: 'A' }],
    ['the second of two operations', { query: TWO, operationName: 'B' }],
    ['one of two operations, unnamed', { query: TWO }],
    ['an unknown operation', { query: TWO, operationName: 'C' }],
    ['an operation name that is not a string', { query: TWO, operationName: 7 }],
    ['an empty operation name', { query: TWO, operationName: '' }],
    ['no operation name', { ...ASKED, operationName: null }],
    ['properties that are not defined', { ...ASKED, id: '1', doc_id: 2 }],
    ['a failure that stays at its field', { ...FAILING, onError: 'NULL' }],
    ['a failure that ends everything', { ...FAILING, onError: 'HALT' }],
    ['a failure that propagates', { ...FAILING, onError: null }],
    ['an unknown onError', { ...FAILING, onError: 'IGNORE' }],
    ['extensions', { ...ASKED, extensions: { persistedQuery: { version: 1 } } }],
    ['extensions that are not an object', { ...ASKED, extensions: 'x' }],
    ['no query', { variables: {} }],
    ['an empty query', { query: '' }],
    ['a query that is not a string', { query: 7 }],
    ['a syntax error', { query: '{ page(' }],
    ['an unknown field', { query: '{ pages }' }],
    ['a fragment without an operation', { query: 'fragment F on Page { name }' }],
    ['variables in a list', { ...ASKED, variables: ['x'] }],
    ['a missing variable', { ...ASKED, variables: {} }],
    ['no variables', { ...ASKED, variables: null }],
    ['a variable of another type', { ...ASKED, variables: { id: { a: 1 } } }],
    ['a bad id', { ...ASKED, variables: { id: '../x' } }],
    ['a missing object', { ...ASKED, variables: { id: 'nobody' } }],
    ['a property __proto__', JSON.parse('{"query":"{ __typename }","__proto__":{"query":"x"}}')],
    ['a list of requests', [ASKED, ASKED]],
    ['null', null],
    ['a string', 'query'],
    ['a subscription', { query: 'subscription { x }' }],
    [
      'a mutation',
      {
        query:
          'mutation ($id: ID!) { restorePage(input: { id: $id }) { page { status } userErrors { code } } }',
        variables: { id: SAMPLE_NODES[0] },
      },
    ],
    [
      'a rejected mutation',
      { query: 'mutation { restorePage(input: { id: "x" }) { page { id } } }' },
    ],
    ['too many fields', { query: `{ ${'a: __typename '.repeat(2_000)} }` }],
    ['too many calls', { query: `{ ${aliases(60)} }` }],
  ])('returns the same response for %s', async (_, body) => {
    const site = await open();

    await ask(site, { body });
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
  it.each(headers)('returns the same response for a request with %j', async (extra) => {
    const site = await open({ http: { corsOrigins: ['https://known.example'] } });

    await ask(site, { headers: extra });
  });

  it('rejects introspection with the same response when it is off', async () => {
    const site = await open({ tools: { introspection: 'off' } });

    const { text: answer } = await ask(site, {
      body: { query: '{ __schema { queryType { name } } }' },
    });

    expect(answer).toContain('GRAPHQL_VALIDATION_FAILED');
  });

  it('returns the same response for every graphql-http audit', async () => {
    const site = await open();
    const requests: [string, RequestInit][] = [];
    const audits = serverAudits({
      url: `${site.url}/graphql`,
      fetchFn: (input: string, init: RequestInit = {}) => {
        requests.push([input.slice(site.url.length), init]);
        return fetch(input, init);
      },
    });
    await Promise.all(audits.map((audit) => audit.fn()));

    for (const [path, init] of requests) {
      const hint = `${path} ${JSON.stringify(init)}`;
      const expected = await comparable(site, 'POST', path, init);
      expect(await comparable(site, 'fetch', path, init), `fetch ${hint}`).toEqual(expected);
    }

    expect(requests.length).toBeGreaterThan(60);
  });

  it.each<[what: string, behaviour: Behaviour, timeoutMs?: number]>([
    ['404', status(404)],
    ['401', status(401)],
    ['429', status(429)],
    ['500', status(500)],
    ['503', status(503)],
    ['a redirect', status(302, { location: 'http://elsewhere' })],
    ['a body that is not JSON', text('<html>', 'text/html')],
    ['truncated JSON', text('{"pageId":')],
    ['a list', ok([])],
    ['an object of another shape', ok({ pageId: 7 })],
    ['wrong values', ok({ pageId: 'p', name: 7, status: 'unheard of', createdAt: 'yesterday' })],
    ['a reset', reset()],
    ['a body that is cut', cut({ pageId: 'p', name: 'n' })],
    ['a closed connection', hangUp()],
    ['silence', silence(), 100],
    ['a body byte by byte', drip(10), 100],
    ['an endless body', endless()],
    ['broken HTTP', raw('HTTP/1.1 banana\r\n\r\n')],
  ])('responds identically if the backend sends %s', async (_, behaviour, timeoutMs = 30_000) => {
    const upstream = await openFaultUpstream();
    onTestFinished(() => upstream.stop());
    upstream.on('*', behaviour);
    const site = await open({
      backend: new URL(upstream.url),
      rest: { timeoutMs },
      limits: { requestTimeoutMs: 60_000 },
    });

    const body = { query: '{ page(pageId: "p") { name status createdAt } }' };
    await ask(site, { body });
  });
});

type Transport = 'POST' | 'GET' | 'fetch';

const shared = new Map<string, Promise<InProcessGateway>>();

/** The gateway that all tests with these options share, except for tests with their own backend. */
function open(options: InProcessOptions = {}): Promise<InProcessGateway> {
  if (options.backend) return openGateway(options);
  const name = JSON.stringify(options);
  const opening = shared.get(name) ?? openGateway(options);
  shared.set(name, opening);
  return opening;
}

interface Asked {
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  readonly hint?: string;
}

/** Sends a request by every transport that can carry it, and compares the responses. */
async function ask(site: InProcessGateway, { body = ASKED, headers = {}, hint }: Asked = {}) {
  const init = {
    method: 'POST',
    // Stated, since clients have different defaults.
    headers: {
      'x-api-key': EXAMPLE_API_KEY,
      'accept-encoding': 'identity',
      ...POST_JSON,
      ...headers,
    },
    body: JSON.stringify(body),
  };
  // The HTTP server alone reads the type and the coding of a body.
  const isAboutBodies = 'content-type' in headers || 'content-encoding' in headers;
  const expected = await comparable(site, 'POST', '/graphql', init);
  const search = isAboutBodies ? undefined : searchOf(body);
  const { 'content-type': _, ...rest } = init.headers;
  const get = { method: 'GET', headers: { ...rest, 'apollo-require-preflight': '1' } };
  const post = async (transport: Transport) =>
    expect(await comparable(site, transport, '/graphql', init), hint ?? transport).toEqual(
      expected,
    );
  const askByGet = async (transport: Transport) => {
    if (search === undefined) return;
    const found = await comparable(site, transport, `/graphql?${search}`, get);
    expect(found, hint ?? `${transport}, by GET`).toEqual(expected);
  };
  // One after the other, since concurrent ones would share calls.
  if (!isAboutBodies) await post('fetch');
  await askByGet('GET');
  await askByGet('fetch');
  return expected;
}

/** Below the 16 KB that Node accepts for all headers. */
const MAX_URL_LENGTH = 5_000;

/** The query string of a request; undefined where it cannot express the request, or GET rejects it. */
function searchOf(body: unknown): string | undefined {
  const { query, operationName, variables, extensions, onError } = (body ?? {}) as Record<
    string,
    unknown
  >;
  if (typeof query !== 'string' || query === '' || query.startsWith('mutation')) return undefined;
  if (
    query.length > MAX_URL_LENGTH ||
    operationName === '' ||
    typeof (operationName ?? '') !== 'string'
  )
    return undefined;
  const given = Object.entries({ variables, extensions }).filter(([, value]) => value != null);
  return new URLSearchParams([
    ['query', query],
    ...(typeof operationName === 'string' ? [['operationName', operationName]] : []),
    ...(typeof onError === 'string' ? [['onError', onError]] : []),
    ...given.map(([name, value]) => [name, JSON.stringify(value)]),
  ]).toString();
}

/** A response without headers of the connection and values that differ from one request to the next. */
async function comparable(
  { url, gateway }: InProcessGateway,
  transport: Transport,
  path: string,
  init: RequestInit,
) {
  const response =
    transport === 'fetch'
      ? await gateway.fetch(new Request(`http://gateway${path}`, init))
      : await fetch(`${url}${path}`, init);
  const body = await response.text();
  return {
    status: response.status,
    headers: [...response.headers]
      .map(([name, value]) => [name.toLowerCase(), value] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .filter(([name]) => !OF_THE_CONNECTION.has(name))
      .map(([name, value]) =>
        name === 'x-request-id' && value !== 'my-own'
          ? [name]
          : // Rounds are of the calls' times, which a busy machine changes.
            [name, value.replace(/(?:dur|rounds;desc)=[\d."]+/g, '')],
      ),
    text: body.replace(/"requestId":"[^"]*"/g, ''),
  };
}

const OF_THE_CONNECTION = new Set([
  'connection',
  'content-length',
  'date',
  'keep-alive',
  'transfer-encoding',
  // Only of responses to GET.
  'cache-control',
  'etag',
  'vary',
]);

const aliases = (count: number): string =>
  Array.from(
    { length: count },
    (_, i) => `a${i}: nodes(ids: ${JSON.stringify(Array(9).fill(SAMPLE_NODES[0]))}) { id }`,
  ).join(' ');
