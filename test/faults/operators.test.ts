/**
 * T77 and T78: what operators can restrict: metrics, explanations, and host names.
 */
import { request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { formatNodeId } from '../../src/graph/types/node-id.ts';
import { KEY, POST_JSON, send, type Reply } from '../support/gateway-process.ts';
import { rawHttp } from './raw-http.ts';
import { openTestbed, type Testbed } from './testbed.ts';
import { until } from '../support/until.ts';

const open = (env: Record<string, string> = {}): Promise<Testbed> => openTestbed(env);

const LOOKUP = '{ person(personId: "p") { name } }';

describe('T77 ADMIN_PORT', () => {
  /** The URL of the operators' port, from the log. */
  const adminOf = async ({ gateway }: Testbed): Promise<string> => {
    let url: string | undefined;
    await until(() => {
      url = /Metrics and readiness at (http:\S+?)"/.exec(gateway.output)?.[1];
      expect(url).toBeDefined();
    });
    return url!;
  };

  it('T77 is the only port that serves metrics and readiness details', async () => {
    const testbed = await open({ ADMIN_PORT: '0' });
    const admin = await adminOf(testbed);
    await testbed.ask(LOOKUP);

    const shown = {
      metrics: await testbed.gateway.get('/metrics'),
      ready: await testbed.gateway.get('/ready'),
      health: await testbed.gateway.get('/health'),
    };
    const hidden = {
      metrics: await send(`${admin}/metrics`),
      ready: await send(`${admin}/ready`),
      health: await send(`${admin}/health`),
      graphql: await send(`${admin}/graphql?query={__typename}`, { headers: { 'x-api-key': KEY } }),
    };

    expect([shown.metrics.status, shown.metrics.codes]).toEqual([404, ['NOT_FOUND']]);
    expect([shown.ready.status, shown.ready.body]).toEqual([200, { ready: true }]);
    expect([shown.health.status, shown.health.body]).toEqual([200, { status: 'alive' }]);
    expect(hidden.metrics.text).toContain('gateway_requests_total{operation="query"');
    expect(hidden.ready.body).toMatchObject({ ready: true, upstream: { breaker: 'closed' } });
    expect(hidden.health.body).toEqual({ status: 'alive' });
    expect([hidden.graphql.status, hidden.graphql.codes]).toEqual([404, ['NOT_FOUND']]);
  });

  it('T77 is closed when the process stops', async () => {
    const testbed = await open({ ADMIN_PORT: '0' });
    const admin = await adminOf(testbed);

    expect(await testbed.gateway.stop()).toBe(0);

    await expect(send(`${admin}/health`)).rejects.toThrow('fetch failed');
  });
});

describe('T77 EXPLAIN', () => {
  const ask = ({ gateway }: Testbed, explain: string, apiKey?: string): Promise<Reply> =>
    gateway.post(
      { query: LOOKUP },
      { 'x-explain': explain, ...(apiKey && { 'x-api-key': apiKey }) },
    );
  const told = async (testbed: Testbed, apiKey?: string) => {
    const [plan, cost] = [await ask(testbed, 'plan', apiKey), await ask(testbed, 'true', apiKey)];
    return [
      plan.body.extensions?.plan !== undefined,
      cost.body.extensions?.upstream !== undefined,
      cost.headers.get('server-timing') !== null,
      // A request for a plan that is not allowed is not executed; a cost that is not allowed is omitted from the response.
      plan.codes,
      cost.data?.person ?? null,
    ];
  };
  const PERSON = { name: 'name' };
  const ALL = [true, true, true, [], PERSON];
  const NOTHING = [false, false, false, ['EXPLAIN_NOT_ALLOWED'], PERSON];

  it.each([
    ['on', ALL, ALL],
    ['keys', ALL, NOTHING],
    ['off', NOTHING, NOTHING],
  ])(
    'T77 controls whether requests with and without an API key get plans and costs: %s',
    async (audience, withKey, without) => {
      const testbed = await open({ EXPLAIN: audience, UPSTREAM_API_KEY: KEY });

      expect(await told(testbed, KEY)).toEqual(withKey);
      expect(await told(testbed)).toEqual(without);
    },
  );

  it('T77 off does not execute a mutation whose plan was requested', async () => {
    const testbed = await open({ EXPLAIN: 'off' });

    const reply = await testbed.ask(
      `mutation { updateTopic(input: { id: "${formatNodeId('Topic', ['t'])}", title: "x" }) { topic { title } } }`,
      { headers: { 'x-explain': 'plan' } },
    );

    expect([reply.status, reply.codes]).toEqual([403, ['EXPLAIN_NOT_ALLOWED']]);
    expect(reply.errors[0].message).toContain('EXPLAIN=off');
    await testbed.holds(reply, { hits: 0 });
  });
});

describe('T78 ALLOWED_HOSTS', () => {
  /** The status and text for a request that names a host. */
  const as = ({ gateway }: Testbed, host: string, path = '/graphql'): Promise<[number, string]> =>
    new Promise((resolve, reject) => {
      const body = JSON.stringify({ query: LOOKUP });
      const method = path === '/graphql' ? 'POST' : 'GET';
      const headers = { ...POST_JSON, host };
      const sent = request({ port: gateway.port, path, method, headers }, (response) => {
        let text = '';
        response.on('data', (chunk: Buffer) => (text += chunk.toString()));
        response.on('end', () => resolve([response.statusCode!, text]));
      });
      sent.on('error', reject).end(method === 'POST' ? body : undefined);
    });

  it('T78 allows only loopback names when no API key is required, to prevent DNS rebinding', async () => {
    const testbed = await open({ UPSTREAM_API_KEY: KEY });
    const { port } = testbed.gateway;

    for (const host of [`127.0.0.1:${port}`, 'localhost', `LOCALHOST:${port}`, `[::1]:${port}`]) {
      expect(await as(testbed, host)).toEqual([200, '{"data":{"person":{"name":"name"}}}']);
    }
    const before = testbed.hits;
    for (const host of [`evil.example:${port}`, 'localhost.evil.example', '127.0.0.1.nip.io']) {
      const [status, text] = await as(testbed, host);
      expect([status, JSON.parse(text).errors[0].extensions.code]).toEqual([
        421,
        'HOST_NOT_ALLOWED',
      ]);
      expect(text).toContain('ALLOWED_HOSTS');
    }
    expect((await as(testbed, 'evil.example', '/metrics'))[0]).toBe(421);
    expect(testbed.hits).toBe(before);
    // Load balancers ask by address.
    for (const path of ['/health', '/ready', '/health?x', '/ready?probe=x']) {
      expect((await as(testbed, '10.0.0.7', path))[0], path).toBe(200);
    }
  });

  it('T78 allows the listed hosts, and any host when it is unset and an API key is required', async () => {
    const [named, open_] = [await open({ ALLOWED_HOSTS: 'api.example.com' }), await open()];

    expect((await as(named, 'api.example.com:8443'))[0]).toBe(401);
    expect((await as(named, 'localhost'))[0]).toBe(421);
    expect((await as(open_, 'anything.example'))[0]).toBe(401);
  });

  it('T78 rejects a request before its body arrives and truncates a long host in the message', async () => {
    const testbed = await open({ ALLOWED_HOSTS: 'api.example.com' });
    const head = `POST /graphql HTTP/1.1\r\nhost: ${'x'.repeat(9_000)}\r\ncontent-type: application/json\r\ncontent-length: 90000\r\n\r\n`;

    const reply = await rawHttp(testbed.gateway, head, { then: ['{'.repeat(1_000)] });

    expect([reply.status, reply.closed]).toEqual([421, true]);
    expect(reply.text).not.toMatch(/x{101}/);
  });
});
