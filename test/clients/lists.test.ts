/**
 * A new audience at the head of a list that Apollo Client or urql has read page by page, as docs/pagination.md describes
 * it. The apps of docs/own-documents.md append at the end, and Relay has its own test.
 */
import { ApolloClient, gql, HttpLink, InMemoryCache, type Reference } from '@apollo/client';
import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { Client, fetchExchange } from '@urql/core';
import { cacheExchange, type UpdateResolver } from '@urql/exchange-graphcache';
import { expect, it, onTestFinished } from 'vitest';
import { EXAMPLE_API_KEY, EXAMPLE_PAGE_ID as pageId } from '../../src/backend/seed/example.ts';
import { possibleTypes, typePolicies } from '../../src/client/cache/apollo.ts';
import {
  keys,
  possibleTypes as graphcacheTypes,
  resolvers,
} from '../../src/client/cache/graphcache.ts';
import { openGateway } from '../support/open-gateway.ts';

const HEADERS = { 'x-api-key': EXAMPLE_API_KEY };

interface List {
  totalCount: number;
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
  readonly edges: { readonly cursor: string; readonly node: { readonly id: string } }[];
}

interface Data {
  readonly page: { readonly id: string; readonly audiences: List };
}

interface Made {
  readonly createAudience: { readonly audienceEdge: List['edges'][number] | null };
}

const PAGE: TypedDocumentNode<Data, { pageId: string; after?: string | null | undefined }> = gql`
  query Page($pageId: ID!, $after: String) {
    page(pageId: $pageId) {
      id
      audiences(first: 5, after: $after) {
        totalCount
        pageInfo {
          hasNextPage
          endCursor
        }
        edges {
          cursor
          node {
            id
          }
        }
      }
    }
  }
`;

const CREATE: TypedDocumentNode<Made, { input: object }> = gql`
  mutation Create($input: CreateAudienceInput!) {
    createAudience(input: $input) {
      audienceEdge {
        cursor
        node {
          id
        }
      }
    }
  }
`;

const input = { pageId, customName: 'At the head', publishBehavior: 'draft' };

/** A screen with a list: the list shown, a step to its next page, and a form that creates an audience. */
interface Screen {
  shown(): List;
  more(): Promise<unknown>;
  create(): Promise<Made>;
}

async function openApollo(url: string): Promise<Screen> {
  const client = new ApolloClient({
    link: new HttpLink({ uri: `${url}/graphql`, headers: HEADERS }),
    cache: new InMemoryCache({ possibleTypes, typePolicies }),
  });
  onTestFinished(() => client.stop());
  const query = client.watchQuery({ query: PAGE, variables: { pageId } });
  const subscription = query.subscribe({});
  onTestFinished(() => subscription.unsubscribe());
  await query.refetch();
  const pageShown = () => client.readQuery({ query: PAGE, variables: { pageId } })!.page;
  const shown = () => pageShown().audiences;
  const page = pageShown();
  return {
    shown,
    more: () => query.fetchMore({ variables: { after: shown().pageInfo.endCursor } }),
    async create() {
      const { data } = await client.mutate({
        mutation: CREATE,
        variables: { input },
        update(cache, { data }) {
          const edge = data?.createAudience.audienceEdge;
          if (!edge) return;
          cache.modify({
            id: cache.identify({ __typename: 'Page', id: page.id })!,
            fields: {
              audiences: (list, { toReference }) => ({
                ...list,
                totalCount: list.totalCount + 1,
                edges: [
                  { ...edge, node: toReference(edge.node as unknown as Reference) },
                  ...list.edges,
                ],
              }),
            },
          });
        },
      });
      return data!;
    },
  };
}

const putAtHead: UpdateResolver = (made, _args, cache) => {
  const edge = (made as unknown as Made).createAudience.audienceEdge;
  const page = cache.resolve('Query', 'page', { pageId });
  if (!edge || typeof page !== 'string') return;
  const pages = cache.inspectFields(page).filter(({ fieldName }) => fieldName === 'audiences');
  for (const page of pages) {
    const after = page.arguments?.['after'] as string | undefined;
    cache.updateQuery({ query: PAGE, variables: { pageId, after } }, (data) => {
      const list = data!.page.audiences;
      list.totalCount += 1;
      if (page === pages[0]) list.edges.unshift(edge);
      return data;
    });
  }
};

const invalidate: UpdateResolver = (_made, _args, cache) =>
  cache.invalidate(cache.resolve('Query', 'page', { pageId }) as string);

async function openUrql(url: string, createAudience = putAtHead): Promise<Screen> {
  const client = new Client({
    url: `${url}/graphql`,
    preferGetMethod: false,
    fetchOptions: { headers: HEADERS },
    exchanges: [
      cacheExchange({
        keys,
        possibleTypes: graphcacheTypes,
        resolvers,
        updates: { Mutation: { createAudience } },
      }),
      fetchExchange,
    ],
  });
  let list: List;
  let leave = () => {};
  const show = (after?: string | null) =>
    new Promise<void>((resolve) => {
      leave();
      ({ unsubscribe: leave } = client.query(PAGE, { pageId, after }).subscribe(({ data }) => {
        list = data!.page.audiences;
        resolve();
      }));
    });
  onTestFinished(() => leave());
  await show();
  return {
    shown: () => list,
    more: () => show(list.pageInfo.endCursor),
    create: async () => (await client.mutation(CREATE, { input }).toPromise()).data!,
  };
}

it.each([
  ['Apollo Client', openApollo],
  ['urql', openUrql],
] as const)(
  '%s shows a new audience at the head of fifteen, and each audience once up to the end of the list',
  async (_client, open) => {
    const { url } = await openGateway({ fresh: true, rest: { timeoutMs: 5_000 } });
    const screen = await open(url);
    const ids = () => screen.shown().edges.map(({ node }) => node.id);
    await screen.more();
    await screen.more();
    const [before, { totalCount }] = [ids(), screen.shown()];
    expect(before).toHaveLength(15);

    const { createAudience } = await screen.create();

    const made = createAudience.audienceEdge!.node.id;
    expect(ids()).toEqual([made, ...before]);
    expect(screen.shown().totalCount).toBe(totalCount + 1);
    while (screen.shown().pageInfo.hasNextPage) await screen.more();
    expect(new Set(ids()).size).toBe(totalCount + 1);
    expect(ids()).toHaveLength(totalCount + 1);
  },
);

it('urql shows five of fifteen audiences after a mutation that invalidates the page instead', async () => {
  const { url } = await openGateway({ fresh: true, rest: { timeoutMs: 5_000 } });
  const screen = await openUrql(url, invalidate);
  await screen.more();
  await screen.more();
  expect(screen.shown().edges).toHaveLength(15);

  await screen.create();

  await expect.poll(() => screen.shown().edges.length, { timeout: 10_000 }).toBe(5);
});
