/** A gateway below another path (`BASE_PATH`), and one on a unix socket (`UNIX_SOCKET`). */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { formatNodeId } from '../../src/graph/types/node-id.ts';
import { openHttpServer } from '../../src/gateway/http/http-server.ts';
import { openEvents, openSocket } from '../live/support.ts';
import { openFolder } from '../support/folder.ts';
import { clientOf, KEY, send } from '../support/client.ts';
import { openGateway } from '../support/open-gateway.ts';
import { DEFAULTS } from '../support/settings.ts';
import { until } from '../support/until.ts';

const QUERY = '{ person(personId: "p") { name } }';
const VERSION = { id: formatNodeId('AudienceVersion', ['p', 'a', 'v']) };

describe('a gateway below /content', () => {
  const open = async () => {
    const explorer = openFolder({
      'index.html': '<script src="./files/a.js"></script><script id="settings"></script>',
    });
    const site = await openGateway({
      backend: 'faulty',
      http: { basePath: '/content' },
      explorer: { folder: explorer },
    });
    return { site, url: `${site.url}/content` };
  };

  it('serves POST, GET, event streams, WebSockets and the admin endpoints under the base path', async () => {
    const { url } = await open();
    const { ask, get } = clientOf(url, KEY);
    const headers = { 'x-api-key': KEY, accept: 'application/json' };

    const posted = await ask(QUERY);
    const got = await send(`${url}/graphql?query=${encodeURIComponent(QUERY)}`, { headers });
    const stream = await openEvents(url, VERSION, { apiKey: KEY });
    const socket = await openSocket(url, { payload: { 'x-api-key': KEY } });
    socket.subscribe('a', VERSION);
    await until(() => stream.events.length > 0 && socket.received('next').length > 0);

    expect([posted.data, got.data]).toEqual(Array(2).fill({ person: { name: 'name' } }));
    for (const path of ['/health', '/ready', '/metrics'])
      expect((await get(path)).status).toBe(200);
  });

  it.each(['/graphql', '/contents/graphql', '/', '/Content/graphql', '/health'])(
    'returns 404 for %s with the path of the GraphQL endpoint',
    async (path) => {
      const { site } = await open();

      const { status, text } = await send(`${site.url}${path}`);

      expect([status, text]).toEqual([404, expect.stringContaining('/content/graphql')]);
    },
  );

  it('redirects browsers to GraphiQL and serves its files under the base path', async () => {
    const { url } = await open();
    const browser = { headers: { accept: 'text/html' }, redirect: 'manual' as const };

    for (const start of [url, `${url}/`]) {
      expect((await send(start, browser)).headers.get('location')).toBe('/content/graphql');
    }
    const page = await send(`${url}/graphql`, browser);
    expect(page.text).toContain('src="/content/graphql/explorer/files/a.js"');
  });

  it('serves a request that offers an upgrade to h2c over HTTP/1.1', async () => {
    const { url } = await open();

    const answered = new Promise<number | undefined>((resolve, reject) => {
      const headers = { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c' };
      const sent = request(`${url}/health`, { headers }, ({ statusCode }) => resolve(statusCode));
      sent.on('error', reject).end();
    });

    expect(await answered).toBe(200);
  });

  it('returns 404 for a WebSocket outside the base path', async () => {
    const { site } = await open();

    const refused = new Promise<number | undefined>((resolve) => {
      const headers = { connection: 'Upgrade', upgrade: 'websocket' };
      request(`${site.url}/graphql`, { headers }, ({ statusCode }) => resolve(statusCode)).end();
    });

    expect(await refused).toBe(404);
  });
});

// On Windows, a path names only a file.
describe.skipIf(process.platform === 'win32')('a unix socket', () => {
  const listenAt = async (socketPath: string) => {
    const { gateway } = await openGateway({ backend: 'faulty' });
    const server = await openHttpServer(gateway, { ...DEFAULTS.http, port: 0, socketPath });
    onTestFinished(async () => void (await server.close(0)));
    return server;
  };
  const fileIn = (): string => join(openFolder(), 'gateway.sock');
  const askAt = (socketPath: string) =>
    new Promise<string>((resolve, reject) => {
      const headers = { 'content-type': 'application/json', 'x-api-key': KEY };
      const options = { socketPath, path: '/graphql', method: 'POST', headers };
      const sent = request(options, (response) => {
        let text = '';
        response.on('data', (chunk: Buffer) => (text += chunk.toString()));
        response.on('end', () => resolve(text));
      });
      sent.on('error', reject).end(JSON.stringify({ query: QUERY }));
    });

  it('is listened on, even if a killed process left its file behind', async () => {
    const file = fileIn();
    const killed = createServer();
    await new Promise<void>((resolve) => killed.listen(file, resolve));
    // Leave the file as a killed process does.
    renameSync(file, `${file}.kept`);
    await new Promise((resolve) => killed.close(resolve));
    renameSync(`${file}.kept`, file);

    const server = await listenAt(file);

    expect(server.url).toBe(`http://unix:${file}:`);
    expect(await askAt(file)).toBe('{"data":{"person":{"name":"name"}}}');
  });

  it('fails with EADDRINUSE if another process listens on it or it is a regular file', async () => {
    const file = fileIn();
    await listenAt(file);
    await expect(listenAt(file)).rejects.toMatchObject({ code: 'EADDRINUSE' });
    expect(await askAt(file)).toContain('"data"');

    writeFileSync(`${file}.txt`, 'kept');
    await expect(listenAt(`${file}.txt`)).rejects.toMatchObject({ code: 'EADDRINUSE' });
    expect(readFileSync(`${file}.txt`, 'utf8')).toBe('kept');
  });
});
