/** Compressed responses, and GET with validators. */
import { request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { negotiateCoding } from '../../src/gateway/operation/negotiation.ts';
import { cases } from '../support/cases.ts';
import { ok } from '../support/faults.ts';
import { IDS } from '../support/ids.ts';
import { openGateway, type InProcessGateway } from '../support/open-gateway.ts';
import { until } from '../support/until.ts';

const LARGE = `{ page(pageId: "${IDS.page}") { name audiences(first: 20) { nodes { id audienceId effectiveName status createdAt page { id name } latestVersion { id versionNumber status createdAt } } } } }`;
const SMALL = '{ __typename }';

interface Raw {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly bytes: Buffer;
}

/** A response as it was on the wire, since `fetch` decodes bodies. */
function raw(
  url: string,
  { method = 'GET', headers = {}, body }: { method?: string; headers?: object; body?: string } = {},
): Promise<Raw> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      url,
      { method, headers: { 'x-api-key': 'demo', ...headers } },
      (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('end', () =>
          resolve({
            status: incoming.statusCode!,
            headers: incoming.headers,
            bytes: Buffer.concat(chunks),
          }),
        );
      },
    );
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

const TRANSPORTS = ['POST', 'GET', 'fetch'] as const;

async function ask(
  site: InProcessGateway,
  transport: (typeof TRANSPORTS)[number],
  query: string,
  headers: Record<string, string> = {},
): Promise<Raw> {
  const get = `/graphql?query=${encodeURIComponent(query)}`;
  if (transport === 'GET') return raw(`${site.url}${get}`, { headers });
  if (transport === 'POST') {
    return raw(`${site.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ query }),
    });
  }
  const response = await site.gateway.fetch(
    new Request(`http://gateway${get}`, { headers: { 'x-api-key': 'demo', ...headers } }),
  );
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    bytes: Buffer.from(await response.arrayBuffer()),
  };
}

