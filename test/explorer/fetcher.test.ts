/** GraphiQL's fetcher: the schema, and the key that the backend has rejected. */
import { afterAll, beforeEach, expect, it, vi } from 'vitest';

vi.stubGlobal('location', { origin: 'http://127.0.0.1:4000', pathname: '/graphql' });
vi.stubGlobal('addEventListener', () => {});

const INTROSPECTION = {
  query: '{ __schema { types { name } } }',
  operationName: 'IntrospectionQuery',
};
const SETTINGS = { introspection: 'on', explain: 'on', needsKey: true } as const;

/** A page that is loaded now, in a browser that keeps its storage. */
async function load(schemaId = 'one') {
  vi.resetModules();
  const { createFetcher } = await import('../../src/explorer/exchange/fetcher.ts');
  const fetcher = createFetcher({ ...SETTINGS, schemaId }, async (request) => request);
  return () => fetcher(INTROSPECTION) as Promise<{ data: { __schema: string } }>;
}

// Files share a process.
afterAll(() => {
  vi.unstubAllGlobals();
  vi.resetModules();
});

const sent: (readonly [url: string, cache: RequestCache])[] = [];
beforeEach(() => {
  sent.length = 0;
  vi.stubGlobal('fetch', async (url: string, { cache }: RequestInit) => {
    sent.push([url, cache!]);
    return Response.json({ data: { __schema: 'schema' } });
  });
});

it('the schema comes from the browser’s cache once per page, and from the gateway by "Re-fetch"', async () => {
  const introspect = await load();

  await introspect();
  await introspect();

  expect(sent.map(([, cache]) => cache)).toEqual(['force-cache', 'no-store']);
});

it('the schema has an entry in the browser’s cache for each of its ids', async () => {
  await (
    await load('one')
  )();
  await (
    await load('one')
  )();
  await (
    await load('two')
  )();

  const [one, again, two] = sent.map(([url]) => url);
  expect(again).toBe(one);
  expect(two).not.toBe(one);
});
