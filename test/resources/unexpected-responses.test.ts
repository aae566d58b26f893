/** Responses that the embedded backend never gives: broken, very long, or without an end. */
import { describe, expect, it } from 'vitest';
import { formatNodeId } from '../../src/graph/types/node-id.ts';
import { routes } from '../../src/v0/routes.ts';
import { html, ofProxy, status } from '../support/faults.ts';
import { listOf, openGateway } from '../support/open-gateway.ts';
import { sampleOf } from '../support/world.ts';

const MOMENT = '2025-06-01T10:00:00.000Z';

const account = (accountId: unknown, domain: unknown = `${String(accountId)}.example`) => ({
  accountId,
  domain,
  name: `Account ${String(accountId)}`,
  createdAt: MOMENT,
  updatedAt: MOMENT,
  latestActivityAt: null,
  linkedPersonsCount: 0,
});

const person = (personId: unknown, domain: unknown) => ({
  personId,
  domain,
  name: `Person ${String(personId)}`,
  email: null,
  slug: 'slug',
  phoneNumber: null,
  linkedinProfileUrl: null,
  createdAt: MOMENT,
  updatedAt: MOMENT,
});

const entry = (topicEntryId: unknown) => ({
  topicEntryId,
  topicId: 't',
  sortOrder: 0,
  content: { type: 'text', content: 'c' },
  createdAt: MOMENT,
  updatedAt: MOMENT,
});

const topic = (entries: unknown) => ({
  topicId: 't',
  title: 'Topic',
  purpose: null,
  sortOrder: 0.5,
  isDefault: false,
  createdAt: MOMENT,
  updatedAt: MOMENT,
  entries,
});

const link = (n: number, target: unknown) => ({ pageLinkId: `l${n}`, path: `/${n}`, target });

const answers = (paths: Readonly<Record<string, unknown>>) => (url: URL) => {
  const found = paths[url.pathname];
  return Array.isArray(found) ? listOf(found, url) : found;
};

describe('a search of a list that has an invalid item', () => {
  const search = async (broken: boolean) => {
    const last = (item: object) => (broken ? null : item);
    const backend = answers({
      '/v0/persons/p': person('p', 'wanted.example'),
      '/v0/accounts/search': [account('other'), last(account('a', 'wanted.example'))],
      '/v0/accounts': [account('other'), last(account('wanted'))],
      '/v0/topics/t': topic([entry('other'), last(entry('wanted'))]),
    });
    const gateway = await openGateway({ backend, rest: { routeSet: 'document' } });
    return gateway.ask(`{
      person(personId: "p") { account { name } }
      account(accountId: "wanted") { name }
      node(id: "${formatNodeId('TopicEntry', ['t', 'wanted'])}") { ... on TopicEntry { createdAt } } }`);
  };

  it('fails if it finds nothing, since the invalid item may be a match', async () => {
    const { data, errors } = await search(true);

    expect(data).toEqual({ person: { account: null }, account: null, node: null });
    expect(errors.map(({ path }) => path.join('.')).toSorted()).toEqual([
      ...['account', 'node', 'person.account'],
    ]);
    for (const { extensions } of errors) expect(extensions.code).toBe('UPSTREAM_INVALID_RESPONSE');
  });

  it('finds the other items', async () => {
    const { data, errors } = await search(false);

    expect(errors).toEqual([]);
    expect(Object.values(data)).not.toContain(null);
  });
});

