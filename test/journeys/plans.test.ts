/**
 * The plan of every client document, compared with the calls that the backend then gets.
 */
import { print } from 'graphql';
import { describe, expect, it } from 'vitest';
import { formatNodeId } from '../../src/graph/types/node-id.ts';
import { clientDocuments } from '../support/client-documents.ts';
import { IDS } from '../support/ids.ts';
import { openGateway } from '../support/open-gateway.ts';
import { planOf } from '../support/plan-of.ts';

const idOf = (versionId: string) =>
  formatNodeId('AudienceVersion', [IDS.page, IDS.audience, versionId]);

const DOCUMENTS = clientDocuments({
  ...{ accountId: IDS.account, pageId: IDS.page, version: idOf(IDS.version), pageSize: 7 },
  draft: idOf('version_northwind_01_v2'),
  words: { account: 'logistics', page: 'pricing' },
});

describe('the plan', () => {
  it.each(DOCUMENTS)(
    'of %s bounds its calls and predicts its round trips',
    async (_name, document, variables) => {
      const gateway = await openGateway({ fresh: true, sample: { latencyMs: 15 } });

      const plan = planOf(print(document), gateway, variables);
      const { errors } = await gateway.ask(document, { variables });

      expect(errors).toEqual([]);
      expect(plan.calls.least).toBeLessThanOrEqual(gateway.restCalls.length);
      expect(plan.calls.most).toBeGreaterThanOrEqual(gateway.restCalls.length);
      expect(plan.rounds).toBe(gateway.journal.rounds);
    },
  );
});

describe('the minimum cost of a document', () => {
  it.each(['?a@b', '/x?utm@y'])(
    'counts the call for an id with special characters: %s',
    async (pageId) => {
      const gateway = await openGateway();

      const plan = planOf(`{ page(pageId: ${JSON.stringify(pageId)}) { name } }`, gateway);

      expect(plan?.calls).toEqual({ least: 1, most: 1 });
    },
  );

  it.each([
    [0, 0],
    [500, 0],
    [5, 1],
  ])('of a search with first: %i is %i calls', async (first, calls) => {
    const gateway = await openGateway();

    const plan = planOf(`{ searchPages(first: ${first}) { name } }`, gateway);

    expect(plan?.calls).toEqual({ least: calls, most: calls });
  });

  it('above the budget is rejected before any call, for 100 pages with two lists each', async () => {
    const gateway = await openGateway({ limits: { maxUpstreamCalls: 250 } });
    const ids = Array.from({ length: 100 }, (_, i) => formatNodeId('Page', [`p${i}`]));

    const { data, codes } = await gateway.ask(
      `query ($ids: [ID!]!) { nodes(ids: $ids) { ... on Page {
        name audiences(first: 1) { totalCount } links(first: 1) { totalCount } } } }`,
      { variables: { ids } },
    );

    expect(data).toBeUndefined();
    expect(codes).toEqual(['QUERY_TOO_EXPENSIVE']);
    expect(gateway.restCalls).toEqual([]);
  });
});

describe('the plan of a request', () => {
  const entries = ['entry_01_01', 'entry_01_02'].map((entry) =>
    JSON.stringify(formatNodeId('TopicEntry', [IDS.topic, entry])),
  );

  it.each([
    [
      'entries of one topic',
      `nodes(ids: [${entries.join()}]) { ... on TopicEntry { sortOrder } }`,
      1,
      1,
    ],
    [
      'an account and its persons',
      `account(accountId: "${IDS.account}") { name persons { nodes { name account { name } } } }`,
      1,
      1,
    ],
    [
      'the links of a page, by whichever field',
      `page(pageId: "${IDS.page}") { pageId links { totalCount } } pageLinks(pageId: "${IDS.page}") { totalCount }`,
      2,
      2,
    ],
    [
      'the page that links lead to',
      `page(pageId: "${IDS.page}") { links { nodes { page { name } } } }`,
      2,
      2,
    ],
  ])('counts a shared call once: %s', async (_what, query, least, most) => {
    const gateway = await openGateway();

    const plan = planOf(`{ ${query} }`, gateway);
    await gateway.ask(`{ ${query} }`);

    expect(plan.calls).toEqual({ least, most });
    expect(gateway.restCalls.length).toBeGreaterThanOrEqual(least);
    expect(gateway.restCalls.length).toBeLessThanOrEqual(most);
  });

  it('counts the longest of several selections of one list', async () => {
    const gateway = await openGateway();
    const query = `{ few: persons(first: 2) { nodes { logs { totalCount } } }
      many: persons(first: 6) { nodes { logs { totalCount } } } }`;

    const plan = planOf(query, gateway);
    await gateway.ask(query);

    expect(plan.calls).toEqual({ least: 1, most: 7 });
    expect(gateway.restCalls).toHaveLength(7);
  });

  it('has a second round trip for a list that is read again with a larger page', async () => {
    const gateway = await openGateway({ sample: { latencyMs: 15 } });
    const query = `{ page(pageId: "${IDS.page}") { links(first: 4) { totalCount }
      audiences(first: 2) { nodes { links { totalCount } } } } }`;

    const plan = planOf(query, gateway);
    await gateway.ask(query);

    expect(plan.rounds).toBe(2);
    expect(gateway.journal.rounds).toBe(2);
    expect(plan.calls.most).toBeGreaterThanOrEqual(gateway.restCalls.length);
  });

  it('counts the read of an object whose list is requested with the cursor of another object’s list', async () => {
    const gateway = await openGateway();
    const [own, other] = [IDS.page, IDS.pages[0]].map((id) => formatNodeId('Page', [id]));
    const audiences = (after: string) => `audiences(first: 1${after}) { pageInfo { endCursor } }`;
    const { data } = await gateway.ask(`{ page(pageId: "${IDS.page}") { ${audiences('')} } }`);
    const { endCursor } = data['page'].audiences.pageInfo;
    const query = `{ nodes(ids: ["${own}", "${other}"]) { ... on Page {
      pageId ${audiences(`, after: "${endCursor}"`)} } } }`;

    const plan = planOf(query, gateway);
    await gateway.ask(query);

    expect(plan.calls).toEqual({ least: 2, most: 2 });
    expect(gateway.restCalls).toHaveLength(2);
  });

  it('omits the calls of missing routes, and includes the calls of their fallbacks', async () => {
    const gateway = await openGateway({ rest: { routeSet: 'document' } });
    const audience = `audience(pageId: "${IDS.page}", audienceId: "${IDS.audience}") { effectiveName
      versions { totalCount } } searchPages { name }`;
    const account = `account(accountId: "${IDS.account}") { name }`;

    expect(planOf(`{ ${audience} }`, gateway).calls).toEqual({ least: 0, most: 0 });
    expect(planOf(`{ ${account} }`, gateway).calls).toEqual({ least: 1, most: Infinity });
    expect(planOf(`{ ${account} }`, gateway).routes[0]).toMatchObject({ route: '/v0/accounts' });
  });
});
