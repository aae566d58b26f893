/** Topics and entries: their edges with the calls they cost, paging both ways, and both writes. */
import { describe, expect, it } from 'vitest';
import { TopicsDocument } from '../../src/client/generated/graphql.ts';
import { formatNodeId } from '../../src/graph/types/node-id.ts';
import { IDS } from '../support/ids.ts';
import { openGateway, type InProcessGateway } from '../support/open-gateway.ts';

const TOPIC = IDS.topic;
const topicId = formatNodeId('Topic', [TOPIC]);
const entryId = formatNodeId('TopicEntry', [TOPIC, 'entry_01_03']);

const ENTRIES = /* GraphQL */ `
  query ($topicId: ID!, $first: Int, $after: String, $last: Int, $before: String) {
    topic(topicId: $topicId) {
      entries(first: $first, after: $after, last: $last, before: $before) {
        totalCount
        edges {
          cursor
          node {
            topicEntryId
          }
        }
        pageInfo {
          hasNextPage
          hasPreviousPage
          startCursor
          endCursor
        }
      }
    }
  }
`;

const idsOf = (connection: any): string[] =>
  connection.edges.map((edge: any) => edge.node.topicEntryId);

async function entriesOf(gateway: InProcessGateway, args: Record<string, unknown> = {}) {
  const reply = await gateway.ask(ENTRIES, { variables: { topicId: TOPIC, ...args } });
  return { ...reply, entries: reply.data.topic.entries };
}

describe('Topic', () => {
  it('is read with its entries and their topic in one call', async () => {
    const gateway = await openGateway();

    const { data, errors } = await gateway.ask(`{ topic(topicId: "${TOPIC}") { title
      entries(first: 100) { nodes { topicId sortOrder content { type content } topic { title } } } } }`);

    const { title, entries } = data['topic'];
    expect(errors).toEqual([]);
    expect(entries.nodes).toHaveLength(40);
    expect(new Set(entries.nodes.map((node: any) => node.topic.title))).toEqual(new Set([title]));
    expect(gateway.restCalls).toEqual([`GET /v0/topics/${TOPIC}`]);
  });

  it('is listed with its entries and their topic in one call', async () => {
    const gateway = await openGateway();

    const { data, errors } = await gateway.ask(
      '{ topics(first: 3) { totalCount nodes { sortOrder entries { nodes { topic { title purpose } } } } } }',
    );

    expect(errors).toEqual([]);
    expect(data['topics'].nodes).toHaveLength(3);
    expect(gateway.restCalls).toEqual(['GET /v0/topics?limit=3']);
  });

  it('returns 20 of 40 entries, their total and hasNextPage for TopicsDocument, in one call', async () => {
    const gateway = await openGateway();

    const { data } = await gateway.ask(TopicsDocument, { variables: { first: 1 } });

    const { totalCount, pageInfo, nodes } = data.topics.nodes[0]!.entries;
    expect([nodes.length, totalCount]).toEqual([20, 40]);
    expect(pageInfo.hasNextPage).toBe(true);
    expect(gateway.restCalls).toEqual(['GET /v0/topics?limit=1']);
  });

  it('is null for an unknown id', async () => {
    const gateway = await openGateway();

    const { data, errors } = await gateway.ask('{ topic(topicId: "nobody") { title } }');

    expect(data).toEqual({ topic: null });
    expect(errors).toEqual([]);
  });
});

describe('TopicEntry', () => {
  it('is read by its global id, with its topic, in one call', async () => {
    const gateway = await openGateway();

    const { data, errors } = await gateway.ask(
      `{ node(id: "${entryId}") { id ... on TopicEntry { topicEntryId createdAt topic { title } } } }`,
    );

    expect(errors).toEqual([]);
    expect(data['node']).toMatchObject({ id: entryId, topicEntryId: 'entry_01_03' });
    expect(data['node'].topic.title).toBeTruthy();
    expect(gateway.restCalls).toEqual([`GET /v0/topics/${TOPIC}`]);
  });

  it('is null for an unknown entry, and for an entry of an unknown topic', async () => {
    const gateway = await openGateway();
    const ids = [
      formatNodeId('TopicEntry', [TOPIC, 'nobody']),
      formatNodeId('TopicEntry', ['nobody', 'nobody']),
    ];

    const { data, errors } = await gateway.ask(
      'query ($ids: [ID!]!) { nodes(ids: $ids) { ... on TopicEntry { content { type } } } }',
      { variables: { ids } },
    );

    expect(data['nodes']).toEqual([null, null]);
    expect(errors).toEqual([]);
  });
});

