/**
 * Lists that are streamed, or that two queries read with other fields of a row: Apollo Client and urql show each row
 * once, and none is lost.
 */
import { ApolloClient, gql, HttpLink, InMemoryCache } from '@apollo/client';
import { Defer20220824Handler, GraphQL17Alpha9Handler } from '@apollo/client/incremental';
import { Client, fetchExchange } from '@urql/core';
import { cacheExchange } from '@urql/exchange-graphcache';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { EXAMPLE_API_KEY, EXAMPLE_PAGE_ID as pageId } from '../../src/backend/seed/example.ts';
import * as apollo from '../../src/client/cache/apollo.ts';
import * as graphcache from '../../src/client/cache/graphcache.ts';
import { openGateway } from '../support/open-gateway.ts';

const HEADERS = { 'x-api-key': EXAMPLE_API_KEY };

/** A page of audiences; `edge` is selected of each. */
const listOf = (name: string, first: number, edge: string, stream = '') => gql`
  query ${name}($after: String) {
    page(pageId: "${pageId}") {
      id
      audiences(first: ${first}, after: $after) {
        edges ${stream} { ${edge} }
        pageInfo { hasNextPage endCursor }
      }
    }
  }
`;

interface Data {
  readonly page: {
    readonly audiences: {
      readonly edges: readonly { readonly node: { readonly id: string } }[];
      readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string };
    };
  };
}

/** A list on a screen. */
interface Screen {
  /** Ids of its rows; empty before they have arrived. */
  rows(): readonly string[];
  more(): Promise<void>;
}

const idsOf = (data: Data | null | undefined) =>
  data?.page?.audiences.edges.map(({ node }) => node.id) ?? [];

const HANDLERS = { GraphQL17Alpha9Handler, Defer20220824Handler };

function openApollo(url: string, handler: keyof typeof HANDLERS = 'GraphQL17Alpha9Handler') {
  const client = new ApolloClient({
    link: new HttpLink({ uri: `${url}/graphql`, headers: HEADERS }),
    cache: new InMemoryCache(apollo),
    // Apollo's own types disagree on an optional property.
    incrementalHandler: new HANDLERS[handler]() as NonNullable<
      ApolloClient.Options['incrementalHandler']
    >,
  });
  onTestFinished(() => client.stop());
  return (query: ReturnType<typeof gql>): Screen => {
    const watched = client.watchQuery<Data>({ query, variables: {} });
    const subscription = watched.subscribe(() => {});
    onTestFinished(() => subscription.unsubscribe());
    const data = () => watched.getCurrentResult().data as Data | undefined;
    return {
      rows: () => idsOf(data()),
      async more() {
        const { endCursor } = data()!.page.audiences.pageInfo;
        await watched.fetchMore({ variables: { after: endCursor } });
      },
    };
  };
}

function openUrql(url: string) {
  const client = new Client({
    url: `${url}/graphql`,
    preferGetMethod: false,
    fetchOptions: { headers: HEADERS },
    exchanges: [cacheExchange(graphcache), fetchExchange],
  });
  return (query: ReturnType<typeof gql>): Screen => {
    let data: Data | undefined;
    let leave = () => {};
    const show = (after?: string) =>
      new Promise<void>((resolve) => {
        leave();
        ({ unsubscribe: leave } = client
          .query<Data>(query, { after })
          .subscribe(({ data: read, hasNext, stale }) => {
            data = read;
            if (!hasNext && !stale) resolve();
          }));
      });
    onTestFinished(() => leave());
    void show();
    return {
      rows: () => idsOf(data),
      more: () => show(data!.page.audiences.pageInfo.endCursor),
    };
  };
}

const shows = (screen: Screen, count: number) =>
  expect.poll(() => screen.rows().length, { timeout: 10_000 }).toBe(count);

const expectDistinct = ({ rows }: Screen) => expect(new Set(rows()).size).toBe(rows().length);

const EDGES = ['node { id }', 'cursor node { id }', 'node { id createdAt person { id name } }'];

describe.each([
  ['Apollo Client in v0.2', (url: string) => openApollo(url)],
  ['Apollo Client in the format of 2022', (url: string) => openApollo(url, 'Defer20220824Handler')],
  ['urql', openUrql],
] as const)('%s', (_, open) => {
  it.each(EDGES)(
    'shows all rows of a streamed list after further pages: edges { %s }',
    async (edge) => {
      const { url } = await openGateway();
      const screen = open(url)(listOf('Streamed', 5, edge, '@stream(initialCount: 2, label: "s")'));
      await shows(screen, 5);

      for (const count of [10, 15]) {
        await screen.more();
        await shows(screen, count);
      }

      expectDistinct(screen);
    },
  );
});

