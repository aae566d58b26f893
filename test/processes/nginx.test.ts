/** Responses through nginx: with its defaults, with one that compresses, and with deploy/proxy/nginx.conf. */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { openFolder } from '../support/folder.ts';
import { held, ok } from '../support/faults.ts';
import { IDS } from '../support/ids.ts';
import { hasNginx, openNginx, passing } from '../support/nginx.ts';
import { openNginxInFrontOf } from '../support/proxy.ts';
import { until } from '../support/until.ts';
import { world } from '../support/world.ts';
import { POST_JSON } from '../support/client.ts';
import { openGateway } from '../support/open-gateway.ts';

const QUERY = `{ page(pageId: "${IDS.page}") { name audiences(first: 20) { nodes { id audienceId effectiveName status createdAt } } } }`;

/** The setting of compression in Debian's nginx.conf. */
const DEBIAN = 'gzip on;';

/** A proxy that compresses instead of the gateway, which makes strong ETags weak. */
const COMPRESSING = `gzip on; gzip_proxied any; gzip_types application/json application/graphql-response+json;
  proxy_set_header Accept-Encoding "";`;

const get = (url: string, headers: Record<string, string> = {}) =>
  fetch(`${url}/graphql?query=${encodeURIComponent(QUERY)}`, {
    headers: { 'x-api-key': 'demo', 'accept-encoding': 'gzip', ...headers },
  });

