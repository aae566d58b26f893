/** The contract of the routes: shapes, timestamps, counts, the served set, OpenAPI. */
import { describe, expect, it } from 'vitest';
import { EXAMPLE_PAGE_ID } from '../../src/backend/seed/example.ts';
import { SLUG_PATTERN } from '../../src/v0/schemas/log.ts';
import { routes } from '../../src/v0/routes.ts';
import type { RouteName } from '../../src/v0/routes.ts';
import { openTestBackend, shareTestBackend, walk } from './support.ts';
import type { CallOptions } from './support.ts';

const HOLES: Record<string, string> = {
  page_id: EXAMPLE_PAGE_ID,
  audience_id: 'audience_northwind_01',
  version_id: 'version_northwind_01_v2',
  topic_id: 'topic_01',
  account_id: 'account_harborlight_logistics',
  account_log_id: 'alog_harborlight_logistics_1',
  person_id: 'person_ada_lindqvistova',
  person_log_id: 'plog_ada_lindqvistova_1',
};

/** Objects for routes that need an archived page, or would change what other routes read. */
const OTHER_HOLES: Partial<Record<RouteName, Record<string, string>>> = {
  restorePage: { page_id: 'page_old_fair' },
  archiveAudience: { audience_id: 'audience_northwind_02' },
};

const BODIES: Partial<Record<RouteName, unknown>> = {
  createPage: {
    actions: [],
    actionCardWidgets: [],
    brandId: 'brand',
    name: 'New',
    pageContext: 'New.',
    pageType: 'custom',
    scripts: [],
  },
  restorePage: {},
  createAudience: { customName: 'New' },
  publishVersion: { operationKey: 'contract' },
  updateTopic: { title: 'New' },
  createTopicEntry: { content: { type: 'text', content: 'New.' } },
};

const NAMES = Object.keys(routes) as RouteName[];

/** The number of routes in the API spec. */
const DOCUMENT_ROUTES = 20;

function requestOf(name: RouteName): [path: string, options: CallOptions] {
  const { method, path } = routes[name];
  const parameters = { ...HOLES, ...OTHER_HOLES[name] };
  const filled = path.replaceAll(
    /\{(\w+)\}/g,
    (_, parameter: string) => parameters[parameter] ?? '',
  );
  return [filled, { method, ...(name in BODIES && { body: BODIES[name] }) }];
}

describe.each(['document', 'iso'] as const)('with %s timestamps', (timestamps) => {
  const { call } = shareTestBackend({ timestamps });

  it.each(NAMES)('%s returns exactly its documented shape', async (name) => {
    const { status, body } = await call(...requestOf(name));

    expect(status).toBe(name.startsWith('create') ? 201 : 200);
    // Parsing drops unknown fields, so equality means that there were none.
    expect(routes[name].response.parse(body)).toEqual(body);
    const moments = [...JSON.stringify(body).matchAll(/"\w+At":"([^"]+)"/g)].map(
      ([, text]) => text,
    );
    for (const moment of moments) {
      expect(moment).toMatch(
        timestamps === 'iso' ? /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/ : /^\+[1-9]\d{1,14}$/,
      );
    }
  });
});

it('writes the same moment as a document timestamp and as an ISO timestamp', async () => {
  const document = await openTestBackend();
  const iso = await openTestBackend({ timestamps: 'iso' });

  const one = await document.call('/v0/topics/topic_01');
  const other = await iso.call('/v0/topics/topic_01');

  expect(Date.parse(other.body.createdAt)).toBe(Number(one.body.createdAt));
});

it('serves only the routes of the API spec when configured to', async () => {
  const { call } = await openTestBackend({ routes: 'document' });

  const answers = await Promise.all(
    NAMES.map(async (name) => [name, (await call(...requestOf(name))).status] as const),
  );

  const served = answers.filter(([, status]) => status < 300).map(([name]) => name);
  expect(served).toEqual(NAMES.filter((name) => routes[name].set === 'document'));
  expect(served).toHaveLength(DOCUMENT_ROUTES);
  for (const [, status] of answers) expect([200, 201, 404, 405]).toContain(status);
});

it('describes every route in OpenAPI without requiring a key', async () => {
  const { call } = await openTestBackend();

  const { status, body } = await call('/v0/openapi.json', { key: null });

  expect(status).toBe(200);
  expect(body.openapi).toBe('3.1.0');
  for (const name of NAMES) {
    const { method, path } = routes[name];
    const operation = body.paths[path][method.toLowerCase()];
    expect(operation.operationId).toBe(name);
    expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining(['401', '404', '500']));
    expect('requestBody' in operation).toBe('body' in routes[name]);
  }
  const references = [...JSON.stringify(body).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)];
  const known = Object.keys(body.components.schemas);
  expect(references.filter(([, name]) => !known.includes(name ?? ''))).toEqual([]);
  expect(references.length).toBeGreaterThan(NAMES.length);
  expect(JSON.stringify(body)).not.toContain('"$id"');
});