describe('compression', () => {
  describe.each(TRANSPORTS)('by %s', (transport) => {
    it.each([
      ['br, gzip', 'br', brotliDecompressSync],
      ['gzip, deflate', 'gzip', gunzipSync],
      ['gzip;q=1, br;q=0.5', 'gzip', gunzipSync],
      ['*', 'br', brotliDecompressSync],
      ['br;q=0, *', 'gzip', gunzipSync],
    ])('responds to Accept-Encoding "%s" with %s', async (accepted, coding, decode) => {
      const site = await openGateway();
      const plain = await ask(site, transport, LARGE);

      const { headers, bytes } = await ask(site, transport, LARGE, { 'accept-encoding': accepted });

      expect(headers['content-encoding']).toBe(coding);
      expect(headers['vary']).toMatch(/\baccept-encoding\b/);
      expect(decode(bytes).toString()).toBe(plain.bytes.toString());
      expect(bytes.length).toBeLessThan(plain.bytes.length / 4);
    });

    it.each(['', 'identity', 'br;q=0', 'deflate, zstd', 'identity;q=1, *;q=0'])(
      'does not compress a response for Accept-Encoding "%s"',
      async (accepted) => {
        const site = await openGateway();

        const { headers, bytes } = await ask(site, transport, LARGE, {
          'accept-encoding': accepted,
        });

        expect(headers['content-encoding']).toBeUndefined();
        expect(JSON.parse(bytes.toString()).errors).toBeUndefined();
      },
    );

    it('does not compress a response smaller than a kilobyte', async () => {
      const site = await openGateway();

      const { headers } = await ask(site, transport, SMALL, { 'accept-encoding': 'br' });

      expect(headers['content-encoding']).toBeUndefined();
    });

    it('compresses a repeated introspection query', async () => {
      const site = await openGateway();
      const query = '{ __schema { types { name description fields { name description } } } }';

      for (let i = 0; i < 2; i++) {
        const { bytes } = await ask(site, transport, query, { 'accept-encoding': 'br' });
        expect(JSON.parse(brotliDecompressSync(bytes).toString()).data.__schema).toBeDefined();
      }
    });
  });

  it('compresses at most 32 responses concurrently and sends further ones uncompressed', async () => {
    let waiting = 0;
    let release = (): void => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    const held = {
      onAnswer: () => {
        waiting += 1;
        return released;
      },
    };
    const site = await openGateway({
      arrange: ({ compression, ...others }) => ({ ...others, held, compression: compression! }),
    });
    const query = `{ ${Array.from({ length: 20 }, (_, i) => `${'a'.repeat(50)}${i}: __typename`).join(' ')} }`;
    const askOnce = () => ask(site, 'POST', query, { 'accept-encoding': 'br' });

    const replies = Array.from({ length: 40 }, askOnce);
    await until(() => waiting === 40);
    release();

    const codings = (await Promise.all(replies)).map(({ headers }) => headers['content-encoding']);
    expect(codings.filter((coding) => coding === 'br')).toHaveLength(32);
    expect(codings.filter((coding) => coding === undefined)).toHaveLength(8);
    expect((await askOnce()).headers['content-encoding']).toBe('br');
  });

  it('reveals nothing about an API key, since no response contains it', async () => {
    const site = await openGateway();

    const answers = [
      await ask(site, 'POST', LARGE),
      await ask(site, 'POST', '{ demo }'),
      await ask(site, 'POST', LARGE, { 'x-explain': 'true', 'x-api-key': 'demo-nobody' }),
    ];

    for (const { bytes } of answers) expect(bytes.toString()).not.toMatch(/demo-nobody|"demo"/);
  });

  it.each(['text/event-stream', 'multipart/mixed'])(
    'does not compress a stream: %s',
    async (accept) => {
      const site = await openGateway({ rest: { timeoutMs: 5_000 } });

      const { headers, bytes } = await ask(site, 'POST', LARGE, {
        accept,
        'accept-encoding': 'br',
      });

      // Yoga sends "none" with event streams.
      expect(headers['content-encoding'] ?? 'none').toBe('none');
      expect(bytes.toString()).toContain('Northwind launch');
    },
  );

  it('negotiates br, gzip or none for any Accept-Encoding', () => {
    fc.assert(
      fc.property(fc.string(), (accepted) => {
        expect(['br', 'gzip', undefined]).toContain(negotiateCoding(accepted));
      }),
    );
  });

  it('returns the same content to eighty concurrent requests', async () => {
    const site = await openGateway();

    const answers = await Promise.all(
      Array.from({ length: 80 }, () => ask(site, 'POST', LARGE, { 'accept-encoding': 'br' })),
    );

    const texts = answers.map(({ headers, bytes }) =>
      (headers['content-encoding'] === 'br' ? brotliDecompressSync(bytes) : bytes).toString(),
    );
    expect(new Set(texts).size).toBe(1);
  });
});

