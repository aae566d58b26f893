/**
 * One screen in each client, as its users write it: nested data, paging to the end, a write that shows in
 * the list, an error in one field, and a cursor that has expired.
 */
import { createHash } from 'node:crypto';
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  ApolloClient,
  type CombinedGraphQLErrors,
  gql,
  HttpLink,
  InMemoryCache,
} from '@apollo/client';
import { PersistedQueryLink } from '@apollo/client/link/persisted-queries';
import { addTypenameToDocument } from '@apollo/client/utilities';
import { Client, fetchExchange } from '@urql/core';
import { cacheExchange } from '@urql/exchange-graphcache';
import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { print, type DocumentNode, type GraphQLFormattedError } from 'graphql';
import {
  commitMutation,
  ConnectionHandler,
  createOperationDescriptor,
  Environment,
  fetchQuery,
  getSingularSelector,
  Network,
  RecordSource,
  Store,
} from 'relay-runtime';
import { describe, expect, it, onTestFinished } from 'vitest';
import { EXAMPLE_API_KEY, EXAMPLE_PAGE_ID } from '../../src/backend/seed/example.ts';
import { possibleTypes, typePolicies } from '../../src/client/cache/apollo.ts';
import { keys, resolvers } from '../../src/client/cache/graphcache.ts';
import {
  CreateAudienceDocument,
  PageWithAudiencesDocument,
  PagingAudiencesDocument,
} from '../../src/client/generated/graphql.ts';
import { openGateway, type InProcessGateway } from '../support/open-gateway.ts';
import screenAudiences from './relay/generated/screen_audiences.graphql.ts';
import screenCreateMutation from './relay/generated/screenCreateMutation.graphql.ts';
import screenPaginationQuery from './relay/generated/screenPaginationQuery.graphql.ts';
import screenQuery from './relay/generated/screenQuery.graphql.ts';

const HEADERS = { 'x-api-key': EXAMPLE_API_KEY };
const GENERATED = new URL('../../src/client/generated/persisted-documents.json', import.meta.url);
const RELAY = new URL('relay/generated/relay-1.json', import.meta.url);

/** A manifest as Apollo's tool generates it: documents have the `__typename` that its client adds. */
const apolloManifest = (documents: readonly DocumentNode[]) => ({
  format: 'apollo-persisted-query-manifest',
  version: 1,
  operations: documents.map((document) => {
    const body = print(addTypenameToDocument(document));
    return { id: sha256(body), name: 'Screen', type: 'query', body };
  }),
});

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** A gateway that trusts the documents of `src/client`, of Relay's compiler and of Apollo's tool. */
async function openWithTrustedDocuments(only = false): Promise<InProcessGateway> {
  const folder = await mkdtemp(join(tmpdir(), 'clients-'));
  await writeFile(join(folder, 'apollo-1.json'), JSON.stringify(apolloManifest([SCREEN])));
  await copyFile(GENERATED, join(folder, 'web-1.json'));
  await copyFile(RELAY, join(folder, 'relay-1.json'));
  const site = await openGateway({
    documents: { folder, only },
    rest: { timeoutMs: 5_000 },
  });
  await site.gateway.open();
  onTestFinished(async () => {
    await site.gateway.close();
    await rm(folder, { recursive: true });
  });
  return site;
}

const SCREEN = gql`
  query Screen($pageId: ID!, $first: Int!, $after: String) {
    page(pageId: $pageId) {
      id
      name
      audiences(first: $first, after: $after) {
        totalCount
        pageInfo {
          hasNextPage
          endCursor
        }
        edges {
          cursor
          node {
            id
            effectiveName
            person {
              id
              name
            }
            versions(first: 3) {
              nodes {
                id
                versionNumber
                status
              }
            }
          }
        }
      }
    }
  }
`;

const PARTIAL = gql`
  query Partial($pageId: ID!) {
    page(pageId: $pageId) {
      id
      name
      audiences(first: 101) {
        totalCount
      }
    }
  }
`;

const CREATE = gql`
  mutation Create($input: CreateAudienceInput!) {
    createAudience(input: $input) {
      audience {
        id
        effectiveName
      }
      userErrors {
        message
      }
    }
  }
`;

const VERSION = gql`
  query Version($pageId: ID!, $audienceId: ID!, $versionId: ID!) {
    audienceVersion(pageId: $pageId, audienceId: $audienceId, versionId: $versionId) {
      id
      status
    }
  }
`;

