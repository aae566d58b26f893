/** Keys and tenants: authentication, and the separation of data. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { EXAMPLE_PAGE_ID } from '../../src/backend/seed/example.ts';
import { OTHER_API_KEY } from '../support/ids.ts';
import { openTestBackend, temporaryDatabase, walk } from './support.ts';

it.each([
  ['no key', null],
  ['an unknown key', 'demo-three'],
  ['an empty key', ''],
])('rejects %s with 401', async (_, key) => {
  const { call } = await openTestBackend();

  const { status, body } = await call('/v0/topics', { key });

  expect(status).toBe(401);
  expect(body.code).toBe('unauthorized');
});

it.each(['/v0/accounts', '/v0/persons', '/v0/topics', '/v0/page_links'])(
  'shows no row of one tenant to another in %s',
  async (path) => {
    const { call } = await openTestBackend();

    const mine = await walk(call, path, 100);
    const theirs = await walk((path) => call(path, { key: OTHER_API_KEY }), path, 100);

    const ids = new Set(mine.items.map((item) => Object.values(item)[0]));
    expect(theirs.items.length).toBeGreaterThan(0);
    expect(theirs.items.filter((item) => ids.has(Object.values(item)[0]))).toEqual([]);
    expect(theirs.totals[0]).toBe(theirs.items.length);
  },
);

it.each([
  ['GET', `/v0/pages/${EXAMPLE_PAGE_ID}`],
  ['GET', `/v0/pages/${EXAMPLE_PAGE_ID}/audiences`],
  ['GET', `/v0/pages/${EXAMPLE_PAGE_ID}/audiences/audience_northwind_01`],
  ['DELETE', `/v0/pages/${EXAMPLE_PAGE_ID}/audiences/audience_northwind_01`],
  ['GET', `/v0/pages/${EXAMPLE_PAGE_ID}/audiences/audience_northwind_01/versions`],
  [
    'GET',
    `/v0/pages/${EXAMPLE_PAGE_ID}/audiences/audience_northwind_01/versions/version_northwind_01_v1`,
  ],
  ['GET', '/v0/topics/topic_01'],
  ['GET', '/v0/accounts/account_harborlight_logistics'],
  ['GET', '/v0/accounts/account_harborlight_logistics/logs'],
  ['GET', '/v0/accounts/account_harborlight_logistics/activity'],
  ['GET', '/v0/persons/person_ada_lindqvistova'],
  ['GET', '/v0/persons/person_ada_lindqvistova/logs'],
])("returns 404 for another tenant's object: %s %s", async (method, path) => {
  const { call } = await openTestBackend();

  const mine = await call(path, { method });
  const theirs = await call(path, { method, key: OTHER_API_KEY });

  expect(mine.status).toBe(200);
  expect(theirs.status).toBe(404);
});

it.each([
  ['POST', `/v0/pages/${EXAMPLE_PAGE_ID}/audiences`, {}],
  ['POST', '/v0/pages/page_old_launch/restore', {}],
  ['PATCH', '/v0/topics/topic_01', { title: 'Mine now' }],
  ['POST', '/v0/topics/topic_01/entries', { content: { type: 'text', content: 'x' } }],
])("rejects a write to another tenant's object with 404: %s %s", async (method, path, body) => {
  const { call } = await openTestBackend();

  const theirs = await call(path, { method, body, key: OTHER_API_KEY });

  expect(theirs.status).toBe(404);
  expect((await call('/v0/topics/topic_01')).body.title).toBe('Pricing at a glance');
});

it("rejects a cursor of another tenant's list", async () => {
  const { call } = await openTestBackend();
  const { body } = await call('/v0/topics?limit=1');

  const { status } = await call(`/v0/topics?cursor=${body.nextCursor}`, { key: OTHER_API_KEY });

  expect(status).toBe(400);
});

it('accepts the same operation key from two tenants for different versions', async () => {
  const { call } = await openTestBackend();
  const draft = { publishBehavior: 'draft' };
  const publish = async (key: string, page: string) => {
    const { body } = await call(`/v0/pages/${page}/audiences`, {
      method: 'POST',
      body: draft,
      key,
    });
    const path = `/v0/pages/${page}/audiences/${body.audienceId}/versions/${body.latestVersion.versionId}`;
    return call(`${path}/publish`, { method: 'POST', body: { operationKey: 'same' }, key });
  };

  const mine = await publish('demo', EXAMPLE_PAGE_ID);
  const theirs = await publish(OTHER_API_KEY, 'page_orchard');

  expect([mine.status, theirs.status]).toEqual([200, 200]);
});

it('stores no API key in clear text', async () => {
  const databaseUrl = temporaryDatabase();
  const { close } = await openTestBackend({ databaseUrl });

  await close();

  const bytes = readFileSync(databaseUrl.slice('file:'.length));
  expect(bytes.includes(OTHER_API_KEY)).toBe(false);
});
