/** T35, T39, T46, T47: the methods, media types, bodies and origins that are accepted over HTTP. */
import { once } from 'node:events';
import { cpSync, rmSync } from 'node:fs';
import { request, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { WebSocket } from 'ws';
import { openHttpServer } from '../../src/gateway/http/http-server.ts';
import { hasJsonType } from '../../src/gateway/operation/params.ts';
import { rawHttp } from '../faults/raw-http.ts';
import { openFolder } from '../support/folder.ts';
import { buildExplorer } from '../support/explorer-build.ts';
import { KEY, send } from '../support/client.ts';
import { held } from '../support/faults.ts';
import { openLog } from '../support/open-log.ts';
import { openGateway } from '../support/open-gateway.ts';
import { DEFAULTS } from '../support/settings.ts';
import { until } from '../support/until.ts';
import { world } from '../support/world.ts';

const QUERY = JSON.stringify({ query: '{ __typename }' });
const MUTATION = 'mutation { restorePage(input: { id: "x" }) { page { name } } }';

it('keeps an idle connection open for 65 seconds, longer than load balancers do', async () => {
  const { url } = await openGateway();

  const { headers } = await send(`${url}/health`, {});

  expect(headers.get('keep-alive')).toBe('timeout=65');
});

describe('CSRF protection', () => {
  it.each([
    ['a GET', 'GET', undefined, undefined],
    // One browser sends such a request without a preflight: GHSA-9q82-xgwf-vj6h.
    ['a GET with an odd media type', 'GET', 'message/rfc822', undefined],
    ['a GET with a media type that begins as JSON does', 'GET', 'application/jsonx', undefined],
    ['a GET with plain text', 'GET', 'text/plain;application/json', undefined],
    [
      'a form',
      'POST',
      'application/x-www-form-urlencoded',
      `query=${encodeURIComponent(MUTATION)}`,
    ],
    ['plain text', 'POST', 'text/plain', QUERY],
    ['a multipart form', 'POST', 'multipart/form-data; boundary=x', '--x--'],
  ])(
    'T47: rejects %s with CSRF_HEADER_MISSING and without a REST call',
    async (_what, method, type, body) => {
      const { url, restCalls } = await openGateway();
      const query = method === 'GET' ? `?query=${encodeURIComponent(MUTATION)}` : '';

      const reply = await send(`${url}/graphql${query}`, {
        method,
        headers: { ...(type && { 'content-type': type }) },
        ...(body && { body }),
      });

      expect([reply.status, reply.codes]).toEqual([403, ['CSRF_HEADER_MISSING']]);
      expect(restCalls).toEqual([]);
    },
  );

  it('serves a GET with a JSON content type, which requires a preflight', async () => {
    const { url } = await openGateway();

    const reply = await send(`${url}/graphql?query={__typename}`, {
      headers: { 'content-type': 'Application/JSON; charset=utf-8' },
    });

    expect(reply.body).toEqual({ data: { __typename: 'Query' } });
  });

  it.each(['x-api-key', 'x-graphql-yoga-csrf', 'apollo-require-preflight'])(
    'serves a GET with the header %s, which requires a preflight',
    async (header) => {
      const { url } = await openGateway();

      const reply = await send(`${url}/graphql?query={__typename}`, {
        headers: { [header]: 'demo' },
      });

      expect(reply.body).toEqual({ data: { __typename: 'Query' } });
    },
  );
});

describe('content negotiation', () => {
  it.each([
    ...['text/plain', 'application/xml', 'multipart/form-data; boundary=x', 'application/jsonx'],
    ...['application/graphql', 'application/graphql+json', 'application/graphql-response+json'],
  ])('T47: returns 415 for a body of type %s when an API key is sent', async (type) => {
    const { post } = await openGateway();

    const reply = await post(QUERY, { 'content-type': type, 'x-api-key': 'demo' });

    expect([reply.status, reply.codes]).toEqual([415, ['UNSUPPORTED_MEDIA_TYPE']]);
  });

  it('returns 406 to a client that accepts only an image', async () => {
    const { ask } = await openGateway();

    const reply = await ask('{ __typename }', { headers: { accept: 'image/png' } });

    expect([reply.status, reply.codes]).toEqual([406, ['NOT_ACCEPTABLE']]);
  });
});

it('rejects a mutation by GET with 405 and without a REST call', async () => {
  const { url, restCalls } = await openGateway();

  const reply = await send(`${url}/graphql?query=${encodeURIComponent(MUTATION)}`, {
    headers: { 'x-api-key': 'demo', accept: 'application/graphql-response+json' },
  });

  expect([reply.status, reply.headers.get('allow')]).toEqual([405, 'POST']);
  expect(restCalls).toEqual([]);
});

it.each([
  ['a query', '{ __typename }', 200],
  ['a mutation', 'mutation { __typename }', 405],
])(
  'responds to HEAD for %s with the headers of GET, over a socket and in process',
  async (_, query, status) => {
    const { url, gateway } = await openGateway();
    const path = `/graphql?${new URLSearchParams({ query })}`;
    const headers = {
      'x-api-key': 'demo',
      accept: 'application/graphql-response+json',
      'x-request-id': 'same',
    };
    const headOf = async (response: Response) => {
      const {
        date: _,
        connection: _of,
        'keep-alive': _hop,
        ...head
      } = Object.fromEntries(response.headers);
      return { status: response.status, head, text: await response.text() };
    };

    const got = await headOf(await fetch(url + path, { headers }));
    const head = await headOf(await fetch(url + path, { method: 'HEAD', headers }));
    const mounted = await headOf(
      await gateway.fetch(new Request(`http://gateway${path}`, { method: 'HEAD', headers })),
    );

    expect(got.status).toBe(status);
    expect(head).toEqual({ ...got, text: '' });
    expect([mounted.status, mounted.text]).toEqual([status, '']);
  },
);

it('responds with 426 and the proxy directives to set when a proxy drops a WebSocket upgrade', async () => {
  const { server } = await openGateway();
  const head =
    'GET /graphql HTTP/1.1\r\nHost: x\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n';

  const dropped = await rawHttp(server, `${head}Connection: close\r\n\r\n`);
  const halved = await rawHttp(server, `${head}Upgrade: websocket\r\nConnection: close\r\n\r\n`);

  for (const { status, text } of [dropped, halved]) {
    expect(status).toBe(426);
    expect(text).toMatch(/^upgrade: websocket\r$/im);
    expect(text).toContain('proxy_set_header Upgrade $http_upgrade');
  }
});

const NO_DOCUMENT = /`query` or `documentId`/;
const NO_BATCH = /^Batch/;
const NO_JSON = /JSON/;

it.each([
  ['POST', '/health', 405, 'GET, HEAD'],
  ['DELETE', '/metrics', 405, 'GET, HEAD'],
  ['PUT', '/graphql', 405, 'GET, HEAD, POST'],
  ['DELETE', '/graphql', 405, 'GET, HEAD, POST'],
  ['TRACE', '/health', 501, undefined],
])('responds to %s %s with %i and Allow: %s', async (method, path, status, allow) => {
  const { server } = await openGateway();

  // Not `fetch`, which sends no TRACE.
  const asked = request(server.url + path, { method }).end();
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  response.resume();

  expect([response.statusCode, response.headers['allow']]).toEqual([status, allow]);
});

describe('a request body', () => {
  it('T39: can contain unknown properties', async () => {
    const { post } = await openGateway();

    const reply = await post(
      '{"query":"{ __typename }","id":1,"documentId":"x","__proto__":null,"persisted":{"a":1}}',
    );

    expect([reply.status, reply.body]).toEqual([200, { data: { __typename: 'Query' } }]);
  });

  it.each([
    ['truncated JSON', '{"query":', NO_JSON],
    ['an empty body', '', NO_JSON],
    ['null', 'null', NO_DOCUMENT],
    ['a number', '7', NO_DOCUMENT],
    ['an object without a document', '{"variables":{}}', NO_DOCUMENT],
    ['an empty list', '[]', NO_BATCH],
    ['a list of ten', `[${Array(10).fill(QUERY).join()}]`, NO_BATCH],
    ['a list of lists', `[[${QUERY}]]`, NO_BATCH],
    ['a list of mutations', JSON.stringify(Array(2).fill({ query: MUTATION })), NO_BATCH],
    ['a query that is not a string', '{"query":{"a":1}}', NO_DOCUMENT],
    ['a documentId that is not a string', '{"documentId":1}', /^`documentId`/],
    [
      'an operationName that is not a string',
      '{"query":"{__typename}","operationName":1}',
      /^`operationName`/,
    ],
    [
      'variables that are not an object',
      '{"query":"{__typename}","variables":"x"}',
      /^`variables`/,
    ],
    ['extensions that are a list', '{"query":"{__typename}","extensions":[]}', /^`extensions`/],
    ['invalid UTF-8', Buffer.from('{"query":"{ __typename }","x":"\xff\xfe"}', 'latin1'), /UTF-8/],
    ['two byte order marks', `\uFEFF\uFEFF${QUERY}`, NO_JSON],
  ])(
    'T35, T46: is rejected with 400, the name of the invalid part, and no REST call: %s',
    async (_what, body, message) => {
      const { post, restCalls } = await openGateway();

      const replies = [
        await post(body, { 'x-api-key': 'demo' }),
        await post(body, { 'x-api-key': 'demo', accept: 'text/event-stream, application/json' }),
      ];

      for (const { status, codes, body: refused } of replies) {
        expect([status, codes]).toEqual([400, ['BAD_REQUEST']]);
        expect(refused.errors[0].message).toMatch(message);
      }
      expect(restCalls).toEqual([]);
    },
  );

  it.each([
    ['in one piece', 'x'.repeat(101_000)],
    ['in chunks', chunked(50_000_000)],
  ])(
    'is rejected with 413 and a closed connection when it exceeds the limit, sent %s',
    async (_what, body) => {
      const { post, ask } = await openGateway();

      const reply = await post(body);

      expect([reply.status, reply.codes]).toEqual([413, ['BODY_TOO_LARGE']]);
      expect(reply.headers.get('connection')).toBe('close');
      expect((await ask('{ __typename }')).status).toBe(200);
    },
  );

  it('is accepted up to maxBodyBytes and rejected one byte above it', async () => {
    const { post } = await openGateway({ http: { maxBodyBytes: 1_000 } });

    expect((await post(QUERY.padEnd(1_000))).status).toBe(200);
    expect((await post(QUERY.padEnd(1_001))).status).toBe(413);
  });

  it.each(['application/json', 'APPLICATION/JSON'])(
    'can start with a byte order mark, with the content type %s',
    async (type) => {
      const { post } = await openGateway();

      const { body } = await post(`\uFEFF${QUERY}`, { 'content-type': type });

      expect(body).toEqual({ data: { __typename: 'Query' } });
    },
  );

  it.each(['APPLICATION/JSON', 'application/json ; charset=utf-8'])(
    'is parsed as JSON with the content type %s',
    async (type) => {
      const { post } = await openGateway();

      const { status } = await post(QUERY, { 'content-type': type });

      expect(status).toBe(200);
    },
  );

  it('is not JSON when its content type has five million spaces, which are scanned only once', () => {
    // Backtracking from each blank would take hours.
    const type = `application/json${' '.repeat(5_000_000)}x`;

    const isJson = hasJsonType({ method: 'POST', headers: { 'content-type': type }, url: '' });

    expect(isJson).toBe(false);
  });

  it('does not keep its connection open when it is rejected after being read completely', async () => {
    const { server } = await openGateway();
    // Stop the timer that would end the connection.
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    onTestFinished(() => void vi.useRealTimers());

    const reply = await rawHttp(
      server,
      'POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n' +
        'connection: close\r\ncontent-length: 4\r\n\r\n{\xff\xfe}',
    );

    expect([reply.status, reply.closed]).toEqual([400, true]);
  });

  it.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
  ])('is rejected with 415 when it is compressed with %s', async (coding, compress) => {
    const { post } = await openGateway();

    const reply = await post(compress(QUERY), { 'content-encoding': coding });

    expect([reply.status, reply.codes]).toEqual([415, ['UNSUPPORTED_MEDIA_TYPE']]);
  });
});

