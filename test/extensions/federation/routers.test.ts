/**
 * Routers in front of the subgraph and another one: their responses, and the REST calls that these take.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { schema } from '../../../src/app/schema.ts';
import { subgraphOf } from '../../../src/extensions/federation/federation.extension.ts';
import { clientOf, type Client } from '../../support/client.ts';
import { IDS } from '../../support/ids.ts';
import { openGateway, type InProcessGateway } from '../../support/open-gateway.ts';
import {
  content,
  hasPackages,
  knownObject,
  openReviews,
  routers,
  type Known,
} from './supergraph.ts';

const PAGES = [IDS.page, ...IDS.pages];

/** Fields of each of the nine types that take a call. */
const SELECTED = {
  Page: 'name status audiences(first: 2) { totalCount }',
  Audience: 'effectiveName',
  AudienceVersion: 'status',
  Topic: 'title',
  TopicEntry: 'content { content }',
  Account: 'domain',
  Person: 'email',
  AccountLog: 'source',
  PersonLog: 'source',
};

/** Whole queries of this subgraph alone. */
const QUERIES = [
  `{ page(pageId: "${IDS.page}") { name audiences(first: 20) { totalCount nodes {
    effectiveName latestVersion { versionNumber status } person { name email } } } } }`,
  `{ page(pageId: "${IDS.page}") { pageId links(first: 5) { nodes { path target { audience { effectiveName } } } } } }`,
  `{ topics(first: 5) { nodes { title entries { nodes { content { content } topic { title } } } } } }`,
  `{ account(accountId: "${IDS.account}") { name persons { nodes { name account { name } } }
    logs { nodes { type } } activity { nodes { type } } } }`,
  `{ searchPages(query: "north") { name page { pageId status } } }`,
  `{ a: persons(first: 10) { nodes { name } } b: persons(first: 30) { nodes { name } } }`,
];

type Typename = keyof typeof SELECTED;

/** One object of each type, by fields that are named alike in both graphs. */
const mentionOf = (fieldOf: (type: Typename, name: string) => string): string =>
  (Object.keys(SELECTED) as Typename[])
    .map((type) => fieldOf(type, type[0]!.toLowerCase() + type.slice(1)))
    .join('\n');

let gateway: InProcessGateway;
let known: Known;

beforeAll(async () => {
  if (!hasPackages) return;
  gateway = await openGateway({
    schema: subgraphOf(schema, { exposesSchema: true }),
    fresh: true,
  });
  const { data } = await gateway.ask(`{
    topic(topicId: "${IDS.topic}") { entries(first: 1) { nodes { topicId topicEntryId } } }
    account(accountId: "${IDS.account}") { logs(first: 1) { nodes { accountId accountLogId } } }
    person(personId: "${IDS.person}") { logs(first: 1) { nodes { personId personLogId } } } }`);
  const one = (type: string, key: Readonly<Record<string, string>>) => [knownObject(type, key)];
  const audience = { pageId: IDS.page, audienceId: IDS.audience };
  known = {
    Page: [...PAGES, 'gone'].map((pageId) => knownObject('Page', { pageId })),
    Audience: one('Audience', audience),
    AudienceVersion: one('AudienceVersion', { ...audience, versionId: IDS.version }),
    Topic: one('Topic', { topicId: IDS.topic }),
    TopicEntry: one('TopicEntry', data.topic.entries.nodes[0]),
    Account: one('Account', { accountId: IDS.account }),
    Person: one('Person', { personId: IDS.person }),
    AccountLog: one('AccountLog', data.account.logs.nodes[0]),
    PersonLog: one('PersonLog', data.person.logs.nodes[0]),
  };
});

