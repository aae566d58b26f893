/** What operators ask: alive, ready, metrics. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openFaultUpstream } from '../support/fault-upstream.ts';
import { cut, drip, silence, status, type Behaviour } from '../support/faults.ts';
import { openSite, send, shareBackend } from './support.ts';

shareBackend();

/** A backend that answers every request with a status that can be changed. */
async function openStatusBackend() {
  const backend = { status: 200, asked: [] as string[], url: '' };
  const server = createServer((request, response) => {
    backend.asked.push(`${request.method} ${request.url}`);
    response.writeHead(backend.status).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  backend.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return backend;
}

describe('/health', () => {
  it('says alive, to HEAD as well', async () => {
    const { url } = await openSite();

    const get = await send(`${url}/health`);
    const head = await send(`${url}/health`, { method: 'HEAD' });

    expect([get.status, get.body, head.status, head.text]).toEqual([
      200,
      { status: 'alive' },
      200,
      '',
    ]);
  });
});

describe('/ready', () => {
  it('is 200 when the backend answers', async () => {
    const { url } = await openSite();

    const { status, body } = await send(`${url}/ready`);

    expect(status).toBe(200);
    expect(body).toEqual({
      ready: true,
      degraded: false,
      draining: false,
      // Asked without a key: a refusal is an answer.
      upstream: { reachable: true, status: 401, breaker: 'closed', open: [] },
    });
  });

  it('is 503 without an address while nothing listens, and recovers by itself', async () => {
    const backend = await openStatusBackend();
    backend.status = 503;
    const { url } = await openSite({ upstreamUrl: backend.url });

    const down = await send(`${url}/ready`);
    backend.status = 200;
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    const up = await send(`${url}/ready`);

    expect([down.status, down.body.upstream.status]).toEqual([503, 503]);
    expect(up.status).toBe(200);
    expect(down.text).not.toContain('127.0.0.1');
  });

  it.each<[string, Behaviour]>([
    ['only redirects', status(301, { location: 'http://127.0.0.1/' })],
    ['begins an answer and never ends it', drip(5)],
    ['ends in the middle of an answer', cut('{}')],
  ])('is 503 when the backend %s', async (_what, behaviour) => {
    const upstream = await openFaultUpstream();
    upstream.on('*', behaviour);
    const { url } = await openSite({ upstreamUrl: upstream.url });

    expect((await send(`${url}/ready`)).status).toBe(503);
  });

  it('is 503 when nothing listens there', async () => {
    const { url } = await openSite({ upstreamUrl: 'http://127.0.0.1:1' });

    const { status, body, text } = await send(`${url}/ready`);

    expect([status, body.upstream]).toMatchObject([
      503,
      { reachable: false, failure: 'ECONNREFUSED' },
    ]);
    expect(text).not.toContain('127.0.0.1');
  });

  it('waits a moment and no longer for a backend that answered well before', async () => {
    const upstream = await openFaultUpstream();
    upstream.on('*', status(401));
    const { url } = await openSite({ upstreamUrl: upstream.url });
    const before = await send(`${url}/ready`);
    upstream.on('*', silence());
    await new Promise((resolve) => setTimeout(resolve, 1_100));

    const soon = await send(`${url}/ready`);
    // The probe that was begun fails after half a second.
    await new Promise((resolve) => setTimeout(resolve, 700));
    const later = await send(`${url}/ready`);

    expect([before.status, soon.status, soon.body]).toEqual([200, 200, before.body]);
    expect([later.status, later.body.upstream]).toMatchObject([503, { failure: 'timeout' }]);
  });

  it.each<[string, Behaviour]>([
    ['fails', status(500)],
    ['is silent', silence()],
  ])('is 200 again a second after the one route that it asked %s', async (_what, fault) => {
    const upstream = await openFaultUpstream();
    upstream.on('*', status(401));
    upstream.on('GET /v0/topics', fault);
    const { url } = await openSite({ upstreamUrl: upstream.url });
    await send(`${url}/ready`);
    await new Promise((resolve) => setTimeout(resolve, 1_100));

    const { status: code, body } = await send(`${url}/ready`);

    expect([code, body.upstream]).toMatchObject([200, { reachable: true, status: 401 }]);
  });

  it('asks the backend once for many who ask at once', async () => {
    const backend = await openStatusBackend();
    const { url } = await openSite({ upstreamUrl: `${backend.url}/prefix` });

    await Promise.all(Array.from({ length: 20 }, () => send(`${url}/ready`)));

    expect(backend.asked).toEqual(['GET /prefix/v0/topics?limit=1']);
  });
});

describe('/metrics', () => {
  it('counts requests and calls by route, and knows no key and no id', async () => {
    const { url, query } = await openSite();
    await query('query Secret { page(pageId: "page_northwind") { name } }');
    await query('{ page(pageId: "page_northwind") { nonsense } }');

    const { text, headers } = await send(`${url}/metrics`);

    expect(headers.get('content-type')).toMatch(/^text\/plain/);
    expect(text).toContain('gateway_requests_total{operation="query",outcome="ok"} 1');
    expect(text).toContain('gateway_requests_total{operation="query",outcome="refused"} 1');
    expect(text).toContain(
      'gateway_upstream_calls_total{method="GET",route="/v0/pages/{page_id}",status="200"} 1',
    );
    expect(text).not.toMatch(/demo|northwind|Secret/);
  });
});

describe('everything else', () => {
  it.each([
    ['GET', '/', 404, 'NOT_FOUND'],
    ['GET', '/graphql/nothing', 404, 'NOT_FOUND'],
    ['GET', '//graphql', 404, 'NOT_FOUND'],
    ['POST', '/health', 405, 'METHOD_NOT_ALLOWED'],
    ['DELETE', '/graphql', 405, 'METHOD_NOT_ALLOWED'],
  ])('%s %s is refused in JSON', async (method, path, status, code) => {
    const { url } = await openSite();

    const reply = await send(url + path, {
      method,
      headers: { 'x-api-key': 'demo' },
    });

    expect([reply.status, reply.codes]).toEqual([status, [code]]);
    expect(reply.headers.get('content-type')).toMatch(/json/);
  });
});

it('counts a plan as well answered, and a preflight not at all', async () => {
  const { url, query } = await openSite({ corsOrigins: ['https://app.example'] });

  await query('{ topics { nodes { title } } }', { headers: { 'x-explain': 'plan' } });
  await send(`${url}/graphql`, {
    method: 'OPTIONS',
    headers: { origin: 'https://app.example', 'access-control-request-method': 'POST' },
  });

  const { text } = await send(`${url}/metrics`);
  expect(text.match(/^gateway_requests_total.*$/gm)).toEqual([
    'gateway_requests_total{operation="query",outcome="ok"} 1',
  ]);
});

it('gathers metrics once for many who ask at the same time', async () => {
  const { url, gateway } = await openSite();
  let gathered = 0;
  const gather = gateway.metrics.gather;
  gateway.metrics.gather = async () => {
    gathered += 1;
    await new Promise((resolve) => setTimeout(resolve, 50));
    return gather();
  };

  const replies = await Promise.all(Array.from({ length: 20 }, () => send(`${url}/metrics`)));

  expect(replies.every(({ text }) => text.includes('gateway_requests_total'))).toBe(true);
  expect(gathered).toBeLessThan(5);
});
