/** Publishing watched over WebSocket, with graphql-ws's client and by hand. */
import { once } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { EXAMPLE_API_KEY } from '../../src/backend/seed/example.ts';
import {
  FAST,
  openLive,
  openSocket,
  expectPublished,
  WATCH,
  wsClient,
  type Progress,
} from './support.ts';
import { until } from '../support/until.ts';

describe('a subscription over WebSocket', () => {
  it('sees a version published, from the state it begins in to the final one, and completes', async () => {
    const live = await openLive();
    const id = await live.draft();
    const events: Progress[] = [];

    const client = wsClient(live.site.url);
    const watching = (async () => {
      for await (const event of client.iterate({ query: WATCH, variables: { id } })) {
        events.push(event as Progress);
      }
    })();
    await until(() => events.length > 0);
    await live.publish(id);
    await watching;

    expectPublished(events);
    expect(events.at(-1)?.data?.audienceVersionProgress?.isFinal).toBe(true);
    await live.quiet();
  });

  it('shares its poller with those that came by server-sent events and with waiting writes', async () => {
    const live = await openLive();
    const id = await live.draft();
    const socket = await openSocket(live.site.url);

    for (const name of ['a', 'b', 'c']) socket.subscribe(name, { id });
    await until(() => socket.received('next').length >= 3);

    expect(live.site.gateway.pollers).toMatchObject({ size: 1, watchers: 3 });
    socket.send({ id: 'a', type: 'complete' });
    await until(() => live.site.gateway.pollers.watchers === 2);
    socket.socket.terminate();
    await live.quiet();
  });

  it.each<[what: string, key: unknown, code: number]>([
    ['is no text', 7, 4403],
    ['is empty', '', 4403],
    ['cannot be a header', 'two words', 4403],
  ])('is refused to a key that %s', async (_, key, code) => {
    const live = await openLive();
    const socket = await openSocket(live.site.url, { payload: { 'x-api-key': key } });

    expect(await socket.closed).toBe(code);
  });

  it('needs a key as queries do, and asks for it in the operation that needs it', async () => {
    const live = await openLive();
    const socket = await openSocket(live.site.url, { payload: undefined });

    socket.subscribe('a', { id: await live.draft() });
    await until(() => socket.received('error').length > 0);

    expect(codesOf(socket.received('error'))).toEqual(['UNAUTHENTICATED']);
    expect(socket.received('error')[0]?.payload[0].message).toBe(
      'Send your key as x-api-key in the payload of connection_init, or as a header of the upgrade.',
    );
    await live.quiet();
  });

  it.each<[where: string, opened: Parameters<typeof openSocket>[1]]>([
    ['connection_init in another case', { payload: { 'X-Api-Key': EXAMPLE_API_KEY } }],
    ['the upgrade', { payload: undefined, headers: { 'X-API-Key': EXAMPLE_API_KEY } }],
    [
      'the upgrade, which connection_init does not replace',
      { payload: { 'x-api-key': 'another' }, headers: { 'x-api-key': EXAMPLE_API_KEY } },
    ],
  ])('takes the key of %s', async (_where, opened) => {
    const live = await openLive();
    const socket = await openSocket(live.site.url, opened);

    socket.subscribe('a', {}, TOPICS);
    await until(() => socket.received('complete').length > 0);

    expect(socket.received('next').map(({ payload }) => payload)).toEqual([
      { data: { topics: { nodes: [{ id: expect.any(String) }] } } },
    ]);
  });

  it('is refused to an upgrade with a bad key', async () => {
    const live = await openLive();
    const socket = await openSocket(live.site.url, {
      payload: undefined,
      headers: { 'x-api-key': 'two words' },
    });

    expect(await socket.closed).toBe(4403);
  });

  it('takes all operations, or subscriptions alone where that is set', async () => {
    const strict = await openLive({ live: { ...FAST, socketOperations: 'subscriptions' } });
    const socket = await openSocket(strict.site.url);
    socket.subscribe('a', {}, '{ __typename }');
    await until(() => socket.received('error').length > 0);
    expect(codesOf(socket.received('error'))).toEqual(['METHOD_NOT_ALLOWED']);

    const live = await openLive();
    const client = wsClient(live.site.url);
    const results: unknown[] = [];
    for await (const one of client.iterate({ query: TOPICS })) results.push(one);
    expect(results).toEqual([{ data: { topics: { nodes: [{ id: expect.any(String) }] } } }]);
    const wrong = await client
      .iterate({ query: '{ nobody }' })
      .next()
      .catch((errors: unknown) => errors);
    expect(wrong).toMatchObject([
      {
        locations: [{ line: 1, column: 3 }],
        extensions: { code: 'GRAPHQL_VALIDATION_FAILED' },
      },
    ]);
  });

  it.each<[who: string, origin: string | undefined, status: number]>([
    ['a program, which sends none', undefined, 101],
    ['a page of a known origin', 'https://app.example', 101],
    ['a page of this very host', 'own', 101],
    ['a foreign page', 'https://other.example', 403],
    ['a page without one', 'null', 403],
  ])('looks at the origin: %s', async (_, origin, status) => {
    const live = await openLive({ http: { corsOrigins: ['https://app.example'] } });
    const headers = origin && { origin: origin === 'own' ? live.site.url : origin };

    expect(await statusOf(`${live.site.url}/graphql`, headers || {})).toBe(status);
  });

  it('is not at other paths', async () => {
    const live = await openLive();

    expect(await statusOf(`${live.site.url}/elsewhere`, {})).toBe(404);
  });

  it('refuses one operation more than a socket may have', async () => {
    const live = await openLive({ live: { ...FAST, maxPerSocket: 2 } });
    const id = await live.draft();
    const socket = await openSocket(live.site.url);

    for (const name of ['a', 'b', 'c']) socket.subscribe(name, { id });
    await until(() => socket.received('error').length > 0);
    await until(() => live.site.gateway.subscriptions.size > 1);

    expect(socket.received('error').map((message) => message.id)).toEqual(['c']);
    expect(codesOf(socket.received('error'))).toEqual(['TOO_MANY_SUBSCRIPTIONS']);
    expect(live.site.gateway.subscriptions.size).toBe(2);
  });

  it('speaks no other protocol', async () => {
    const live = await openLive();
    const socket = new WebSocket(`${live.site.url.replace('http', 'ws')}/graphql`, 'graphql-ws');
    onTestFinished(() => socket.terminate());

    const [error] = (await once(socket, 'error')) as [Error];

    expect(error.message).toContain('subprotocol');
  });

  it('keeps the key that came first', async () => {
    const live = await openLive();
    const socket = await openSocket(live.site.url);

    socket.send({ type: 'connection_init', payload: { 'x-api-key': EXAMPLE_API_KEY } });

    expect(await socket.closed).toBe(4429);
  });
});

const TOPICS = '{ topics(first: 1) { nodes { id } } }';

const codesOf = (messages: readonly { payload?: any }[]): unknown[] =>
  messages.flatMap(({ payload }) => payload.map((error: any) => error.extensions.code));

/** Of the answer to an upgrade; 101 when it is taken. */
async function statusOf(url: string, headers: Record<string, string>): Promise<number> {
  const socket = new WebSocket(url.replace('http', 'ws'), 'graphql-transport-ws', { headers });
  onTestFinished(() => socket.terminate());
  socket.on('error', () => {});
  return new Promise((resolve) => {
    socket.on('open', () => resolve(101));
    socket.on('unexpected-response', (_request, response) => resolve(response.statusCode ?? 0));
  });
}