describe.each(['GET', 'fetch'] as const)('a query by GET (%s)', (transport) => {
  it('returns 304 with the same headers for the ETag of the same response', async () => {
    const site = await openGateway();
    const first = await ask(site, transport, LARGE, { 'accept-encoding': 'br' });
    const tag = first.headers['etag'] as string;

    const second = await ask(site, transport, LARGE, {
      'accept-encoding': 'br',
      'if-none-match': `"other", W/${tag}`,
    });

    expect(tag).toMatch(/^"[\w-]{24}-br"$/);
    expect(second.status).toBe(304);
    expect(second.bytes).toHaveLength(0);
    for (const name of ['etag', 'cache-control', 'vary']) {
      expect(second.headers[name]).toBe(first.headers[name]);
    }
    expect(first.headers['cache-control']).toBe('private, no-cache');
    expect(first.headers['vary']).toBe('x-api-key, accept, accept-encoding');
  });

  it('returns 304 for If-None-Match: *', async () => {
    const { status } = await ask(await openGateway(), transport, SMALL, { 'if-none-match': '*' });

    expect(status).toBe(304);
  });

  it('does not return 304 for If-Modified-Since', async () => {
    const site = await openGateway();

    const since = new Date(Date.now() + 60_000).toUTCString();
    const { status } = await ask(site, transport, SMALL, { 'if-modified-since': since });

    expect(status).toBe(200);
  });

  it('varies by Origin when CORS is on', async () => {
    const site = await openGateway({ http: { corsOrigins: ['https://app.example'] } });

    const { headers } = await ask(site, transport, SMALL, { origin: 'https://app.example' });

    expect(headers['vary']).toBe('x-api-key, accept, accept-encoding, Origin');
  });

  it.each<[what: string, query: string, headers: Record<string, string>]>([
    ['an error', '{ nothing }', {}],
    ['a rejected key', LARGE, { 'x-api-key': 'nobody' }],
    ['an explained response', LARGE, { 'x-explain': 'true' }],
    ['a plan', LARGE, { 'x-explain': 'plan' }],
    ['a mutation', 'mutation { restorePage(input: { id: "x" }) { page { id } } }', {}],
  ])('has Cache-Control: no-store and no ETag for %s', async (_, query, headers) => {
    const site = await openGateway();

    const answer = await ask(site, transport, query, { ...headers, 'if-none-match': '*' });

    expect(answer.status).not.toBe(304);
    expect(answer.headers['etag']).toBeUndefined();
    expect(answer.headers['cache-control']).toBe('no-store');
  });

  it('has Cache-Control: no-store and no ETag for a partial response', async () => {
    const site = await openGateway({ backend: 'faulty' });
    site.upstream.on('GET /v0/pages/p', ok({ pageId: 'p', title: 't' }));

    const answer = await ask(site, transport, '{ page(pageId: "p") { title audiencesCount } }');

    expect(JSON.parse(answer.bytes.toString()).errors).toHaveLength(1);
    expect(answer.headers['etag']).toBeUndefined();
    expect(answer.headers['cache-control']).toBe('no-store');
  });
});

it('returns 304 only for the same fields, encoding and content type', async () => {
  const site = await openGateway({ backend: 'faulty' });
  const pages = fc.record({
    name: fc.constantFrom('n', 'N', 'ñ', 'n'.repeat(2_000)),
    title: fc.constantFrom('u', 't', ''),
  });
  const callers = fc.record({
    'accept-encoding': fc.constantFrom('br', 'gzip', 'identity'),
    accept: fc.constantFrom('application/json', 'application/graphql-response+json'),
  });
  const asked = fc.record({ page: pages, caller: callers });

  await fc.assert(
    fc.asyncProperty(asked, asked, async (one, two) => {
      const ask = async ({ page, caller }: typeof one, tag?: string) => {
        site.upstream.on('GET /v0/pages/p', ok({ pageId: 'p', ...page }));
        const headers = { ...caller, ...(tag && { 'if-none-match': tag }) };
        const query = encodeURIComponent('{ page(pageId: "p") { name title } }');
        return raw(`${site.url}/graphql?query=${query}`, { headers });
      };
      const isCoded = one.page.name.length > 1_000;
      const same =
        JSON.stringify(one.page) === JSON.stringify(two.page) &&
        one.caller.accept === two.caller.accept &&
        (one.caller['accept-encoding'] === two.caller['accept-encoding'] || !isCoded);

      const { headers } = await ask(one);
      const tag = headers['etag'] as string;

      expect((await ask(two, tag)).status).toBe(same ? 304 : 200);
      expect((await ask(one, tag)).status).toBe(304);
    }),
    { numRuns: cases(25) },
  );
});

it('sends the same ETag to different keys for the same response', async () => {
  const site = await openGateway({ backend: 'faulty' });
  site.upstream.on('GET /v0/pages/p', ok({ pageId: 'p', title: 't' }));
  const query = encodeURIComponent('{ page(pageId: "p") { title } }');

  const tags = new Set<unknown>();
  for (const key of ['one', 'two']) {
    const headers = { 'x-api-key': key };
    tags.add((await raw(`${site.url}/graphql?query=${query}`, { headers })).headers['etag']);
  }

  expect([...tags]).toEqual([expect.any(String)]);
});
