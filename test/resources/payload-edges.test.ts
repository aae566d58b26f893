/** Fields of payloads that clients need to update their lists: the edge of the new object, and the parent of the list. */
import { expect, it } from 'vitest';
import { formatNodeId } from '../../src/graph/types/node-id.ts';
import { IDS } from '../support/ids.ts';
import { openGateway } from '../support/open-gateway.ts';
import { planOf } from '../support/plan-of.ts';

const CREATE_AUDIENCE = `mutation ($input: CreateAudienceInput!) {
  createAudience(input: $input) {
    audience { id }
    audienceEdge { cursor node { id effectiveName status } }
    page { id }
    userErrors { code }
  }
}`;

it('createAudience returns the id of the page, and an edge whose cursor continues from the start, in one call', async () => {
  const gateway = await openGateway({ fresh: true });
  const input = { pageId: IDS.page, customName: 'New', publishBehavior: 'draft' };

  const plan = planOf(CREATE_AUDIENCE, gateway, { input });
  const { data, errors } = await gateway.ask(CREATE_AUDIENCE, { variables: { input } });

  expect(errors).toEqual([]);
  const { audience, audienceEdge, page } = data['createAudience'];
  expect(audienceEdge.node).toEqual({ id: audience.id, effectiveName: 'New', status: 'draft' });
  expect(page).toEqual({ id: formatNodeId('Page', [IDS.page]) });
  expect(gateway.restCalls).toEqual([`POST /v0/pages/${IDS.page}/audiences`]);
  expect(plan.calls).toEqual({ least: 1, most: 1 });

  const { data: list, errors: refused } =
    await gateway.ask(`{ page(pageId: "${IDS.page}") { audiences(first: 2, after: "${audienceEdge.cursor}") { nodes { id } }
      all: audiences(first: 2) { nodes { id } } } }`);
  expect(refused).toEqual([]);
  expect(list['page'].audiences).toEqual(list['page'].all);
});

it('createAudience and archiveAudience read the page again after the write', async () => {
  const gateway = await openGateway({ fresh: true });
  const { data: before } = await gateway.ask(
    `{ page(pageId: "${IDS.page}") { audiencesCount audiences(first: 1) { nodes { id } } } }`,
  );
  const count: number = before['page'].audiencesCount;
  const query = (id: string) => `mutation {
    made: createAudience(input: { pageId: "${IDS.page}" }) { page { audiencesCount } }
    gone: archiveAudience(input: { id: "${id}" }) { page { pageId audiencesCount } userErrors { code } } }`;

  const { data, errors } = await gateway.ask(query(before['page'].audiences.nodes[0].id));

  expect(errors).toEqual([]);
  expect(data['made'].page.audiencesCount).toBe(count + 1);
  expect(data['gone']).toMatchObject({ page: { pageId: IDS.page }, userErrors: [] });
  expect(gateway.restCalls.filter((line) => line.startsWith('GET'))).toHaveLength(2);
});

it('createTopicEntry returns an edge whose cursor continues after the new entry, in one call', async () => {
  const gateway = await openGateway({ fresh: true });

  const { data, errors } =
    await gateway.ask(`mutation { createTopicEntry(input: { topicId: "${IDS.topic}", sortOrder: 0,
        content: { type: "text", content: "New" } }) {
      topicEntryEdge { cursor node { id content { content } } } topic { topicId } } }`);

  expect(errors).toEqual([]);
  const { topicEntryEdge, topic } = data['createTopicEntry'];
  expect(topicEntryEdge.node.content).toEqual({ content: 'New' });
  expect(topic).toEqual({ topicId: IDS.topic });
  expect(gateway.restCalls).toEqual([`POST /v0/topics/${IDS.topic}/entries`]);

  const { data: after } =
    await gateway.ask(`{ topic(topicId: "${IDS.topic}") { all: entries(first: 100) { edges { cursor node { id } } }
      entries(first: 100, after: "${topicEntryEdge.cursor}") { nodes { id } } } }`);
  const all: { cursor: string; node: { id: string } }[] = after['topic'].all.edges;
  const place = all.findIndex(({ node }) => node.id === topicEntryEdge.node.id);
  expect(all[place]!.cursor).toBe(topicEntryEdge.cursor);
  expect(after['topic'].entries.nodes).toEqual(all.slice(place + 1).map(({ node }) => node));
});

it('createAudience returns null for every field except userErrors when its input is invalid', async () => {
  const gateway = await openGateway();

  const { data, errors } = await gateway.ask(CREATE_AUDIENCE, {
    variables: {
      input: { pageId: IDS.page, customName: '' },
    },
  });

  expect(errors).toEqual([]);
  expect(data['createAudience']).toEqual({
    audience: null,
    audienceEdge: null,
    page: null,
    userErrors: [{ code: 'BLANK' }],
  });
  expect(gateway.restCalls).toEqual([]);
});
