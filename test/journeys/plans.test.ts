/**
 * The plan of every document that frontends use, held to what the backend then sees.
 */
import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { print } from 'graphql';
import { describe, expect, it } from 'vitest';
import * as client from '../../src/client/generated/graphql.ts';
import { formatNodeId } from '../../src/graph/types/node-id.ts';
import { IDS } from '../support/ids.ts';
import { openHouse } from '../support/open-house.ts';
import { planOf } from '../support/plan-of.ts';

/** What each document is asked with. A new document needs a line, or the last test fails. */
const VARIABLES: Readonly<Record<string, Record<string, unknown>>> = {
  AccountWithPersons: { accountId: IDS.account, first: 3 },
  Accounts: { query: 'logistics', first: 5 },
  CreateAudience: { input: { pageId: IDS.page, publishBehavior: 'draft' } },
  PageLinks: { pageId: IDS.page, first: 5 },
  PageWithAudiences: { pageId: IDS.page, first: 5 },
  PagingAudiences: { pageId: IDS.page, first: 7 },
  PublishVersion: {
    input: {
      id: formatNodeId('AudienceVersion', [IDS.page, IDS.audience, 'version_northwind_01_v2']),
    },
  },
  SearchPages: { query: 'pricing' },
  Topics: { first: 5 },
  Version: { id: formatNodeId('AudienceVersion', [IDS.page, IDS.audience, IDS.version]) },
};

const DOCUMENTS = Object.entries(client).filter(
  (entry): entry is [string, TypedDocumentNode<any, any>] => entry[0].endsWith('Document'),
);

describe('the plan', () => {
  it.each(DOCUMENTS)('of %s is what it costs', async (name, document) => {
    const house = await openHouse({ latencyMs: 15, fresh: true });
    const variables = VARIABLES[name.replace(/Document$/, '')] ?? {};

    const plan = planOf(print(document), house, variables);
    const { errors } = await house.query(document, variables);

    expect(errors).toBeUndefined();
    expect(plan.calls.least).toBeLessThanOrEqual(house.restCalls.length);
    expect(plan.calls.most).toBeGreaterThanOrEqual(house.restCalls.length);
    expect(plan.rounds).toBe(house.journal.rounds);
  });

  it('knows every document', () => {
    expect(DOCUMENTS.map(([name]) => name.replace(/Document$/, '')).sort()).toEqual(
      Object.keys(VARIABLES).sort(),
    );
  });
});

describe('the least a document costs', () => {
  it.each(['?a@b', '/x?utm@y'])('is counted whatever an id looks like: %s', async (pageId) => {
    const house = await openHouse();

    const plan = planOf(`{ page(pageId: ${JSON.stringify(pageId)}) { name } }`, house);

    expect(plan?.calls).toEqual({ least: 1, most: 1 });
  });

  it.each([
    [0, 0],
    [500, 0],
    [5, 1],
  ])('is nothing for a search that makes no call: first %i', async (first, calls) => {
    const house = await openHouse();

    const plan = planOf(`{ searchPages(first: ${first}) { name } }`, house);

    expect(plan?.calls).toEqual({ least: calls, most: calls });
  });

  it('is known beforehand for many objects with many fields each', async () => {
    const house = await openHouse({ maxUpstreamCalls: 250 });
    const ids = Array.from({ length: 100 }, (_, i) => formatNodeId('Page', [`p${i}`]));

    const { data, errors } = await house.query(
      `query ($ids: [ID!]!) { nodes(ids: $ids) { ... on Page {
        name audiences(first: 1) { totalCount } links(first: 1) { totalCount } } } }`,
      { ids },
    );

    expect(data).toBeUndefined();
    expect(errors?.map(({ extensions }) => extensions['code'])).toEqual(['QUERY_TOO_EXPENSIVE']);
    expect(house.restCalls).toEqual([]);
  });
});
