import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { RestClient } from '../../src/rest/client/client.ts';
import { routes } from '../../src/v0/routes.ts';
import { countCalls } from '../support/count-calls.ts';
import { ofProxy, ok, text, type Behaviour } from '../support/faults.ts';
import { sampleOf } from '../support/world.ts';
import { failureOf, getPerson, openRest, outcome, person, personAsked } from './open-rest.ts';

const PERSON = 'GET /v0/persons/p';

const listLinks = (client: RestClient) => client.call(routes.listPageLinks, {});

/** An error with a body of 6 MB. */
const ofLength =
  (code: number, isAnnounced: boolean): Behaviour =>
  (response) => {
    const body = Buffer.alloc(6_000_000, ' ');
    const length = isAnnounced ? { 'content-length': body.length } : {};
    response.writeHead(code, { 'content-type': 'application/json', ...length }).end(body);
  };

describe('a response that is too large', () => {
  it.each<[string, Behaviour]>([
    ['announced', ofLength(503, true)],
    ['sent in chunks', ofLength(503, false)],
  ])('T17: keeps the status of an error whose body is too large: %s', async (_name, fault) => {
    const { backend, client, calls } = await openRest();
    backend.on(PERSON, fault, ok(person('p')));

    expect(await getPerson(client())).toEqual(person('p'));
    expect(calls).toMatchObject([{ status: 503 }, { status: 200 }]);
  });

  it('T17: reports that a write was rejected with an error whose body is too large', async () => {
    const { backend, client } = await openRest();
    backend.on('PATCH /v0/topics/t', ofLength(409, true));
    const write = { path: { topic_id: 't' }, body: { title: 'n' } };

    const failure = await outcome(client().call(routes.updateTopic, write));

    expect(failure).toMatchObject({ kind: 'status', status: 409 });
  });

  it('reports that its headers are too large, and their limit', async () => {
    const { backend, client } = await openRest();
    backend.on(PERSON, ok(person('p'), { 'x-bomb': 'b'.repeat(20_000) }));

    expect(await outcome(getPerson(client()))).toMatchObject({
      kind: 'invalid_response',
      what: expect.stringMatching(/\b16384 bytes of headers/),
    });
  });
});

it.each([200, 201, 202, 203])(
  'a response with status %i is a success if it contains the object',
  async (code) => {
    const { backend, client } = await openRest();
    const topic = sampleOf(routes.getTopic, { topic_id: 't' });
    backend.on(PERSON, ofProxy(code, JSON.stringify(person('p'))));
    backend.on('PATCH /v0/topics/t', ofProxy(code, JSON.stringify(topic)), ofProxy(code, ''));
    const write = { path: { topic_id: 't' }, body: { title: 'n' } };

    expect(await getPerson(client())).toEqual(person('p'));
    expect(await client().call(routes.updateTopic, write)).toEqual(topic);
    expect(await failureOf(client().call(routes.updateTopic, write))).toBe('outcome_unknown');
  },
);

describe('a large or hostile response', () => {
  const many = (n: number, item: string) => Array.from({ length: n }, () => item).join(',');
  const list = (items: string) =>
    `{"items":[${items}],"hasMore":false,"nextCursor":null,"totalCount":1}`;

  it.each<[string, string]>([
    ['T18: a million nested lists', '['.repeat(1e6) + ']'.repeat(1e6)],
    [
      'T18: a million keys',
      `{${Array.from({ length: 440_000 }, (_, i) => `"k${i}":1`).join(',')}}`,
    ],
    ['T18: 5 MB of empty objects', `[${many(1.6e6, '{}')}]`],
    ['T18: 5 MB of numbers', `[${many(2.4e6, '1')}]`],
    ['nested objects in a known field', `{"personId":${'{"a":'.repeat(9e5)}`],
    ['a list of 80,000 wrong items', list(many(80_000, 'null'))],
    ['a list of 60,000 empty objects', list(many(60_000, '{}'))],
  ])('is rejected with little work and without parsing a large body: %s', async (_name, body) => {
    const { backend, client } = await openRest();
    backend.on('*', text(body));
    const parse = vi.spyOn(JSON, 'parse');
    onTestFinished(() => parse.mockRestore());

    const calls = await countCalls(async () =>
      expect(await failureOf(client().call(routes.listAudiences, { path: { page_id: 'p' } }))).toBe(
        'invalid_response',
      ),
    );

    expect(calls).toBeLessThan(30_000);
    // Bodies that take long to parse are not parsed.
    const parsed = parse.mock.calls.map(([body]) => body.length);
    expect(Math.max(0, ...parsed)).toBeLessThan(500_000);
  });

  it('T29: is decoded without work per byte when it has 4.9 MB', async () => {
    const { backend, client } = await openRest();
    backend.on(PERSON, ok({ ...person('p'), slug: 'x'.repeat(4_900_000) }));

    const calls = await countCalls(async () =>
      expect(await getPerson(client())).toMatchObject({ personId: 'p' }),
    );

    expect(calls).toBeLessThan(30_000);
  });

  it('contains an error instead of a payload that nests deeper than 64 levels', async () => {
    const { backend, client } = await openRest();
    const nested = (levels: number) =>
      `{"payload":${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels)}`;
    backend.on('*', text(list(`${nested(64)},${nested(65)}`)));

    const { items } = await client().call(routes.listActivity, { path: { account_id: 'a' } });

    const payloads = items.map((item) => (item instanceof Error ? item : item.payload));
    expect(payloads).toEqual([
      expect.objectContaining({ a: expect.anything() }),
      expect.objectContaining({ kind: 'invalid_response' }),
    ]);
  });

  it('is not rejected for a thousand brackets within strings', async () => {
    const { backend, client } = await openRest();
    const braces = '[{"'.repeat(1_000);
    backend.on('*', ok({ ...person('p', braces), payload: braces }));

    expect(await getPerson(client())).toMatchObject({ name: braces });
  });

  it('is shared by two callers without a stack overflow when it nests 30,000 levels deep', async () => {
    const { backend, client } = await openRest();
    const deep = '['.repeat(30_000) + ']'.repeat(30_000);
    const body = `{"items":[],"hasMore":false,"nextCursor":null,"totalCount":0,"extra":${deep}}`;
    backend.on('*', async (...args) => {
      await sleep(30);
      await text(body)(...args);
    });

    const answers = await Promise.all([listLinks(client()), listLinks(client())]);

    expect(answers[0]).toBe(answers[1]);
    expect(backend.hits()).toBe(1);
  });
});

it('an observer that throws fails its call, and the next call succeeds', async () => {
  let mistakes = 1;
  const onCall = (): void => {
    if (mistakes-- > 0) throw new TypeError('an internal error');
  };
  const { backend, client } = await openRest({ observer: { onCall } });
  backend.on(PERSON, ok(personAsked));

  await expect(getPerson(client())).rejects.toThrow('an internal error');
  await expect(getPerson(client())).resolves.toMatchObject({ personId: 'p' });
});