describe.skipIf(!hasNginx)('behind nginx', () => {
  it.each([
    ['with its defaults', DEBIAN, /^"/],
    ['that compresses itself', COMPRESSING, /^W\/"/],
  ])(
    '%s, responses are compressed, and 304 by their ETags only for the same API key',
    async (_, settings, tagForm) => {
      const site = await openGateway({ rest: { timeoutMs: 5_000 } });
      const url = await openNginx(site.url, passing(settings));

      const first = await get(url);
      const tag = first.headers.get('etag')!;
      const same = await get(url, { 'if-none-match': tag });
      const other = await get(url, { 'if-none-match': tag, 'x-api-key': 'demo-two' });

      expect(first.headers.get('content-encoding')).toBe('gzip');
      expect((await first.json()).data.page.name).toBe('Northwind launch');
      expect(tag).toMatch(tagForm);
      expect(same.status).toBe(304);
      expect(same.headers.get('cache-control')).toBe('private, no-cache');
      expect(other.status).not.toBe(304);
    },
  );

  it('trusted documents are served by id, others are rejected, and a changed or partial response is not 304', async () => {
    const text = '{ page(pageId: "p") { name title } }';
    const folder = openFolder({ 'app-1.json': { 'page-1': text } });
    const site = await openGateway({ backend: 'faulty', documents: { folder, only: true } });
    const { upstream } = site;
    await site.gateway.open();
    onTestFinished(() => site.gateway.close());
    const url = await openNginx(site.url, passing(DEBIAN));
    const ask = (search: string, tag = '') =>
      fetch(`${url}/graphql?${search}`, {
        headers: {
          'x-api-key': 'demo',
          accept: 'application/graphql-response+json',
          ...(tag && { 'if-none-match': tag }),
        },
      });
    const answerWith = (page: object) =>
      upstream.on('GET /v0/pages/p', ok({ pageId: 'p', ...page }));

    answerWith({ name: 'one'.repeat(1_000), title: 't' });
    const first = await ask('documentId=page-1');
    const tag = first.headers.get('etag')!;
    const same = await ask('documentId=page-1', tag);
    const other = await ask(`query=${encodeURIComponent(text)}&documentId=page-2`);
    const unknown = await ask('doc_id=page-2', tag);
    const refused = await ask(`query=${encodeURIComponent('{ __typename }')}`, tag);
    answerWith({ name: 'two'.repeat(1_000), title: 't' });
    const changed = await ask('documentId=page-1', tag);
    answerWith({ name: 7, title: 't' });
    const partial = await ask('documentId=page-1', tag);

    expect([first, same, other].map(({ status }) => status)).toEqual([200, 304, 200]);
    expect((await unknown.json()).errors[0].message).toBe('PersistedQueryNotFound');
    expect((await refused.json()).errors[0].extensions.code).toBe('TRUSTED_DOCUMENT_REQUIRED');
    expect([refused.status, changed.status, partial.status]).toEqual([400, 200, 200]);
    expect(changed.headers.get('etag')).not.toBe(tag);
    expect((await partial.json()).errors).toHaveLength(1);
    for (const { headers } of [unknown, refused, partial]) {
      expect([headers.get('etag'), headers.get('cache-control')]).toEqual([null, 'no-store']);
    }
  });

  it('a compressed request is rejected with 415', async () => {
    const site = await openGateway();
    const url = await openNginx(site.url, passing(DEBIAN));

    const { status } = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'x-api-key': 'demo', ...POST_JSON, 'content-encoding': 'gzip' },
      body: gzipSync(JSON.stringify({ query: QUERY })),
    });

    expect(status).toBe(415);
  });

  it('the response to a POST has the requested content coding', async () => {
    const site = await openGateway({ rest: { timeoutMs: 5_000 } });
    const url = await openNginx(site.url, passing(DEBIAN));

    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: {
        'x-api-key': 'demo',
        'content-type': 'application/json',
        'accept-encoding': 'br',
      },
      body: JSON.stringify({ query: QUERY }),
    });

    expect(response.headers.get('content-encoding')).toBe('br');
    expect((await response.json()).data.page.name).toBe('Northwind launch');
  });

  it('the first part of a response with @defer arrives before the rest is ready', async () => {
    const site = await openGateway({ backend: 'faulty' });
    const { upstream } = site;
    const late = held(world());
    upstream.on('GET /v0/pages/p/audiences', late.behaviour);
    const front = await openNginx(site.url, passing('gzip on; gzip_types *;'));

    const response = await fetch(`${front}/graphql`, {
      method: 'POST',
      headers: {
        ...{ 'x-api-key': 'key', ...POST_JSON },
        accept: 'multipart/mixed;incrementalSpec=v0.2, application/json;q=0.9',
      },
      body: JSON.stringify({
        query: '{ page(pageId: "p") { name ... @defer { audiences { totalCount } } } }',
      }),
    });
    const reader = response.body!.getReader();
    const first = new TextDecoder().decode((await reader.read()).value);
    late.release();
    let rest = '';
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      rest += new TextDecoder().decode(read.value);
    }

    expect(first).toContain('"name":"name"');
    expect(first).not.toContain('audiences":');
    expect(rest).toContain('"totalCount"');
  });

  describe('as deploy/proxy/nginx.conf configures it', () => {
    const ask = (url: string) =>
      fetch(`${url}/graphql`, {
        method: 'POST',
        headers: { 'x-api-key': 'demo', ...POST_JSON },
        body: JSON.stringify({ query: '{ page(pageId: "page_northwind") { name } }' }),
      });

    it('serves queries, rejects large bodies and too many requests, and hides /metrics', async () => {
      const site = await openGateway();
      const url = await openNginxInFrontOf(site.url);

      const answer = await ask(url);
      const large = await fetch(`${url}/graphql`, { method: 'POST', body: 'x'.repeat(110_000) });
      const metrics = await fetch(`${url}/metrics`);
      const statuses: number[] = [];
      // The limit is a hundred at once and fifty a second: a busy machine sends more until it is met.
      while (statuses.length < 180 || (!statuses.includes(429) && statuses.length < 1_800)) {
        const many = await Promise.all(Array.from({ length: 90 }, () => ask(url)));
        statuses.push(...many.map(({ status }) => status));
      }

      expect((await answer.json()).data.page.name).toBe('Northwind launch');
      expect([large.status, metrics.status]).toEqual([413, 404]);
      expect(new Set(statuses)).toEqual(new Set([200, 429]));
      expect(statuses.filter((status) => status === 200).length).toBeGreaterThan(90);
    });

    it('proxies WebSockets', async () => {
      const site = await openGateway();
      const url = await openNginxInFrontOf(site.url);

      const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
      await once(socket, 'open');
      socket.send('{"type":"connection_init"}');
      const [message] = (await once(socket, 'message')) as [Buffer];
      socket.terminate();

      expect(JSON.parse(message.toString())).toMatchObject({ type: 'connection_ack' });
    });

    it('lets same-origin pages, whose origin has a port, connect by WebSocket and use /mcp', async () => {
      const manifests = openFolder({
        'agents.json': { Topics: 'query Topics { topics { nodes { id } } }' },
      });
      const site = await openGateway({ process: { MCP_DOCUMENTS: manifests } });
      const url = await openNginxInFrontOf(site.url);
      const headers = { origin: url };

      const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', {
        headers,
      });
      await once(socket, 'open');
      socket.terminate();
      const tools = await fetch(`${url}/mcp`, {
        method: 'POST',
        headers: { ...headers, ...POST_JSON, accept: 'application/json, text/event-stream' },
        body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
      });

      expect(tools.status).toBe(200);
    });

    it('loses no request while one of two replicas stops', async () => {
      // Two gateways: without options both calls would return one.
      const [stopping, staying] = [await openGateway({}), await openGateway({})];
      const url = await openNginxInFrontOf(stopping.url, staying.url);
      const statuses: number[] = [];
      let over = false;
      const callers = Array.from({ length: 2 }, async () => {
        while (!over) {
          statuses.push((await ask(url)).status);
          await sleep(50);
        }
      });
      await until(() => statuses.length > 5);

      expect(await stopping.server.close(5_000, 300)).toBe(true);
      const before = statuses.length;
      await until(() => statuses.length > before + 10);
      over = true;
      await Promise.all(callers);

      expect(new Set(statuses)).toEqual(new Set([200]));
    });
  });
});
