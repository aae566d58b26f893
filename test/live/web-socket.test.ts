/** Subscriptions over WebSocket, with graphql-ws's client and with our own messages. */
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
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
import { openLog } from '../support/open-log.ts';
import { until } from '../support/until.ts';

describe('the WebSocket transport', () => {
  it('delivers the states of a version from draft to published, and completes', async () => {
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

  it('shares one poller among subscriptions to a version and stops it when the last one ends', async () => {
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
    ['is not a string', 7, 4403],
    ['is empty', '', 4403],
    ['cannot be a header value', 'two words', 4403],
  ])('closes with 4403 for an API key in connection_init that %s', async (_, key, code) => {
    const live = await openLive();
    const socket = await openSocket(live.site.url, { payload: { 'x-api-key': key } });

    expect(await socket.closed).toBe(code);
  });

  it('rejects an operation without an API key with UNAUTHENTICATED and explains where to send the key', async () => {
    const live = await openLive();
    const socket = await openSocket(live.site.url, { payload: undefined });

    socket.subscribe('a', { id: await live.draft() });
    await until(() => socket.received('error').length > 0);

    expect(codesOf(socket.received('error'))).toEqual(['UNAUTHENTICATED']);
    expect(socket.received('error')[0]?.payload[0].message).toMatch(
      /`x-api-key`.*`connection_init`/,
    );
    await live.quiet();
  });

  it.each<[where: string, opened: Parameters<typeof openSocket>[1]]>([
    ['connection_init with different case', { payload: { 'X-Api-Key': EXAMPLE_API_KEY } }],
    ['the upgrade', { payload: undefined, headers: { 'X-API-Key': EXAMPLE_API_KEY } }],
    [
      'the upgrade instead of connection_init',
      { payload: { 'x-api-key': 'another' }, headers: { 'x-api-key': EXAMPLE_API_KEY } },
    ],
  ])('uses the API key of %s', async (_where, opened) => {
    const live = await openLive();
    const socket = await openSocket(live.site.url, opened);

    socket.subscribe('a', {}, TOPICS);
    await until(() => socket.received('complete').length > 0);

    expect(socket.received('next').map(({ payload }) => payload)).toEqual([
      { data: { topics: { nodes: [{ id: expect.any(String) }] } } },
    ]);
  });

  it('closes with 4403 after an upgrade with an invalid API key', async () => {
    const live = await openLive();
    const socket = await openSocket(live.site.url, {
      payload: undefined,
      headers: { 'x-api-key': 'two words' },
    });

    expect(await socket.closed).toBe(4403);
  });

  it('serves all operations, or only subscriptions if so configured', async () => {
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
    ['a program', undefined, 101],
    ['a page of an allowed origin', 'https://app.example', 101],
    ["a page of the gateway's own origin", 'own', 101],
    ['a page of another port', 'http://127.0.0.1:1', 403],
    ['a cross-origin page', 'https://other.example', 403],
    ['a page without an origin', 'null', 403],
  ])('responds to an upgrade from %s (Origin: %s) with %i', async (_, origin, status) => {
    const live = await openLive({ http: { corsOrigins: ['https://app.example'] } });
    const headers = origin && { origin: origin === 'own' ? live.site.url : origin };

    expect(await statusOf(`${live.site.url}/graphql`, headers || {})).toBe(status);
  });

  it.each<[host: string, origin: string, status: number]>([
    ['api.example:443', 'https://api.example', 101],
    ['API.example', 'https://api.example', 101],
    ['api.example:80', 'http://api.example', 101],
    ['api.example:8443', 'https://api.example:8443', 101],
    ['api.example:443', 'http://api.example', 403],
    ['api.example', 'https://api.example:8443', 403],
    ['not a host', 'https://api.example', 403],
  ])('compares Host %s and Origin %s as URLs', async (host, origin, status) => {
    const live = await openLive();

    expect(await statusOf(`${live.site.url}/graphql`, { host, origin })).toBe(status);
  });

  it('returns the request id when it rejects an upgrade', async () => {
    const live = await openLive();
    const headers = { origin: 'https://other.example', 'x-request-id': 'mine' };

    const refused = await refusalOf(`${live.site.url}/graphql`, headers);
    const elsewhere = await refusalOf(`${live.site.url}/elsewhere`, {});

    expect([refused.statusCode, refused.headers['x-request-id']]).toEqual([403, 'mine']);
    expect(elsewhere.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  });

  it.each<[what: string, method: string, headers: Record<string, string>, status: number]>([
    ['a method other than GET', 'POST', {}, 405],
    ['another version', 'GET', { 'sec-websocket-version': '7' }, 400],
    ['a key that is too short', 'GET', { 'sec-websocket-key': 'short' }, 400],
  ])('rejects an upgrade with %s with a JSON body', async (_what, method, headers, status) => {
    const live = await openLive();

    const asked = request(`${live.site.url}/graphql`, {
      method,
      headers: {
        ...{ connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' },
        ...{ 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==', ...headers },
      },
    }).end();
    const [response] = (await once(asked, 'response')) as [IncomingMessage];
    const [body] = (await once(response, 'data')) as [Buffer];

    expect(response.statusCode).toBe(status);
    expect(response.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    expect(response.headers['allow']).toBe(status === 405 ? 'GET' : undefined);
    expect(JSON.parse(body.toString())).toMatchObject({
      errors: [{ extensions: { code: status === 405 ? 'METHOD_NOT_ALLOWED' : 'BAD_REQUEST' } }],
    });
  });

  it('responds to an upgrade at another path with 404', async () => {
    const live = await openLive();

    expect(await statusOf(`${live.site.url}/elsewhere`, {})).toBe(404);
  });

  it('rejects an operation above the limit of a socket with TOO_MANY_SUBSCRIPTIONS', async () => {
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

  it.each([
    ['graphql-ws', 'graphql-ws', 'subscriptions-transport-ws'],
    ['a-secret', 'others', 'graphql-transport-ws'],
  ])(
    'does not accept the subprotocol %s and logs the supported one',
    async (name, offered, words) => {
      const { lines, logger } = openLog('warn');
      const live = await openLive({ logger });
      const socket = new WebSocket(`${live.site.url.replace('http', 'ws')}/graphql`, name);
      onTestFinished(() => socket.terminate());

      const [error] = (await once(socket, 'error')) as [Error];

      expect(error.message).toContain('subprotocol');
      await until(() => lines.length > 0);
      expect(lines).toMatchObject([{ level: 40, offered }]);
      expect(lines[0]!['msg']).toContain('graphql-transport-ws');
      expect(lines[0]!['msg']).toContain(words);
    },
  );

  it('closes with 4406 without a subprotocol', async () => {
    const live = await openLive();
    const socket = new WebSocket(`${live.site.url.replace('http', 'ws')}/graphql`);
    onTestFinished(() => socket.terminate());

    const [code] = (await once(socket, 'close')) as [number];

    expect(code).toBe(4406);
  });

  it.each([
    [undefined, undefined],
    [null, undefined],
    [{ at: 1 }, { at: 1 }],
  ])('responds to a ping of %j with a pong of %j', async (payload, answered) => {
    const live = await openLive();
    const socket = await openSocket(live.site.url);

    socket.send({ type: 'ping', payload });
    await until(() => socket.received('pong').length > 0);

    const pong = { type: 'pong', ...(answered && { payload: answered }) };
    expect(socket.received('pong')).toStrictEqual([pong]);
  });

  it('closes with 4429 after a second connection_init', async () => {
    const live = await openLive();
    const socket = await openSocket(live.site.url);

    socket.send({ type: 'connection_init', payload: { 'x-api-key': EXAMPLE_API_KEY } });

    expect(await socket.closed).toBe(4429);
  });
});

const TOPICS = '{ topics(first: 1) { nodes { id } } }';

const codesOf = (messages: readonly { payload?: any }[]): unknown[] =>
  messages.flatMap(({ payload }) => payload.map((error: any) => error.extensions.code));

/** The status of the response to an upgrade; 101 when it is accepted. */
async function statusOf(url: string, headers: Record<string, string>): Promise<number> {
  const socket = new WebSocket(url.replace('http', 'ws'), 'graphql-transport-ws', { headers });
  onTestFinished(() => socket.terminate());
  socket.on('error', () => {});
  return new Promise((resolve) => {
    socket.on('open', () => resolve(101));
    socket.on('unexpected-response', (_request, response) => resolve(response.statusCode ?? 0));
  });
}

/** The response to a rejected upgrade. */
async function refusalOf(url: string, headers: Record<string, string>): Promise<IncomingMessage> {
  const socket = new WebSocket(url.replace('http', 'ws'), 'graphql-transport-ws', { headers });
  socket.on('error', () => {});
  const [, response] = (await once(socket, 'unexpected-response')) as [unknown, IncomingMessage];
  response.resume();
  return response;
}