it.each(['*', 'ftp://evil.example/graphql', 'http://me@evil.example/graphql', 'http:///graphql'])(
  'responds to the request target %s with a malformed Host with 400 or 404 and no stack trace',
  async (target) => {
    const { server } = await openGateway();

    const { text } = await rawHttp(
      server,
      `GET ${target} HTTP/1.1\r\nHost: %%%[\r\nConnection: close\r\n\r\n`,
    );

    expect(text).toMatch(/^HTTP\/1\.1 40[04]/);
    expect(text).not.toMatch(/at .*\.ts|node_modules/);
  },
);

describe('a request target in absolute form', () => {
  const get = (target: string, host: string) =>
    `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nx-api-key: demo\r\nConnection: close\r\n\r\n`;
  const query = '/graphql?query=%7B__typename%7D';

  it.each([`http://api.example${query}`, `HTTPS://api.example:8443${query}`])(
    'is served: %s',
    async (target) => {
      const { server } = await openGateway();

      const { status, text } = await rawHttp(server, get(target, 'another.example'));

      expect(status).toBe(200);
      expect(text).toContain('{"data":{"__typename":"Query"}}');
    },
  );

  it('is served under the base path and returns 404 without a path', async () => {
    const { server } = await openGateway({ http: { basePath: '/content' } });

    const served = await rawHttp(server, get(`http://a.example/content${query}`, 'a.example'));
    const elsewhere = await rawHttp(server, get('http://a.example?query=x', 'a.example'));

    expect([served.status, elsewhere.status]).toEqual([200, 404]);
  });

  it('is checked against the allowed hosts by its own host, not by the Host header', async () => {
    const { server } = await openGateway({ http: { allowedHosts: ['api.example'] } });

    const good = await rawHttp(server, get(`http://API.example:80${query}`, 'evil.example'));
    const bad = await rawHttp(server, get(`http://evil.example${query}`, 'api.example'));

    expect([good.status, bad.status]).toEqual([200, 421]);
    expect(bad.text).toContain('"evil.example\\"');
  });
});

