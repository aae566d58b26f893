/** Writes: publishing, operation keys, archiving, pages and topics. */
import { describe, expect, it } from 'vitest';
import { EXAMPLE_PAGE_ID } from '../../src/backend/seed/example.ts';
import { openTestBackend, until } from './support.ts';
import type { Caller } from './support.ts';

const PAGE = `/v0/pages/${EXAMPLE_PAGE_ID}`;
const AUDIENCE = `${PAGE}/audiences/audience_northwind_01`;
const FORMER = `${AUDIENCE}/versions/version_northwind_01_v1`;
const DRAFT = `${AUDIENCE}/versions/version_northwind_01_v2`;

const publish = (call: Caller, version: string, operationKey?: string) =>
  call(`${version}/publish`, { method: 'POST', body: operationKey ? { operationKey } : {} });

it('moves a version from draft through queued and processing to published', async () => {
  const { call } = await openTestBackend({ publishDelayMs: 60 });
  const draft = await call(DRAFT);

  const queued = await publish(call, DRAFT);
  const processing = await until(call, DRAFT, ({ status }) => status === 'processing');
  const published = await until(call, DRAFT, ({ status }) => status === 'published');

  expect(draft.body).toMatchObject({ status: 'draft', queuedAt: null, publishedAt: null });
  expect(queued).toMatchObject({ status: 200, body: { status: 'queued', publishedAt: null } });
  expect(queued.body.queuedAt).toMatch(/^\+\d+$/);
  expect(processing.queueDurationMs).toBeGreaterThanOrEqual(50);
  expect(Number(published.publishedAt)).toBeGreaterThan(Number(published.queuedAt));
  expect(published.becameDraftAt).toBe(draft.body.becameDraftAt);
});

it('archives the version that was published before, and updates the audience', async () => {
  const { call } = await openTestBackend();
  const before = await call(AUDIENCE);

  await publish(call, DRAFT);
  await until(call, DRAFT, ({ status }) => status === 'published');

  const former = await call(FORMER);
  const audience = await call(AUDIENCE);
  expect(before.body.publishedVersion.versionId).toBe('version_northwind_01_v1');
  expect(former.body).toMatchObject({
    status: 'archived',
    obsoleteAt: expect.any(String),
    archivedAt: expect.any(String),
  });
  expect(audience.body).toMatchObject({
    status: 'published',
    publishedVersion: { versionId: 'version_northwind_01_v2' },
    latestVersion: { versionId: 'version_northwind_01_v2' },
  });
});

describe('an operation key', () => {
  it('publishes once when it is sent nine times', async () => {
    const { call } = await openTestBackend();

    const answers = await Promise.all(
      Array.from({ length: 8 }, () => publish(call, DRAFT, 'release-1')),
    );
    const published = await until(call, DRAFT, ({ status }) => status === 'published');
    const again = await publish(call, DRAFT, 'release-1');

    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect(new Set(answers.map(({ body }) => body.queuedAt)).size).toBe(1);
    expect(again).toMatchObject({ status: 200, body: published });
  });

  it('is rejected with 409 for another version', async () => {
    const { call } = await openTestBackend();
    const other = `${PAGE}/audiences/audience_northwind_04/versions/version_northwind_04_v1`;
    await publish(call, DRAFT, 'release-1');

    const { status, body } = await publish(call, other, 'release-1');

    expect(status).toBe(409);
    expect(body.details.field).toBe('operationKey');
    expect((await call(other)).body.status).toBe('draft');
  });

  it('can be used again after a rejection', async () => {
    const { call } = await openTestBackend();
    await publish(call, FORMER, 'release-1');

    const { status } = await publish(call, DRAFT, 'release-1');

    expect(status).toBe(200);
  });
});

