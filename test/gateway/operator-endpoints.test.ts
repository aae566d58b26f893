/** The operators' endpoints: /health, /ready, /metrics. */
import { describe, expect, it, vi } from 'vitest';
import { openFaultUpstream } from '../support/fault-upstream.ts';
import { rawHttp } from '../faults/raw-http.ts';
import { silence, status, type Behaviour } from '../support/faults.ts';
import { world } from '../support/world.ts';
import { send } from '../support/client.ts';
import { openGateway } from '../support/open-gateway.ts';
import { until } from '../support/until.ts';

it('/health reports that the process is alive, also to HEAD', async () => {
  const { url } = await openGateway();

  const get = await send(`${url}/health`);
  const head = await send(`${url}/health`, { method: 'HEAD' });

  expect([get.status, get.body, head.status, head.text]).toEqual([
    200,
    { status: 'alive' },
    200,
    '',
  ]);
});

describe('/ready', () => {
  it('returns 200 before the first call and makes no REST call', async () => {
    const upstream = await openFaultUpstream();
    const { url } = await openGateway({ backend: new URL(upstream.url) });

    const { status: code, body } = await send(`${url}/ready`);

    expect(code).toBe(200);
    expect(body).toEqual({
      ready: true,
      degraded: false,
      draining: false,
      upstream: { answers: null, status: null, breaker: 'closed', open: [] },
      routes: expect.objectContaining({ 'GET /v0/pages/search': 'there' }),
    });
    expect(upstream.seen).toEqual([]);
  });

  it.each<[string, Behaviour, object]>([
    ['fails', status(500), { answers: false, status: 500 }],
    ['does not respond', silence(), { answers: false, status: null, failure: 'timeout' }],
  ])(
    'returns 200 and degraded when the backend %s, until a call succeeds',
    async (_what, fault, met) => {
      const site = await openGateway({ backend: 'faulty', rest: { timeoutMs: 200 } });
      site.upstream.on('*', fault);
      await site.ask('{ topics(first: 1) { nodes { topicId } } }');
      const away = await send(`${site.url}/ready`);
      site.upstream.on('*', world());
      await site.ask('{ topics(first: 1) { nodes { topicId } } }');
      const back = await send(`${site.url}/ready`);

      expect([away.status, away.body]).toMatchObject([
        200,
        { ready: true, degraded: true, upstream: met },
      ]);
      expect([back.status, back.body]).toMatchObject([
        200,
        { degraded: false, upstream: { answers: true, status: 200 } },
      ]);
    },
  );

  it('returns 200 without the address of an unreachable backend', async () => {
    const { url, ask } = await openGateway({ backend: new URL('http://127.0.0.1:1') });
    await ask('{ topics(first: 1) { nodes { topicId } } }');

    const { status: code, body, text } = await send(`${url}/ready`);

    expect([code, body.upstream]).toMatchObject([200, { answers: false, failure: 'ECONNREFUSED' }]);
    expect(text).not.toContain('127.0.0.1');
  });

  it('returns 503 as soon as the server starts to stop, while other requests are served', async () => {
    const { url, server, ask } = await openGateway({});

    const closing = server.close(1_000, 300);
    const ready = await send(`${url}/ready`);
    const health = await send(`${url}/health`);
    const asked = await ask('{ topics(first: 1) { nodes { topicId } } }');

    expect([ready.status, ready.body]).toMatchObject([503, { ready: false, draining: true }]);
    expect([health.status, asked.status]).toEqual([200, 200]);
    expect(asked.headers.get('connection')).toBe('keep-alive');
    expect(await closing).toBe(true);
  });
});

it('/metrics counts requests and calls by route, without keys, ids or operation names', async () => {
  const { url, ask } = await openGateway();
  await ask('query Secret { page(pageId: "page_northwind") { name } }');
  await ask('{ page(pageId: "page_northwind") { nonsense } }');

  const { text, headers } = await send(`${url}/metrics`);

  expect(headers.get('content-type')).toMatch(/^text\/plain/);
  expect(text).toContain('gateway_requests_total{operation="query",outcome="ok"} 1');
  expect(text).toContain('gateway_requests_total{operation="query",outcome="refused"} 1');
  expect(text).toContain(
    'gateway_upstream_calls_total{method="GET",route="/v0/pages/{page_id}",source="sent",status="200"} 1',
  );
  expect(text).not.toMatch(/demo|northwind|Secret/);
});

it.each([
  ['GET', '/', 404, 'NOT_FOUND'],
  ['GET', '/graphql/nothing', 404, 'NOT_FOUND'],
  ['GET', '//graphql', 404, 'NOT_FOUND'],
  ['POST', '/health', 405, 'METHOD_NOT_ALLOWED'],
  ['DELETE', '/graphql', 405, 'METHOD_NOT_ALLOWED'],
])('rejects %s %s with a JSON body', async (method, path, status, code) => {
  const { url } = await openGateway();

  const reply = await send(url + path, {
    method,
    headers: { 'x-api-key': 'demo' },
  });

  expect([reply.status, reply.codes]).toEqual([status, [code]]);
  expect(reply.headers.get('content-type')).toMatch(/json/);
});

it.each([
  ...['/a/./health', '/a/../health', '/./health', '/a/%2e/health', '/%68ealth', '/health/'],
  ...['\\health', '/a/..\\health', '/health#x', '/a/../graphql?query={__typename}'],
])('returns 404 or 400 for %s, since paths are not normalized', async (path) => {
  const { server } = await openGateway();

  const reply = await rawHttp(
    server,
    `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
  );

  expect(reply.status).toBe(path.startsWith('/') ? 404 : 400);
});

it.each(['/health', '/ready', '/metrics', '/ready?probe=x'])(
  '%s is not cacheable',
  async (path) => {
    const { url } = await openGateway();

    for (const method of ['GET', 'HEAD']) {
      const { status, headers } = await send(url + path, { method });
      expect([status, headers.get('cache-control')]).toEqual([200, 'no-store']);
    }
  },
);

it('counts a plan as ok and does not count a preflight', async () => {
  const { url, ask } = await openGateway({ http: { corsOrigins: ['https://app.example'] } });

  await ask('{ topics { nodes { title } } }', { headers: { 'x-explain': 'plan' } });
  await send(`${url}/graphql`, {
    method: 'OPTIONS',
    headers: { origin: 'https://app.example', 'access-control-request-method': 'POST' },
  });

  const { text } = await send(`${url}/metrics`);
  expect(text.match(/^gateway_requests_total.* [1-9]\d*$/gm)).toEqual([
    'gateway_requests_total{operation="query",outcome="ok"} 1',
  ]);
});

it('renders metrics once for twenty concurrent scrapes', async () => {
  const { url, gateway } = await openGateway();
  const { metrics } = gateway;
  const write = metrics.registry.metrics.bind(metrics.registry);
  const read = vi.spyOn(metrics, 'read');
  const written = vi.spyOn(metrics.registry, 'metrics').mockImplementation(async () => {
    await until(() => read.mock.calls.length === 20);
    return write();
  });

  const replies = await Promise.all(Array.from({ length: 20 }, () => send(`${url}/metrics`)));

  expect(replies.every(({ text }) => text.includes('gateway_requests_total'))).toBe(true);
  expect(written).toHaveBeenCalledOnce();
});
