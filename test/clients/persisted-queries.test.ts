/**
 * Apollo Client and urql with persisted queries: both send a hash first, and have to end with data.
 */
import { createHash } from 'node:crypto';
import { ApolloClient, HttpLink, InMemoryCache, gql } from '@apollo/client';
import { PersistedQueryLink } from '@apollo/client/link/persisted-queries';
import { Client, fetchExchange } from '@urql/core';
import { cacheExchange } from '@urql/exchange-graphcache';
import { persistedExchange } from '@urql/exchange-persisted';
import { expect, it } from 'vitest';
import { EXAMPLE_API_KEY, EXAMPLE_PAGE_ID } from '../../src/backend/seed/example.ts';
import { keys, possibleTypes } from '../../src/client/cache/graphcache.ts';
import { SearchPagesDocument } from '../../src/client/generated/graphql.ts';
import manifest from '../../src/client/generated/persisted-documents.json' with { type: 'json' };
import { openFolder } from '../support/folder.ts';
import { openGateway } from '../support/open-gateway.ts';

const PAGE = gql`
  query Page($id: ID!) {
    page(pageId: $id) {
      name
    }
  }
`;
const OTHER = gql`
  query Topics {
    topics(first: 1) {
      nodes {
        id
      }
    }
  }
`;
const VARIABLES = { id: EXAMPLE_PAGE_ID };
const HEADERS = { 'x-api-key': EXAMPLE_API_KEY };
const NAME = 'Northwind launch';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** A `fetch` that records whether each request has the hash alone or the document as well. */
function recordedFetch() {
  const sent: string[] = [];
  const recorded: typeof fetch = (input, init) => {
    const method = init?.method ?? 'GET';
    const asked = method === 'GET' ? paramsOf(input) : (JSON.parse(init?.body as string) as Asked);
    sent.push(`${method} ${asked.query ? 'document' : 'hash'}`);
    return fetch(input, init);
  };
  return { sent, fetch: recorded };
}

interface Asked {
  readonly query?: string | null;
}

const paramsOf = (input: RequestInfo | URL): Asked => ({
  query: new URL(input instanceof Request ? input.url : input).searchParams.get('query'),
});

it.each([false, true])(
  'Apollo Client with its persisted query link falls back to the document (hashes by GET: %s)',
  async (byGet) => {
    const { url } = await openGateway();
    const { sent, fetch } = recordedFetch();
    const http = new HttpLink({ uri: `${url}/graphql`, headers: HEADERS, fetch });
    const client = new ApolloClient({
      link: new PersistedQueryLink({ sha256, useGETForHashedQueries: byGet }).concat(http),
      cache: new InMemoryCache(),
    });

    const first = await client.query({ query: PAGE, variables: VARIABLES });
    const second = await client.query({ query: OTHER });

    expect(first.data).toMatchObject({ page: { name: NAME } });
    expect(second.data).toHaveProperty('topics.nodes.length', 1);
    expect(sent.slice(0, 2)).toEqual([byGet ? 'GET hash' : 'POST hash', 'POST document']);
    client.stop();
  },
);

it.each([false, true])(
  'urql with its persisted exchange falls back to the document (hashes by GET: %s)',
  async (byGet) => {
    const { url } = await openGateway();
    const { sent, fetch } = recordedFetch();
    const client = new Client({
      url: `${url}/graphql`,
      fetch,
      fetchOptions: { headers: HEADERS },
      exchanges: [
        persistedExchange({ preferGetForPersistedQueries: byGet ? 'force' : false }),
        fetchExchange,
      ],
    });

    const first = await client.query(PAGE, VARIABLES);
    const second = await client.query(OTHER, {});

    expect(first.error).toBeUndefined();
    expect(first.data).toMatchObject({ page: { name: NAME } });
    expect(second.data).toHaveProperty('topics.nodes.length', 1);
    expect(sent[0]).toBe(byGet ? 'GET hash' : 'POST hash');
    expect(sent).toContain(byGet ? 'GET document' : 'POST document');
  },
);

it('urql fills its normalized cache from a document that it sends by its manifest id', async () => {
  const folder = openFolder({ 'app-1.json': manifest });
  const { url, gateway } = await openGateway({ documents: { folder, only: true } });
  await gateway.open();
  const { sent, fetch } = recordedFetch();
  const client = new Client({
    url: `${url}/graphql`,
    fetch,
    fetchOptions: { headers: HEADERS },
    exchanges: [
      cacheExchange({ keys, possibleTypes }),
      persistedExchange({
        preferGetForPersistedQueries: false,
        generateHash: (_text, document) =>
          Promise.resolve((document as { __meta__?: { hash: string } }).__meta__!.hash),
      }),
      fetchExchange,
    ],
  });

  const { data, error } = await client.query(SearchPagesDocument, { query: 'northwind', first: 1 });

  expect(error).toBeUndefined();
  expect(data).toMatchObject({ searchPages: [{ __typename: 'PageSearchHit', name: NAME }] });
  expect(sent).toEqual(['POST hash']);
});
