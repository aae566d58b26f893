/**
 * Every connection of the graph, walked in several step sizes and resumed from its edges.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { IDS } from '../support/ids.ts';
import { routes } from '../../src/v0/routes.ts';
import { listOf, openGateway, type InProcessGateway } from '../support/open-gateway.ts';
import { sampleOf } from '../support/world.ts';

interface Connection {
  readonly name: string;
  /** Which list of the backend it shows: two fields may show the same one. */
  readonly list: string;
  /** A query of the connection with `$first` and `$after`; its node's key is aliased `key`. */
  readonly source: string;
  readonly read: (data: any) => any;
}

const selection = (key: string) => `{ totalCount edges { cursor node { key: ${key} } }
  pageInfo { hasNextPage hasPreviousPage startCursor endCursor } }`;

const LINKS_OF_PAGE = `pageId: "${IDS.page}"`;

const root = (field: string, key: string, filters = ''): Connection => ({
  name: `${field}${filters && `(${filters})`}`,
  list: filters === LINKS_OF_PAGE ? LINKS_OF_PAGE : `${field} ${filters}`,
  source: `query Walk($first: Int, $after: String) {
    list: ${field}(first: $first, after: $after ${filters}) ${selection(key)} }`,
  read: (data) => data.list,
});

const below = (parent: string, field: string, key: string, filters = ''): Connection => ({
  name: `${parent}.${field}${filters && `(${filters})`}`,
  list:
    field === 'links' && parent.startsWith('page(')
      ? LINKS_OF_PAGE
      : `${parent} ${field} ${filters}`,
  source: `query Walk($first: Int, $after: String) { parent: ${parent} {
    list: ${field}(first: $first, after: $after ${filters}) ${selection(key)} } }`,
  read: (data) => data.parent.list,
});

const AUDIENCE = `audience(pageId: "${IDS.page}", audienceId: "${IDS.audience}")`;
const ACCOUNT = `account(accountId: "${IDS.account}")`;
const PERSON = `person(personId: "${IDS.person}")`;

const CONNECTIONS: readonly Connection[] = [
  root('topics', 'topicId'),
  root('accounts', 'accountId'),
  root('accounts', 'accountId', 'query: "logistics"'),
  root('accounts', 'accountId', 'includeEmptyOnly: true'),
  root('persons', 'personId'),
  root('pageLinks', 'pageLinkId'),
  root('pageLinks', 'pageLinkId', LINKS_OF_PAGE),
  below(`page(pageId: "${IDS.page}")`, 'audiences', 'audienceId'),
  below(`page(pageId: "${IDS.page}")`, 'links', 'pageLinkId'),
  below(AUDIENCE, 'versions', 'versionId'),
  below(AUDIENCE, 'links', 'pageLinkId'),
  below(`topic(topicId: "${IDS.topic}")`, 'entries', 'topicEntryId'),
  below(ACCOUNT, 'persons', 'personId'),
  below(ACCOUNT, 'logs', 'accountLogId'),
  below(ACCOUNT, 'logs', 'accountLogId', 'includeDeleted: true'),
  below(ACCOUNT, 'activity', 'activityId', 'includePersonActivity: true'),
  below(PERSON, 'logs', 'personLogId'),
];

async function page(
  gateway: InProcessGateway,
  { source, read }: Connection,
  first: number,
  after?: string,
) {
  const { data, errors } = await gateway.ask(source, {
    variables: { first, after: after ?? null },
  });
  expect(errors).toEqual([]);
  const { edges, pageInfo, totalCount } = read(data);
  return { keys: edges.map(({ node }: any) => node.key), edges, pageInfo, totalCount };
}

// Nothing is written here: all walks share a gateway, which prepares each document once.
let gateway: InProcessGateway;
/** The first 100 items of each connection at most. */
const whole = new Map<Connection, Awaited<ReturnType<typeof page>>>();
beforeAll(async () => {
  gateway = await openGateway();
  for (const one of CONNECTIONS) whole.set(one, await page(gateway, one, 100));
});

