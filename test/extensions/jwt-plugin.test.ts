/** `@graphql-yoga/plugin-jwt` over every transport: who has no token is rejected, with one code. */
import { createHmac } from 'node:crypto';
import {
  createInlineSigningKeyProvider,
  extractFromConnectionParams,
  extractFromHeader,
  useJWT,
} from '@graphql-yoga/plugin-jwt';
import { expect, it } from 'vitest';
import { createMcp } from '../../src/extensions/mcp/mcp.extension.ts';
import { openSocket } from '../live/support.ts';
import { KEY } from '../support/client.ts';
import { openFolder } from '../support/folder.ts';
import { openGateway, type InProcessGateway } from '../support/open-gateway.ts';
import { until } from '../support/until.ts';

const SECRET = 'a secret that is long enough for a test';
const QUERY = 'query Page { page(pageId: "p") { name ... @defer(label: "more") { title } } }';

/** What a caller with a token, or without one, receives. */
type Ask = (site: InProcessGateway, token: string | undefined) => Promise<string>;

const headersOf = (token: string | undefined, accept: string) => ({
  ...{ 'x-api-key': KEY, 'content-type': 'application/json', accept },
  ...(token !== undefined && { authorization: `Bearer ${token}` }),
});

const byPost =
  (accept: string): Ask =>
  async ({ url }, token) =>
    (
      await fetch(`${url}/graphql`, {
        method: 'POST',
        headers: headersOf(token, accept),
        body: JSON.stringify({ query: QUERY }),
      })
    ).text();

const search = new URLSearchParams({ query: QUERY });

const TRANSPORTS: Readonly<Record<string, Ask>> = {
  POST: byPost('application/json'),
  GET: async ({ url }, token) =>
    (
      await fetch(`${url}/graphql?${search}`, { headers: headersOf(token, 'application/json') })
    ).text(),
  'server-sent events': byPost('text/event-stream'),
  parts: byPost('multipart/mixed'),
  'a mounted gateway': async ({ gateway }, token) => {
    const headers = headersOf(token, 'application/json');
    const request = new Request(`http://gateway/graphql?${search}`, { headers });
    return (await gateway.fetch(request)).text();
  },
  WebSocket: async ({ url }, token) => {
    const socket = await openSocket(url, { payload: { 'x-api-key': KEY, token } });
    socket.send({ id: '1', type: 'subscribe', payload: { query: QUERY } });
    await until(() => socket.received('next').length + socket.received('error').length > 0);
    socket.socket.terminate();
    return JSON.stringify([...socket.received('next'), ...socket.received('error')]);
  },
  MCP: async ({ url }, token) => {
    const headers = headersOf(token, 'application/json, text/event-stream');
    const params = { name: 'Page', arguments: {} };
    const response = await fetch(`${url}/mcp`, {
      method: 'POST',
      headers: { ...headers, 'mcp-protocol-version': '2025-06-18' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
    });
    return response.text();
  },
};

it.each(Object.entries(TRANSPORTS))(
  'rejects a request without a valid token as UNAUTHENTICATED, and serves one with it, by %s',
  async (_, ask) => {
    const jwt: object = useJWT({
      signingKeyProviders: [createInlineSigningKeyProvider(SECRET)],
      tokenVerification: { algorithms: ['HS256'] },
      tokenLookupLocations: [
        extractFromHeader({ name: 'authorization', prefix: 'Bearer' }),
        extractFromConnectionParams({ name: 'token' }),
      ],
    });
    const tools = openFolder({
      'agents.json': { Page: 'query Page { page(pageId: "p") { name } }' },
    });
    const site = await openGateway({
      backend: 'faulty',
      plugins: [jwt],
      extensions: [{ routes: (core) => ({ '/mcp': createMcp(tools, '1', core) }) }],
    });

    const refused = [await ask(site, undefined), await ask(site, tokenOf('another secret'))];
    const served = await ask(site, tokenOf(SECRET));

    for (const text of refused)
      expect(text.replaceAll('\\', '')).toContain('"code":"UNAUTHENTICATED"');
    expect(site.upstream.hits()).toBe(1);
    expect(served).toMatch(/\\?"name\\?":\\?"name\\?"/);
  },
);

/** A token that is valid for a minute. */
function tokenOf(secret: string): string {
  const encode = (value: object): string =>
    Buffer.from(JSON.stringify(value)).toString('base64url');
  const exp = Math.floor(Date.now() / 1_000) + 60;
  const text = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode({ sub: 'someone', exp })}`;
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
}
