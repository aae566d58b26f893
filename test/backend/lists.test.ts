/** Lists: their pages, order, cursors and filters, and the search for pages. */
import { describe, expect, it } from 'vitest';
import { EXAMPLE_PAGE_ID } from '../../src/backend/seed/example.ts';
import { openTestBackend, shareTestBackend, walk } from './support.ts';

const { call } = shareTestBackend();

const AUDIENCES = `/v0/pages/${EXAMPLE_PAGE_ID}/audiences`;

const LISTS = [
  ['/v0/accounts', 'accountId'],
  ['/v0/accounts?includeEmptyOnly=true', 'accountId'],
  ['/v0/accounts/search?query=HARBOR', 'accountId'],
  ['/v0/accounts/account_harborlight_logistics/logs', 'accountLogId'],
  ['/v0/accounts/account_harborlight_logistics/logs?includeDeleted=true', 'accountLogId'],
  ['/v0/accounts/account_harborlight_logistics/activity?includePersonActivity=true', 'activityId'],
  ['/v0/persons', 'personId'],
  ['/v0/persons/person_ada_lindqvistova/logs', 'personLogId'],
  [AUDIENCES, 'audienceId'],
  [`${AUDIENCES}/audience_northwind_06/versions`, 'versionId'],
  ['/v0/topics', 'topicId'],
  ['/v0/page_links', 'pageLinkId'],
  [`/v0/page_links?pageId=${EXAMPLE_PAGE_ID}`, 'pageLinkId'],
] as const;

describe.each(LISTS)('%s', (path, id) => {
  it('visits every row once in pages of three', async () => {
    const whole = await walk(call, path, 100);

    const { items, totals, lastCursor } = await walk(call, path, 3);

    const ids = items.map((item) => item[id]);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toEqual(whole.items.map((item) => item[id]));
    expect(new Set(totals)).toEqual(new Set([items.length]));
    expect(items.length).toBeGreaterThan(0);
    expect(lastCursor).toBeNull();
  });
});

it.each([1, 3, 10])(
  'skips and repeats no row while rows are added, in pages of %i',
  async (limit) => {
    const { call } = await openTestBackend();
    const before = await walk(call, AUDIENCES, 100);

    const { items } = await walk(call, AUDIENCES, limit, async (page) => {
      if (page < 3) await call(AUDIENCES, { method: 'POST', body: { publishBehavior: 'draft' } });
    });

    const ids = items.map(({ audienceId }) => audienceId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.slice(0, before.items.length)).toEqual(
      before.items.map(({ audienceId }) => audienceId),
    );
    expect(ids.length).toBe(before.items.length + 3);
  },
);

it('returns 20 rows by default', async () => {
  const { body } = await call('/v0/persons');

  expect(body.items).toHaveLength(20);
});

it('orders audiences by age, versions from newest to oldest, and topics by sort order', async () => {
  const audiences = await walk(call, AUDIENCES, 100);
  const versions = await walk(call, `${AUDIENCES}/audience_northwind_06/versions`, 100);
  const topics = await walk(call, '/v0/topics', 100);

  const ages = audiences.items.map(({ createdAt }) => Number(createdAt));
  expect(ages).toEqual(ages.toSorted((a, b) => a - b));
  const numbers = versions.items.map(({ versionNumber }) => Number(versionNumber));
  expect(numbers).toEqual(numbers.map((_, index) => numbers.length - index));
  const orders = topics.items.map(({ sortOrder }) => Number(sortOrder));
  expect(orders).toEqual(orders.toSorted((a, b) => a - b));
});

it.each([
  ['another list', '/v0/persons'],
  ['other filters', '/v0/accounts?includeEmptyOnly=true'],
  ['a search', '/v0/accounts/search'],
])('rejects a cursor of the accounts on %s', async (_, path) => {
  const { body } = await call('/v0/accounts?limit=1');

  const { status } = await call(
    `${path}${path.includes('?') ? '&' : '?'}cursor=${body.nextCursor}`,
  );

  expect(status).toBe(400);
});

it.each(['=', '!', '%0A'])('rejects a cursor with %s appended to it', async (added) => {
  const first = await call('/v0/accounts?limit=1');

  const { status } = await call(`/v0/accounts?cursor=${first.body.nextCursor}${added}`);

  expect(status).toBe(400);
});

it('accepts a cursor with another limit', async () => {
  const first = await call('/v0/accounts?limit=1');

  const second = await call(`/v0/accounts?limit=5&cursor=${first.body.nextCursor}`);

  expect(second.body.items).toHaveLength(5);
});