it('a list that is derived from another list has the errors of its invalid items', async () => {
  const backend = answers({
    '/v0/pages/p': sampleOf(routes.getPage, { page_id: 'p' }),
    '/v0/page_links': [null, link(1, 7), link(2, { audienceId: 8 }), link(3, { audienceId: 'a' })],
    '/v0/accounts': [account('acme')],
    '/v0/accounts/acme/activity': [null, { personId: 9 }, { personId: 'p' }, { personId: '' }],
  });
  const gateway = await openGateway({ backend, rest: { routeSet: 'document' } });

  const { data, errors } = await gateway.ask(`{
    page(pageId: "p") { name audiences { nodes { audienceId links { nodes { pageLinkId } } } } }
    account(accountId: "acme") { persons { nodes { personId } } } }`);

  const links = [null, null, null, { pageLinkId: 'l3' }];
  expect(data['page'].audiences.nodes).toEqual([
    ...[null, null, null],
    { audienceId: 'a', links: { nodes: links } },
  ]);
  expect(data['account'].persons.nodes).toEqual([null, null, { personId: 'p' }]);
  expect(errors).toHaveLength(8);
  for (const { extensions } of errors) expect(extensions.code).toBe('UPSTREAM_INVALID_RESPONSE');
});

describe('an invalid value in a response', () => {
  it('is reported with its full route, even if the route is long', async () => {
    const gateway = await openGateway({
      backend: () => ({ versionId: 'v', audienceId: 'a', versionNumber: 'seven' }),
    });

    const { errors } = await gateway.ask(
      '{ audienceVersion(pageId: "p", audienceId: "a", versionId: "v") { versionNumber } }',
    );

    expect(errors).toMatchObject([
      {
        message: expect.stringMatching(/"seven".*"versionNumber"/),
        extensions: {
          code: 'UPSTREAM_INVALID_RESPONSE',
          upstream: {
            route: '/v0/pages/{page_id}/audiences/{audience_id}/versions/{version_id}',
          },
        },
      },
    ]);
  });

  it('fails the entries, not the topic, when they are not a list', async () => {
    const gateway = await openGateway({ backend: () => topic('none') });

    const { data, codes } = await gateway.ask(
      '{ topic(topicId: "t") { title entries { nodes { topicEntryId } } } }',
    );

    expect(data).toEqual({ topic: { title: 'Topic', entries: null } });
    expect(codes).toEqual(['UPSTREAM_INVALID_RESPONSE']);
  });

  it('fails only the invalid entries of a topic, and the cursors continue past them', async () => {
    const gateway = await openGateway({
      backend: () => topic([entry('a'), 'broken', entry(7), entry('d')]),
    });
    const query = `query ($after: String) { topic(topicId: "t") {
      entries(first: 2, after: $after) { edges { cursor node { topicEntryId } } pageInfo { endCursor } } } }`;

    const first = await gateway.ask(query);
    const { endCursor } = first.data['topic'].entries.pageInfo;
    const second = await gateway.ask(query, { variables: { after: endCursor } });

    const nodesOf = ({ data }: typeof first) =>
      data['topic'].entries.edges.map((edge: any) => edge.node);
    expect(nodesOf(first)).toEqual([{ topicEntryId: 'a' }, null]);
    expect(first.codes).toEqual(['UPSTREAM_INVALID_RESPONSE']);
    expect(nodesOf(second)).toEqual([null, { topicEntryId: 'd' }]);
    expect(second.codes).toEqual(['UPSTREAM_INVALID_RESPONSE']);
  });

  it('fails the persons of an account and their number when they are not a list', async () => {
    const { linkedPersonsCount: _, ...detail } = account('a');
    const gateway = await openGateway({ backend: () => ({ ...detail, linkedPersons: 'many' }) });

    const { data, codes } = await gateway.ask(
      '{ account(accountId: "a") { name persons { nodes { name } } } }',
    );
    const counted = await gateway.ask('{ account(accountId: "a") { linkedPersonsCount } }');

    expect(data).toEqual({ account: { name: 'Account a', persons: null } });
    expect(codes).toEqual(['UPSTREAM_INVALID_RESPONSE']);
    expect(counted.codes).toEqual(['UPSTREAM_INVALID_RESPONSE']);
  });

  it('is never put into the path of another call', async () => {
    const gateway = await openGateway({ backend: (url) => listOf([account(1, 2)], url) });

    const { data, codes } = await gateway.ask(`{ accounts(first: 1) { nodes { name
      persons { nodes { name } } logs { nodes { type } } activity { nodes { type } } } } }`);

    expect(data['accounts'].nodes).toEqual([null]);
    expect(codes).toEqual(['UPSTREAM_INVALID_RESPONSE']);
    expect(gateway.restCalls).toEqual(['GET /v0/accounts?limit=1']);
  });

  it('is never put into a filter of another call', async () => {
    const gateway = await openGateway({
      backend: (url) => (url.pathname === '/v0/page_links' ? listOf([], url) : { metadata: null }),
    });

    const { data, codes } = await gateway.ask(`{
      page(pageId: "p") { metadata { title } links { nodes { path } } }
      audience(pageId: "p", audienceId: "a") { metadataOverride { title } links { nodes { path } } } }`);

    expect(data).toEqual({ page: null, audience: null });
    expect(codes).toEqual(Array(2).fill('UPSTREAM_INVALID_RESPONSE'));
    expect(gateway.restCalls.join()).not.toMatch(/Error|object/);
  });

  it.each(['x'.repeat(513), '..', 'new\nline'])(
    'is not a global id when no path can contain it, since a lookup would reject it: %j',
    async (id) => {
      const gateway = await openGateway({ backend: (url) => listOf([person(id, 'd')], url) });

      const { data, errors } = await gateway.ask(
        '{ persons(first: 1) { nodes { personId } } ids: persons(first: 1) { nodes { id } } }',
      );

      expect(data).toEqual({ persons: { nodes: [{ personId: id }] }, ids: { nodes: [null] } });
      expect(errors).toMatchObject([
        { path: ['ids', 'nodes', 0, 'id'], extensions: { code: 'UPSTREAM_INVALID_RESPONSE' } },
      ]);
    },
  );

  it('is never used as a search query', async () => {
    const gateway = await openGateway({ backend: () => person('p', 5) });

    const { data, codes } = await gateway.ask(
      '{ person(personId: "p") { name account { name } } }',
    );

    expect(data).toEqual({ person: { name: 'Person p', account: null } });
    expect(codes).toEqual(['UPSTREAM_INVALID_RESPONSE']);
    expect(gateway.restCalls).toHaveLength(1);
  });

  it('is never used as the id of a reference', async () => {
    const activity = { activityId: 'x', accountId: 1, personId: 2, personLogId: 3, type: 'y' };
    const gateway = await openGateway({ backend: (url) => listOf([activity], url) });

    const { data, codes } = await gateway.ask(`{ account(accountId: "a") { activity { nodes {
      type account { name } person { name } personLog { type } accountLog { type } } } } }`);

    expect(data['account'].activity.nodes).toEqual([
      { type: 'y', account: null, person: null, personLog: null, accountLog: null },
    ]);
    expect(codes).toEqual(Array(3).fill('UPSTREAM_INVALID_RESPONSE'));
    expect(gateway.restCalls).toHaveLength(1);
  });

  it('fails only the target of a link', async () => {
    const links = [link(1, 'nowhere'), link(2, { targetType: 'audience', audienceId: 9 }), {}];
    const gateway = await openGateway({ backend: (url) => listOf(links, url) });

    const { data, codes } = await gateway.ask(`{ pageLinks(pageId: "p") { nodes {
      path page { pageId } target { targetType audience { audienceId } } } } }`);

    const page = { pageId: 'p' };
    expect(data['pageLinks'].nodes).toEqual([
      { path: '/1', page, target: null },
      { path: '/2', page, target: { targetType: 'audience', audience: null } },
      { path: null, page, target: null },
    ]);
    expect(codes).toEqual(Array(2).fill('UPSTREAM_INVALID_RESPONSE'));
  });
});