const PUBLISH = gql`
  mutation Publish($id: ID!) {
    publishAudienceVersion(input: { id: $id }) {
      audienceVersion {
        id
        status
      }
      userErrors {
        message
      }
    }
  }
`;

/** A version of the sample data that nothing else publishes here. */
const DRAFT = {
  pageId: EXAMPLE_PAGE_ID,
  audienceId: 'audience_northwind_04',
  versionId: 'version_northwind_04_v1',
};

const VARIABLES = { pageId: EXAMPLE_PAGE_ID, first: 7, after: null as string | null };
const newAudience = (name: string) => ({
  input: { pageId: EXAMPLE_PAGE_ID, customName: name, publishBehavior: 'draft' as const },
});

/** An invalid cursor, such as a changed filter leaves in caches. */
const EXPIRED_CURSOR = 'AAAAAAAAAAAAAAAAAAAA';

/** Whether a request's `after` was rejected, by the extension that docs/clients.md names. */
const hasExpired = ({ errors = [] }: { errors?: { extensions?: { argument?: string } }[] }) =>
  errors.some(({ extensions }) => extensions?.argument === 'after');

class CursorExpired extends Error {
  override readonly name = 'CursorExpired';
}

interface CreateData {
  readonly createAudience: {
    readonly audience: { readonly id: string; readonly effectiveName?: string };
    readonly userErrors: readonly unknown[];
  };
}

interface VersionData {
  readonly audienceVersion: { readonly id: string; readonly status: string };
}

interface PublishData {
  readonly publishAudienceVersion: {
    readonly __typename: string;
    readonly audienceVersion: {
      readonly __typename: string;
      readonly id: string;
      readonly status: string;
    };
    readonly userErrors: readonly unknown[];
  };
}

interface ScreenData {
  readonly page: {
    readonly id: string;
    readonly name: string;
    readonly audiences: {
      readonly totalCount: number;
      readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
      readonly edges: readonly {
        readonly node: { readonly id: string; readonly effectiveName: string };
      }[];
    };
  };
}