describe('Topic.entries', () => {
  it('returns the first 20 entries by default', async () => {
    const gateway = await openGateway();

    const { entries } = await entriesOf(gateway);

    expect(entries.edges).toHaveLength(20);
    expect(entries.totalCount).toBe(40);
    expect(entries.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: false });
  });

  it.each([1, 13, 39, 40, 41])(
    'visits every entry once, %i at a time, forward and backward',
    async (size) => {
      const gateway = await openGateway();
      const whole = idsOf((await entriesOf(gateway, { first: 100 })).entries);
      const forward: string[] = [];
      const backward: string[] = [];

      for (let after: string | null = null, more = true; more;) {
        const { entries }: any = await entriesOf(gateway, { first: size, after });
        expect(entries.pageInfo.hasPreviousPage).toBe(forward.length > 0);
        forward.push(...idsOf(entries));
        after = entries.pageInfo.endCursor;
        more = entries.pageInfo.hasNextPage;
        expect(more).toBe(forward.length < whole.length);
      }
      for (let before: string | null = null, more = true; more;) {
        const { entries }: any = await entriesOf(gateway, { last: size, before });
        expect(entries.pageInfo.hasNextPage).toBe(backward.length > 0);
        backward.unshift(...idsOf(entries));
        before = entries.pageInfo.startCursor;
        more = entries.pageInfo.hasPreviousPage;
        expect(more).toBe(backward.length < whole.length);
      }

      expect(forward).toEqual(whole);
      expect(backward).toEqual(whole);
    },
  );

  it.each([
    [{ first: 3 }, [3, 4, 5]],
    [{ last: 3 }, [7, 8, 9]],
    [{}, [3, 4, 5, 6, 7, 8, 9]],
    [{ first: 0 }, []],
    [{ last: 0 }, []],
  ])('applies %o between two cursors', async (size, places) => {
    const gateway = await openGateway();
    const { entries: whole } = await entriesOf(gateway, { first: 100 });
    const [after, before] = [whole.edges[2].cursor, whole.edges[10].cursor];

    const { entries } = await entriesOf(gateway, { ...size, after, before });

    expect(idsOf(entries)).toEqual(places.map((place) => idsOf(whole)[place]));
    expect(entries.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: true });
  });

  it('returns no edges when "after" is behind "before"', async () => {
    const gateway = await openGateway();
    const { entries: whole } = await entriesOf(gateway, { first: 100 });

    const { entries } = await entriesOf(gateway, {
      after: whole.edges[10].cursor,
      before: whole.edges[2].cursor,
    });

    expect(entries.edges).toEqual([]);
  });

  it('returns an empty connection for a topic without entries', async () => {
    const gateway = await openGateway();

    const { entries } = await entriesOf(gateway, { topicId: 'topic_02' });

    expect(entries).toEqual({
      totalCount: 0,
      edges: [],
      pageInfo: { hasNextPage: false, hasPreviousPage: false, startCursor: null, endCursor: null },
    });
  });

  it('continues after the same entry when another is inserted before it', async () => {
    const gateway = await openGateway({ fresh: true });
    const { entries: whole } = await entriesOf(gateway, { first: 100 });
    const { cursor } = whole.edges[4];

    await gateway.ask(`mutation { createTopicEntry(input: { topicId: "${TOPIC}", sortOrder: 0,
      content: { type: "text", content: "First of all." } }) { topicEntry { id } } }`);
    const { entries } = await entriesOf(gateway, { first: 2, after: cursor });

    expect(entries.totalCount).toBe(whole.totalCount + 1);
    expect(idsOf(entries)).toEqual(idsOf(whole).slice(5, 7));
  });

  it.each([
    ['first and last together', { first: 1, last: 1 }, undefined],
    ['a size above 100', { first: 101 }, 'first'],
    ['a size below 0', { last: -1 }, 'last'],
    ['an invented cursor', { after: 'bm9uc2Vuc2U' }, 'after'],
  ])('rejects %s', async (_what, args, argument) => {
    const gateway = await openGateway();

    const { entries, errors, codes } = await entriesOf(gateway, args);

    expect(entries).toBeNull();
    expect(codes).toEqual(['BAD_USER_INPUT']);
    expect(errors[0].extensions['argument']).toBe(argument);
  });

  it('rejects a cursor of another topic', async () => {
    const gateway = await openGateway();
    const { entries } = await entriesOf(gateway, { topicId: 'topic_03' });

    const { codes } = await entriesOf(gateway, { after: entries.edges[0].cursor });

    expect(codes).toEqual(['BAD_USER_INPUT']);
  });

  it.each(['after', 'before'])(
    'rejects "%s" of an entry that no longer exists',
    async (argument) => {
      const old = await openGateway({ fresh: true });
      const gateway = await openGateway();
      const { data } = await old.ask(`mutation { createTopicEntry(input: { topicId: "${TOPIC}",
      content: { type: "text", content: "Soon gone." } }) { topicEntry { topicEntryId } } }`);
      const { entries: whole } = await entriesOf(old, { last: 1 });
      expect(idsOf(whole)).toEqual([data['createTopicEntry'].topicEntry.topicEntryId]);

      // This backend never had the entry, as if it had been deleted.
      const { entries, errors, codes } = await entriesOf(gateway, {
        [argument]: whole.edges[0].cursor,
      });

      expect(entries).toBeNull();
      expect(codes).toEqual(['BAD_USER_INPUT']);
      expect(errors[0].extensions['argument']).toBe(argument);
    },
  );
});

