/**
 * What a request costs, before and after: the plan, the explanation, the budget.
 */
import { execute, parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import { createContext } from '../../src/graph/context.ts';
import { toClientError } from '../../src/graph/errors.ts';
import { formatNodeId } from '../../src/graph/types/node-id.ts';
import { schema } from '../../src/app/schema.ts';
import { openRest } from '../rest/open-rest.ts';
import { IDS } from '../support/ids.ts';
import { openGateway } from '../support/open-gateway.ts';

const NESTED = `query Nested($first: Int!) { page(pageId: "${IDS.page}") { name
  audiences(first: $first) { nodes { effectiveName person { name } } } } }`;

describe('the explanation', () => {
  it('lists every call in order, with the field that caused it', async () => {
    const gateway = await openGateway({ sample: { latencyMs: 5 } });

    const { extensions } = await gateway.ask(NESTED, {
      variables: { first: 2 },
      headers: { 'x-explain': 'true' },
    });

    expect(extensions.upstream).toMatchObject({ calls: 4, rounds: 2 });
    expect(
      extensions.upstream.journal
        .map(({ route, path }: any) => `${path.join('.')}: ${route}`)
        .sort(),
    ).toEqual([
      'page.audiences.nodes.0.person: /v0/persons/{person_id}',
      'page.audiences.nodes.1.person: /v0/persons/{person_id}',
      'page.audiences: /v0/pages/{page_id}/audiences',
      'page: /v0/pages/{page_id}',
    ]);
    expect(extensions.upstream.journal[0]).toMatchObject({
      method: 'GET',
      status: 200,
      attempt: 1,
      source: 'sent',
    });
  });

  it('says what was primed by another response', async () => {
    const gateway = await openGateway();

    const { extensions } = await gateway.ask(
      `{ page(pageId: "${IDS.page}") { name audiences(first: 1) { nodes {
           latestVersion { audience { effectiveName } } } } } }`,
      { variables: {}, headers: { 'x-explain': 'true' } },
    );

    expect(extensions.upstream.calls).toBe(2);
    expect(extensions.upstream.journal.map(({ source }: any) => source)).toEqual([
      'sent',
      'sent',
      'primed',
    ]);
  });

  it('is silent unless asked, but for a header', async () => {
    const gateway = await openGateway();

    const { extensions, headers } = await gateway.ask(NESTED, { variables: { first: 1 } });

    expect(extensions).toBeUndefined();
    expect(headers.get('server-timing')).toMatch(
      /^calls;desc="3", rounds;desc="2", backend;dur=\d+(\.\d)?$/,
    );
  });
});

describe('the plan', () => {
  it('is answered without a call', async () => {
    const gateway = await openGateway();

    const { extensions } = await gateway.ask(NESTED, {
      variables: { first: 7 },
      headers: { 'x-explain': 'plan' },
    });

    expect(gateway.restCalls).toEqual([]);
    expect(extensions.plan).toMatchObject({ calls: { least: 2, most: 9 }, rounds: 2 });
    expect(extensions.plan.routes).toContainEqual({
      method: 'GET',
      route: '/v0/persons/{person_id}',
      least: 0,
      most: 7,
      fields: ['page.audiences.person'],
    });
  });

  it('plans nothing for arguments that would be refused', async () => {
    const gateway = await openGateway();

    const { extensions } = await gateway.ask(
      '{ page(pageId: "..") { name } persons(first: 500) { nodes { name } } node(id: "x") { id } }',
      { variables: {}, headers: { 'x-explain': 'plan' } },
    );

    expect(extensions.plan.calls).toEqual({ least: 0, most: 0 });
  });
});

it('the plan for a backend with the document’s routes only names the routes that are missing', async () => {
  const gateway = await openGateway({ rest: { routeSet: 'document' } });

  const { extensions } = await gateway.ask(
    `{ page(pageId: "${IDS.page}") { name audiences { nodes { effectiveName } } } }`,
    { variables: {}, headers: { 'x-explain': 'plan' } },
  );

  expect(extensions.plan.missing).toEqual([
    'GET /v0/pages/{page_id}/audiences',
    'GET /v0/pages/{page_id}/audiences/{audience_id}',
  ]);
});

describe('the budget', () => {
  const ids = Array.from({ length: 8 }, (_, i) => formatNodeId('Person', [`person_${i}`]));

  it('refuses a document whose least cost is above it, before any call', async () => {
    const gateway = await openGateway({ limits: { maxUpstreamCalls: 5 } });

    const { data, errors, status } = await gateway.ask(
      'query Many($ids: [ID!]!) { nodes(ids: $ids) { ... on Person { name } } }',
      { variables: { ids } },
    );

    expect(gateway.restCalls).toEqual([]);
    expect(status).toBe(400);
    expect(data).toBeUndefined();
    expect(errors?.[0]).toMatchObject({
      message: expect.stringContaining(
        'at least 8 backend calls, and a request may make 5',
      ) as string,
      extensions: { code: 'QUERY_TOO_EXPENSIVE', calls: 8, maxCalls: 5, field: 'nodes' },
    });
  });

  it('judges a document by what it costs at least, not at most', async () => {
    const gateway = await openGateway({ limits: { maxUpstreamCalls: 5 } });

    const { errors } = await gateway.ask(
      'query Same($ids: [ID!]!) { nodes(ids: $ids) { ... on Person { name } } }',
      { variables: { ids: ids.slice(0, 4) } },
    );

    expect(errors).toEqual([]);
    expect(gateway.restCalls).toHaveLength(4);
  });

  it('cuts what would pass it while running, and says where to go on', async () => {
    const gateway = await openGateway({ limits: { maxUpstreamCalls: 6 } });

    const { data, errors, extensions } = await gateway.ask(
      '{ persons(first: 8) { nodes { personId logs(first: 2) { nodes { type } } } } }',
    );

    const { nodes } = data.persons;
    expect(gateway.restCalls).toHaveLength(6);
    expect(nodes.filter(({ logs }: any) => logs !== null)).toHaveLength(5);
    expect(errors?.map((error: any) => error.extensions.code)).toEqual(
      Array(3).fill('UPSTREAM_BUDGET_EXCEEDED'),
    );
    expect(extensions.continuation).toEqual(
      [5, 6, 7].map((i) => ({
        path: ['persons', 'nodes', i, 'logs'],
        id: formatNodeId('Person', [nodes[i].personId]),
        after: null,
      })),
    );
  });

  it('names the object to ask for next, wherever it was referred to', async () => {
    const gateway = await openGateway({ limits: { maxUpstreamCalls: 3 } });

    const { data, errors, extensions } =
      await gateway.ask(`{ page(pageId: "${IDS.page}") { audiences(first: 4) { nodes {
           personId person { name } again: person { email } } } } }`);

    const { nodes } = data.page.audiences;
    const cut = nodes.findIndex(({ person }: any) => person === null);
    expect(errors?.[0]).toMatchObject({ extensions: { code: 'UPSTREAM_BUDGET_EXCEEDED' } });
    expect(extensions.continuation).toEqual(
      expect.arrayContaining(
        ['person', 'again'].map((field) => ({
          path: ['page', 'audiences', 'nodes', cut, field],
          id: formatNodeId('Person', [nodes[cut].personId]),
        })),
      ),
    );
  });

  it('names what was asked for, not what would have been read for it', async () => {
    const { client } = await openRest();
    const entry = formatNodeId('TopicEntry', ['topic_01', 'entry_01_01']);

    const { errors } = await execute({
      schema,
      document: parse(`{ node(id: "${entry}") { ... on TopicEntry { content { content } } } }`),
      contextValue: createContext(client({ maxCalls: 0 }), { apiKey: 'key' }),
    });

    expect(toClientError(errors?.[0])?.extensions['continuation']).toEqual({ id: entry });
  });
});