describe('an activity item without any field', () => {
  it('is null in every field, without an error', async () => {
    const gateway = await openGateway({ backend: (url) => listOf([{}], url) });

    const { data, errors } = await gateway.ask(`{ account(accountId: "a") { activity { nodes {
      activityId source payload createdAt account { name } person { name } accountLog { type } personLog { type } } } } }`);

    expect(errors).toEqual([]);
    expect(new Set(Object.values(data['account'].activity.nodes[0]))).toEqual(new Set([null]));
  });
});

it('a page link takes its page from its own pageId', async () => {
  const gateway = await openGateway({
    backend: (url) =>
      listOf([{ ...link(1, { targetType: 'audience', audienceId: 'a' }), pageId: 'p' }], url),
  });

  const { data, errors } = await gateway.ask(
    '{ pageLinks { nodes { page { pageId } target { audience { pageId audienceId } } } } }',
  );

  expect(errors).toEqual([]);
  expect(data['pageLinks'].nodes).toEqual([
    { page: { pageId: 'p' }, target: { audience: { pageId: 'p', audienceId: 'a' } } },
  ]);
});

describe('the account of a person', () => {
  it.each([0, 1, 99, 100, 250])(
    'is found after %i search hits of other domains',
    async (before) => {
      const hits = [
        ...Array.from({ length: before }, (_, i) => account(`a${i}`, `not${i}-home.example`)),
        account('wanted', 'home.example'),
      ];
      const gateway = await openGateway({
        backend: (url) =>
          url.pathname.startsWith('/v0/persons/') ? person('p', 'home.example') : listOf(hits, url),
      });

      const { data, errors } = await gateway.ask(
        '{ person(personId: "p") { account { accountId } } }',
      );

      expect(errors).toEqual([]);
      expect(data).toEqual({ person: { account: { accountId: 'wanted' } } });
      expect(gateway.restCalls).toHaveLength(1 + Math.ceil((before + 1) / 100));
    },
  );

  it('is matched by its domain, case-sensitively', async () => {
    const gateway = await openGateway({
      backend: (url) =>
        url.pathname.startsWith('/v0/persons/')
          ? person('p', 'home.example')
          : listOf([account('a', 'Home.example')], url),
    });

    const { data } = await gateway.ask('{ person(personId: "p") { account { accountId } } }');

    expect(data).toEqual({ person: { account: null } });
  });

  it('fails with UPSTREAM_UNSUPPORTED after too many search hits of other domains', async () => {
    const hits = Array.from({ length: 5_000 }, (_, i) => account(`a${i}`, `${i}.home.example`));
    const gateway = await openGateway({
      backend: (url) =>
        url.pathname.startsWith('/v0/persons/') ? person('p', 'home.example') : listOf(hits, url),
    });

    const { data, codes } = await gateway.ask(
      '{ person(personId: "p") { name account { name } } }',
    );

    expect(data).toEqual({ person: { name: 'Person p', account: null } });
    expect(codes).toEqual(['UPSTREAM_UNSUPPORTED']);
    expect(gateway.restCalls.length).toBeLessThan(15);
  });
});