describe('Apollo Client', () => {
  const open = ({ url }: InProcessGateway) => {
    const client = new ApolloClient({
      link: new HttpLink({ uri: `${url}/graphql`, headers: HEADERS }),
      cache: new InMemoryCache({ possibleTypes, typePolicies }),
    });
    onTestFinished(() => client.stop());
    return client;
  };

  it('pages to the end with relayStylePagination', async () => {
    const client = open(await openWithTrustedDocuments());
    const observed = client.watchQuery<ScreenData>({ query: SCREEN, variables: VARIABLES });
    const subscription = observed.subscribe(() => {});
    onTestFinished(() => subscription.unsubscribe());
    let data = (await client.query<ScreenData>({ query: SCREEN, variables: VARIABLES })).data!;
    const { totalCount } = data.page.audiences;

    while (data.page.audiences.pageInfo.hasNextPage) {
      const after = data.page.audiences.pageInfo.endCursor;
      await observed.fetchMore({ variables: { after } });
      data = client.readQuery<ScreenData>({ query: SCREEN, variables: VARIABLES })!;
    }

    const ids = data.page.audiences.edges.map(({ node }) => node.id);
    expect(ids).toHaveLength(totalCount);
    expect(new Set(ids).size).toBe(totalCount);
  });

  it('shows a new audience in the list after a refetch', async () => {
    const client = open(await openWithTrustedDocuments());
    const asked = { query: SCREEN, variables: { ...VARIABLES, first: 100 } };
    const before = (await client.query<ScreenData>(asked)).data!.page.audiences.totalCount;

    const { data } = await client.mutate<CreateData>({
      mutation: CREATE,
      variables: newAudience('By Apollo'),
      refetchQueries: [asked],
      awaitRefetchQueries: true,
    });
    const after = (await client.query<ScreenData>({ ...asked, fetchPolicy: 'network-only' })).data!;

    expect(data?.createAudience.userErrors).toEqual([]);
    expect(after.page.audiences.totalCount).toBe(before + 1);
    expect(after.page.audiences.edges.map(({ node }) => node.id)).toContain(
      data?.createAudience.audience.id,
    );
  });

  it('keeps the rest of the data when one field fails, and recognises an expired cursor by the argument in its error', async () => {
    const client = open(await openWithTrustedDocuments());

    const partial = await client.query<ScreenData>({
      query: PARTIAL,
      variables: VARIABLES,
      errorPolicy: 'all',
    });
    const expired = await client.query<ScreenData>({
      query: SCREEN,
      variables: { ...VARIABLES, after: EXPIRED_CURSOR },
      errorPolicy: 'all',
      fetchPolicy: 'network-only',
    });

    expect(partial.data).toMatchObject({ page: { name: 'Northwind launch', audiences: null } });
    expect(partial.error).toBeDefined();
    expect((expired.error as CombinedGraphQLErrors).errors[0]?.extensions).toMatchObject({
      code: 'BAD_USER_INPUT',
      argument: 'after',
    });
  });

  it.each([
    [false, 'POST'],
    [true, 'GET'],
  ])('sends manifest ids without documents (by GET: %s)', async (byGet, method) => {
    const site = await openWithTrustedDocuments(true);
    const sent: RequestInit[] = [];
    const http = new HttpLink({
      uri: `${site.url}/graphql`,
      headers: HEADERS,
      fetch: (input, init = {}) => {
        sent.push(init);
        return fetch(input, init);
      },
    });
    const link = new PersistedQueryLink({ sha256, useGETForHashedQueries: byGet }).concat(http);
    const client = new ApolloClient({ link, cache: new InMemoryCache() });
    onTestFinished(() => client.stop());

    const { data } = await client.query<ScreenData>({ query: SCREEN, variables: VARIABLES });

    expect(data?.page.audiences.edges).toHaveLength(VARIABLES.first);
    expect(sent.map((init) => init.method)).toEqual([method]);
    expect(sent[0]!.body ?? '').not.toContain('"query"');
  });

  it('shows an optimistic status until the gateway responds, and then the real one', async () => {
    const site = await openWithTrustedDocuments();
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    const http = new HttpLink({
      uri: `${site.url}/graphql`,
      headers: HEADERS,
      fetch: async (input, init) => {
        const response = await fetch(input, init);
        if (typeof init?.body === 'string' && init.body.includes('mutation')) await held;
        return response;
      },
    });
    const client = new ApolloClient({ link: http, cache: new InMemoryCache() });
    onTestFinished(() => client.stop());
    const shown: (string | undefined)[] = [];
    const observed = client.watchQuery<VersionData>({ query: VERSION, variables: DRAFT });
    const subscription = observed.subscribe(({ data }) => {
      const { status } = (data as VersionData | undefined)?.audienceVersion ?? {};
      if (status !== undefined && status !== shown.at(-1)) shown.push(status);
    });
    onTestFinished(() => subscription.unsubscribe());
    await expect.poll(() => shown).toEqual(['draft']);
    const { id } = client.readQuery<VersionData>({
      query: VERSION,
      variables: DRAFT,
    })!.audienceVersion;

    const publishing = client.mutate<PublishData>({
      mutation: PUBLISH,
      variables: { id },
      optimisticResponse: {
        publishAudienceVersion: {
          __typename: 'PublishAudienceVersionPayload',
          audienceVersion: { __typename: 'AudienceVersion', id, status: 'processing' },
          userErrors: [],
        },
      },
    });
    await expect.poll(() => shown).toEqual(['draft', 'processing']);
    release();
    const { data } = await publishing;

    const { audienceVersion, userErrors } = data!.publishAudienceVersion;
    expect(userErrors).toEqual([]);
    expect(audienceVersion.status).toBe('queued');
    await expect.poll(() => shown).toEqual(['draft', 'processing', 'queued']);
  });
});

