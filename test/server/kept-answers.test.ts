/**
 * Kept answers: the same bytes without an execution, for the same calls, and never another's.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as fc from 'fast-check';
import { expect, it, onTestFinished } from 'vitest';
import { createExecute } from '../../src/execution/execute.ts';
import { createUpstream } from '../../src/rest/client/client.ts';
import { BackendDispatcher } from '../../src/rest/transport/dispatcher.ts';
import { schema } from '../../src/schema.ts';
import { createGateway, type GatewayOptions } from '../../src/server/gateway.ts';
import { person, topic } from '../rest/open-rest.ts';
import { listOf } from '../support/staged-backend.ts';

const PERSONS = `query Persons($first: Int) {
  persons(first: $first) { nodes { id name logs(first: 2) { nodes { source } } } pageInfo { endCursor } }
}`;
const EMAILS = 'query Persons($first: Int) { persons(first: $first) { nodes { email } } }';
const TWO = `query One($first: Int) { persons(first: $first) { nodes { name } } }
query Other($first: Int) { persons(first: $first) { nodes { email } } }`;
const TOPIC =
  'query Topic($id: ID!) { topic(topicId: $id) { title } persons(first: 1) { nodes { name } } }';

const log = (personId: string, index: number, source: string) => ({
  personId,
  personLogId: `${personId}-${index}`,
  source,
  type: 'note',
  payload: {},
  idempotencyKey: null,
  createdAt: '+1700000000000',
  updatedAt: null,
  deletedAt: null,
});

/** What each key sees: persons' names, and the sources of their logs. */
class World {
  readonly names = new Map<string, string[]>();
  source = 'mail';
  title: string | undefined = 'News';
  headers: Record<string, string> = {};
  restCalls: string[] = [];

  namesFor(key: string): string[] {
    let names = this.names.get(key);
    if (!names) this.names.set(key, (names = ['Ada', 'Grace', 'Alan']));
    return names;
  }

  answer(key: string, url: URL): unknown {
    const [, , resource, id, below] = url.pathname.split('/');
    if (resource === 'topics') return this.title && topic(id!, this.title);
    if (below === 'logs') return listOf([log(id!, 1, this.source), log(id!, 2, 'call')], url);
    return listOf(
      this.namesFor(key).map((name, i) => person(`p${i}`, name)),
      url,
    );
  }
}

type Made = ReturnType<typeof createGateway>;

