/**
 * Two callers of one gateway: each sees its own objects only.
 */
import { describe, expect, it } from 'vitest';
import { IDS } from '../support/ids.ts';
import { openGateway } from '../support/open-gateway.ts';

describe('two tenants', () => {
  it('get their own lists for the same concurrent query', async () => {
    const gateway = await openGateway({ sample: { latencyMs: 10 } });
    const query = '{ topics(first: 3) { totalCount nodes { topicId } } }';

    const [one, two] = await Promise.all([
      gateway.ask(query),
      gateway.ask(query, { variables: {}, apiKey: 'demo-two' }),
    ]);

    expect(one.data['topics'].nodes[0].topicId).toBe('topic_01');
    expect(two.data['topics'].nodes[0].topicId).toBe('topic_two_01');
    expect(one.data['topics'].totalCount).not.toBe(two.data['topics'].totalCount);
  });

  it('cannot read each other’s objects, by raw or global id', async () => {
    const gateway = await openGateway();
    const mine = await gateway.ask(`{ page(pageId: "${IDS.page}") { id name } }`);

    const theirs = await gateway.ask(
      `query Look($id: ID!) { page(pageId: "${IDS.page}") { name } node(id: $id) { id } }`,
      { variables: { id: mine.data['page'].id }, apiKey: 'demo-two' },
    );

    expect(mine.data['page'].name).toBe('Northwind launch');
    expect(theirs.data).toEqual({ page: null, node: null });
    expect(theirs.errors).toEqual([]);
  });
});

it('an unknown or missing key gets UNAUTHENTICATED, a missing key without a call', async () => {
  const gateway = await openGateway();
  const query = `{ page(pageId: "${IDS.page}") { name } }`;

  const unknown = await gateway.ask(query, { variables: {}, apiKey: 'nobody' });
  const none = await gateway.ask(query, { variables: {}, apiKey: '' });

  expect(unknown.errors?.[0]?.extensions['code']).toBe('UNAUTHENTICATED');
  expect(none.errors?.[0]?.extensions['code']).toBe('UNAUTHENTICATED');
  expect(gateway.restCalls).toEqual([]);
});
