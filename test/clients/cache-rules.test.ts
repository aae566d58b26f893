/** The rules of the package for normalising caches: for each type of the schema, and as the caches use them. */
import { ApolloClient, gql, HttpLink, InMemoryCache } from '@apollo/client';
import { Client, fetchExchange } from '@urql/core';
import { cacheExchange } from '@urql/exchange-graphcache';
import { isInterfaceType, isNonNullType, isObjectType, type GraphQLObjectType } from 'graphql';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { EXAMPLE_API_KEY } from '../../src/backend/seed/example.ts';
import * as apollo from '../../src/client/cache/apollo.ts';
import * as graphcache from '../../src/client/cache/graphcache.ts';
import { schema } from '../../src/app/schema.ts';
import { IDS } from '../support/ids.ts';
import { openGateway, type InProcessGateway } from '../support/open-gateway.ts';
import { worldWithBrokenRow } from '../support/world.ts';

const HEADERS = { 'x-api-key': EXAMPLE_API_KEY };

const types = Object.values(schema.getTypeMap()).filter(({ name }) => !name.startsWith('__'));
const ROOTS = ['Query', 'Mutation', 'Subscription'];
const objects = types.filter(isObjectType).filter(({ name }) => !ROOTS.includes(name));
const hasId = (type: GraphQLObjectType): boolean => {
  const id = type.getFields()['id'];
  return id !== undefined && isNonNullType(id.type);
};
const connections = types.filter(isObjectType).flatMap((type) =>
  Object.values(type.getFields())
    .filter((field) => /Connection!?$/.test(String(field.type)))
    .map((field) => ({ type: type.name, field })),
);

describe('the cache rules', () => {
  it.each(objects.map((type) => [type.name, type] as const))(
    'identify %s by its id if and only if it has one',
    (name, type) => {
      const policy = apollo.typePolicies[name];
      const key = graphcache.keys[name];

      if (hasId(type)) expect([policy?.keyFields, key]).toEqual([undefined, undefined]);
      else expect([policy?.keyFields, key?.({ __typename: name })]).toEqual([false, null]);
    },
  );

  it('name only types of the schema', () => {
    const names = types.map(({ name }) => name);

    expect(names).toEqual(expect.arrayContaining(Object.keys(apollo.typePolicies)));
    expect(names).toEqual(expect.arrayContaining(Object.keys(graphcache.keys)));
  });

  it('list the possible types of each interface', () => {
    const interfaces = types.filter(isInterfaceType);
    const possible = Object.fromEntries(
      interfaces.map((type) => [type.name, schema.getPossibleTypes(type).map(({ name }) => name)]),
    );

    expect(Object.keys(possible).length).toBeGreaterThan(0);
    expect(apollo.possibleTypes).toEqual(possible);
    expect(graphcache.possibleTypes).toEqual(possible);
  });

  it.each(connections.map(({ type, field }) => [`${type}.${field.name}`, type, field] as const))(
    'key lists of %s by their filters, and have a resolver for their pages',
    (_name, type, field) => {
      const policy = apollo.typePolicies[type]?.fields?.[field.name] as { keyArgs?: unknown };
      const filters = field.args
        .map(({ name }) => name)
        .filter((name) => !['first', 'last', 'after', 'before'].includes(name));

      expect(policy.keyArgs).toEqual(filters.length > 0 ? filters : false);
      expect(graphcache.resolvers[type]?.[field.name]).toBeTypeOf('function');
    },
  );
});

/** All types without an id, reached from pages, accounts and topics. */
const WIDE = gql`
  query Wide($query: String) {
    page(pageId: "page_northwind") {
      id
      metadata {
        title
      }
      actions {
        actionId
      }
      actionCardWidgets {
        logos {
          image {
            url
          }
        }
      }
      scripts {
        name
      }
      footerLinks {
        links {
          url
        }
      }
      links(first: 2) {
        edges {
          node {
            path
            target {
              targetType
            }
          }
        }
      }
    }
    accounts(query: $query, first: 2) {
      edges {
        cursor
        node {
          id
          activity(first: 2) {
            edges {
              node {
                ... on LogEntry {
                  source
                }
              }
            }
          }
        }
      }
    }
    topics(first: 1) {
      edges {
        node {
          id
          entries(first: 2) {
            edges {
              node {
                id
                content {
                  content
                }
              }
            }
          }
        }
      }
    }
    searchPages(query: "northwind", first: 1) {
      id
      name
    }
  }
`;

const METADATA = gql`
  {
    page(pageId: "page_northwind") {
      id
      metadata {
        description
      }
    }
  }
`;

interface Wide {
  readonly page: { readonly metadata: { readonly title: string } };
  readonly accounts: {
    readonly edges: readonly {
      readonly node: {
        readonly id: string;
        readonly activity: { readonly edges: readonly { readonly node: { source?: string } }[] };
      };
    }[];
  };
}

/** An object of each type with connections; `…` stands for its fields. */
const PARENTS: Readonly<Record<string, string>> = {
  Query: '{ … }',
  Page: `{ page(pageId: "${IDS.page}") { id … } }`,
  Audience: `{ audience(pageId: "${IDS.page}", audienceId: "${IDS.audience}") { id … } }`,
  Topic: `{ topic(topicId: "${IDS.topic}") { id … } }`,
  Account: `{ account(accountId: "${IDS.account}") { id … } }`,
  Person: `{ person(personId: "${IDS.person}") { id … } }`,
};