describe.each(CONNECTIONS)('$name', (connection) => {
  it.each([1, 7, 99])('visits every item once, %i at a time', async (first) => {
    const all = whole.get(connection)!.keys;
    const seen: string[] = [];
    let after: string | undefined;
    let steps = 0;

    do {
      const step = await page(gateway, connection, first, after);
      seen.push(...step.keys);
      steps += 1;
      expect(step.pageInfo.hasPreviousPage).toBe(after !== undefined && step.keys.length > 0);
      after = step.pageInfo.hasNextPage ? step.pageInfo.endCursor : undefined;
      // Some lists are longer than a test wants to walk.
    } while (after !== undefined && seen.length < Math.min(100, first * 12));

    expect(seen.slice(0, 100)).toEqual(all.slice(0, seen.length));
    expect(new Set(seen).size).toBe(seen.length);
    expect(steps).toBe(Math.max(1, Math.ceil(seen.length / first)));
  });

  it('continues after each of its first twelve edges', async () => {
    const { keys: all, edges } = whole.get(connection)!;

    expect(edges.length).toBeGreaterThan(1);
    for (const [i, { cursor }] of edges.slice(0, 12).entries()) {
      const next = await page(gateway, connection, 3, cursor);
      expect(next.keys).toEqual(all.slice(i + 1, i + 4));
    }
  });

  it('has the same totalCount on a page of 100 and on an empty page', async () => {
    const { keys, pageInfo, totalCount } = whole.get(connection)!;
    const none = await page(gateway, connection, 0);

    expect(totalCount).toBeGreaterThanOrEqual(keys.length);
    if (!pageInfo.hasNextPage) expect(totalCount).toBe(keys.length);
    expect(none).toMatchObject({
      keys: [],
      totalCount,
      pageInfo: { hasPreviousPage: false, startCursor: null, endCursor: null },
    });
  });

  it('rejects the cursor of another list with BAD_USER_INPUT', async () => {
    // The next in the list above: the same field with other filters, or under another parent.
    const place = CONNECTIONS.indexOf(connection);
    const others = [...CONNECTIONS.slice(place), ...CONNECTIONS.slice(0, place)];
    const other = others.find(({ list }) => list !== connection.list)!;

    const { errors } = await gateway.ask(connection.source, {
      variables: { first: 1, after: whole.get(other)!.edges[0].cursor },
    });

    expect(errors?.[0]?.extensions['code'], `cursor of ${other.name}`).toBe('BAD_USER_INPUT');
  });

  it.each([-1, 101, 1_000_000])('rejects first: %i with BAD_USER_INPUT', async (first) => {
    const { errors } = await gateway.ask(connection.source, { variables: { first } });

    expect(errors?.[0]?.extensions).toMatchObject({ code: 'BAD_USER_INPUT', argument: 'first' });
  });
});

const PAGE = `query ($first: Int, $after: String) { topics(first: $first, after: $after) {
  edges { cursor node { title } } totalCount pageInfo { hasNextPage startCursor endCursor } } }`;

const topicsNamed = (count: number) =>
  Array.from({ length: count }, (_, i) => ({
    ...sampleOf(routes.getTopic),
    ...{ topicId: `n${i}`, title: `n${i}`, accountId: `n${i}`, domain: `n${i}` },
  }));

/** The titles of all topics, read page by page to the end. */
async function walk(gateway: InProcessGateway, first: number): Promise<string[]> {
  const titles: string[] = [];
  for (let after: string | null = null, pages = 0; pages < 50; pages++) {
    const reply = await gateway.ask(PAGE, { variables: { first, after } });
    expect(reply.errors).toEqual([]);
    const { edges, pageInfo }: any = reply.data['topics'];
    titles.push(...edges.map(({ node }: any) => node.title as string));
    if (!pageInfo.hasNextPage) return titles;
    expect(pageInfo.endCursor).not.toBe(after);
    after = pageInfo.endCursor;
  }
  throw new Error('The list does not end.');
}