it.each([
  ['published', FORMER],
  ['pending', `${PAGE}/audiences/audience_northwind_07/versions`],
  ['cancelled', `${PAGE}/audiences/audience_northwind_10/versions/version_northwind_10_v1`],
  ['archived', `${PAGE}/audiences/audience_northwind_09/versions/version_northwind_09_v1`],
])('rejects publishing a version that is %s', async (state, path) => {
  const { call } = await openTestBackend();
  const { body } = await call(path);
  const version = body.items ? `${path}/${body.items[0].versionId}` : path;

  const answer = await publish(call, version);

  expect((await call(version)).body.status).toBe(state);
  expect(answer.status).toBe(409);
  expect(answer.body.message).toContain(state);
});

it('rejects publishing twice without an operation key', async () => {
  const { call } = await openTestBackend({ publishDelayMs: 1_000 });

  const first = await publish(call, DRAFT);
  const second = await publish(call, DRAFT);

  expect([first.status, second.status]).toEqual([200, 409]);
});

describe('a new audience', () => {
  it('is published by default, and publishes its page', async () => {
    const { call } = await openTestBackend();
    const page = (await call('/v0/pages/page_empty')).body;

    const { status, body } = await call('/v0/pages/page_empty/audiences', {
      method: 'POST',
      body: {},
    });
    const path = `/v0/pages/page_empty/audiences/${body.audienceId}`;
    const audience = await until(call, path, ({ status }) => status === 'published');

    expect(status).toBe(201);
    expect(body).toMatchObject({ status: 'queued', publishedVersion: null });
    expect(audience.publishedVersion).toMatchObject({ versionNumber: 1, status: 'published' });
    expect(page).toMatchObject({ status: 'draft', audiencesCount: 0 });
    expect((await call('/v0/pages/page_empty')).body).toMatchObject({
      status: 'published',
      audiencesCount: 1,
    });
  });

  it('stays a draft when requested, with the given fields', async () => {
    const { call } = await openTestBackend();

    const { body } = await call(`${PAGE}/audiences`, {
      method: 'POST',
      body: {
        publishBehavior: 'draft',
        customName: 'Board members',
        supplementaryContext: 'Keep it short.',
        actionUrlOverride: 'https://forms.example/board',
        metadataOverride: { title: 'For the board' },
      },
    });

    expect(body).toMatchObject({
      pageId: EXAMPLE_PAGE_ID,
      customName: 'Board members',
      effectiveName: 'Board members',
      status: 'draft',
      supplementaryContext: 'Keep it short.',
      latestVersion: { versionNumber: 1, status: 'draft' },
      publishedVersion: null,
      effectiveMetadata: { title: 'For the board', author: 'Content team' },
      metadataOverride: { title: 'For the board' },
    });
  });
});

describe('an archived audience', () => {
  it('has its draft cancelled and its published version archived', async () => {
    const { call } = await openTestBackend();

    const { status, body } = await call(AUDIENCE, { method: 'DELETE' });

    expect(status).toBe(200);
    expect(body).toMatchObject({
      status: 'archived',
      archivedAt: expect.any(String),
      publishedVersion: null,
      latestVersion: { status: 'cancelled', cancelledAt: expect.any(String) },
    });
    expect((await call(FORMER)).body).toMatchObject({ status: 'archived' });
  });

  it('cannot be archived again', async () => {
    const { call } = await openTestBackend();
    await call(AUDIENCE, { method: 'DELETE' });

    const { status } = await call(AUDIENCE, { method: 'DELETE' });

    expect(status).toBe(409);
  });

  it('is not published by a publish that was queued before', async () => {
    // Long enough to archive before the first of the two steps on a busy machine.
    const { call } = await openTestBackend({ publishDelayMs: 400 });
    await publish(call, DRAFT);

    await call(AUDIENCE, { method: 'DELETE' });
    // Is queued after it, and so would be published after it.
    const created = await call(`${PAGE}/audiences`, { method: 'POST', body: {} });
    const { audienceId, latestVersion } = created.body;
    const later = `${PAGE}/audiences/${audienceId}/versions/${latestVersion.versionId}`;
    await publish(call, later);
    await until(call, later, ({ status }) => status === 'published');

    expect((await call(DRAFT)).body).toMatchObject({ status: 'cancelled', publishedAt: null });
    expect((await call(AUDIENCE)).body.status).toBe('archived');
  });
});