describe('urql with graphcache', () => {
  const open = ({ url }: InProcessGateway) =>
    new Client({
      url: `${url}/graphql`,
      preferGetMethod: false,
      fetchOptions: { headers: HEADERS },
      exchanges: [
        cacheExchange({
          keys,
          possibleTypes,
          resolvers,
          updates: {
            Mutation: {
              createAudience: (_result, { input }, cache) => {
                const { pageId } = input as { pageId: string };
                cache.invalidate({ __typename: 'Query' }, 'page', { pageId });
              },
            },
          },
        }),
        fetchExchange,
      ],
    });

  it('pages to the end with relayPagination, and counts a new audience in the list', async () => {
    const client = open(await openWithTrustedDocuments());
    let variables = VARIABLES;
    let { data } = await client.query<ScreenData>(SCREEN, variables).toPromise();
    const { totalCount } = data!.page.audiences;
    while (data!.page.audiences.pageInfo.hasNextPage) {
      variables = { ...variables, after: data!.page.audiences.pageInfo.endCursor };
      ({ data } = await client.query<ScreenData>(SCREEN, variables).toPromise());
    }
    const ids = data!.page.audiences.edges.map(({ node }) => node.id);

    const created = await client.mutation<CreateData>(CREATE, newAudience('By urql')).toPromise();
    const again = await client.query<ScreenData>(SCREEN, { ...VARIABLES, first: 100 }).toPromise();

    expect(new Set(ids).size).toBe(totalCount);
    expect(created.error).toBeUndefined();
    expect(again.data?.page.audiences.totalCount).toBe(totalCount + 1);
  });

  it('keeps the rest of the data when one field fails, and recognises an expired cursor by the argument in its error', async () => {
    const client = open(await openWithTrustedDocuments());

    const partial = await client.query<ScreenData>(PARTIAL, VARIABLES).toPromise();
    const expired = await client
      .query<ScreenData>(SCREEN, { ...VARIABLES, after: EXPIRED_CURSOR })
      .toPromise();

    expect(partial.data).toMatchObject({ page: { name: 'Northwind launch' } });
    expect(partial.error?.graphQLErrors[0]?.path).toEqual(['page', 'audiences']);
    expect(expired.error?.graphQLErrors[0]?.extensions).toMatchObject({
      code: 'BAD_USER_INPUT',
      argument: 'after',
    });
  });
});

describe('Relay', () => {
  /** An environment whose network layer sends only the ids that the compiler gave to documents. */
  const open = ({ url }: InProcessGateway) =>
    new Environment({
      store: new Store(new RecordSource()),
      network: Network.create(async ({ id }, variables) => {
        const response = await fetch(`${url}/graphql`, {
          method: 'POST',
          headers: { ...HEADERS, 'content-type': 'application/json' },
          body: JSON.stringify({ doc_id: id, variables }),
        });
        const answer = await response.json();
        // Relay would write its null over the list that this page belongs to.
        if (hasExpired(answer)) throw new CursorExpired();
        return answer;
      }),
    });

  const VARIABLES = { pageId: EXAMPLE_PAGE_ID, count: 7 };

  /** The data of a component with the fragment, which Relay's store does not type. */
  function shownBy(environment: Environment) {
    const query = createOperationDescriptor(screenQuery, VARIABLES);
    const { page } = environment.lookup(query.fragment).data as unknown as ScreenData;
    const selector = getSingularSelector(screenAudiences, page);
    const { audiences } = environment.lookup(selector).data as unknown as ScreenData['page'];
    return { page, audiences };
  }

  it('pages to the end, and prepends the audience that a mutation created', async () => {
    const environment = open(await openWithTrustedDocuments(true));
    await fetchQuery(environment, screenQuery, VARIABLES).toPromise();
    const operation = createOperationDescriptor(screenQuery, VARIABLES);
    environment.retain(operation);
    let { page, audiences } = shownBy(environment);

    while (audiences.pageInfo.hasNextPage) {
      const variables = { id: page.id, count: 7, cursor: audiences.pageInfo.endCursor };
      await fetchQuery(environment, screenPaginationQuery, variables).toPromise();
      ({ page, audiences } = shownBy(environment));
    }
    const ids = audiences.edges.map(({ node }) => node.id);
    const errors = await new Promise((resolve, reject) => {
      commitMutation(environment, {
        mutation: screenCreateMutation,
        variables: {
          ...newAudience('By Relay'),
          connections: [ConnectionHandler.getConnectionID(page.id, 'screen_audiences')],
        },
        onCompleted: (response) =>
          resolve((response as unknown as CreateData).createAudience.userErrors),
        onError: reject,
      });
    });

    expect(ids).toHaveLength(audiences.totalCount);
    expect(new Set(ids).size).toBe(ids.length);
    expect(errors).toEqual([]);
    expect(shownBy(environment).audiences.edges[0]!.node.effectiveName).toContain('By Relay');
    expect(shownBy(environment).audiences.edges).toHaveLength(ids.length + 1);
  });

  it('keeps the rest of the data when one field fails', async () => {
    const environment = open(await openWithTrustedDocuments(true));
    const variables = { ...VARIABLES, count: 101 };

    await fetchQuery(environment, screenQuery, variables).toPromise();
    const operation = createOperationDescriptor(screenQuery, variables);
    const { page } = environment.lookup(operation.fragment).data as unknown as ScreenData;
    const { data } = environment.lookup(getSingularSelector(screenAudiences, page));

    expect(page.name).toBe('Northwind launch');
    expect(data).toMatchObject({ audiences: null });
  });

  it('keeps its list when a cursor has expired, and refetches it without a cursor', async () => {
    const environment = open(await openWithTrustedDocuments(true));
    await fetchQuery(environment, screenQuery, VARIABLES).toPromise();
    environment.retain(createOperationDescriptor(screenQuery, VARIABLES));
    const { page, audiences } = shownBy(environment);
    const next = (cursor: string | null) =>
      fetchQuery(environment, screenPaginationQuery, { id: page.id, count: 3, cursor }).toPromise();

    await expect(next(EXPIRED_CURSOR)).rejects.toThrow(CursorExpired);
    const kept = shownBy(environment).audiences.edges;
    await next(null);

    expect(kept).toEqual(audiences.edges);
    expect(shownBy(environment).audiences.edges).toHaveLength(3);
  });
});

