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

let sent = 0;
beforeEach(() => {
  const stored = new Map<string, string>();
  vi.stubGlobal('localStorage', {
    getItem: (name: string) => stored.get(name) ?? null,
    setItem: (name: string, value: string) => void stored.set(name, value),
  });
  sent = 0;
  vi.stubGlobal('fetch', async () => Response.json({ data: { __schema: `version ${++sent}` } }));
});

it('the schema is requested once, cached for later pages, and requested again by "Re-fetch"', async () => {
  await (
    await load()
  )();
  const introspect = await load();

  expect((await introspect()).data.__schema).toBe('version 1');
  expect(sent).toBe(1);
  expect((await introspect()).data.__schema).toBe('version 2');
  expect((await introspect()).data.__schema).toBe('version 3');
});

it('a refetched schema is not stored under the id of the previous one', async () => {
  const introspect = await load();
  await introspect();
  await introspect();

  expect((await (await load())()).data.__schema).toBe('version 1');
  expect((await (await load('two'))()).data.__schema).toBe('version 3');
});
