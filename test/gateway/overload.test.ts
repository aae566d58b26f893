/** Callers who leave, and more callers than the backend's queue holds. */
import { expect, it, onTestFinished } from 'vitest';
import { formatNodeId } from '../../src/graph/types/node-id.ts';
import { createUpstream } from '../../src/rest/upstream.ts';
import { BackendDispatcher } from '../../src/rest/transport/dispatcher.ts';
import { POST_JSON, send } from '../support/client.ts';
import { isCall } from '../support/fault-upstream.ts';
import { openHttp } from '../support/listen.ts';
import { openGateway } from '../support/open-gateway.ts';
import { openLog } from '../support/open-log.ts';
import { until } from '../support/until.ts';

it.each([
  ['aborts a read', '{ page(pageId: "p") { name } }', 'aborted'],
  [
    'does not abort a write',
    `mutation { restorePage(input: { id: "${formatNodeId('Page', ['p'])}" }) { page { name } } }`,
    'finished',
  ],
])('T22: %s on disconnect and counts the request as abandoned', async (_what, query, expected) => {
  let asked = () => {};
  const began = new Promise<void>((resolve) => (asked = resolve));
  let end: string | undefined;
  const upstreamUrl = await openHttp((request, response) => {
    if (!isCall(request)) return void response.writeHead(404).end();
    response.once('close', () => (end = response.writableFinished ? 'finished' : 'aborted'));
    setTimeout(() => response.writeHead(404).end(), 400);
    asked();
  });
  const { lines, logger } = openLog('info');
  const site = await openGateway({ backend: new URL(upstreamUrl), logger });
  const leaving = new AbortController();

  const left = fetch(`${site.url}/graphql`, {
    method: 'POST',
    headers: { ...POST_JSON, 'x-api-key': 'demo' },
    body: JSON.stringify({ query }),
    signal: leaving.signal,
  }).catch(() => 'left');
  await began;
  leaving.abort();

  expect(await left).toBe('left');
  await until(() => end !== undefined);
  expect(end).toBe(expected);
  await site.gateway.idle();
  const { text } = await send(`${site.url}/metrics`);
  expect(text).toMatch(/gateway_requests_total\{operation="\w+",outcome="abandoned"\} 1/);
  expect(text).toContain('gateway_requests_in_flight 0');
  expect(lines.at(-1)).toMatchObject({ outcome: 'abandoned', status: 499 });
});

it('serves as many operations as fit in the queue and sheds the others with 503 and Retry-After', async () => {
  const url = await openHttp((_request, response) => {
    setTimeout(() => response.writeHead(404).end(), 200);
  });
  const dispatcher = new BackendDispatcher(url);
  onTestFinished(() => dispatcher.destroy());
  const upstream = createUpstream({
    dispatcher,
    pathPrefix: '',
    routeSet: 'extended',
    timeoutMs: 2_000,
    maxResponseBytes: 1_000,
    connections: 2,
    maxQueue: 2,
  });
  const site = await openGateway({ upstream, backend: new URL(url) });

  const replies = await Promise.all(
    Array.from({ length: 20 }, (_, i) => site.ask(`{ page(pageId: "p${i}") { name } }`)),
  );

  const statuses = replies.map(({ status }) => status);
  expect(new Set(statuses)).toEqual(new Set([200, 503]));
  const shed = replies.find(({ status }) => status === 503);
  expect(Number(shed?.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  expect(shed?.codes).toEqual(['UPSTREAM_UNAVAILABLE']);
  expect(shed?.body).not.toHaveProperty('data');
});

it('serves operations of a known document that wait for their plan when more arrive than one tick can plan', async () => {
  const site = await openGateway();
  const names = ['a', 'b', 'c', 'd', 'e', 'f'];
  const query = `query (${names.map((name) => `$${name}: Boolean!`).join(', ')}) { ${names
    .map((name) => `${name}: topics(first: 1) @include(if: $${name}) { nodes { title } }`)
    .join(' ')} }`;
  const ask = (bits: number) =>
    site.ask(query, {
      variables: Object.fromEntries(names.map((name, i) => [name, (bits & (1 << i)) > 0])),
    });
  await ask(1);

  const answers = await Promise.all(Array.from({ length: 63 }, (_, i) => ask(i + 1)));

  for (const [i, { data, errors }] of answers.entries()) {
    expect(errors).toEqual([]);
    expect(Object.keys(data)).toEqual(names.filter((_name, bit) => ((i + 1) & (1 << bit)) > 0));
  }
});

it('serves a known document before new documents sent earlier with the same key', async () => {
  const site = await openGateway();
  const known = '{ known: __typename }';
  await site.ask(known);
  const order: string[] = [];
  const ask = async (query: string, name: string) => {
    await site.ask(query);
    order.push(name);
  };
  const fields = Array.from({ length: 25 }, (_, i) => `f${i}: __typename`).join(' ');

  await Promise.all([
    ...Array.from({ length: 200 }, (_, i) => ask(`query New${i} { ${fields} }`, 'new')),
    ask(known, 'known'),
  ]);

  expect(order).toHaveLength(201);
  expect(order.at(-1)).toBe('new');
});