describe('a page', () => {
  it.each([
    ['page_old_launch', 'published'],
    ['page_old_fair', 'draft'],
  ])('is restored when it was archived: %s is %s again', async (pageId, status) => {
    const { call } = await openTestBackend();
    const before = await call(`/v0/pages/${pageId}`);

    const { body } = await call(`/v0/pages/${pageId}/restore`, { method: 'POST', body: {} });

    expect(before.body).toMatchObject({ status: 'archived', archivedAt: expect.any(String) });
    expect(body).toMatchObject({ pageId, status, archivedAt: null, deletedAt: null });
    expect((await call(`/v0/pages/${pageId}`)).body).toEqual(body);
  });

  it('is created with the given fields and defaults for others', async () => {
    const { call } = await openTestBackend();

    const { status, body } = await call('/v0/pages', {
      method: 'POST',
      body: {
        actions: [{ buttonTitle: 'Go' }, { buttonTitle: 'Ask', actionId: 'action_mine' }],
        actionCardWidgets: [],
        brandId: 'brand_harbour',
        name: 'Winter campaign ❄',
        pageContext: 'For visitors in winter.',
        scripts: [],
        metadata: { title: 'Winter', robots: ['noindex'] },
      },
    });

    expect(status).toBe(201);
    expect(body).toMatchObject({
      name: 'Winter campaign ❄',
      title: 'Winter',
      pageType: 'inbound',
      status: 'draft',
      actions: [
        { actionId: expect.stringMatching(/^action_/), actionIndex: 0, buttonTitle: 'Go' },
        { actionId: 'action_mine', actionIndex: 1, buttonTitle: 'Ask' },
      ],
      footerLinks: [],
      audiencesCount: 0,
      archivedAt: null,
    });
    expect((await call(`/v0/pages/${body.pageId}`)).body).toEqual(body);
  });
});

describe('a topic', () => {
  it('is updated with a new title and a new sort order', async () => {
    const { call } = await openTestBackend();
    const before = await call('/v0/topics/topic_05');

    const { body } = await call('/v0/topics/topic_05', {
      method: 'PATCH',
      body: { title: 'Help', sortOrder: Number.MAX_SAFE_INTEGER },
    });

    expect(body).toMatchObject({ title: 'Help', sortOrder: Number.MAX_SAFE_INTEGER });
    expect(body.entries).toEqual(before.body.entries);
    const { body: list } = await call('/v0/topics?limit=100');
    expect(list.items.at(-1)).toEqual(body);
  });

  it.each(["'; drop table topics; --", '𝒯 🎉 \u202e', '%_"\\'])(
    'keeps its title unchanged: %j',
    async (title) => {
      const { call } = await openTestBackend();

      const { body } = await call('/v0/topics/topic_02', { method: 'PATCH', body: { title } });

      expect(body.title).toBe(title);
    },
  );

  it('is unchanged after an empty update', async () => {
    const { call } = await openTestBackend();
    const before = await call('/v0/topics/topic_05');

    const { body } = await call('/v0/topics/topic_05', { method: 'PATCH', body: {} });

    expect(body).toEqual(before.body);
  });

  it('gets a new entry at its end, or at the given sort order', async () => {
    const { call } = await openTestBackend();
    const path = '/v0/topics/topic_01/entries';
    const content = { type: 'text', content: 'New.' };

    const last = await call(path, { method: 'POST', body: { content } });
    const first = await call(path, { method: 'POST', body: { content, sortOrder: 0 } });

    const { entries } = (await call('/v0/topics/topic_01')).body;
    expect(last).toMatchObject({ status: 201, body: { sortOrder: 40, content } });
    expect(entries).toHaveLength(42);
    expect(entries.at(-1)).toEqual(last.body);
    expect(entries[1]).toEqual(first.body);
  });
});