describe('walking a list', () => {
  it('accepts each cursor that it returned, however long the cursors of the backend are', async () => {
    const topics = topicsNamed(3);
    const padding = 'c'.repeat(10_000);
    const gateway = await openGateway({
      backend: (url) => {
        const cursor = url.searchParams.get('cursor')?.replace(padding, '');
        if (cursor !== undefined) url.searchParams.set('cursor', cursor);
        const { nextCursor, ...list } = listOf(topics, url);
        return { ...list, nextCursor: nextCursor && padding + nextCursor };
      },
    });

    expect(await walk(gateway, 1)).toEqual(['n0', 'n1', 'n2']);
  });

  describe('with empty pages before the next item, as when the backend filters after paging', () => {
    /** Topics, each after so many empty pages; the cursor is the number of the page. */
    const withEmptyPages = (empty: number, count: number) => (url: URL) => {
      const at = Number(url.searchParams.get('cursor') ?? 0);
      const items =
        (at + 1) % (empty + 1) === 0 ? [topicsNamed(count)[(at + 1) / (empty + 1) - 1]] : [];
      const hasMore = at + 1 < (empty + 1) * count;
      return { items, hasMore, nextCursor: hasMore ? String(at + 1) : null, totalCount: count };
    };

    it.each([1, 3, 100])('continues past nine, %i items at a time', async (first) => {
      const gateway = await openGateway({ backend: withEmptyPages(9, 3) });

      expect(await walk(gateway, first)).toEqual(['n0', 'n1', 'n2']);
    });

    it.each([1, 2, 100])(
      'returns a page that can be continued after eleven empty pages, %i items at a time',
      async (first) => {
        const gateway = await openGateway({ backend: withEmptyPages(25, 3) });

        const begun = await gateway.ask(PAGE, { variables: { first } });

        expect(begun.errors).toEqual([]);
        expect(begun.data['topics']).toEqual({
          edges: [],
          totalCount: 3,
          pageInfo: {
            hasNextPage: true,
            startCursor: null,
            endCursor: expect.any(String) as string,
          },
        });
        expect(gateway.restCalls).toHaveLength(11);
        expect(await walk(gateway, first)).toEqual(['n0', 'n1', 'n2']);
      },
    );

    it('continues after the pages it has read when the call budget ends first', async () => {
      const gateway = await openGateway({
        backend: withEmptyPages(9, 1),
        limits: { maxUpstreamCalls: 4 },
      });

      const { codes, errors } = await gateway.ask(PAGE, { variables: { first: 5 } });
      expect(codes).toEqual(['UPSTREAM_BUDGET_EXCEEDED']);
      const { after } = errors[0]!.extensions['continuation'] as { readonly after: string };
      await gateway.ask(PAGE, { variables: { first: 5, after } });

      expect(gateway.restCalls[0]).toContain('cursor=4');
    });

    it('continues at the start of the requested range when a page that it has read had items', async () => {
      const gateway = await openGateway({
        backend: withEmptyPages(1, 3),
        limits: { maxUpstreamCalls: 3 },
      });

      const { data, errors } = await gateway.ask(PAGE, { variables: { first: 5 } });

      expect(data['topics']).toBeNull();
      expect(errors[0]!.extensions['continuation']).toMatchObject({ after: null });
    });

    it('reads the whole list for a field that needs all items', async () => {
      const gateway = await openGateway({
        backend: (url) => (url.pathname === '/v0/accounts' ? withEmptyPages(9, 3)(url) : undefined),
        rest: { routeSet: 'document' },
      });

      const { data, codes } = await gateway.ask('{ account(accountId: "n2") { domain } }');

      expect(codes).toEqual([]);
      expect(data).toEqual({ account: { domain: 'n2' } });
      expect(gateway.restCalls).toHaveLength(30);
    });
  });

  it('takes one call per page', async () => {
    const [topics] = CONNECTIONS;
    let after: string | undefined;

    for (let step = 0; step < 4; step++) {
      const { pageInfo } = await page(gateway, topics!, 5, after);
      expect(gateway.restCalls).toHaveLength(1);
      after = pageInfo.endCursor;
    }
  });

  it.each([
    ['cursor', 'after: "bm90IG91cnM"', 'BAD_USER_INPUT'],
    ['count', 'first: 101', 'BAD_USER_INPUT'],
    ['direction, which the backend does not have,', 'last: 1', 'GRAPHQL_VALIDATION_FAILED'],
  ])('T41: makes no call when the %s is rejected', async (_what, args, code) => {
    const { codes } = await gateway.ask(`{ topics(${args}) { nodes { title } } }`);

    expect(codes).toEqual([code]);
    expect(gateway.restCalls).toEqual([]);
  });
});