const audiences = (selected: string, size = 5) =>
  PARENTS['Page']!.replace('…', `audiences(first: ${size}) { ${selected} }`);

/** Parts of a list that a screen may need, alone or with others. */
const SELECTIONS = [
  'totalCount',
  'nodes { id }',
  'edges { cursor }',
  'edges { node { id } }',
  'edges { cursor node { id status } }',
  'pageInfo { hasNextPage }',
  'pageInfo { startCursor endCursor }',
  'pageInfo { hasNextPage endCursor } edges { node { id effectiveName } }',
];

const withoutTypes = (data: unknown): unknown =>
  JSON.parse(
    JSON.stringify(data, (key, value: unknown) => (key === '__typename' ? undefined : value)),
  );

type Ask = <Data>(
  query: ReturnType<typeof gql>,
  variables: Record<string, string>,
) => Promise<Data>;

const CLIENTS = [
  {
    client: 'Apollo Client',
    open({ url }: InProcessGateway): Ask {
      const client = new ApolloClient({
        link: new HttpLink({ uri: `${url}/graphql`, headers: HEADERS }),
        cache: new InMemoryCache(apollo),
      });
      onTestFinished(() => client.stop());
      return <Data>(query: ReturnType<typeof gql>, variables: Record<string, string>) =>
        client.query({ query, variables, errorPolicy: 'all' }).then(({ data }) => data as Data);
    },
  },
  {
    client: 'graphcache',
    open({ url }: InProcessGateway): Ask {
      const client = new Client({
        url: `${url}/graphql`,
        preferGetMethod: false,
        fetchOptions: { headers: HEADERS },
        exchanges: [cacheExchange(graphcache), fetchExchange],
      });
      return <Data>(query: ReturnType<typeof gql>, variables: Record<string, string>) =>
        client
          .query(query, variables)
          .toPromise()
          .then(({ data }) => data as Data);
    },
  },
];

describe.each(CLIENTS)('$client with these rules', ({ client, open }) => {
  it.each(connections.map(({ type, field }) => [`${type}.${field.name}`, type, field] as const))(
    'returns %s without arguments, and with null for each argument',
    async (_name, type, { name, args }) => {
      const gateway = await openGateway();
      const fields = ['', ...args.map((argument) => `(${argument.name}: null)`)];

      for (const given of fields) {
        const selected = `${name}${given} { pageInfo { hasNextPage endCursor } edges { cursor node { __typename } } }`;
        const document = PARENTS[type]!.replace('…', selected);
        const data = await open(gateway)(gql(document), {});

        expect(withoutTypes(data)).toEqual(withoutTypes((await gateway.ask(document)).data));
      }
    },
  );

  it.each(SELECTIONS)(
    'returns from its cache only what it has read, after a query of a list with %s',
    async (before) => {
      const gateway = await openGateway();

      for (const selected of SELECTIONS) {
        const ask = open(gateway);
        await ask(gql(audiences(before)), {});
        const data = await ask(gql(audiences(selected)), {});

        expect(withoutTypes(data)).toEqual(
          withoutTypes((await gateway.ask(audiences(selected))).data),
        );
      }
    },
  );

  // Apollo Client keeps one list for all sizes.
  it.runIf(client === 'graphcache').each(SELECTIONS)(
    'keeps lists of different page sizes apart: %s',
    async (before) => {
      const gateway = await openGateway();

      for (const selected of SELECTIONS) {
        const ask = open(gateway);
        const documents = [audiences(selected), audiences(before, 6), audiences(selected)];
        const answers: unknown[] = [];
        for (const document of documents) answers.push(await ask(gql(document), {}));

        expect(answers[2]).toEqual(answers[0]);
        expect(withoutTypes(answers[1])).toEqual(
          withoutTypes((await gateway.ask(documents[1]!)).data),
        );
      }
    },
  );

  it.each(['nodes { id createdAt }', 'edges { cursor node { id createdAt } }'])(
    'returns a list as received when one of its rows has failed: %s',
    async (selected) => {
      const gateway = await openGateway({ backend: 'faulty' });
      gateway.upstream.on('*', worldWithBrokenRow());

      const data = await open(gateway)(gql(audiences(selected)), {});

      expect(JSON.stringify(data)).toContain('null');
      expect(withoutTypes(data)).toEqual(
        withoutTypes((await gateway.ask(audiences(selected))).data),
      );
    },
  );

  it('logs no warning, keeps fields selected through an interface, and keeps filtered lists apart', async () => {
    const warnings: unknown[] = [];
    for (const method of ['warn', 'error'] as const) {
      const spy = vi.spyOn(console, method).mockImplementation((...said) => warnings.push(said));
      onTestFinished(() => spy.mockRestore());
    }
    const ask = open(await openGateway({ rest: { timeoutMs: 5_000 } }));

    const all = await ask<Wide>(WIDE, {});
    const some = await ask<Wide>(WIDE, { query: 'harborlight' });
    await ask(METADATA, {});
    const again = await ask<Wide>(WIDE, {});

    expect(warnings).toEqual([]);
    const sources = all.accounts.edges.flatMap(({ node }) =>
      node.activity.edges.map((edge) => edge.node.source),
    );
    expect(sources.length).toBeGreaterThan(0);
    expect(sources.every((source) => typeof source === 'string')).toBe(true);
    expect(some.accounts.edges.map(({ node }) => node.id)).not.toEqual(
      all.accounts.edges.map(({ node }) => node.id),
    );
    expect(again).toEqual(all);
  });
});