describe
  .runIf(hasPackages)
  .each(
    Object.entries(routers).flatMap(([name, open]) =>
      (['id', 'raw'] as const).map((keys) => ({ name, open, keys })),
    ),
  )('$name, next to a subgraph that identifies objects by $keys', ({ open, keys }) => {
  let router: Client;

  beforeAll(async () => {
    const reviews = await openReviews(keys, known);
    const url = await open([content(`${gateway.url}/graphql`), reviews]);
    router = clientOf(url, 'demo');
  });

  /** The response of the router, and the calls of the gateway for it. */
  const askRouter = async (query: string) => {
    gateway.restCalls.length = 0;
    const reply = await router.ask(query);
    return { ...reply, calls: [...gateway.restCalls].sort() };
  };

  /** The response and the calls of the gateway without the router. */
  const askHere = async (query: string) => {
    const reply = await gateway.ask(query);
    return { ...reply, calls: [...gateway.restCalls].sort() };
  };

  it('reads an object of each type with the calls of node', async () => {
    const mentions = mentionOf((type, name) => `${name} { ${SELECTED[type]} }`);
    const { data, errors, calls } = await askRouter(`{ mention { ${mentions} } }`);

    const here = await askHere(
      `{ ${mentionOf(
        (type, name) =>
          `${name}: node(id: "${known[type]![0]!['id']}") { ... on ${type} { ${SELECTED[type]} } }`,
      )} }`,
    );
    expect(errors).toEqual([]);
    expect(data.mention).toEqual(here.data);
    expect(calls).toEqual(here.calls);
  });

  it('reads the pages of 150 reviews with the calls of nodes, each page once', async () => {
    const { data, errors, calls } = await askRouter(
      `{ reviews(first: 150) { nodes { stars page { ${SELECTED.Page} } } } }`,
    );

    const ids = known['Page']!.map(({ id }) => id!);
    const here = await askHere(
      `{ nodes(ids: ${JSON.stringify(ids)}) { ... on Page { ${SELECTED.Page} } } }`,
    );
    expect(data.reviews.nodes.map(({ page }: any) => page)).toEqual(
      Array.from({ length: 150 }, (_, i) => here.data.nodes[i % ids.length]),
    );
    expect(calls).toEqual(here.calls);
    // The missing page has errors.
    expect(errors.length).toBeGreaterThan(0);
    for (const { extensions } of errors) expect(extensions?.code).toBe('NOT_FOUND');
  });

  it.each(QUERIES)(
    'executes a query of this subgraph with the calls of the gateway: %s',
    async (query) => {
      const { data, errors, calls } = await askRouter(query);

      const here = await askHere(query);
      expect(errors).toEqual([]);
      expect(data).toEqual(here.data);
      expect(calls).toEqual(here.calls);
    },
  );

  it('adds fields of another subgraph without additional calls', async () => {
    const { data, errors, calls } = await askRouter(
      `{ page(pageId: "${IDS.page}") { name reviews { stars } audiences(first: 3) { nodes { effectiveName } } } }`,
    );

    const here = await askHere(
      `{ page(pageId: "${IDS.page}") { name audiences(first: 3) { nodes { effectiveName } } } }`,
    );
    expect(errors).toEqual([]);
    expect(data.page).toEqual({ ...here.data.page, reviews: [{ stars: 1 }, { stars: 2 }] });
    expect(calls).toEqual(here.calls);
  });

  it('reads a page again when another subgraph refers back to it', async () => {
    const { data, errors, calls } = await askRouter(
      `{ page(pageId: "${IDS.page}") { name reviews { page { status } } } }`,
    );

    expect(errors).toEqual([]);
    expect(data.page.reviews.map(({ page }: any) => page.status)).toHaveLength(2);
    expect(calls).toEqual([`GET /v0/pages/${IDS.page}`, `GET /v0/pages/${IDS.page}`]);
  });

  it('sends a mutation once', async () => {
    const { data, errors, calls } = await askRouter(
      `mutation { updateTopic(input: { id: "${known['Topic']![0]!['id']}", title: "By ${keys}" }) {
        topic { title } userErrors { message } } }`,
    );

    expect(errors).toEqual([]);
    expect(data.updateTopic).toEqual({ topic: { title: `By ${keys}` }, userErrors: [] });
    expect(calls).toEqual([`PATCH /v0/topics/${IDS.topic}`]);
  });

  it('passes on UNAUTHENTICATED for an unknown key', async () => {
    const { body } = await router.ask(QUERIES[0]!, { apiKey: 'nobody-knows-this-key' });

    expect(body.data?.page ?? null).toBeNull();
    expect(JSON.stringify(body.errors)).toContain('UNAUTHENTICATED');
  });
});
