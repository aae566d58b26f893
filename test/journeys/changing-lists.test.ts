/**
 * Lists that change between two pages, and cursors that the backend no longer accepts.
 *
 * The staged backend pages as a database does: its cursor is the key of the last item.
 */
import { describe, expect, it } from 'vitest';
import { EXAMPLE_API_KEY } from '../../src/backend/seed/example.ts';
import { routes, type Route } from '../../src/v0/routes.ts';
import { html, ofProxy, ok, status, type Behaviour } from '../support/faults.ts';
import { OTHER_API_KEY } from '../support/ids.ts';
import { openGateway, type InProcessGateway } from '../support/open-gateway.ts';
import { routeOf } from '../support/sample-responses.ts';
import { sampleOf, world } from '../support/world.ts';

interface ChangingList {
  readonly name: string;
  /** Route of the list, or of the object that contains all of it. */
  readonly route: Route;
  /** Property of the response with the items. */
  readonly property: string;
  readonly key: string;
  /** Puts selections of the list into a query. */
  readonly query: (selections: string) => string;
  /** The field with its arguments. */
  readonly field: (args: string) => string;
  /** Whether its cursors contain one of the backend. */
  readonly hasRestCursor: boolean;
}

const list = (
  parent: string,
  field: string,
  route: Route,
  key: string,
  { property = 'items', filters = '' } = {},
): ChangingList => ({
  name: `${parent}${parent && '.'}${field}${filters && `(${filters})`}`,
  route,
  property,
  key,
  query: (selections) =>
    parent ? `{ parent: ${parent} { id ${selections} } }` : `{ ${selections} }`,
  field: (args) => `${field}(${args} ${filters})`,
  hasRestCursor: property === 'items' && !/^audience.*links/.test(`${parent}.${field}`),
});

const AUDIENCE = 'audience(pageId: "p", audienceId: "a")';

const LISTS: readonly ChangingList[] = [
  list('', 'topics', routes.listTopics, 'topicId'),
  list('', 'accounts', routes.listAccounts, 'accountId'),
  list('', 'accounts', routes.searchAccounts, 'accountId', { filters: 'query: "x"' }),
  list('', 'persons', routes.listPersons, 'personId'),
  list('', 'pageLinks', routes.listPageLinks, 'pageLinkId'),
  list('page(pageId: "p")', 'audiences', routes.listAudiences, 'audienceId'),
  list('page(pageId: "p")', 'links', routes.listPageLinks, 'pageLinkId'),
  list(AUDIENCE, 'versions', routes.listVersions, 'versionId'),
  list(AUDIENCE, 'links', routes.listPageLinks, 'pageLinkId'),
  list('account(accountId: "a")', 'logs', routes.listAccountLogs, 'accountLogId'),
  list('account(accountId: "a")', 'activity', routes.listActivity, 'activityId'),
  list('person(personId: "p")', 'logs', routes.listPersonLogs, 'personLogId'),
  list('topic(topicId: "t")', 'entries', routes.getTopic, 'topicEntryId', { property: 'entries' }),
  list('account(accountId: "a")', 'persons', routes.getAccount, 'personId', {
    property: 'linkedPersons',
  }),
];

/** Newest first, as logs are. */
const IDS = Array.from({ length: 12 }, (_, i) => 112 - i);

const PAGE_INFO = 'pageInfo { hasNextPage hasPreviousPage endCursor }';

class Backend {
  ids: readonly number[] = IDS;
  /** Page size of a backend that ignores `limit`. */
  pageSize: number | undefined;
  readonly #list: ChangingList;

  constructor(list: ChangingList) {
    this.#list = list;
  }