describe('updateTopic', () => {
  it('changes the given fields, and keeps fields that are null or omitted', async () => {
    const gateway = await openGateway({ fresh: true });

    const { data, errors } = await gateway.ask(
      `mutation ($input: UpdateTopicInput!) { updateTopic(input: $input) {
        topic { title sortOrder entries(first: 1) { nodes { topic { title } } } } userErrors { code } } }`,
      { variables: { input: { id: topicId, title: 'Prices', sortOrder: null } } },
    );

    expect(errors).toEqual([]);
    expect(data['updateTopic']).toEqual({
      topic: {
        title: 'Prices',
        sortOrder: 0,
        entries: { nodes: [{ topic: { title: 'Prices' } }] },
      },
      userErrors: [],
    });
    expect(gateway.restCalls).toEqual([`PATCH /v0/topics/${TOPIC}`]);
  });

  it('accepts the largest safe integer as sortOrder', async () => {
    const gateway = await openGateway({ fresh: true });

    const { data } = await gateway.ask(
      'mutation ($input: UpdateTopicInput!) { updateTopic(input: $input) { topic { sortOrder } } }',
      { variables: { input: { id: topicId, sortOrder: Number.MAX_SAFE_INTEGER } } },
    );

    expect(data['updateTopic'].topic.sortOrder).toBe(Number.MAX_SAFE_INTEGER);
  });

  it('reports an unknown topic as NOT_FOUND in userErrors', async () => {
    const gateway = await openGateway();

    const { data, errors } = await gateway.ask(
      'mutation ($id: ID!) { updateTopic(input: { id: $id, title: "x" }) { topic { title } userErrors { code } } }',
      { variables: { id: formatNodeId('Topic', ['nobody']) } },
    );

    expect(errors).toEqual([]);
    expect(data['updateTopic']).toEqual({ topic: null, userErrors: [{ code: 'NOT_FOUND' }] });
  });
});

describe('createTopicEntry', () => {
  it('adds an entry, and reads its topic only when more than the topic’s id is selected', async () => {
    const gateway = await openGateway({ fresh: true });
    const mutation = (selection: string) => `mutation { createTopicEntry(input: {
      topicId: "${TOPIC}", content: { type: "text", content: "Good to know." }, sortOrder: 7 }) {
      topicEntry { ${selection} } userErrors { code } } }`;

    const { data } = await gateway.ask(
      mutation('id sortOrder content { content } topic { topicId }'),
    );
    const alone = [...gateway.restCalls];
    await gateway.ask(mutation('topic { entries { totalCount } }'));

    expect(data['createTopicEntry']).toMatchObject({
      topicEntry: {
        sortOrder: 7,
        content: { content: 'Good to know.' },
        topic: { topicId: TOPIC },
      },
      userErrors: [],
    });
    expect(alone).toEqual([`POST /v0/topics/${TOPIC}/entries`]);
    expect(gateway.restCalls).toEqual([
      `POST /v0/topics/${TOPIC}/entries`,
      `GET /v0/topics/${TOPIC}`,
    ]);
  });

  it('returns an id by which node(id:) finds the new entry', async () => {
    const gateway = await openGateway({ fresh: true });
    const { data: made } = await gateway.ask(`mutation { createTopicEntry(input: {
      topicId: "${TOPIC}", content: { type: "text", content: "Here." } }) { topicEntry { id } } }`);

    const { data } = await gateway.ask(
      'query ($id: ID!) { node(id: $id) { ... on TopicEntry { content { content } } } }',
      { variables: { id: made['createTopicEntry'].topicEntry.id } },
    );

    expect(data['node']).toEqual({ content: { content: 'Here.' } });
  });

  it('reports an unknown topic as NOT_FOUND in userErrors', async () => {
    const gateway = await openGateway();

    const { data, errors } =
      await gateway.ask(`mutation { createTopicEntry(input: { topicId: "nobody",
      content: { type: "text", content: "" } }) { topicEntry { id } userErrors { code field } } }`);

    expect(errors).toEqual([]);
    expect(data['createTopicEntry'].topicEntry).toBeNull();
    expect(data['createTopicEntry'].userErrors).toMatchObject([{ code: 'NOT_FOUND' }]);
  });

  it('rejects ".." as a topic id before any call', async () => {
    const gateway = await openGateway();

    const { codes } = await gateway.ask(
      'mutation ($input: CreateTopicEntryInput!) { createTopicEntry(input: $input) { topicEntry { id } } }',
      { variables: { input: { topicId: '..', content: { type: 't', content: 'c' } } } },
    );

    expect(codes).toEqual(['BAD_USER_INPUT']);
    expect(gateway.restCalls).toEqual([]);
  });
});
