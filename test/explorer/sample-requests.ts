/** Sample requests of each kind, and their code for each client. */
import { vi } from 'vitest';
import type { Copied } from '../../src/explorer/documents/copies.ts';

// The page's modules read `location` as they are loaded.
vi.stubGlobal('location', { origin: 'http://127.0.0.1:4000', pathname: '/graphql' });
const { COPIES } = await import('../../src/explorer/documents/copies.ts');

export const REQUESTS = {
  query: {
    document: 'query TopicList($first: Int) {\n  topics(first: $first) { totalCount }\n}\n',
    variables: { first: 3 },
    headers: [],
  },
  mutation: {
    document:
      'mutation Publish($input: PublishAudienceVersionInput!) { publishAudienceVersion(input: $input) { userErrors { message } } }',
    variables: { input: { id: 'x' } },
    headers: ['x-team'],
  },
  subscription: {
    document: 'subscription Progress($id: ID!) { audienceVersionProgress(id: $id) { isFinal } }',
    variables: { id: 'x' },
    headers: [],
  },
  'document with several operations': {
    document: `query Others { topics { nodes { ...Shared ...Other } } }

query TopicList($first: Int) {
  topics(first: $first) { nodes { ...Shared } }
}

fragment Other on Topic { id }
fragment Shared on Topic { title ...Nested }
fragment Nested on Topic { purpose }
`,
    variables: { first: 3 },
    operationName: 'TopicList',
    headers: [],
  },
  'query without a name': {
    document: '{ page(pageId: """`${x}`""") { name } }',
    variables: {},
    headers: [],
  },
};

export const CASES = Object.entries(REQUESTS).flatMap(([kind, request]) =>
  Object.keys(COPIES).map((client) => [client, kind, request] as const),
);

export const copyOf = (client: string, request: Copied): string => COPIES[client]!(request);
