import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { RestClient } from '../../src/rest/client/client.ts';
import { routes } from '../../src/v0/routes.ts';
import { countCalls } from '../support/count-calls.ts';
import { cut, endless, ok, raw, status, text, type Behaviour } from '../support/faults.ts';
import { hasKind } from '../../src/rest/call/errors.ts';
import { failureOf, getPerson, openRest, outcome, person, personAsked } from './open-rest.ts';

const PERSON = 'GET /v0/persons/p';

const listLinks = (client: RestClient) => client.call(routes.listPageLinks, {});

const BODY = JSON.stringify(person('p'));
const http = (head: string, body = BODY) =>
  raw(`${head}\r\ncontent-type: application/json\r\n\r\n${body}`);

/** An error with a body of 6 MB. */
const ofLength =
  (code: number, isAnnounced: boolean): Behaviour =>
  (response) => {
    const body = Buffer.alloc(6_000_000, ' ');
    const length = isAnnounced ? { 'content-length': body.length } : {};
    response.writeHead(code, { 'content-type': 'application/json', ...length }).end(body);
  };

describe('an invalid answer', () => {
  it.each<[string, Behaviour, number]>([
    ['T7: a body shorter than announced', cut(person('p')), 3],
    ['T13: HTML', text('<html></html>', 'text/html'), 1],
    ['T13: no body', text(''), 1],
    ['T13: null', text('null'), 1],
    ['T13: a list in place of an object', text('[]'), 1],
    ['T13: JSON labelled as text/plain', text(BODY, 'text/plain'), 1],
    ['T13: half of a JSON document', text(BODY.slice(0, 30)), 1],
    ['T23: a header of 40 KB', ok(person('p'), { 'x-bomb': 'b'.repeat(40_000) }), 1],
    ['T23: a bad chunk size', http('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked', 'zz\r\n{}'), 1],
    ['T23: HTTP/0.9', raw('hello there\r\n'), 1],
    [
      'a chunked body that ends with the connection',
      (response, _seen, socket) => {
        response.writeHead(200, { 'content-type': 'application/json', connection: 'close' });
        response.write('{"personId":', () => socket.end());
      },
      3,
    ],
    [
      'two content-length headers',
      http('HTTP/1.1 200 OK\r\ncontent-length: 4\r\ncontent-length: 9'),
      1,
    ],
    [
      'T17: a content-length of 10 GB',
      http('HTTP/1.1 200 OK\r\ncontent-length: 10000000000', '{'),
      1,
    ],
  ])(
    'fails its call with the route in the message and trips no circuit: %s',
    async (_name, fault, hits) => {
      const { backend, client, upstream } = await openRest();
      backend.on(PERSON, fault);

      const failure = await outcome(getPerson(client()));

      expect(failure).toBeInstanceOf(Error);
      expect(hasKind(failure, 'invalid_response', 'truncated')).toBe(true);
      expect((failure as Error).message).toMatch(/: GET \/v0\/persons\/\{person_id\}$/);
      expect(JSON.stringify((failure as Error).cause) ?? '').not.toContain('hello there');
      expect(backend.hits()).toBe(hits);
      expect(upstream.breaker.tripped).toEqual([]);
    },
  );

  it.each<[string, Behaviour]>([
    ['announced', ofLength(503, true)],
    ['sent in chunks', ofLength(503, false)],
  ])('T17: keeps the status of an error whose body is too large: %s', async (_name, fault) => {
    const { backend, client, calls } = await openRest();
    backend.on(PERSON, fault, ok(person('p')));

    expect(await getPerson(client())).toEqual(person('p'));
    expect(calls).toMatchObject([{ status: 503 }, { status: 200 }]);
  });

  it('T17: tells that a write was refused by an error whose body is too large', async () => {
    const { backend, client } = await openRest();
    backend.on('PATCH /v0/topics/t', ofLength(409, true));
    const write = { path: { topic_id: 't' }, body: { title: 'n' } };

    const failure = await outcome(client().call(routes.updateTopic, write));

    expect(failure).toMatchObject({ kind: 'status', status: 409 });
  });

  it('says that its headers are too large, and how large they may be', async () => {
    const { backend, client } = await openRest();
    backend.on(PERSON, ok(person('p'), { 'x-bomb': 'b'.repeat(20_000) }));

    expect(await outcome(getPerson(client()))).toMatchObject({
      kind: 'invalid_response',
      what: 'Backend answered more than 16384 bytes of headers',
    });
  });

  it('is not followed: a 302 to another host', async () => {
    const elsewhere = await openRest();
    const { backend, client } = await openRest();
    backend.on(PERSON, status(302, { location: `${elsewhere.backend.url}/v0/persons/p` }));

    expect(await outcome(getPerson(client()))).toMatchObject({
      kind: 'status',
      status: 302,
    });
    expect(elsewhere.backend.hits()).toBe(0);
  });

  it('T17: is cut off when its body is endless, without holding more than 50 MB, and its connection closed', async () => {
    const { backend, client } = await openRest();
    const closed = new Promise((resolve) => {
      backend.on(PERSON, (response, seen, socket) => {
        socket.once('close', resolve);
        return endless()(response, seen, socket);
      });
    });
    const rss = process.memoryUsage.rss();

    expect(await failureOf(getPerson(client()))).toBe('invalid_response');
    await closed;
    expect(process.memoryUsage.rss() - rss).toBeLessThan(50_000_000);
  });

  it('T23: that comes second to one request is not given to the next one', async () => {
    const { backend, client } = await openRest();
    const one = (name: string) => {
      const body = JSON.stringify(person('p', name));
      return `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
    };
    backend.on(PERSON, raw(one('first') + one('smuggled')), ok(person('p', 'second')));

    const first = await outcome(getPerson(client()));
    const second = await getPerson(client());

    // undici sees the surplus with the answer or after it; either way no caller gets it.
    expect(first instanceof Error ? 'first' : first.name).toBe('first');
    expect(second).toMatchObject({ name: 'second' });
  });
});

describe('a large or hostile answer', () => {
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
  ])('is refused with little work and without parsing a large body: %s', async (_name, body) => {
    const { backend, client } = await openRest();
    backend.on('*', text(body));
    await sleep(20);
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

  it('T29: is decoded at 4.9 MB without work for each of its bytes', async () => {
    const { backend, client } = await openRest();
    backend.on(PERSON, ok({ ...person('p'), slug: 'x'.repeat(4_900_000) }));

    const calls = await countCalls(async () =>
      expect(await getPerson(client())).toMatchObject({ personId: 'p' }),
    );

    expect(calls).toBeLessThan(30_000);
  });

  it('has an error in place of a payload that nests deeper than 64 levels', async () => {
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

  it('is not refused for a thousand brackets within strings', async () => {
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

it('an observer that throws fails its call, and the next call is answered', async () => {
  let mistakes = 1;
  const onCall = (): void => {
    if (mistakes-- > 0) throw new TypeError('a mistake of ours');
  };
  const { backend, client } = await openRest({ observer: { onCall } });
  backend.on(PERSON, ok(personAsked));

  await expect(getPerson(client())).rejects.toThrow('a mistake of ours');
  await expect(getPerson(client())).resolves.toMatchObject({ personId: 'p' });
});