describe('fetch with the generated documents', () => {
  /** Requests by the hash that codegen has put next to the document, without its text. */
  async function ask<Data, Variables>(
    { url }: InProcessGateway,
    document: TypedDocumentNode<Data, Variables>,
    variables: Variables,
  ) {
    const { hash } = (document as { __meta__?: { hash: string } }).__meta__!;
    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { ...HEADERS, 'content-type': 'application/json' },
      body: JSON.stringify({ documentId: `sha256:${hash}`, variables }),
    });
    return (await response.json()) as { data: Data; errors?: GraphQLFormattedError[] };
  }

  it('reads a nested screen, pages to the end, and finds a new audience in the list', async () => {
    const site = await openWithTrustedDocuments(true);
    const pageId = EXAMPLE_PAGE_ID;
    const step = async (after: string | null) =>
      (await ask(site, PagingAudiencesDocument, { pageId, first: 7, after })).data.page!.audiences!;
    const walk = async () => {
      const ids: string[] = [];
      let after: string | null = null;
      for (;;) {
        const { edges, pageInfo, totalCount } = await step(after);
        ids.push(...edges.map((edge) => edge.node!.audienceId));
        if (!pageInfo.hasNextPage) return { ids, totalCount };
        after = pageInfo.endCursor!;
      }
    };

    const screen = await ask(site, PageWithAudiencesDocument, { pageId, first: 2 });
    const before = await walk();
    const created = await ask(site, CreateAudienceDocument, newAudience('By fetch'));
    const after = await walk();

    expect(screen.data.page?.audiences?.nodes[0]?.versions?.nodes.length).toBeGreaterThan(0);
    expect(new Set(before.ids).size).toBe(before.totalCount);
    expect(created.data.createAudience?.userErrors).toEqual([]);
    expect(after.ids).toHaveLength(before.ids.length + 1);
    expect(after.ids).toContain(created.data.createAudience?.audience?.audienceId);
  });

  it('keeps the rest of the data when one field fails, and recognises an expired cursor by the argument in its error', async () => {
    const site = await openWithTrustedDocuments(true);
    const pageId = EXAMPLE_PAGE_ID;

    const partial = await ask(site, PageWithAudiencesDocument, { pageId, first: 101 });
    const expired = await ask(site, PagingAudiencesDocument, {
      ...{ pageId, first: 7, after: EXPIRED_CURSOR },
    });

    expect(partial.data.page).toMatchObject({ name: 'Northwind launch', audiences: null });
    expect(partial.errors).toMatchObject([{ path: ['page', 'audiences'] }]);
    expect(hasExpired(expired)).toBe(true);
  });

  it('reads by GET, and gets 304 for an unchanged response', async () => {
    const { url } = await openWithTrustedDocuments(true);
    const { hash } = (PageWithAudiencesDocument as { __meta__?: { hash: string } }).__meta__!;
    const search = new URLSearchParams({
      documentId: `sha256:${hash}`,
      variables: JSON.stringify({ pageId: EXAMPLE_PAGE_ID, first: 2 }),
    });
    const ask = (headers: Record<string, string> = {}) =>
      fetch(`${url}/graphql?${search}`, { headers: { ...HEADERS, ...headers } });

    const first = await ask();
    const { data } = await first.json();
    const second = await ask({ 'if-none-match': first.headers.get('etag')! });

    expect(data.page.audiences.nodes).toHaveLength(2);
    expect(second.status).toBe(304);
  });
});