describe('a list that is walked to its end', () => {
  it('is read in pages of 100 for the links of an audience', async () => {
    const links = Array.from({ length: 250 }, (_, n) =>
      link(n, { targetType: 'audience', audienceId: n % 50 === 0 ? 'a' : 'b' }),
    );
    const gateway = await openGateway({
      backend: (url) =>
        url.pathname === '/v0/page_links'
          ? listOf(links, url)
          : { pageId: 'p', audienceId: 'a', status: 'draft' },
    });

    const { data, errors } = await gateway.ask(
      '{ audience(pageId: "p", audienceId: "a") { audienceId links { totalCount nodes { path } } } }',
    );

    expect(errors).toEqual([]);
    expect(data['audience'].links.nodes.map(({ path }: any) => path)).toEqual([
      '/0',
      '/50',
      '/100',
      '/150',
      '/200',
    ]);
    expect(gateway.restCalls.filter((call) => call.includes('page_links'))).toHaveLength(3);
  });

  it('is read only up to the page with the requested accounts', async () => {
    const accounts = Array.from({ length: 500 }, (_, n) => account(`a${n}`));
    const gateway = await openGateway({
      backend: (url) => listOf(accounts, url),
      rest: { routeSet: 'document' },
    });

    const { data } = await gateway.ask(
      '{ account(accountId: "a150") { name } other: account(accountId: "a20") { name } }',
    );

    expect(data).toEqual({ account: { name: 'Account a150' }, other: { name: 'Account a20' } });
    expect(gateway.restCalls).toEqual([
      'GET /v0/accounts?limit=100',
      'GET /v0/accounts?limit=100&cursor=100',
    ]);
  });

  it('fails with UPSTREAM_INVALID_RESPONSE when its cursors repeat in turn', async () => {
    const gateway = await openGateway({
      backend: (url) => ({
        items: [account('b')],
        hasMore: true,
        nextCursor: url.searchParams.get('cursor') === 'x' ? 'y' : 'x',
        totalCount: 3,
      }),
      rest: { routeSet: 'document' },
    });

    const { data, codes } = await gateway.ask('{ account(accountId: "a") { name } }');

    expect(data).toEqual({ account: null });
    expect(codes).toEqual(['UPSTREAM_INVALID_RESPONSE']);
    expect(gateway.restCalls.length).toBeLessThan(5);
  });
});

