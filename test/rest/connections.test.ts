/** Connections to the backend: their age, unix sockets and proxies. */
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { formatNodeId } from '../../src/graph/types/node-id.ts';
import type { ConnectionOptions } from '../../src/rest/transport/connections.ts';
import {
  BackendDispatcher,
  RESOLVE_MS,
  STEP_MS,
  STEPS,
  splitUpstreamUrl,
} from '../../src/rest/transport/dispatcher.ts';
import { selfSigned } from '../support/certificates.ts';
import { openConnectProxy } from '../support/connect-proxy.ts';
import { openFaultUpstream } from '../support/fault-upstream.ts';
import { openGateway } from '../support/open-gateway.ts';
import { getPerson, openRest, person } from './open-rest.ts';
import { world } from '../support/world.ts';

const scratch = mkdtempSync(join(tmpdir(), 'connections-'));
const dns = join(scratch, 'dns');

beforeAll(async () => {
  process.env['STAGED_DNS'] = dns;
  await import('../faults/staged-dns.ts');
  return () => rmSync(scratch, { recursive: true });
});

/** A backend that returns its name; on the path `/slow` after 300 ms. */
async function openNamed(name: string, listen: object): Promise<Server> {
  const server = createServer((request, response) => {
    const answer = () => response.setHeader('content-type', 'application/json').end(name);
    if (request.url === '/slow') setTimeout(answer, 300);
    else answer();
  });
  await new Promise<void>((resolve) => server.listen(listen, resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return server;
}

const portOf = (server: Server) => (server.address() as AddressInfo).port;

function open(origin: string, options: ConnectionOptions = {}) {
  const dispatcher = new BackendDispatcher(origin, options);
  onTestFinished(() => dispatcher.destroy());
  const ask = async (path = '/') => {
    const { body } = await dispatcher.request({ method: 'GET', path });
    const text = await body.text();
    // A connection is free again in the next turn of the event loop.
    await nextTurn();
    return text;
  };
  return { dispatcher, ask };
}

/** Stages the age of connections: intervals pass by `vi.advanceTimersByTime`. */
function stageIntervals(): void {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
}

/** How many connections a server has. */
const connectionsOf = (server: Server): Promise<number> =>
  new Promise((resolve) => server.getConnections((_, count) => resolve(count)));

describe('the dispatcher', () => {
  it('moves calls to the new addresses of the backend gradually, without losing any', async () => {
    stageIntervals();
    const first = await openNamed('first', { port: 0, host: '127.0.0.1' });
    const port = portOf(first);
    await openNamed('second', { port, host: '127.0.0.2' });
    writeFileSync(dns, '127.0.0.1');
    const { ask } = open(`http://backend.test:${port}`);
    const shareOf = async (name: string) => {
      const names = [];
      for (let i = 0; i < STEPS; i++) names.push(await ask());
      return names.filter((one) => one === name).length;
    };
    await Promise.all([ask(), ask()]);
    writeFileSync(dns, '127.0.0.2');

    vi.advanceTimersByTime(RESOLVE_MS - 1);
    const inFlight = ask('/slow');
    expect(await shareOf('second')).toBe(0);
    vi.advanceTimersByTime(1);
    await nextTurn();
    const shares = [];
    for (let step = 0; step < STEPS; step++) {
      shares.push(await shareOf('second'));
      vi.advanceTimersByTime(STEP_MS);
    }

    expect(shares).toEqual([1, 2, 3, 4, 5, 6, 7, STEPS]);
    expect(await inFlight).toBe('first');
    await expect.poll(() => connectionsOf(first)).toBe(0);
  });

  it('makes no further TLS handshake while the addresses of the backend stay the same', async () => {
    stageIntervals();
    let handshakes = 0;
    const server = createTlsServer(selfSigned, (_request, response) => void response.end('there'));
    server.on('secureConnection', () => (handshakes += 1));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    writeFileSync(dns, '127.0.0.1 127.0.0.9');
    const { ask } = open(`https://localhost.:${portOf(server)}`, {
      ca: selfSigned.cert,
    });
    await ask();

    for (const addresses of ['127.0.0.9 127.0.0.1', 'EAI_AGAIN', '127.0.0.1 127.0.0.9']) {
      writeFileSync(dns, addresses);
      vi.advanceTimersByTime(RESOLVE_MS);
      await nextTurn();
      vi.advanceTimersByTime(STEPS * STEP_MS);
      expect(await ask()).toBe('there');
    }

    expect(handshakes).toBe(1);
  });

  it('tries the next address of the backend when the first connection is refused', async () => {
    const server = await openNamed('there', { port: 0, host: '127.0.0.1' });
    writeFileSync(dns, '127.0.0.9 127.0.0.1');
    const { ask } = open(`http://backend.test:${portOf(server)}`);

    expect(await ask()).toBe('there');
  });

  it('finishes calls on old connections when it closes, and leaves no connection open', async () => {
    stageIntervals();
    const server = await openNamed('there', { port: 0, host: '127.0.0.1' });
    const { dispatcher, ask } = open(`http://127.0.0.1:${portOf(server)}`);

    const slow = ask('/slow');
    await once(server, 'request');
    expect(await ask()).toBe('there'); // over a second connection, which is then idle
    await dispatcher.close();

    expect(await slow).toBe('there');
    await expect.poll(() => connectionsOf(server)).toBe(0);
  });
});

const isWindows = process.platform === 'win32';

it.skipIf(isWindows)('a read outlasts a restart of the backend at a unix socket', async () => {
  const socketPath = join(scratch, 'restarted.sock');
  const dispatcher = new BackendDispatcher('http://localhost', { socketPath });
  onTestFinished(() => dispatcher.destroy());
  const { client, calls } = await openRest({ dispatcher });

  const answer = getPerson(client());
  await vi.waitUntil(() => calls.length >= 3);
  await openNamed(JSON.stringify(person('p')), { path: socketPath });

  expect(await answer).toEqual(person('p'));
  expect(calls[0]).toMatchObject({ failure: 'ENOENT', isSent: true });
});

it.skipIf(isWindows)(
  'the TLS server name is the absolute host name without its trailing dot',
  async () => {
    const names: string[] = [];
    const server = createTlsServer(
      { ...selfSigned, SNICallback: (name, answer) => (names.push(name), answer(null)) },
      (_request, response) => response.end('there'),
    );
    const socketPath = join(scratch, 'tls.sock');
    await new Promise<void>((resolve) => server.listen(socketPath, resolve));
    onTestFinished(() => {
      server.close();
      server.closeAllConnections();
    });
    const { ask } = open('https://localhost.', { socketPath, ca: selfSigned.cert });

    expect(await ask()).toBe('there');
    expect(names).toEqual(['localhost']);
  },
);

it.each([
  ['https://a.test', ''],
  ['https://a.test/', ''],
  ['https://a.test/api/', '/api'],
  ['https://a.test//api//', '/api'],
  ['https://a.test/a//b', '/a/b'],
])('the paths of calls to %s start with "%s"', (url, pathPrefix) => {
  expect(splitUpstreamUrl(new URL(url))).toEqual({ origin: 'https://a.test', pathPrefix });
});

it.skipIf(isWindows)(
  'a unix socket carries reads and writes instead of the host of the URL and the proxy',
  async () => {
    const socketPath = join(scratch, 'backend.sock');
    await openNamed('by socket', { path: socketPath });
    const { dispatcher, ask } = open('http://nowhere.test', {
      socketPath,
      httpProxy: 'http://127.0.0.1:9',
    });

    expect(await ask()).toBe('by socket');
    expect(
      await new Promise((resolve, reject) => {
        const fresh = { method: 'PATCH', path: '/' } as const;
        dispatcher.dispatch(fresh, {
          onRequestStart: () => {},
          onResponseStart: (_, status) => resolve(status),
          onResponseEnd: () => {},
          onResponseError: (_, error) => reject(error),
        });
      }),
    ).toBe(200);
  },
);

describe('a proxy', () => {
  const READ = '{ person(personId: "p") { name } }';
  const WRITE = `mutation { updateTopic(input: { id: "${formatNodeId('Topic', ['t'])}", title: "new" }) { userErrors { code } } }`;

  /** A gateway before a backend that only the proxy can reach. */
  async function openBehind({ scheme = 'http', timeoutMs = 3_000, user = 'me:secret' } = {}) {
    const backend = await openFaultUpstream(
      scheme === 'https' ? { certificate: selfSigned } : undefined,
    );
    onTestFinished(() => backend.stop());
    backend.on('*', world());
    const proxy = await openConnectProxy(backend.port);
    const { host } = new URL(proxy.url);
    // The certificate holds for the name with and without the final dot; without the dot the proxy is bypassed.
    const address = scheme === 'https' ? 'https://localhost.' : 'http://backend.invalid';
    const dispatcher = new BackendDispatcher(`${address}:${backend.port}`, {
      ca: selfSigned.cert,
      httpProxy: `http://${user}@${host}`,
    });
    onTestFinished(() => dispatcher.destroy());
    const site = await openGateway({
      backend: new URL(backend.url),
      rest: { dispatcher, timeoutMs },
    });
    return { backend, proxy, site };
  }

  it('carries calls to a backend in its network, and its password is sent only to it', async () => {
    const { proxy, site, backend } = await openBehind();

    const read = await site.ask(READ);
    const again = await site.ask(READ);
    const write = await site.ask(WRITE);

    expect([read.codes, again.codes, write.data.updateTopic.userErrors]).toEqual([[], [], []]);
    const tunnel = `backend.invalid:${backend.port}`;
    // Reads share a tunnel; the write opens its own.
    expect(new Set(proxy.asked)).toEqual(new Set([tunnel]));
    expect(proxy.authorization).toBe(`Basic ${btoa('me:secret')}`);
    expect(backend.seen[0]).toMatchObject({
      target: '/v0/persons/p',
      headers: { host: tunnel, 'x-api-key': 'demo' },
    });
    expect(JSON.stringify(backend.seen)).not.toContain(btoa('me:secret'));
  });

  it('opens a tunnel to a backend with TLS', async () => {
    const { proxy, site, backend } = await openBehind({ scheme: 'https' });

    expect((await site.ask(READ)).codes).toEqual([]);
    expect(proxy.asked).toEqual([`localhost.:${backend.port}`]);
  });

  it('is bypassed for loopback addresses and for hosts that NO_PROXY names', async () => {
    writeFileSync(dns, '127.0.0.1');
    const server = await openNamed('directly', { port: 0, host: '127.0.0.1' });
    const port = portOf(server);
    const proxies = { httpProxy: 'http://127.0.0.1:9', noProxy: 'x.test, .test' };

    expect(await open(`http://127.0.0.1:${port}`, proxies).ask()).toBe('directly');
    expect(await open(`http://backend.test:${port}`, proxies).ask()).toBe('directly');
  });

  it.each(['*', 'x.test,*', '* x.test', 'x.test, *'])(
    'is bypassed with NO_PROXY=%s',
    async (noProxy) => {
      writeFileSync(dns, '127.0.0.1');
      const server = await openNamed('directly', { port: 0, host: '127.0.0.1' });
      const proxies = { httpProxy: 'http://127.0.0.1:9', noProxy };

      const answer = await open(`http://backend.test:${portOf(server)}`, proxies).ask();

      expect(answer).toBe('directly');
    },
  );

  it.each(['::ffff:7f00:1', '[::ffff:7f00:1]', 'x.test ::ffff:7f00:1'])(
    'is bypassed for an IPv6 address with NO_PROXY=%s',
    async (noProxy) => {
      const server = await openNamed('directly', { port: 0, host: '127.0.0.1' });
      const proxies = { httpProxy: 'http://127.0.0.1:9', noProxy };

      // The loopback address as one of IPv6, which is not taken for one.
      const backend = `http://[::ffff:127.0.0.1]:${portOf(server)}`;

      expect(await open(backend, proxies).ask()).toBe('directly');
    },
  );

  it.each([
    ['token', 'token:'],
    ['token:', 'token:'],
    [':secret', ':secret'],
    ['m%20e:s%3Acret', 'm e:s:cret'],
  ])('gets the credentials of a URL with %s', async (user, sent) => {
    const { proxy, site } = await openBehind({ user });

    expect((await site.ask(READ)).codes).toEqual([]);
    expect(proxy.authorization).toBe(`Basic ${btoa(sent)}`);
  });

  it('that returns 407 is named in the error, in /ready and in metrics, and is called once', async () => {
    const { proxy, site } = await openBehind();
    proxy.answer = 'require credentials';

    const read = await site.ask(READ);

    expect(read.codes).toEqual(['UPSTREAM_UNAVAILABLE']);
    expect(read.errors[0].message).toMatch(/^Proxy .*\b407\b/);
    expect(read.text).not.toContain('secret');
    expect(proxy.asked).toHaveLength(1);
    expect((await site.get('/ready')).body.upstream).toMatchObject({
      answers: false,
      failure: 'proxy_credentials',
    });
    const labels = ['source="sent"', 'status="proxy_credentials"'];
    expect(await site.metric('gateway_upstream_calls_total', ...labels)).toBe(1);
    const write = await site.ask(WRITE);
    expect(write.codes).toEqual(['UPSTREAM_UNAVAILABLE']);
    proxy.answer = 'open';
    expect((await site.ask(READ)).codes).toEqual([]);
  });

  it('that rejects tunnels fails reads and writes with UPSTREAM_UNAVAILABLE, until it opens tunnels again', async () => {
    const { proxy, site, backend } = await openBehind();
    proxy.answer = 'refuse';

    const read = await site.ask(READ);
    const write = await site.ask(WRITE);

    expect([read.codes, write.codes]).toEqual([['UPSTREAM_UNAVAILABLE'], ['UPSTREAM_UNAVAILABLE']]);
    expect(`${read.text}${write.text}`).not.toMatch(/proxy|secret|127\.0\.0\.1/i);
    expect(backend.seen).toEqual([]);
    proxy.answer = 'open';
    expect((await site.ask(READ)).codes).toEqual([]);
  });

  it('that does not respond fails a write with UPSTREAM_TIMEOUT, and keeps no connection', async () => {
    const { proxy, site } = await openBehind({ timeoutMs: 300 });
    proxy.answer = 'silence';

    const write = await site.ask(WRITE);

    expect(write.codes).toEqual(['UPSTREAM_TIMEOUT']);
    await expect.poll(() => proxy.connections, { timeout: 5_000 }).toBe(0);
    proxy.answer = 'open';
    expect((await site.ask(READ)).codes).toEqual([]);
  });

  it('carries the retry of a read whose connection was closed', async () => {
    const { backend, site } = await openBehind();
    await site.ask(READ);
    backend.on('GET /v0/persons/p', (_, __, socket) => void socket.destroy(), world());

    const reply = await site.ask(READ);

    expect(reply.codes).toEqual([]);
    expect(await site.metric('gateway_upstream_retries_total')).toBe(1);
  });
});
