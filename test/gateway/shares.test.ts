/** The share of the process that one key may use, as callers observe it. */
import { connect, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { routes } from '../../src/v0/routes.ts';
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

it('a heavy operation waits for another of its key, while light ones and other keys are served', async () => {
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

it('an operation is weighed by the page size in its variables', async () => {
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

/** Pipelines requests over one connection whose responses are not read yet. */
function pipeline({ url }: InProcessGateway, requests: readonly object[]) {
  const socket = connect(Number(new URL(url).port), '127.0.0.1').pause();
  onTestFinished(() => void socket.destroy());
  const bytes = requests.map((request) => {
    const body = JSON.stringify(request);
    const headers = { host: 'localhost', ...POST_JSON, 'x-api-key': KEY };
    const all = Object.entries({ ...headers, 'content-length': String(body.length) });
    const lines = all.map(([name, value]) => `${name}: ${value}`);
    return `POST /graphql HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`;
  });
  socket.write(bytes.join(''));
  return socket;
}

/** Reads the responses and collects the matches of a pattern, none of which is longer than 100 characters. */
function readAll(socket: Socket, pattern: RegExp): string[] {
  const found: string[] = [];
  let rest = '';
  socket.on('data', (chunk: Buffer) => {
    rest += chunk.toString('latin1');
    let end = Math.max(0, rest.length - 100);
    for (const { 0: all, 1: part = all, index } of rest.matchAll(pattern)) {
      found.push(part);
      end = Math.max(end, index + all.length);
    }
    rest = rest.slice(end);
  });
  socket.resume();
  return found;
}

it('new documents that arrive at once take turns, and those that find the queue full get 503 with Retry-After', async () => {
  const gateway = await openForTwoKeys();
  // Twelve million characters, of which eight million may wait.
  const documents = Array.from({ length: 800 }, (_, i) => ({
    query: `query New${i} { person(personId: "p") { name } } #${' '.repeat(15_000)}`,
  }));

  const socket = pipeline(gateway, documents);
  const statuses = readAll(socket, /HTTP\/1\.1 (\d+) |retry-after: \d+/gi);
  const other = await gateway.ask('{ person(personId: "o") { name } }', { apiKey: OTHER_KEY });
  const of = (status: string) => statuses.filter((one) => one === status).length;
  await until(() => of('200') + of('503') === 800);

  expect(other.data.person.name).toBe('name');
  expect(of('200'), 'those that waited').toBeGreaterThan(500);
  expect(of('503')).toBeGreaterThan(0);
  expect(of('retry-after: 1')).toBe(of('503'));
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

const heavyOf = (ids: readonly string[]) => ids.map((id) => ({ query: HEAVY, variables: { id } }));

const PAGES = Array.from({ length: 20 }, (_, i) => `p${i}`);

it('unread responses count against the share of their key until they are read', async () => {
  const gateway = await openForTwoKeys();
  const { upstream } = gateway;
  withLargePages(upstream);

  const socket = pipeline(gateway, heavyOf(PAGES));
  await until(() => pagesAsked(upstream) > 0);
  await untilKeyWaits(gateway, () => pagesAsked(upstream));
  expect(pagesAsked(upstream), 'as many as the sockets hold, and a few').toBeLessThan(15);

  const read = readAll(socket, /"name":"(p\d+) x/g);
  await until(() => read.length === PAGES.length);
  expect(read).toEqual(PAGES);
});

it('unread responses no longer count against the share of their key once their connection is closed', async () => {
  const gateway = await openForTwoKeys();
  const { upstream } = gateway;
  withLargePages(upstream);
  const socket = pipeline(gateway, heavyOf(PAGES));
  await until(() => pagesAsked(upstream) > 0);
  await untilKeyWaits(gateway, () => pagesAsked(upstream));

  socket.destroy();
  const reply = await gateway.ask(HEAVY, { variables: { id: 'after' }, apiKey: KEY });

  expect(reply.data.page.name).toMatch(/^after x/);
  expect(pagesAsked(upstream), 'what still waited is not asked for').toBeLessThan(19);
});
