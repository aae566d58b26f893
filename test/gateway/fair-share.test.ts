/** The share of the process that one key may use, as callers observe it. */
import { expect, it } from 'vitest';
import { formatNodeId } from '../../src/graph/types/node-id.ts';
import { routes } from '../../src/v0/routes.ts';
import { openSocket } from '../live/support.ts';
import { KEY, OTHER_KEY, POST_JSON } from '../support/client.ts';
import type { FaultUpstream } from '../support/fault-upstream.ts';
import { ok } from '../support/faults.ts';
import { openGateway, type InProcessGateway } from '../support/open-gateway.ts';
import { until } from '../support/until.ts';
import { sampleOf, world } from '../support/world.ts';

const LOOKUP = 'query ($id: ID!) { person(personId: $id) { name } }';

/** Up to 50,000 values, which weigh more than half of what one key may have in flight. */
const HEAVY = `query ($id: ID!) { page(pageId: $id) { name audiences(first: 100) { nodes { page {
  audiences(first: 100) { nodes { id audienceId effectiveName status } } } } } } }`;

/** A gateway with two accepted keys; keys that are not accepted count as one. */
async function openForTwoKeys() {
  // No time-out ends a call that a test holds back.
  const gateway = await openGateway({
    backend: 'faulty',
    rest: { timeoutMs: 60_000 },
    limits: { requestTimeoutMs: 90_000 },
  });
  for (const apiKey of [KEY, OTHER_KEY]) {
    const { data } = await gateway.ask(LOOKUP, { variables: { id: 'known' }, apiKey });
    expect(data.person.name).toBe('name');
  }
  return gateway;
}

const pagesAsked = ({ seen }: FaultUpstream): number =>
  seen.filter(({ target }) => /^\/v0\/pages\/[^/]+$/.test(target)).length;

/** Serves another key until no more calls are made for this one. */
async function untilKeyWaits(gateway: InProcessGateway, asked: () => number): Promise<void> {
  for (let before = NaN; before !== asked();) {
    before = asked();
    for (let i = 0; i < 20; i++) {
      const variables = { id: `other-${i}` };
      const reply = await gateway.ask(LOOKUP, { variables, apiKey: OTHER_KEY });
      expect(reply.data.person.name).toBe('name');
    }
  }
}

it('a heavy operation waits for another one with the same key, while light ones and other keys are served', async () => {
  const gateway = await openForTwoKeys();
  const { upstream } = gateway;
  const waiting: (() => void)[] = [];
  upstream.on('*', (response, seen, socket) => {
    const answer = () => void world()(response, seen, socket);
    if (/^\/v0\/pages\/h\d$/.test(seen.target)) waiting.push(answer);
    else answer();
  });
  const heavy = (id: string) => gateway.ask(HEAVY, { variables: { id }, apiKey: KEY });

  const first = heavy('h1');
  await until(() => waiting.length === 1);
  const light = await gateway.ask(LOOKUP, { variables: { id: 'light' }, apiKey: KEY });
  const second = heavy('h2');
  await untilKeyWaits(gateway, () => waiting.length);

  expect(light.status).toBe(200);
  expect(waiting.length, 'the second one waits').toBe(1);
  waiting[0]!();
  expect((await first).data.page.name).toBe('name');
  await until(() => waiting.length === 2);
  waiting[1]!();
  expect((await second).data.page.name).toBe('name');
});

it('the weight of an operation depends on the page size in its variables', async () => {
  const gateway = await openForTwoKeys();
  const { upstream } = gateway;
  const waiting: (() => void)[] = [];
  upstream.on('*', (response, seen, socket) => {
    const answer = () => void world()(response, seen, socket);
    if (/^\/v0\/pages\/\w\d$/.test(seen.target)) waiting.push(answer);
    else answer();
  });
  const query = HEAVY.replace('$id: ID!', '$id: ID!, $first: Int').replaceAll('100', '$first');
  const ask = (id: string, first: number) =>
    gateway.ask(query, { variables: { id, first }, apiKey: KEY });

  const small = [1, 2, 3, 4].map((i) => ask(`s${i}`, 3));
  await until(() => waiting.length === 4);
  const large = [1, 2, 3].map((i) => ask(`l${i}`, 100));
  await untilKeyWaits(gateway, () => waiting.length);
  expect(waiting.length, 'the large ones wait for each other').toBe(5);

  for (let answered = 0; answered < 7; answered++) {
    await until(() => waiting.length > answered);
    waiting[answered]!();
  }
  const replies = await Promise.all([...small, ...large]);
  expect(replies.map(({ status }) => status)).toEqual(Array(7).fill(200));
});

it('new documents that arrive concurrently are queued, and those above the queue limit get 503 with Retry-After', async () => {
  const gateway = await openForTwoKeys();
  // Twelve million characters, of which eight million may wait.
  const documents = Array.from({ length: 800 }, (_, i) => ({
    query: `query New${i} { person(personId: "p") { name } } #${' '.repeat(15_000)}`,
  }));

  // Without sockets, they arrive in one turn of the event loop.
  const replies = documents.map((document) =>
    gateway.gateway.fetch(
      new Request('http://localhost/graphql', {
        method: 'POST',
        headers: { ...POST_JSON, 'x-api-key': KEY },
        body: JSON.stringify(document),
      }),
    ),
  );
  const other = await gateway.ask('{ person(personId: "o") { name } }', { apiKey: OTHER_KEY });
  const all = await Promise.all(replies);
  const of = (code: number) => all.filter(({ status }) => status === code);

  expect(other.data.person.name).toBe('name');
  expect(of(200).length, 'those that waited').toBeGreaterThan(500);
  expect(of(503)).not.toEqual([]);
  for (const { headers } of of(503)) expect(headers.get('retry-after')).toBe('1');
  expect(of(200).length + of(503).length).toBe(documents.length);
});