it.each(['document', 'iso'] as const)(
  'describes servers, summaries, tags, open responses and valid examples with %s timestamps in OpenAPI',
  async (timestamps) => {
    const { call, url } = await openTestBackend({ timestamps });

    const { body } = await call('/v0/openapi.json', { key: null });

    expect(body.servers).toEqual([{ url }]);
    const tags = new Set(body.tags.map(({ name }: any) => name));
    for (const name of NAMES) {
      const { method, path, response } = routes[name];
      const operation = body.paths[path][method.toLowerCase()];
      expect(operation.summary).toMatch(/^[A-Z][a-z ]+$/);
      expect(operation.tags.every((tag: string) => tags.has(tag))).toBe(true);
      const status = name.startsWith('create') ? '201' : '200';
      const { example } = operation.responses[status].content['application/json'];
      expect(response.parse(example)).toEqual(example);
    }
    const [pageId] = body.paths[routes.getPage.path].get.parameters;
    expect(pageId).toMatchObject({ name: 'page_id', example: expect.any(String) });
    const { Page, CreatePageBody } = body.components.schemas;
    expect(Page).not.toHaveProperty('additionalProperties');
    expect(CreatePageBody.additionalProperties).toBe(false);
    expect(Page.properties.archivedAt).toMatchObject(
      timestamps === 'iso' ? { format: 'date-time' } : { pattern: '^\\+[1-9]\\d{1,14}$' },
    );
  },
);

it('describes no route in OpenAPI that it does not serve', async () => {
  const { call } = await openTestBackend({ routes: 'document' });

  const { body } = await call('/v0/openapi.json');

  const operations = Object.values<object>(body.paths).flatMap((path) => Object.keys(path));
  expect(operations).toHaveLength(DOCUMENT_ROUTES);
});

it('returns counts and the latest activity that match the rows', async () => {
  const { call } = await openTestBackend();
  const { items: accounts } = await walk(call, '/v0/accounts', 100);
  const { items: persons } = await walk(call, '/v0/persons', 100);

  expect(accounts.length).toBeGreaterThan(12);
  expect(persons.length).toBeGreaterThan(12);
  for (const account of accounts) {
    const linked = persons.filter(({ domain }) => domain === account['domain']);
    expect(account['linkedPersonsCount']).toBe(linked.length);
  }
  for (const { accountId, latestActivityAt } of accounts.slice(0, 12)) {
    const path = `/v0/accounts/${String(accountId)}`;
    const activity = await call(`${path}/activity?includePersonActivity=true&limit=1`);
    expect(latestActivityAt).toBe(activity.body.items[0]?.createdAt ?? null);
    expect((await call(path)).body.latestActivityAt).toBe(latestActivityAt);
  }
  const page = await call(`/v0/pages/${EXAMPLE_PAGE_ID}`);
  const audiences = await walk(call, `/v0/pages/${EXAMPLE_PAGE_ID}/audiences`, 100);
  expect(page.body.audiencesCount).toBe(audiences.items.length);
});

it('seeds the same sample data every time, with enough rows of each kind', async () => {
  const one = await openTestBackend();
  const other = await openTestBackend();
  const lists = ['/v0/accounts', '/v0/persons', '/v0/topics', '/v0/page_links'];

  const { items } = await walk(one.call, `/v0/pages/${EXAMPLE_PAGE_ID}/audiences`, 100);
  const totals = await Promise.all(
    lists.map(async (path) => {
      const first = await walk(one.call, path, 100);
      expect((await walk(other.call, path, 100)).items).toEqual(first.items);
      return first.items.length;
    }),
  );

  expect(totals[0]).toBeGreaterThanOrEqual(60);
  expect(totals[1]).toBeGreaterThanOrEqual(150);
  expect(totals[2]).toBeGreaterThanOrEqual(30);
  expect(totals[3]).toBeGreaterThanOrEqual(25);
  expect(items.length).toBeGreaterThanOrEqual(40);
  expect(new Set(items.map(({ personId }) => personId)).size).toBeGreaterThan(12);
  expect(new Set(items.map(({ status }) => status)).size).toBeGreaterThanOrEqual(4);
});

it('seeds logs whose sources and types match the slug pattern', async () => {
  const { call } = await openTestBackend();

  const { items } = await walk(
    call,
    '/v0/accounts/account_harborlight_logistics/activity?includePersonActivity=true',
    100,
  );

  expect(items.length).toBeGreaterThan(10);
  for (const { source, type } of items) {
    expect(source).toMatch(SLUG_PATTERN);
    expect(type).toMatch(SLUG_PATTERN);
  }
});

it('reports each request to a known path with its query and without its key', async () => {
  const lines: string[] = [];
  const { call } = await openTestBackend({ onRequest: (line) => lines.push(line) });

  await call('/v0/topics?limit=3');
  await call(`/v0/pages/${EXAMPLE_PAGE_ID}/restore`, { method: 'POST', body: {} });
  await call('/elsewhere');

  expect(lines).toEqual(['GET /v0/topics?limit=3', `POST /v0/pages/${EXAMPLE_PAGE_ID}/restore`]);
});

it('delays a response by the configured latency', async () => {
  const { call } = await openTestBackend({ latencyMs: 80 });

  const startedAt = performance.now();
  await call('/v0/topics?limit=1');

  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(75);
});
