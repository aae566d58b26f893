/** Rejections: their statuses and their body. */
import { request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { EXAMPLE_PAGE_ID } from '../../src/backend/seed/example.ts';
import { shareTestBackend, type CallOptions } from './support.ts';

const backend = shareTestBackend();
const { call } = backend;

const page = {
  actions: [],
  actionCardWidgets: [],
  brandId: 'brand',
  name: 'A page',
  pageContext: 'For a test.',
  pageType: 'inbound',
  scripts: [],
};

it.each([
  ['GET', '/v0/nothing', undefined, 404, {}],
  ['GET', '/elsewhere', undefined, 404, {}],
  ['GET', '/v0/pages/none', undefined, 404, { field: 'page_id' }],
  ['GET', '/v0/pages/%2e%2e%2faccounts', undefined, 404, { field: 'page_id' }],
  ['GET', '/v0/persons/none/logs', undefined, 404, { field: 'person_id' }],
  ['GET', `/v0/pages/${EXAMPLE_PAGE_ID}/audiences/none/versions`, undefined, 404, {}],
  ['GET', '/v0/pages/page_pricing/audiences/audience_northwind_01', undefined, 404, {}],
  ['GET', '/v0/topics?limit=0', undefined, 400, { field: 'limit' }],
  ['GET', '/v0/topics?limit=101', undefined, 400, { field: 'limit' }],
  ['GET', '/v0/topics?limit=many', undefined, 400, { field: 'limit' }],
  ['GET', '/v0/topics?limit=1.5', undefined, 400, { field: 'limit' }],
  ['GET', '/v0/topics?limit=1e1', undefined, 400, { field: 'limit' }],
  ['GET', '/v0/topics?limit=0xA', undefined, 400, { field: 'limit' }],
  ['GET', '/v0/topics?limit=%2010', undefined, 400, { field: 'limit' }],
  ['GET', '/v0/topics?limit=', undefined, 400, { field: 'limit' }],
  ['GET', '/v0/topics?limit=2&limit=3', undefined, 400, { field: 'limit' }],
  ['GET', '/v0/pages/search?limit=1e1', undefined, 400, { field: 'limit' }],
  ['GET', '/v0/topics?cursor=nonsense', undefined, 400, { field: 'cursor' }],
  ['GET', '/v0/topics?cursor=', undefined, 400, { field: 'cursor' }],
  ['GET', '/v0/accounts?includeEmptyOnly=yes', undefined, 400, { field: 'includeEmptyOnly' }],
  ['POST', '/v0/pages', '{', 400, { field: 'body' }],
  ['POST', '/v0/pages', '', 400, { field: 'body' }],
  ['POST', '/v0/pages', { ...page, name: '' }, 422, { field: 'name' }],
  ['POST', '/v0/pages', { ...page, pageType: 'other' }, 422, { field: 'pageType' }],
  ['POST', '/v0/pages', { ...page, surprise: 1 }, 422, { field: 'surprise' }],
  [
    'POST',
    '/v0/pages',
    { ...page, metadata: { ogImageUrl: 'x' } },
    422,
    { field: 'metadata.ogImageUrl' },
  ],
  ['POST', '/v0/pages', [], 422, { field: 'body' }],
  [
    'POST',
    `/v0/pages/${EXAMPLE_PAGE_ID}/audiences`,
    { actionUrlOverride: 'no' },
    422,
    { field: 'actionUrlOverride' },
  ],
  ['POST', '/v0/pages/page_old_launch/restore', { now: true }, 422, { field: 'now' }],
  ['PATCH', '/v0/topics/topic_01', { sortOrder: -1 }, 422, { field: 'sortOrder' }],
  ['PATCH', '/v0/topics/topic_01', { sortOrder: 2 ** 53 }, 422, { field: 'sortOrder' }],
  ['PATCH', '/v0/topics/topic_01', { title: '' }, 422, { field: 'title' }],
  ['POST', '/v0/topics/topic_01/entries', {}, 422, { field: 'content' }],
  ['PATCH', '/v0/topics/topic_01', { title: 'cut\0here' }, 422, { field: 'title' }],
  ['PATCH', '/v0/topics/topic_01', { title: 'half \ud800' }, 422, { field: 'title' }],
  [
    'POST',
    '/v0/topics/topic_01/entries',
    { content: { type: 'a', content: '\0' } },
    422,
    { field: 'content.content' },
  ],
  ['GET', '/v0/topics/topic_01%00', undefined, 404, { field: 'topic_id' }],
  ['GET', '/v0/accounts/search?query=%00', undefined, 400, { field: 'query' }],
  ['PUT', '/v0/topics/topic_01', {}, 405, {}],
  ['POST', '/v0/pages/search', {}, 405, {}],
  ['POST', `/v0/pages/${EXAMPLE_PAGE_ID}/restore`, {}, 409, { field: 'page_id' }],
  ['POST', '/v0/pages/page_old_launch/audiences', {}, 409, { field: 'page_id' }],
] as const)('rejects %s %s %o with %i', async (method, path, body, status, details) => {
  const answer = await call(path, { method, body });

  expect(answer.status).toBe(status);
  expect(answer.body).toEqual({
    code: expect.stringMatching(/^[a-z_]+$/),
    message: expect.any(String),
    requestId: answer.headers.get('x-request-id'),
    details: expect.objectContaining(details),
  });
});

it('rejects a body whose content type is not JSON with 415', async () => {
  const { status } = await call('/v0/pages', {
    method: 'POST',
    body: 'name=x',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });

  expect(status).toBe(415);
});

it.each([
  ['a content coding with 415', '{"title":"x"}', { 'content-encoding': 'gzip' }, 415],
  ['bytes that are not UTF-8 with 400', Buffer.from('{"title":"caf\xe9"}', 'latin1'), {}, 400],
])('rejects %s', async (_, body, headers, status) => {
  const answer = await fetch(`${backend.url}/v0/topics/topic_01`, {
    method: 'PATCH',
    headers: { 'x-api-key': 'demo', 'content-type': 'application/json', ...headers },
    body,
  });

  expect(answer.status).toBe(status);
});

it('rejects a body of more than a mebibyte with 413', async () => {
  const { status } = await call('/v0/pages', { method: 'POST', body: 'x'.repeat(1_048_577) });

  expect(status).toBe(413);
});

it('rejects a chunked body that grows beyond a mebibyte with 413', async () => {
  const status = await new Promise((resolve, reject) => {
    const headers = { 'x-api-key': 'demo', 'content-type': 'application/json' };
    const sent = request(`${backend.url}/v0/pages`, { method: 'POST', headers }, (response) => {
      resolve(response.statusCode);
      response.resume();
    });
    sent.on('error', reject);
    for (let part = 0; part < 20; part++) sent.write('x'.repeat(100_000));
    sent.end();
  });

  expect(status).toBe(413);
});

it.each([
  ['/v0/topics/topic_01', 'GET, HEAD, PATCH'],
  ['/v0/pages/search', 'GET, HEAD'],
  ['/v0/pages', 'POST'],
  [`/v0/pages/${EXAMPLE_PAGE_ID}/audiences`, 'POST, GET, HEAD'],
])('names the methods of %s in a 405', async (path, allowed) => {
  const { status, headers } = await call(path, { method: 'PUT' });

  expect(status).toBe(405);
  expect(headers.get('allow')).toBe(allowed);
});

it('lets no cache reuse a response for another key, or reuse an error', async () => {
  const cachesOf = async (path: string, options?: CallOptions) => {
    const { status, headers } = await call(path, options);
    return [status, headers.get('cache-control'), headers.get('vary')];
  };

  expect(await cachesOf('/v0/topics')).toEqual([200, 'private, no-cache', 'x-api-key']);
  for (const [path, status, options] of [
    ['/v0/topics', 401, { key: null }],
    ['/v0/topics/none', 404],
    ['/v0/nothing', 404],
    ['/v0/topics', 405, { method: 'DELETE' }],
    ['/v0/pages', 422, { method: 'POST', body: {} }],
  ] as const) {
    expect(await cachesOf(path, options)).toEqual([status, 'no-store', 'x-api-key']);
  }
  expect(await cachesOf('/v0/openapi.json', { key: null })).toEqual([200, null, null]);
});

describe('the id of a request', () => {
  it("is the caller's when it is valid", async () => {
    const { headers } = await call('/v0/topics', { headers: { 'x-request-id': 'trace-17.a' } });

    expect(headers.get('x-request-id')).toBe('trace-17.a');
  });

  it.each(['two words', 'x'.repeat(200), '<script>'])(
    'is a new id instead of the invalid %s',
    async (id) => {
      const { headers } = await call('/v0/topics', { headers: { 'x-request-id': id } });

      expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    },
  );
});

it('ignores an unknown query parameter', async () => {
  const { status, body } = await call('/v0/topics?limit=2&colour=blue');

  expect(status).toBe(200);
  expect(body.items).toHaveLength(2);
});

it('changes no page when it rejects the creation of one', async () => {
  const before = await call('/v0/pages/search?limit=100');

  await call('/v0/pages', { method: 'POST', body: { ...page, scripts: 'none' } });

  expect((await call('/v0/pages/search?limit=100')).body).toEqual(before.body);
});