  readonly answer = (url: URL): unknown => {
    const { route, values } = routeOf({ method: 'GET', target: url.pathname })!;
    const sample = sampleOf(route, values);
    const { property, key } = this.#list;
    if (route !== this.#list.route) return sample;
    const [item] = sample[property];
    const all = this.ids.map((id) => ({
      ...{ ...item, [key]: String(id), domain: `${id}.example` },
      ...(route === routes.listPageLinks && { target: { audienceId: 'a' } }),
    }));
    if (property !== 'items') return { ...sample, [property]: all };
    const after = Number(url.searchParams.get('cursor') ?? Infinity);
    const begin = this.ids.findIndex((id) => id < after);
    const rest = begin < 0 ? [] : all.slice(begin);
    const items = rest.slice(0, this.pageSize ?? Number(url.searchParams.get('limit')));
    const hasMore = items.length < rest.length;
    const nextCursor = hasMore ? items.at(-1)![key] : null;
    return { items, hasMore, nextCursor, totalCount: all.length };
  };
}

async function ask(gateway: InProcessGateway, { query }: ChangingList, selections: string) {
  const { data, errors } = await gateway.ask(query(selections));
  expect(errors).toEqual([]);
  return data['parent'] ?? data;
}

const keysOf = ({ nodes }: any): number[] => nodes.map((node: any) => Number(node.key));

/** Lists after a change, and what then follows 110. */
const CHANGES: readonly (readonly [string, readonly number[], readonly number[]])[] = [
  ['nothing has changed', IDS, [109, 108, 107]],
  ['an item was inserted', [113, ...IDS], [109, 108, 107]],
  [
    'more items were inserted than are requested',
    [118, 117, 116, 115, 114, 113, ...IDS],
    [109, 108, 107],
  ],
  ['two items were removed', IDS.slice(2), [109, 108, 107]],
  ['one was removed and one inserted', [113, ...IDS.slice(1)], [109, 108, 107]],
  ['the item of the cursor was removed', IDS.filter((id) => id !== 110), [109, 108, 107]],
  [
    'it and the one before it were removed',
    IDS.filter((id) => id !== 110 && id !== 111),
    [109, 108, 107],
  ],
  ['it and all before it were removed', IDS.slice(3), [109, 108, 107]],
  ['it was removed and one inserted', [113, 112, 111, ...IDS.slice(3)], [109, 108, 107]],
];

describe.each(LISTS)('$name', (changing) => {
  const { field, key } = changing;

  it.each([
    ['a backend that takes limit', undefined],
    ['a backend that ignores limit', 8],
  ])(
    'continues after the item of a cursor in the middle of a page, with %s',
    async (_, pageSize) => {
      const backend = new Backend(changing);
      backend.pageSize = pageSize;
      const gateway = await openGateway({ backend: backend.answer });
      const { preview } = await ask(
        gateway,
        changing,
        `preview: ${field('first: 3')} { ${PAGE_INFO} } all: ${field('first: 6')} { nodes { key: ${key} } }`,
      );

      for (const [change, ids, expected] of CHANGES) {
        // See test/resources/topic.test.ts for arrays.
        if (changing.property !== 'items' && !ids.includes(110)) continue;
        backend.ids = ids;
        const { next } = await ask(
          gateway,
          changing,
          `next: ${field(`first: 3, after: "${preview.pageInfo.endCursor}"`)} { nodes { key: ${key} } ${PAGE_INFO} }`,
        );
        expect(keysOf(next), change).toEqual(expected);
        expect(next.pageInfo.hasNextPage, change).toBe(true);
      }
    },
  );

  it.runIf(changing.property === 'items')(
    'repeats items rather than skipping any when the items around the cursor were removed',
    async () => {
      const backend = new Backend(changing);
      const gateway = await openGateway({ backend: backend.answer });
      const { all } = await ask(
        gateway,
        changing,
        `all: ${field('first: 6')} { edges { cursor } }`,
      );
      const one = await ask(gateway, changing, `all: ${field('first: 9')} { edges { cursor } }`);
      backend.ids = [112, 107, 106, 105];

      // Of 108; those up to 111 are gone, too.
      const { next } = await ask(
        gateway,
        changing,
        `next: ${field(`first: 3, after: "${one.all.edges[4].cursor}"`)} { nodes { key: ${key} } ${PAGE_INFO} }`,
      );

      expect(all.edges[4].cursor).toBe(one.all.edges[4].cursor);
      expect(keysOf(next)).toEqual([112, 107, 106]);
      expect(next.pageInfo.hasPreviousPage).toBe(false);
    },
  );

  it('shows an item that was added after the last page, even if another was removed', async () => {
    const backend = new Backend(changing);
    const gateway = await openGateway({ backend: backend.answer });
    const { all } = await ask(gateway, changing, `all: ${field('first: 20')} { ${PAGE_INFO} }`);
    backend.ids = [...IDS.filter((id) => id !== 105), 100];

    const { next } = await ask(
      gateway,
      changing,
      `next: ${field(`first: 20, after: "${all.pageInfo.endCursor}"`)} { nodes { key: ${key} } }`,
    );

    expect(all.pageInfo.hasNextPage).toBe(false);
    expect(keysOf(next)).toEqual([100]);
  });
});

describe.each(LISTS.filter(({ property }) => property !== 'items'))(
  '$name backward',
  (changing) => {
    const { field, key } = changing;

    it.each([
      ['nothing has changed', IDS, [110, 109, 108]],
      ['an item was inserted', [113, ...IDS], [110, 109, 108]],
      ['two items were removed', IDS.slice(2), [110, 109, 108]],
    ])('ends before the item of its cursor when %s', async (_, ids, expected) => {
      const backend = new Backend(changing);
      const gateway = await openGateway({ backend: backend.answer });
      const { all } = await ask(
        gateway,
        changing,
        `all: ${field('first: 9')} { edges { cursor } }`,
      );
      backend.ids = ids;

      const { next } = await ask(
        gateway,
        changing,
        `next: ${field(`last: 3, before: "${all.edges[5].cursor}"`)} { nodes { key: ${key} } }`,
      );

      expect(keysOf(next)).toEqual(expected);
    });
  },
);

describe.each(LISTS.filter(({ hasRestCursor }) => hasRestCursor))(
  'a cursor of $name that the backend no longer accepts',
  ({ route, query, field, key }) => {
    const REJECTIONS: readonly (readonly [string, Behaviour])[] = [
      ...[400, 404, 410, 422].map((code) => [`${code}`, status(code)] as const),
      ['404 without a body', ofProxy(404, '', '')],
      ['410 in HTML', html(410)],
      [
        '422 that names the cursor',
        (response) =>
          void response
            .writeHead(422, { 'content-type': 'application/json' })
            .end('{"code":"invalid","message":"no","details":{"field":"cursor"}}'),
      ],
    ];

    it.each(REJECTIONS)('is BAD_USER_INPUT for the argument "after": %s', async (_, rejection) => {
      const gateway = await openGateway({ backend: 'faulty' });
      const others = world();
      gateway.upstream.on('*', (response, seen, socket) => {
        const asked = routeOf(seen)!;
        if (asked.route !== route) return others(response, seen, socket);
        if (seen.target.includes('cursor=')) return rejection(response, seen, socket);
        const listed = { ...sampleOf(route, asked.values), hasMore: true, nextCursor: 'c' };
        return ok(listed)(response, seen, socket);
      });
      const first = await gateway.ask(query(`list: ${field('first: 2')} { ${PAGE_INFO} }`));
      const { list } = first.data['parent'] ?? first.data;

      const { data, errors } = await gateway.ask(
        query(
          `list: ${field(`first: 2, after: "${list.pageInfo.endCursor}"`)} { nodes { key: ${key} } }`,
        ),
      );

      expect(data).toEqual(
        first.data['parent']
          ? { parent: { id: first.data['parent'].id, list: null } }
          : { list: null },
      );
      expect(errors).toMatchObject([
        {
          extensions: {
            code: 'BAD_USER_INPUT',
            argument: 'after',
            upstream: { route: route.path },
          },
        },
      ]);
    });
  },
);

it("another tenant's cursor, which the embedded backend rejects, is BAD_USER_INPUT for the argument after", async () => {
  const gateway = await openGateway();
  const query =
    'query ($after: String) { topics(first: 1, after: $after) { pageInfo { endCursor } } }';
  const { data } = await gateway.ask(query, { apiKey: EXAMPLE_API_KEY });

  const { body } = await gateway.ask(query, {
    apiKey: OTHER_API_KEY,
    variables: { after: data['topics'].pageInfo.endCursor },
  });

  expect(body).toMatchObject({
    data: { topics: null },
    errors: [{ extensions: { code: 'BAD_USER_INPUT', argument: 'after' } }],
  });
});

it('a lookup returns null when the backend finds neither the object nor its list after a cursor', async () => {
  const gateway = await openGateway({ backend: 'faulty' });
  gateway.upstream.on('GET /v0/persons/p/logs', (response, seen, socket) =>
    ok({ ...sampleOf(routes.listPersonLogs), hasMore: true, nextCursor: 'c' })(
      response,
      seen,
      socket,
    ),
  );
  const query = (args: string) =>
    `{ person(personId: "p") { personId logs(first: 2 ${args}) { ${PAGE_INFO} } } }`;
  const { data } = await gateway.ask(query(''));
  gateway.upstream.on('*', status(404));
  gateway.upstream.on('GET /v0/persons/p/logs', status(404));

  const gone = await gateway.ask(query(`, after: "${data['person'].logs.pageInfo.endCursor}"`));

  expect(gone.body).toEqual({ data: { person: null } });
});

describe('a list that the gateway reads to its end', () => {
  const QUERY = `{ ${AUDIENCE} { audienceId links(first: 100) { nodes { pageLinkId } } } }`;
  const LINKS = Array.from({ length: 150 }, (_, i) => 1000 - i);

  /** Rejects the first cursors that it gave. */
  const open = async (rejections: number, rejection: Behaviour = status(410)) => {
    const backend = new Backend(LISTS.find(({ route }) => route === routes.listPageLinks)!);
    backend.ids = LINKS;
    const gateway = await openGateway({ backend: 'faulty' });
    let left = rejections;
    gateway.upstream.on('*', (response, seen, socket) => {
      if (seen.target.includes('cursor=') && left-- > 0) return rejection(response, seen, socket);
      return ok(backend.answer(new URL(seen.target, 'http://backend')))(response, seen, socket);
    });
    return gateway;
  };

  it('is read from its start again when the backend rejects a cursor once', async () => {
    const gateway = await open(1);

    const { data, errors } = await gateway.ask(QUERY);

    expect(errors).toEqual([]);
    expect(data['audience'].links.nodes.map((node: any) => Number(node.pageLinkId))).toEqual(
      LINKS.slice(0, 100),
    );
    expect(
      gateway.upstream.seen.filter(({ target }) => target.includes('page_links')),
    ).toHaveLength(4);
  });

  it.each([400, 404, 410, 422])(
    'fails when the backend rejects two cursors with %i',
    async (code) => {
      const gateway = await open(Infinity, status(code));

      const { data, codes, errors } = await gateway.ask(QUERY);

      expect(data).toEqual({ audience: { audienceId: 'a', links: null } });
      expect(codes).toEqual(['UPSTREAM_INVALID_RESPONSE']);
      expect(errors[0]!.extensions['upstream']).toMatchObject({ status: code });
    },
  );
});

describe('a page that takes several calls of a backend that ignores limit', () => {
  const QUERY = '{ person(personId: "p") { personId logs(first: 10) { nodes { personLogId } } } }';

  it.each([
    ['is read from its start again when the backend rejects one of its cursors once', 1],
    ['fails when the backend rejects two of its cursors', Infinity],
  ])('%s', async (_, rejections) => {
    const backend = new Backend(LISTS.find(({ route }) => route === routes.listPersonLogs)!);
    backend.pageSize = 4;
    const gateway = await openGateway({ backend: 'faulty' });
    let left = rejections;
    gateway.upstream.on('*', (response, seen, socket) =>
      seen.target.includes('cursor=') && left-- > 0
        ? status(404)(response, seen, socket)
        : ok(backend.answer(new URL(seen.target, 'http://backend')))(response, seen, socket),
    );

    const { data, codes } = await gateway.ask(QUERY);

    const logs = data['person'].logs;
    if (rejections === 1)
      expect(logs.nodes.map((one: any) => Number(one.personLogId))).toEqual(IDS.slice(0, 10));
    else expect([logs, codes]).toEqual([null, ['UPSTREAM_INVALID_RESPONSE']]);
  });
});
