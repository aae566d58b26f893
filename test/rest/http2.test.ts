import {
  createSecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import tls, { type TLSSocket } from 'node:tls';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Cancel } from '../../src/rest/cancel.ts';
import type { RestClient, UpstreamOptions } from '../../src/rest/client.ts';
import { createDispatcher } from '../../src/rest/dispatcher.ts';
import { routes } from '../../src/v0/routes.ts';
import { selfSigned } from '../support/certificates.ts';
import { ok } from '../support/faults.ts';
import { failureOf, NO_BREAKER, openRest, outcome, person, topic } from './open-rest.ts';

const getPerson = (client: RestClient, id = 'p') =>
  client.call(routes.getPerson, { path: { person_id: id } });
const updateTopic = (client: RestClient) =>
  client.call(routes.updateTopic, { path: { topic_id: 't' }, body: { title: 'x' } });

type Turn = (response: Http2ServerResponse, request: Http2ServerRequest) => void;

const json =
  (body: (id: string) => unknown = person): Turn =>
  (response, request) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body(request.url.split('/').at(-1)!)));
  };
const later =
  (ms: number, turn: Turn): Turn =>
  (...args) =>
    void setTimeout(() => turn(...args), ms);
const resetWith =
  (code: number): Turn =>
  (_response, { stream }) =>
    stream.close(code);
const resetAfter =
  (bytes: number): Turn =>
  (response, { stream }) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write(' '.repeat(bytes), () => stream.session!.destroy());
  };
const silence: Turn = () => {};