describe('ALLOWED_HOSTS', () => {
  const open = async () => (await openGateway({ http: { allowedHosts: ['api.example'] } })).server;
  const get = (host: string) =>
    `GET /graphql?query=%7B__typename%7D HTTP/1.1\r\nHost: ${host}\r\nx-api-key: demo\r\nConnection: close\r\n\r\n`;

  it('allows a fully qualified name with a trailing dot', async () => {
    const server = await open();

    for (const host of ['api.example.', 'API.example.:443']) {
      expect((await rawHttp(server, get(host))).status, host).toBe(200);
    }
    for (const host of ['api.example..', '.api.example', 'api.example.x']) {
      expect((await rawHttp(server, get(host))).status, host).toBe(421);
    }
  });

  it('rejects a request that names several hosts', async () => {
    const { status, text } = await rawHttp(await open(), get('api.example\r\nHost: evil.example'));

    expect([status, text]).toEqual([400, expect.stringContaining('`Host`')]);
  });
});

describe('pipelined requests', () => {
  /** Lookups of persons on one connection, the first of which the backend holds back. */
  const pipeline = async () => {
    const gateway = await openGateway({ backend: 'faulty' });
    const first = held(world());
    gateway.upstream.on('GET /v0/persons/p0', first.behaviour);
    const requests = ['p0', 'p1', 'p2'].map((id) => {
      const query = encodeURIComponent(`{ person(personId: "${id}") { personId } }`);
      return `GET /graphql?query=${query} HTTP/1.1\r\nhost: x\r\nx-api-key: ${KEY}\r\n\r\n`;
    });
    const socket = connect(gateway.server.port, '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    let text = '';
    socket.on('data', (chunk) => (text += chunk.toString()));
    socket.write(requests.join(''));
    const persons = () => [...text.matchAll(/"personId":"(\w+)"/g)].map(([, id]) => id);
    const asked = () => gateway.upstream.seen.map(({ target }) => target.split('/').at(-1));
    await until(() => asked().length === 1);
    return { gateway, socket, release: first.release, persons, asked };
  };

  it('are served sequentially, including requests that arrive later', async () => {
    const { gateway, socket, release, persons, asked } = await pipeline();

    await gateway.ask('{ person(personId: "other") { personId } }');
    expect(asked()).toEqual(['p0', 'other']);
    release();
    await until(() => persons().length === 3);
    socket.write('GET /health HTTP/1.1\r\nhost: x\r\n\r\n');
    await once(socket, 'data');

    expect(persons()).toEqual(['p0', 'p1', 'p2']);
  });

  it('are dropped when their connection closes before they are processed', async () => {
    const { gateway, socket, release, asked } = await pipeline();

    socket.resetAndDestroy();
    release();
    await gateway.ask('{ person(personId: "other") { personId } }');
    await gateway.gateway.idle();

    expect(asked()).toEqual(['p0', 'other']);
  });
});

describe('a query by GET', () => {
  it.each(['/health', '/graphql/health', '/graphql'])(
    'can have a URL that ends with %s',
    async (end) => {
      const { url } = await openGateway();

      const { body } = await send(`${url}/graphql?query={__typename}&end=${end}`, {
        headers: { 'x-api-key': 'demo' },
      });

      expect(body).toEqual({ data: { __typename: 'Query' } });
    },
  );

  it.each([
    ['variables={', /JSON.*`variables`/],
    ['variables=7', /^`variables`/],
    ['extensions=x', /JSON.*`extensions`/],
  ])(
    'is rejected with 400 and the name of the invalid parameter for %s',
    async (parameter, message) => {
      const { url } = await openGateway();

      const reply = await send(`${url}/graphql?query={__typename}&${parameter}`, {
        headers: { 'x-api-key': 'demo', accept: 'application/graphql-response+json' },
      });

      expect([reply.status, reply.codes]).toEqual([400, ['BAD_REQUEST']]);
      expect(reply.body.errors[0].message).toMatch(message);
    },
  );
});

describe('CORS', () => {
  const preflight = {
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'x-api-key',
  };

  it('is off by default', async () => {
    const { url, ask } = await openGateway();
    const origin = 'https://evil.example';

    const asked = await send(`${url}/graphql`, {
      method: 'OPTIONS',
      headers: { origin, ...preflight },
    });
    const got = await ask('{ __typename }', { headers: { origin } });

    expect(asked.status).toBe(204);
    expect(asked.headers.get('access-control-allow-origin')).toBeNull();
    expect(got.headers.get('access-control-allow-origin')).toBeNull();
  });

  it.each([[['https://app.example']], [['https://app.example', 'https://b.example']]])(
    'T47: allows an origin of %j and no other, without credentials',
    async (corsOrigins) => {
      const { url } = await openGateway({ http: { corsOrigins } });
      const ask = (origin: string) =>
        send(`${url}/graphql`, { method: 'OPTIONS', headers: { origin, ...preflight } });

      const mine = await ask('https://app.example');
      const evil = await ask('https://evil.example');
      const nobody = await ask('null');

      expect(mine.headers.get('access-control-allow-origin')).toBe('https://app.example');
      expect(mine.headers.get('access-control-allow-headers')).toBe('x-api-key');
      expect(mine.headers.get('access-control-allow-credentials')).toBeNull();
      expect(mine.headers.get('vary')).toContain('Origin');
      for (const { headers } of [evil, nobody]) {
        expect([...headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual(
          [],
        );
      }
    },
  );
});

it.each([[[]], [['https://app.example']]])(
  'logs each origin that is not in %j once with CORS_ORIGINS, and no operation for preflights',
  async (corsOrigins) => {
    const { lines, logger } = openLog('info');
    const { url } = await openGateway({ http: { corsOrigins }, logger });
    const preflight = (origin: string) =>
      fetch(`${url}/graphql`, {
        method: 'OPTIONS',
        headers: { origin, 'access-control-request-method': 'POST' },
      });
    const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', {
      origin: 'https://sockets.example',
    });

    await once(socket, 'error');
    for (const origin of ['https://a.example', 'https://b.example', 'https://a.example']) {
      await preflight(origin);
    }

    expect(lines.map(({ level, origin }) => [level, origin])).toEqual([
      [40, 'https://sockets.example'],
      [40, 'https://a.example'],
      [40, 'https://b.example'],
    ]);
    for (const { msg } of lines) expect(msg).toContain('CORS_ORIGINS');
  },
);

describe('CORS for an allowed origin', () => {
  it.each<[string, { body?: unknown; headers?: Record<string, string> }, number]>([
    ['a body that is too large', { body: 'x'.repeat(101_000) }, 413],
    ['a body that is not UTF-8', { body: Buffer.from([0x7b, 0xff, 0x7d]) }, 400],
    [
      'a body of another media type',
      { headers: { 'content-type': 'image/png', 'x-api-key': 'k' } },
      415,
    ],
    ['a request that accepts only an image', { headers: { accept: 'image/png' } }, 406],
  ])(
    'lets pages read the error for %s, with a request id',
    async (_what, { headers, body = QUERY }, status) => {
      const origin = 'https://app.example';
      const { post } = await openGateway({ http: { corsOrigins: [origin] } });

      const reply = await post(body, { ...headers, origin });

      expect(reply.status).toBe(status);
      expect(reply.headers.get('access-control-allow-origin')).toBe(origin);
      expect(reply.headers.get('x-request-id')).toMatch(/./);
    },
  );

  it('responds to a preflight with 204 and without Content-Length', async () => {
    const { server } = await openGateway({ http: { corsOrigins: ['https://app.example'] } });

    const { status, text } = await rawHttp(
      server,
      'OPTIONS /graphql HTTP/1.1\r\nHost: x\r\nOrigin: https://app.example\r\nAccess-Control-Request-Method: POST\r\nConnection: close\r\n\r\n',
    );

    expect(status).toBe(204);
    expect(text).not.toMatch(/content-length/i);
  });
});

describe('GraphiQL', () => {
  /** The headers of a browser that opens a page. */
  const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

  const openPage = () =>
    openGateway({
      explorer: { folder: buildExplorer(), apiKey: 'demo', pageId: 'page_northwind' },
    });

  const filesOf = (html: string): string[] =>
    [...html.matchAll(/<(?:script|link)[^>]+(?:src|href)="(?!data:)([^"]+)"/g)].map(
      ([, file]) => file!,
    );

  it('is a page that loads nothing from other hosts and cannot be framed', async () => {
    const { url } = await openPage();

    const { status, text, headers } = await send(`${url}/graphql`, { headers: browser });

    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(text).toContain('<title>Content Pages · GraphiQL</title>');
    expect(text).toMatch(
      /"needsKey":true,"schemaId":"[\w-]{43}","apiKey":"demo","pageId":"page_northwind"/,
    );
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; .*connect-src 'self'.*frame-ancestors 'none'$/,
    );
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('x-request-id')).toMatch(/./);
    expect(filesOf(text)).not.toEqual([]);
    expect(filesOf(text).filter((file) => !file.startsWith('/graphql/explorer/'))).toEqual([]);
  });

  it.each(['br', 'gzip', 'identity'])(
    'serves its files as immutable with the encoding %s',
    async (encoding) => {
      const { url } = await openPage();
      const { text } = await send(`${url}/graphql`, { headers: browser });

      expect(filesOf(text)).not.toEqual([]);
      for (const file of filesOf(text)) {
        const {
          status,
          headers,
          text: body,
        } = await send(url + file, {
          headers: { 'accept-encoding': `${encoding}, ${encoding === 'br' ? 'gzip' : 'br'};q=0` },
        });

        expect(status).toBe(200);
        expect(headers.get('content-encoding') ?? 'identity').toBe(encoding);
        expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
        expect(headers.get('content-type')).toMatch(/^text\/(?:javascript|css)/);
        expect(body).toMatch(/[;}]/);
      }
    },
  );

  it('returns 404 for a file removed by a new build', async () => {
    const folder = openFolder();
    cpSync(buildExplorer(), folder, { recursive: true });
    const { url } = await openGateway({ explorer: { folder } });
    const { text } = await send(`${url}/graphql`, { headers: browser });
    const [file = ''] = filesOf(text);
    const before = await send(url + file);

    rmSync(join(folder, 'files'), { recursive: true });
    const after = await send(url + file);

    expect([before.status, after.status]).toEqual([200, 404]);
  });

  it('redirects browsers from / and returns 404 to other clients', async () => {
    const { url } = await openPage();

    const opened = await fetch(`${url}/`, { headers: browser, redirect: 'manual' });
    const asked = await send(`${url}/`);

    expect([opened.status, opened.headers.get('location')]).toEqual([302, '/graphql']);
    expect(asked.status).toBe(404);
  });

  it('serves no files outside its folder, and no page on other hosts or the admin port', async () => {
    const { url, gateway, server } = await openPage();
    const http = { ...DEFAULTS.http, port: 0 };
    const page = await send(`${url}/graphql`, { headers: browser });
    const name = filesOf(page.text)[0]!.split('/').at(-1)!;

    for (const path of [
      ...[`./${name}`, `a/../${name}`, `%${name.charCodeAt(0).toString(16)}${name.slice(1)}`],
      ...['../index.html', '..%2Findex.html', '..%252Findex.html', '/../../index.html'],
      ...['../../main.js', 'index.html', 'no.js', ''],
    ]) {
      const { status } = await rawHttp(
        server,
        `GET /graphql/explorer/files/${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
      );
      expect(status, path).toBe(404);
    }
    const named = await openHttpServer(gateway, { ...http, allowedHosts: ['gateway.example'] });
    onTestFinished(() => void named.close(0));
    expect((await send(`${named.url}/graphql`, { headers: browser })).status).toBe(421);
    const admin = await openHttpServer(gateway.admin, http);
    onTestFinished(() => void admin.close(0));
    expect((await send(`${admin.url}/graphql`, { headers: browser })).status).toBe(404);
  });

  it.each([
    ['when it is switched off', { tools: { graphiql: false } }, 'GRAPHIQL=off'],
    ['when it was not built', { explorer: { folder: '/nowhere' } }, 'npm ci'],
    ['when no build is configured', {}, 'npm ci'],
  ] as const)(
    'explains on its page why it is unavailable %s, while GraphQL is still served',
    async (_when, options, sentence) => {
      const { url } = await openGateway(options);

      const page = await send(`${url}/graphql`, { headers: browser });
      const query = await send(`${url}/graphql?query={__typename}`, {
        headers: { ...browser, 'apollo-require-preflight': '1' },
      });

      expect([page.status, page.headers.get('content-type')]).toEqual([
        404,
        'text/html; charset=utf-8',
      ]);
      expect(page.text).toContain(sentence);
      expect(query.body).toEqual({ data: { __typename: 'Query' } });
    },
  );
});

function chunked(bytes: number): ReadableStream {
  let left = bytes;
  return new ReadableStream({
    pull(controller) {
      if (left <= 0) controller.close();
      else controller.enqueue(new Uint8Array(64_000));
      left -= 64_000;
    },
  });
}