describe.each([
  ['Apollo Client', (url: string) => openApollo(url)],
  ['urql', openUrql],
] as const)('%s', (_, open) => {
  it.each([
    ['node { id }', 'node { id effectiveName }'],
    ['node { id }', 'cursor node { id }'],
    ['cursor node { id effectiveName }', 'node { id }'],
    ['node { id status }', 'node { id effectiveName }'],
  ])(
    'shows 3, 6, 9 and 12 rows of a list that another query reads with other fields: edges { %s } and edges { %s }',
    async (one, other) => {
      vi.spyOn(console, 'warn').mockImplementation(() => {});
      onTestFinished(() => void vi.restoreAllMocks());
      const { url } = await openGateway();
      for (const paged of [0, 1]) {
        const openScreen = open(url);
        const screens = [openScreen(listOf('One', 3, one))];
        await shows(screens[0]!, 3);
        screens.push(openScreen(listOf('Other', 3, other)));
        await shows(screens[1]!, 3);
        await shows(screens[0]!, 3);

        for (const count of [6, 9, 12]) {
          await screens[paged]!.more();
          await shows(screens[paged]!, count);
        }

        expectDistinct(screens[paged]!);
      }
    },
  );
});

describe('Apollo Client', () => {
  const WIDE = listOf('Wide', 3, 'cursor node { id effectiveName }');
  const NARROW = listOf('Narrow', 3, 'node { id }');

  it('keeps the rows after a page that another query refetches', async () => {
    const { url } = await openGateway();
    const openScreen = openApollo(url);
    const narrow = openScreen(NARROW);
    await shows(narrow, 3);
    for (const count of [6, 9]) {
      await narrow.more();
      await shows(narrow, count);
    }
    const before = narrow.rows();
    vi.spyOn(console, 'warn').mockImplementation(() => {});
    onTestFinished(() => void vi.restoreAllMocks());

    const wide = openScreen(WIDE);
    await shows(wide, 3);

    expect(narrow.rows()).toEqual(before);
    await narrow.more();
    await shows(narrow, 12);
    expectDistinct(narrow);
  });

  it.each([
    ['keeps rows that come after a new one', ['new', 'a', 'b'], true, 'new a b c d e f'],
    ['drops rows behind the end of the list', ['a', 'b'], false, 'a b'],
    ['drops rows that the page does not reach', ['x', 'y', 'z'], true, 'x y z'],
    ['drops rows that are gone from the page', ['a', 'c', 'd'], true, 'a c d e f'],
  ])('%s when the first page is refetched', (_name, page, hasNextPage, expected) => {
    const { write, list } = openCache();
    write(['a', 'b', 'c'], true);
    write(['d', 'e', 'f'], true, 'c');

    write(page, hasNextPage);

    const { ids, pageInfo } = list();
    expect(ids.join(' ')).toBe(expected);
    expect(pageInfo).toMatchObject({ hasNextPage, endCursor: ids.at(-1) });
  });

  it('lets an app remove the last row of its list', () => {
    const { cache, write, list } = openCache();
    write(['a', 'b', 'c'], true);
    write(['d', 'e', 'f'], true, 'c');

    cache.updateQuery<Data>({ query: NARROW, variables: {} }, (data) => {
      const { audiences } = data!.page;
      const edges = audiences.edges.slice(0, -1);
      return { page: { ...data!.page, audiences: { ...audiences, edges } } };
    });

    expect(list().ids.join(' ')).toBe('a b c d e');
    write(['g', 'h'], false, 'f');
    expect(list().ids.join(' ')).toBe('a b c d e g h');
  });

  function openCache() {
    const cache = new InMemoryCache(apollo);
    const write = (ids: readonly string[], hasNext: boolean, after?: string) =>
      cache.writeQuery({
        query: NARROW,
        variables: { after },
        data: {
          page: {
            __typename: 'Page',
            id: 'page',
            audiences: {
              __typename: 'AudienceConnection',
              edges: ids.map((id) => ({
                __typename: 'AudienceEdge',
                node: { __typename: 'Audience', id },
              })),
              pageInfo: { __typename: 'PageInfo', hasNextPage: hasNext, endCursor: ids.at(-1) },
            },
          },
        },
      });
    const list = () => {
      const { edges, pageInfo } = cache.readQuery<Data>({ query: NARROW, variables: {} })!.page
        .audiences;
      return { ids: edges.map(({ node }) => node.id), pageInfo };
    };
    return { cache, write, list };
  }
});