/** A backend over TLS that speaks both, and plays its turns answer by answer; the last one stays. */
async function openBackend(turns: Turn[]) {
  const seen: { method: string; url: string; version: string; headers: object }[] = [];
  const sessions = new Set<ServerHttp2Session>();
  const sockets = new Set<TLSSocket>();
  let connections = 0;
  const server = createSecureServer({ ...selfSigned, allowHTTP1: true }, (request, response) => {
    const { method, url, httpVersion: version, headers } = request;
    seen.push({ method, url, version, headers });
    response.on('error', () => {});
    if (version === '2.0') response.stream.on('error', () => {});
    (turns.length > 1 ? turns.shift()! : turns[0]!)(response, request);
  });
  server.on('session', (session) => {
    sessions.add(session);
    session.on('error', () => {}).on('close', () => sessions.delete(session));
  });
  server.on('secureConnection', (socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo; // a TCP server that listens has one
  return {
    url: `https://localhost:${port}`,
    seen,
    sessions,
    sockets,
    get connections() {
      return connections;
    },
  };
}

async function open(turns: Turn[], options: Partial<UpstreamOptions> = {}) {
  const backend = await openBackend(turns);
  const connect = vi.spyOn(tls, 'connect');
  onTestFinished(() => connect.mockRestore());
  const dispatcher = createDispatcher(backend.url, { http2: true, ca: selfSigned.cert });
  const { client, upstream, calls } = await openRest({ dispatcher, ...options });
  /** Connections that this end has not closed: Node's server may keep its end of one that is. */
  const connected = (): number =>
    connect.mock.results.filter(({ value }) => !(value as TLSSocket).destroyed).length;
  return { backend, client, upstream, calls, connected };
}

describe('UPSTREAM_HTTP2=auto', () => {
  it('reads many at once on few connections', async () => {
    const { backend, client } = await open([later(50, json())]);

    const answers = await Promise.all(
      Array.from({ length: 128 }, (_, i) => getPerson(client({ apiKey: `key${i % 9}` }), `p${i}`)),
    );

    expect(answers.map(({ personId }) => personId)).toEqual(
      Array.from({ length: 128 }, (_, i) => `p${i}`),
    );
    expect(backend.connections).toBe(2);
    expect(new Set(backend.seen.map(({ version }) => version))).toEqual(new Set(['2.0']));
    expect(backend.seen[0]?.headers).toMatchObject({
      'x-api-key': 'key0',
      'accept-encoding': 'identity',
      ':authority': new URL(backend.url).host,
    });
  });

  it('writes over HTTP/1.1, beside reads that are silent', async () => {
    const { backend, client } = await open([silence, json(topic)]);

    const silent = failureOf(getPerson(client({ deadlineMs: performance.now() + 500 })));
    await sleep(100);
    const begun = performance.now();
    const written = await updateTopic(client());

    expect(written).toEqual(topic('t'));
    expect(performance.now() - begun).toBeLessThan(200);
    expect(backend.seen.map(({ method, version }) => `${method} ${version}`)).toEqual([
      'GET 2.0',
      'PATCH 1.1',
    ]);
    expect(await silent).toBe('RestTimeoutError');
  });

  it('a write whose connection ends is sent once, and its outcome unknown', async () => {
    const { backend, client } = await open([(_response, { socket }) => void socket.destroy()]);

    expect(await failureOf(updateTopic(client()))).toBe('RestOutcomeUnknownError');
    await sleep(100);
    expect(backend.seen).toHaveLength(1);
  });

  it('reads over HTTP/1.1 from a backend that offers nothing else', async () => {
    const { backend } = await openRest({ certificate: selfSigned });
    backend.on(
      '*',
      ok((seen: { target: string }) => person(seen.target.slice(12))),
    );
    const dispatcher = createDispatcher(backend.url, { http2: true, ca: selfSigned.cert });
    const { client } = await openRest({ dispatcher });
    const read = () =>
      Promise.all(Array.from({ length: 20 }, (_, i) => getPerson(client(), `p${i}`)));

    await read();
    expect(await read()).toHaveLength(20);

    expect(backend.hits()).toBe(40);
    // One was to ask, and is closed.
    expect(backend.connections).toBeLessThanOrEqual(21);
  });

  it('is nothing without TLS', async () => {
    const { backend } = await openRest();
    backend.on('*', ok(person('p')));
    const { client } = await openRest({
      dispatcher: createDispatcher(backend.url, { http2: true }),
    });

    expect(await getPerson(client())).toEqual(person('p'));
  });

  it('T21: does not trust a certificate that nobody vouches for', async () => {
    const { url, seen } = await openBackend([json()]);
    const { client, calls } = await openRest({
      dispatcher: createDispatcher(url, { http2: true }),
    });

    expect(await outcome(getPerson(client()))).toMatchObject({
      name: 'RestUnreachableError',
      retry: 'hopeless',
    });
    expect(calls).toHaveLength(1);
    expect(seen).toHaveLength(0);
  });
});

describe('a read over HTTP/2', () => {
  it.each<[string, Turn]>([
    ['a reset stream', resetWith(2)],
    ['a cancelled stream', resetWith(8)],
    ['a refused stream', resetWith(7)],
    ['a connection that ends without an answer', (_r, { stream }) => stream.session!.destroy()],
    ['a connection that ends in an answer', resetAfter(200)],
    [
      'a body shorter than announced',
      (response) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
        response.end('{"personId":');
      },
    ],
  ])('is tried again after %s', async (_name, fault) => {
    const { backend, client } = await open([fault, json()]);

    expect(await getPerson(client())).toEqual(person('p'));
    expect(backend.seen).toHaveLength(2);
  });

  it.each<[string, (session: ServerHttp2Session) => void]>([
    ['to go away', (session) => session.goaway(0)],
    ['that its backend is stopping', (session) => session.close()],
  ])(
    'is answered when its connection is told %s, and the next one has another',
    async (_n, tell) => {
      const { backend, client, calls } = await open([later(400, json())]);

      const early = Array.from({ length: 20 }, (_, i) => getPerson(client(), `p${i}`));
      await vi.waitFor(() => expect(backend.seen).toHaveLength(20));
      for (const session of backend.sessions) tell(session);
      await sleep(100);
      const late = getPerson(client(), 'late');
      await Promise.all([...early, late]);

      expect(calls).toHaveLength(21);
      expect(backend.seen).toHaveLength(21);
      expect(backend.connections).toBe(2);
    },
  );

  it('is sent again for nothing when it came after the last one that counts', async () => {
    const { backend, client, calls } = await open([later(150, json())], { breaker: NO_BREAKER });

    const answers = Array.from({ length: 50 }, (_, i) => getPerson(client(), `p${i}`));
    await vi.waitFor(() => expect(backend.seen).toHaveLength(50));
    // More than the retry budget could pay for.
    for (const session of backend.sessions) session.goaway(0, 1);

    expect((await Promise.all(answers)).length).toBe(50);
    expect(calls.filter(({ failure }) => failure).length).toBeGreaterThan(40);
  });

  it('T3: ends at its deadline, and leaves its connection to others', async () => {
    const { backend, client } = await open([silence, json()]);
    const begun = performance.now();

    expect(await failureOf(getPerson(client({ deadlineMs: begun + 200 })))).toBe(
      'RestTimeoutError',
    );
    expect(performance.now() - begun).toBeLessThan(300);
    await sleep(50);
    expect(await getPerson(client(), 'q')).toEqual(person('q'));
    expect(backend.connections).toBe(1);
  });

  it('is not sent to a connection that has died without a word', async () => {
    const { backend, client } = await open([json(), silence, json()], { timeoutMs: 200 });
    await getPerson(client());
    for (const socket of backend.sockets) socket.pause();

    const dead = await failureOf(getPerson(client({ deadlineMs: performance.now() + 190 }), 'q'));
    const begun = performance.now();
    await getPerson(client(), 'r').catch(() => {});

    expect(dead).toBe('RestTimeoutError');
    expect(performance.now() - begun).toBeLessThan(150);
    expect(backend.connections).toBe(2);
  });

  it('T17: is cut off at 5 MB', async () => {
    const { client, backend } = await open([
      (response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        const more = (): void => {
          while (!response.stream.destroyed && response.write(Buffer.alloc(65_536, ' ')));
        };
        response.on('drain', more);
        more();
      },
      json(),
    ]);
    const rss = process.memoryUsage.rss();

    expect(await failureOf(getPerson(client()))).toBe('RestInvalidResponseError');
    await sleep(50);
    expect(process.memoryUsage.rss() - rss).toBeLessThan(50_000_000);
    expect(await getPerson(client(), 'q')).toEqual(person('q'));
    expect(backend.connections).toBe(1);
  });

  it('is cancelled at the backend when its caller leaves', async () => {
    let code: number | undefined;
    const { client, backend } = await open([
      (_response, { stream }) => stream.on('close', () => (code = stream.rstCode)),
    ]);
    const leaving = new Cancel();

    const failure = failureOf(getPerson(client({ leaving })));
    await vi.waitFor(() => expect(backend.seen).toHaveLength(1));
    leaving.cancel();

    expect(await failure).toBe('RestAbortedError');
    await vi.waitFor(() => expect(code).toBe(8));
  });

  it('given up before its connection stands is never sent', async () => {
    const { backend, client } = await open([json()]);
    const leaving = new Cancel();

    const failure = failureOf(getPerson(client({ leaving })));
    leaving.cancel();

    expect(await failure).toBe('RestAbortedError');
    await sleep(100);
    expect(backend.seen).toHaveLength(0);
  });

  it('under way is answered before the upstream closes', async () => {
    const { backend, client, upstream, connected } = await open([later(150, json())]);

    const answer = getPerson(client());
    await vi.waitFor(() => expect(backend.seen).toHaveLength(1));
    expect(connected()).toBe(1);
    await upstream.close();

    expect(await answer).toEqual(person('p'));
    await vi.waitFor(() => expect(connected()).toBe(0));
  });

  it('leaves no connection behind, however often one is told to go away', async () => {
    const { backend, client, upstream, connected } = await open([later(10, json())], {
      breaker: NO_BREAKER,
    });

    for (let i = 0; i < 10; i++) {
      const answers = Array.from({ length: 5 }, (_, j) => getPerson(client(), `p${i}-${j}`));
      await sleep(5);
      for (const session of backend.sessions) if (!session.destroyed) session.goaway(0);
      await Promise.allSettled(answers);
    }

    const soon = { timeout: 10_000 };
    await vi.waitFor(() => expect(connected()).toBeLessThanOrEqual(1), soon);
    await upstream.close();
    // One that was being opened is closed as soon as it is open.
    await vi.waitFor(() => expect(connected()).toBe(0), soon);
  });
});