/** Pages with a name of a megabyte and a half. */
function withLargePages(upstream: FaultUpstream): void {
  const large = (id: string) => ({
    ...sampleOf(routes.getPage, { page_id: id }),
    name: `${id} ${'x'.repeat(1_500_000)}`,
  });
  upstream.on('*', (response, seen, socket) => {
    const [, id] = /^\/v0\/pages\/([^/]+)$/.exec(seen.target) ?? [];
    return (id ? ok(large(id)) : world())(response, seen, socket);
  });
}

const PAGES = Array.from({ length: 20 }, (_, i) => `p${i}`);

/** Requests pages over a WebSocket that is not read. */
async function askUnread({ url }: InProcessGateway) {
  const opened = await openSocket(url, { payload: { 'x-api-key': KEY } });
  opened.socket.pause();
  for (const id of PAGES) opened.subscribe(id, { id }, HEAVY);
  return opened;
}

it('unread responses count against the share of their key until they are read', async () => {
  const gateway = await openForTwoKeys();
  const { upstream } = gateway;
  withLargePages(upstream);

  const { socket, received } = await askUnread(gateway);
  await until(() => pagesAsked(upstream) > 0);
  await untilKeyWaits(gateway, () => pagesAsked(upstream));
  expect(pagesAsked(upstream), 'as many as the socket holds, and a few').toBeLessThan(15);

  socket.resume();
  await until(() => received('next').length === PAGES.length);
  expect(
    received('next')
      .map(({ id }) => id)
      .sort(),
  ).toEqual([...PAGES].sort());
});

it('unread responses no longer count against the share of their key once their connection is closed', async () => {
  const gateway = await openForTwoKeys();
  const { upstream } = gateway;
  withLargePages(upstream);
  const { socket } = await askUnread(gateway);
  await until(() => pagesAsked(upstream) > 0);
  await untilKeyWaits(gateway, () => pagesAsked(upstream));

  socket.terminate();
  const reply = await gateway.ask(HEAVY, { variables: { id: 'after' }, apiKey: KEY });

  expect(reply.data.page.name).toMatch(/^after x/);
  expect(pagesAsked(upstream), 'queued calls are not sent').toBeLessThan(19);
});

/** A page of 1.5 MB, of which nothing but the head arrives before `release`. */
function holdLargePages(upstream: FaultUpstream): () => void {
  const waiting: (() => void)[] = [];
  upstream.on('*', (response, seen, socket) => {
    const [, id] = /^\/v0\/pages\/(p\d+)$/.exec(seen.target) ?? [];
    if (id === undefined) return world()(response, seen, socket);
    const page = { ...sampleOf(routes.getPage, { page_id: id }), name: 'x'.repeat(1_500_000) };
    const body = JSON.stringify(page);
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
    response.flushHeaders();
    waiting.push(() => void response.end(body));
  });
  return () => {
    for (const answer of waiting) answer();
  };
}

it('a key whose concurrent operations receive more bytes than its share gets 503 with Retry-After for the rest', async () => {
  const gateway = await openForTwoKeys();
  const { upstream } = gateway;
  const query = 'query ($id: ID!) { page(pageId: $id) { pageId } }';
  const ask = (id: string, apiKey = KEY) => gateway.ask(query, { variables: { id }, apiKey });
  // Its size is known as small.
  await ask('small');
  const release = holdLargePages(upstream);

  const statuses: number[] = [];
  const replies = Array.from({ length: 40 }, async (_, i) => {
    const reply = await ask(`p${i}`);
    statuses.push(reply.status);
    return reply;
  });
  // 38.4 MB are 25 of them.
  await until(() => statuses.length === 15);
  const other = await ask('small', OTHER_KEY);
  release();
  const all = await Promise.all(replies);

  expect(other.data.page.pageId).toBe('small');
  expect(all.filter(({ status }) => status === 200)).toHaveLength(25);
  for (const { status, headers } of all.filter(({ status }) => status !== 200)) {
    expect([status, headers.get('retry-after')]).toEqual([503, '1']);
  }
  expect((await ask('small')).status).toBe(200);
});

it('an operation that receives more bytes than the share of its key fails as too expensive', async () => {
  const gateway = await openForTwoKeys();
  const release = holdLargePages(gateway.upstream);
  const ids = Array.from({ length: 40 }, (_, i) => formatNodeId('Page', [`p${i}`]));

  const asked = gateway.ask(
    'query ($ids: [ID!]!) { nodes(ids: $ids) { ... on Page { pageId } } }',
    {
      variables: { ids },
    },
  );
  await until(() => gateway.upstream.seen.filter(({ target }) => /p39$/.test(target)).length === 1);
  release();
  const { data, codes } = await asked;

  expect(new Set(codes)).toEqual(new Set(['UPSTREAM_BUDGET_EXCEEDED']));
  expect(data.nodes.filter((page: unknown) => page !== null)).toHaveLength(25);
});