it.each(['{ person(personId: "p") { name } }', '{ node: topic(topicId: "t") { title } }'])(
  'a lookup that gets status 410 finds nothing, as with 404: %s',
  async (source) => {
    const gateway = await openGateway({ backend: 'faulty' });
    gateway.upstream.on('*', status(410));

    const { data, errors } = await gateway.ask(source);

    expect(Object.values(data)).toEqual([null]);
    expect(errors).toEqual([]);
  },
);

it.each([
  ['HTML', html(404)],
  ['plain text', ofProxy(404, 'default backend - 404', 'text/plain; charset=utf-8')],
  ['XML', ofProxy(404, '<Error/>', 'application/xml')],
])('a lookup fails with NOT_FOUND when a proxy returns 404 in %s', async (_type, answer) => {
  const gateway = await openGateway({ backend: 'faulty' });
  gateway.upstream.on('*', answer);

  const { data, codes } = await gateway.ask('{ person(personId: "p") { name } }');

  expect(data).toEqual({ person: null });
  expect(codes).toEqual(['NOT_FOUND']);
});

it.each([
  ['an empty body', ofProxy(404, '', '')],
  ['JSON of another form', ofProxy(404, '{"error":"no such person"}')],
  ['text labelled as JSON', ofProxy(404, ' ')],
])('a lookup that gets status 404 with %s finds nothing', async (_body, answer) => {
  const gateway = await openGateway({ backend: 'faulty' });
  gateway.upstream.on('*', answer);

  const { data, errors } = await gateway.ask('{ person(personId: "p") { name } }');

  expect(data).toEqual({ person: null });
  expect(errors).toEqual([]);
});