describe('filters', () => {
  it('hide deleted logs without includeDeleted', async () => {
    const path = '/v0/accounts/account_harborlight_logistics/logs';

    const live = await walk(call, path, 100);
    const all = await walk(call, `${path}?includeDeleted=true`, 100);

    expect(live.items.every(({ deletedAt }) => deletedAt === null)).toBe(true);
    expect(all.items.some(({ deletedAt }) => deletedAt !== null)).toBe(true);
    expect(all.items.filter(({ deletedAt }) => deletedAt === null)).toEqual(live.items);
  });

  it("keep the persons' logs out of an account's activity without includePersonActivity", async () => {
    const path = '/v0/accounts/account_harborlight_logistics';

    const own = await walk(call, `${path}/activity`, 100);
    const both = await walk(call, `${path}/activity?includePersonActivity=true`, 100);
    const logs = await walk(call, `${path}/logs`, 100);

    expect(own.items.map(({ accountLogId }) => accountLogId)).toEqual(
      logs.items.map(({ accountLogId }) => accountLogId),
    );
    expect(both.items.filter(({ personId }) => personId === null)).toEqual(own.items);
    expect(both.items.some(({ personName }) => personName === 'Ada Lindqvistova')).toBe(true);
  });

  it('find accounts by a case-insensitive part of the domain, and read % literally', async () => {
    const { items } = await walk(call, '/v0/accounts/search?query=QUILLmere-foods', 100);
    const none = await walk(call, '/v0/accounts/search?query=%25', 100);

    expect(items.map(({ domain }) => domain)).toEqual(['quillmere-foods.example']);
    expect(none.items).toEqual([]);
  });

  it('show only accounts without persons with includeEmptyOnly', async () => {
    const all = await walk(call, '/v0/accounts', 100);
    const empty = await walk(call, '/v0/accounts?includeEmptyOnly=true', 100);

    expect(empty.items).toEqual(all.items.filter((account) => account['linkedPersonsCount'] === 0));
  });

  it('select page links by page, path and domain', async () => {
    const fallback = await walk(call, '/v0/page_links', 100);
    const custom = await walk(call, '/v0/page_links?tenantDomainId=domain_demo_custom', 100);
    const ofPage = await walk(call, `/v0/page_links?pageId=${EXAMPLE_PAGE_ID}`, 100);
    const path = String(ofPage.items[0]?.['path']);
    const ofPath = await walk(call, `/v0/page_links?path=${encodeURIComponent(path)}`, 100);
    const ofNone = await walk(call, '/v0/page_links?pageId=none', 100);

    const domains = (links: typeof fallback) =>
      new Set(links.items.map(({ tenantDomainId }) => tenantDomainId));
    expect(domains(fallback)).toEqual(new Set(['domain_demo_fallback']));
    expect(domains(custom)).toEqual(new Set(['domain_demo_custom']));
    expect(ofPage.items.length).toBeGreaterThan(5);
    expect(ofPage.items.every(({ path }) => String(path).startsWith('/northwind/'))).toBe(true);
    expect(ofPath.items).toEqual([ofPage.items[0]]);
    expect(ofNone.items).toEqual([]);
    expect(fallback.items.every(({ deletedAt }) => deletedAt === null)).toBe(true);
  });
});

describe('the search for pages', () => {
  it('returns the best match first, and no archived page', async () => {
    const pricing = await call('/v0/pages/search?query=pricing');
    const launch = await call('/v0/pages/search?query=launch');

    expect(pricing.body.items.map(({ pageId }: { pageId: string }) => pageId)).toEqual([
      'page_pricing',
      'page_pricing_enterprise',
    ]);
    expect(launch.body.items).toEqual([
      {
        pageId: EXAMPLE_PAGE_ID,
        name: 'Northwind launch',
        pageType: 'inbound',
        audiencesCount: 48,
      },
    ]);
  });

  it.each([
    ['die ärzte', 'Die Ärzte'],
    ['ДЖАЗ', 'Зимний джаз'],
    ['ελλησ', 'ΕΛΛΗΣΠΟΝΤΟΣ'],
    ['ZU\u0308RICH', 'Zürich'],
    ['Zürich', 'Zu\u0308rich'],
    ['straße', 'Hauptstraße 1'],
    ['[a-z]*?^]', 'Rule [A-Z]*?^]'],
  ])('finds %s in %s, ignoring letter case', async (query, name) => {
    const { call } = await openTestBackend();
    const body = { brandId: 'b', name, pageContext: 'c', pageType: 'inbound' };
    const lists = { actions: [], actionCardWidgets: [], scripts: [], footerLinks: [] };
    await call('/v0/pages', { method: 'POST', body: { ...body, ...lists } });

    const found = await call(`/v0/pages/search?query=${encodeURIComponent(query)}`);

    expect(found.body.items).toMatchObject([{ name }]);
  });

  it('returns all pages for a query without words, up to the limit', async () => {
    const all = await call('/v0/pages/search');
    const three = await call('/v0/pages/search?query=%20&limit=3');

    expect(all.body.items).toHaveLength(12);
    expect(three.body.items).toEqual(all.body.items.slice(0, 3));
  });
});
