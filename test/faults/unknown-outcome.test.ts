/**
 * T74: writes whose responses show whether they were applied, and writes to a backend that closes idle
 * connections, which are neither lost nor sent twice.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, it, onTestFinished } from 'vitest';
import { formatNodeId } from '../../src/graph/types/node-id.ts';
import { routes } from '../../src/v0/routes.ts';
import { html, ofProxy, ok, status, type Behaviour } from '../support/faults.ts';
import { openRelay } from '../support/relay.ts';
import { sampleOf, world } from '../support/world.ts';
import { openCallers } from './callers.ts';
import { openTestbed } from './testbed.ts';

const testbed = await openTestbed();

afterEach(async () => {
  testbed.upstream.on(WRITE, world());
  // Keeps the failures the smaller part of this route's calls.
  for (let i = 0; i < 5; i++) await write();
  await testbed.holds([], { hits: 5 });
});

const WRITE = 'PATCH /v0/topics/t';
const topic = sampleOf(routes.getTopic, { topic_id: 't' });

const update = (id: string, title: string): string =>
  `mutation { updateTopic(input: { id: "${formatNodeId('Topic', [id])}", title: "${title}" }) { topic { title } userErrors { code } } }`;
const write = () => testbed.ask(update('t', 'new'));

it.each<[number, string]>([
  [401, 'UNAUTHENTICATED'],
  [403, 'FORBIDDEN'],
  [429, 'RATE_LIMITED'],
  [501, 'UPSTREAM_UNAVAILABLE'],
  [503, 'UPSTREAM_UNAVAILABLE'],
  [505, 'UPSTREAM_UNAVAILABLE'],
])(
  'T74 fails a write that returns %i with %s and does not reload its object',
  async (code, expected) => {
    testbed.upstream.on(WRITE, status(code, code === 503 ? { 'retry-after': '0' } : {}));

    const reply = await write();

    expect(reply.codes).toEqual([expected]);
    expect(reply.errors[0].extensions).not.toHaveProperty('state');
    await testbed.holds(reply, { hits: 1 });
  },
);

it.each<[string, Behaviour]>([
  [
    'a 503 of Envoy',
    ofProxy(503, 'upstream connect error or disconnect/reset before headers', 'text/plain'),
  ],
  ['a 503 of nginx', ofProxy(503, '<html>503 Service Temporarily Unavailable</html>', 'text/html')],
  ['a 503 of an API gateway', ofProxy(503, '{"message":"Service Unavailable"}')],
  ['a 503 with a number as its code', ofProxy(503, '{"code":503,"message":"no healthy upstream"}')],
  ['a 408 without a body', ofProxy(408, '')],
  ['a 499 of nginx', ofProxy(499, '')],
  ['a 421', ofProxy(421, 'Misdirected Request', 'text/plain')],
  ['a 501 in HTML', html(501)],
  ['a 505 without a body', ofProxy(505, '')],
])('T74 reports OUTCOME_UNKNOWN for a write that returns %s', async (_name, fault) => {
  testbed.upstream.on(WRITE, fault);

  const reply = await write();

  expect(reply.codes).toEqual(['OUTCOME_UNKNOWN']);
  expect(testbed.upstream.hits(WRITE)).toBe(1);
  await testbed.holds(reply, { hits: 2 });
});

it.each([408, 421, 499, 500, 501, 502, 503, 504, 505, 520])(
  'T74 reports OUTCOME_UNKNOWN for a write when a proxy returns %i in HTML with Retry-After',
  async (code) => {
    const page = `<title>${code} Backend fetch failed</title>`;
    testbed.upstream.on(WRITE, ofProxy(code, page, 'text/html', { 'retry-after': '5' }));

    const reply = await write();

    expect(reply.codes).toEqual(['OUTCOME_UNKNOWN']);
    expect(reply.errors[0].extensions).toMatchObject({
      retryAfterMs: 5_000,
      state: { found: true },
    });
    expect(testbed.upstream.hits(WRITE)).toBe(1);
    await testbed.holds(reply, { hits: 2 });
  },
);

it.each([408, 421, 499, 501, 503, 505])(
  "T74 treats a write as rejected when it returns %i with the backend's error body",
  async (code) => {
    testbed.upstream.on(WRITE, status(code));

    const reply = await write();

    expect(reply.codes).not.toContain('OUTCOME_UNKNOWN');
    await testbed.holds(reply, { hits: 1 });
  },
);

it("T74 fails one invalid field of a write's response with UPSTREAM_INVALID_RESPONSE, not OUTCOME_UNKNOWN", async () => {
  testbed.upstream.on(WRITE, ok({ ...topic, title: 7 }));

  const reply = await write();

  expect(reply.codes).toEqual(['UPSTREAM_INVALID_RESPONSE']);
  expect(reply.errors[0].path).toEqual(['updateTopic', 'topic', 'title']);
  await testbed.holds(reply, { hits: 1 });
});

it('T74 sends each of 400 writes once to a backend with a short keep-alive timeout', async () => {
  const far = await openRelay(4);
  const closer = await openTestbed({}, { url: () => `http://127.0.0.1:${far.port}` });
  far.leadTo(closer.upstream.port);
  const callers = openCallers(closer.gateway);
  onTestFinished(async () => {
    await callers.close();
    await closer.close();
  });
  closer.upstream.on('*', async (response, seen, socket) => {
    response.once('finish', () => setTimeout(() => socket.destroy(), 12 * Math.random()));
    await world()(response, seen, socket);
  });
  const codes: string[] = [];

  await Promise.all(
    Array.from({ length: 10 }, async (_, caller) => {
      for (let i = 0; i < 40; i++) {
        const id = `w${caller}-${i}`;
        // A read before each, so that there are connections to be closed.
        // It may fail: a tenth of the reads is retried, and more of them meet a closing connection here.
        await callers.ask(`{ person(personId: "${id}") { name } }`);
        await sleep(8 * Math.random());
        const { body } = await callers.ask(update(id, id));
        codes.push(...(body.errors ?? []).map((error: any) => error.extensions.code));
      }
    }),
  );

  expect(codes).toEqual([]);
  const bodies = closer.upstream.seen
    .filter(({ method }) => method === 'PATCH')
    .map(({ body }) => body);
  expect(bodies).toHaveLength(400);
  expect(new Set(bodies).size).toBe(400);
  await closer.holds([], { hits: [600, 1_600] });
});