describe('a list', () => {
  it('T16: fails with UPSTREAM_INVALID_RESPONSE when its cursors repeat in turn', async () => {
    let asked = 0;
    const gateway = await openGateway({
      backend: () => ({
        items: [topic([])],
        hasMore: true,
        nextCursor: `c${asked++ % 2}`,
        totalCount: 1,
      }),
    });

    const { data, codes } = await gateway.ask('{ topics(first: 100) { nodes { title } } }');

    expect(data).toEqual({ topics: null });
    expect(codes).toEqual(['UPSTREAM_INVALID_RESPONSE']);
    expect(gateway.restCalls).toHaveLength(3);
  });

  it('returns its items, and an error only for endCursor, when the backend omits the next cursor', async () => {
    const topics = (n: number) => Array.from({ length: n }, () => topic([]));
    const gateway = await openGateway({
      backend: (url) => {
        const { nextCursor, ...listed } = listOf(topics(7), url);
        return url.searchParams.has('cursor') ? listed : { ...listed, nextCursor };
      },
    });
    const page = async (first: number, after?: string) => {
      const { data, errors } = await gateway.ask(
        `query ($after: String) { topics(first: ${first}, after: $after) {
          edges { cursor node { title } } pageInfo { hasNextPage endCursor } } }`,
        { variables: { after } },
      );
      return { ...data['topics'], errors };
    };

    const first = await page(3);
    const second = await page(2, first.pageInfo.endCursor);

    expect([first.edges.length, first.errors]).toEqual([3, []]);
    expect(second.edges).toHaveLength(2);
    expect(second.pageInfo).toEqual({ hasNextPage: true, endCursor: null });
    expect(second.errors).toMatchObject([
      {
        path: ['topics', 'pageInfo', 'endCursor'],
        extensions: { code: 'UPSTREAM_INVALID_RESPONSE' },
      },
    ]);
    // The cursor of an edge holds an offset, so the last one can still be paged from.
    const third = await page(2, second.edges.at(-1).cursor);
    expect(third.edges).toHaveLength(2);
  });

  it('fails when it must be read to its end and the backend omits the next cursor', async () => {
    const gateway = await openGateway({
      backend: (url) =>
        url.pathname === '/v0/page_links'
          ? { ...listOf([link(1, { audienceId: 'a' })], url), hasMore: true }
          : { pageId: 'p', audienceId: 'a', status: 'draft' },
    });

    const { data, codes } = await gateway.ask(
      '{ audience(pageId: "p", audienceId: "a") { audienceId links { nodes { path } } } }',
    );

    expect(data).toEqual({ audience: { audienceId: 'a', links: null } });
    expect(codes).toEqual(['UPSTREAM_INVALID_RESPONSE']);
  });

  it('without a parent fails with NOT_FOUND when the backend returns 404', async () => {
    const gateway = await openGateway({ backend: () => undefined });

    const { data, codes } = await gateway.ask('{ persons { nodes { name } } }');

    expect(data).toEqual({ persons: null });
    expect(codes).toEqual(['NOT_FOUND']);
  });
});

describe('an invalid id', () => {
  const page = { ...sampleOf(routes.getPage, { page_id: 'p1' }) };

  it('in a link is an error in the audiences of the page, with only the routes of the API spec', async () => {
    const links = [link(1, { audienceId: 5 }), link(2, { audienceId: 'a2' })];
    const gateway = await openGateway({
      backend: (url) => (url.pathname === '/v0/page_links' ? listOf(links, url) : page),
      rest: { routeSet: 'document' },
    });

    const { data, codes } = await gateway.ask(
      '{ page(pageId: "p1") { audiences { nodes { audienceId effectiveName } } } }',
    );

    expect(data).toEqual({ page: { audiences: { nodes: [null, null] } } });
    expect(codes.toSorted()).toEqual(['UPSTREAM_INVALID_RESPONSE', 'UPSTREAM_UNSUPPORTED']);
  });

  it('of an audience fails the audience instead of returning an empty list of links', async () => {
    const audience = sampleOf(routes.getAudience, { page_id: 'p1', audience_id: 'a1' });
    const broken = { ...(audience as object), audienceId: 7 };
    const gateway = await openGateway({
      backend: (url) => listOf(url.pathname === '/v0/page_links' ? [] : [broken], url),
    });

    const { data, codes } = await gateway.ask(
      '{ page(pageId: "p1") { pageId audiences { nodes { links { nodes { path } } } } } }',
    );

    expect(data['page'].audiences).toEqual({ nodes: [null] });
    expect(codes).toEqual(['UPSTREAM_INVALID_RESPONSE']);
  });
});