async function open() {
  const world = new World();
  const server = createServer((request, response) => {
    world.restCalls.push(request.url!);
    const url = new URL(request.url!, 'http://backend');
    const body = world.answer(String(request.headers['x-api-key']), url);
    response.writeHead(body === undefined ? 404 : 200, {
      'content-type': 'application/json',
      ...world.headers,
    });
    response.end(JSON.stringify(body ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A TCP server that listens has an AddressInfo.
  const { port } = server.address() as AddressInfo;
  onTestFinished(() => void server.close());
  const make = (options: Partial<GatewayOptions> = {}): Made => {
    const dispatcher = new BackendDispatcher(`http://127.0.0.1:${port}`);
    onTestFinished(() => dispatcher.close());
    const timeouts = { timeoutMs: 3_000, maxResponseBytes: 5_000_000 };
    const upstream = createUpstream({
      ...{ dispatcher, pathPrefix: '', routeSet: 'extended' as const },
      ...timeouts,
    });
    return createGateway({ schema, upstream, ...options });
  };
  let executions = 0;
  const unlimited = { maxValues: Infinity, maxTextBytes: Infinity, deadlineMs: Infinity };
  const execute = createExecute({ maxErrors: () => 100, limits: () => unlimited });
  const counting = {
    execute: (args: Parameters<typeof execute>[0]) => {
      executions += 1;
      return execute(args);
    },
  };
  const ask = async (gateway: Made, sent: object | string, headers: object = {}) => {
    world.restCalls = [];
    const response = await gateway.fetch(
      new Request('http://gateway/graphql', {
        method: 'POST',
        headers: {
          ...{ 'content-type': 'application/json', 'x-api-key': 'key-a' },
          accept: 'application/graphql-response+json',
          ...headers,
        },
        body: typeof sent === 'string' ? sent : JSON.stringify(sent),
      }),
    );
    const { calls, rounds } =
      /calls;desc="(?<calls>\d+)", rounds;desc="(?<rounds>\d+)"/.exec(
        response.headers.get('server-timing') ?? '',
      )?.groups ?? {};
    const requestId = response.headers.get('x-request-id');
    const seen = { text: await response.text(), calls, rounds, restCalls: world.restCalls.sort() };
    return { ...seen, status: response.status, requestId };
  };
  return { world, make, ask, counting, executions: () => executions };
}

/** What must be the same whether an answer was executed or kept. */
const seenOf = ({
  requestId: _own,
  ...seen
}: Awaited<ReturnType<Awaited<ReturnType<typeof open>>['ask']>>) => seen;

it('answers the third request without executing it: the same bytes, calls and rounds', async () => {
  const { make, ask, counting, executions } = await open();
  const gateway = make(counting);
  const sent = { query: PERSONS, variables: { first: 2 } };
  const first = await ask(gateway, sent);
  await ask(gateway, sent);

  const third = await ask(gateway, sent);

  expect(executions()).toBe(2);
  expect(seenOf(third)).toEqual(seenOf(first));
  expect(third).toMatchObject({ calls: '3', rounds: '2', status: 200 });
  expect(third.requestId).not.toBe(first.requestId);
});

it('executes with what was read already when an answer has changed, and asks for nothing twice', async () => {
  const { world, make, ask, counting, executions } = await open();
  const gateway = make(counting);
  const sent = { query: PERSONS, variables: { first: 2 } };
  for (let i = 0; i < 3; i++) await ask(gateway, sent);

  world.source = 'phone';
  const changed = await ask(gateway, sent);

  expect(executions()).toBe(3);
  expect(changed.text).toContain('"source":"phone"');
  expect(changed.restCalls).toEqual([
    '/v0/persons/p0/logs?limit=2',
    '/v0/persons/p1/logs?limit=2',
    '/v0/persons?limit=2',
  ]);
  expect(changed).toMatchObject({ calls: '3', rounds: '2' });
});

it('does not read on what an earlier answer no longer leads to', async () => {
  const { world, make, ask } = await open();
  const gateway = make();
  const sent = { query: PERSONS, variables: { first: 3 } };
  for (let i = 0; i < 3; i++) await ask(gateway, sent);

  world.namesFor('key-a').pop();
  const { restCalls } = await ask(gateway, sent);

  expect(restCalls).not.toContain('/v0/persons/p2/logs?limit=2');
  expect(restCalls).toHaveLength(3);
});

it('keeps an answer again after a change', async () => {
  const { world, make, ask, counting, executions } = await open();
  const gateway = make(counting);
  const sent = { query: PERSONS, variables: { first: 1 } };
  for (let i = 0; i < 3; i++) await ask(gateway, sent);
  world.source = 'phone';
  for (let i = 0; i < 10; i++) await ask(gateway, sent);
  const before = executions();

  await ask(gateway, sent);

  expect(executions()).toBe(before);
});

it('keeps null for what is not found, as long as it is not', async () => {
  const { world, make, ask, counting, executions } = await open();
  const gateway = make(counting);
  const sent = { query: TOPIC, variables: { id: 't1' } };
  world.title = undefined;
  for (let i = 0; i < 3; i++) await ask(gateway, sent);
  expect(executions()).toBe(2);

  world.title = 'Back';

  expect((await ask(gateway, sent)).text).toContain('"title":"Back"');
});

it.each([
  [
    'with errors',
    { query: '{ persons(first: 1) { nodes { name } } topic(topicId: "..") { title } }' },
    {},
    {},
  ],
  ['that are explained', { query: PERSONS }, { 'x-explain': 'true' }, {}],
  ['of a backend that says no-store', { query: PERSONS }, {}, { 'cache-control': 'no-store' }],
])('executes answers %s each time', async (_name, sent, headers, backendHeaders) => {
  const { world, make, ask, counting, executions } = await open();
  world.headers = backendHeaders;
  const gateway = make(counting);

  for (let i = 0; i < 5; i++) await ask(gateway, sent, headers);

  expect(executions()).toBe(5);
});

it('executes writes each time', async () => {
  const { make, ask, counting, executions } = await open();
  const gateway = make(counting);
  const query = 'mutation { updateTopic(input: { id: "x", title: "T" }) { userErrors { code } } }';

  for (let i = 0; i < 5; i++) await ask(gateway, { query });

  expect(executions()).toBe(5);
});

it('keeps nothing in no bytes, and forgets what was not asked for lately in few', async () => {
  const { make, ask, counting, executions } = await open();
  const sent = (first: number) => ({ query: PERSONS, variables: { first } });
  const off = make({ ...counting, reuseMaxBytes: 0 });
  for (let i = 0; i < 5; i++) await ask(off, sent(1));
  expect(executions()).toBe(5);

  const small = make({ ...counting, reuseMaxBytes: 40_000 });
  for (let i = 0; i < 3; i++) await ask(small, sent(1));
  expect(executions()).toBe(7);
  for (let first = 2; first < 60; first++) await ask(small, sent(first));
  await ask(small, sent(1));

  expect(executions()).toBe(5 + 2 + 58 + 1);
});

it('looks less often at a document that is not repeated, and finds out when it is', async () => {
  const { make, ask, counting, executions } = await open();
  const gateway = make(counting);
  const sent = (first: number) => ({ query: PERSONS, variables: { first } });
  for (let i = 0; i < 70; i++) await ask(gateway, { query: PERSONS, variables: { first: 1, i } });

  for (let i = 0; i < 40; i++) await ask(gateway, sent(1));
  const before = executions();
  for (let i = 0; i < 10; i++) await ask(gateway, sent(1));

  expect(before).toBeGreaterThan(70 + 3);
  expect(executions()).toBe(before);
});

it('takes variables that are the same only in JSON for others', async () => {
  const { make, ask } = await open();
  const gateway = make();
  const sent = (first: string) =>
    `{"query":${JSON.stringify(PERSONS)},"variables":{"first":${first}}}`;
  for (let i = 0; i < 4; i++) await ask(gateway, sent('null'));

  const { text } = await ask(gateway, sent('1e999'));

  expect(text).toContain('"code":"BAD_USER_INPUT"');
});

it('answers every request as if it were executed, whatever changes and with any key', async () => {
  const { world, make, ask } = await open();
  const plain = make({ reuseMaxBytes: 0 });
  const key = fc.constantFrom('key-a', 'key-b');
  const name = fc.constantFrom('Ada', 'Grace', 'Alan');
  // Few of each, so that the same is asked again after a change.
  const request = fc.record({
    sent: fc.constantFrom<object>(
      { query: PERSONS, variables: { first: 1 } },
      { query: PERSONS, variables: { first: 2 } },
      { query: EMAILS, variables: { first: 1 } },
      { query: TWO, variables: { first: 1 }, operationName: 'One' },
      { query: TWO, variables: { first: 1 }, operationName: 'Other' },
      { query: TOPIC, variables: { id: 't1' } },
    ),
    key,
    times: fc.integer({ min: 1, max: 4 }),
  });
  const change = fc.oneof(
    fc.record({ key, names: fc.array(name, { maxLength: 3 }) }),
    fc.record({ source: fc.constantFrom('mail', 'phone') }),
    fc.record({ title: fc.constantFrom('News', 'Old', undefined) }),
  );
  const steps = fc.array(fc.tuple(fc.option(change), request), { minLength: 15, maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      const gateway = make();
      for (const [changed, { sent, key: apiKey, times }] of all) {
        if (changed && 'names' in changed) world.names.set(changed.key, changed.names);
        else if (changed && 'source' in changed) world.source = changed.source;
        else if (changed) world.title = changed.title;
        const expected = await ask(plain, sent, { 'x-api-key': apiKey });
        for (let i = 0; i < times; i++) {
          const answered = await ask(gateway, sent, { 'x-api-key': apiKey });
          expect(seenOf(answered)).toEqual(seenOf(expected));
        }
      }
    }),
    { numRuns: 40 },
  );
}, 60_000);

it('gives no key what was kept for another, though the backend answers both the same', async () => {
  const { make, ask } = await open();
  const gateway = make();
  const sent = { query: PERSONS, variables: { first: 1 } };
  const cursorOf = async (key: string) => {
    const { text } = await ask(gateway, sent, { 'x-api-key': key });
    return /"endCursor":"([^"]+)"/.exec(text)?.[1];
  };
  const own = await cursorOf('key-b');
  for (let i = 0; i < 4; i++) await cursorOf('key-a');

  // Cursors are sealed with the key.
  expect(await cursorOf('key-a')).not.toBe(own);
  expect(await cursorOf('key-b')).toBe(own);
});

it('answers each of many requests at once with its own', async () => {
  const { world, make, ask } = await open();
  const gateway = make();
  world.names.set('key-b', ['Edsger', 'Barbara', 'Tony']);
  const sent = { query: PERSONS, variables: { first: 3 } };
  const keys = ['key-a', 'key-b'];
  const alone = new Map<string, string>();
  for (const key of keys) alone.set(key, (await ask(gateway, sent, { 'x-api-key': key })).text);

  const answers = await Promise.all(
    Array.from({ length: 40 }, async (_, i) => {
      const key = keys[i % 2]!;
      return { key, text: (await ask(gateway, sent, { 'x-api-key': key })).text };
    }),
  );

  for (const { key, text } of answers) expect(text).toBe(alone.get(key));
});
