/** The cost of a request: the plan before it, the explanation after it, and the budget. */
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

describe('the explanation (x-explain: true)', () => {
  it('lists every call with the field that caused it, and counts calls and round trips', async () => {
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

  it('lists a write with its field', async () => {
    const gateway = await openGateway({ backend: 'faulty' });
    const input = `{ id: "${formatNodeId('Topic', ['t'])}", title: "new" }`;

    const { extensions } = await gateway.ask(
      `mutation { renamed: updateTopic(input: ${input}) { topic { title } } }`,
      { headers: { 'x-explain': 'true' } },
    );

    expect(extensions.upstream.journal).toMatchObject([{ method: 'PATCH', path: ['renamed'] }]);
  });

  it('lists an object primed by another response without counting it as a call', async () => {
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

  it('is absent unless requested, except for the Server-Timing header', async () => {
    const gateway = await openGateway();

    const { extensions, headers } = await gateway.ask(NESTED, { variables: { first: 1 } });

    expect(extensions).toBeUndefined();
    expect(headers.get('server-timing')).toMatch(
      /^calls;desc="3", rounds;desc="2", backend;dur=\d+(\.\d)?$/,
    );
  });
});

it.each(['yes', 'TRUE', '1', 'plan, true', ''])(
  'x-explain: %j is rejected with the allowed values and without a REST call',
  async (value) => {
    const gateway = await openGateway();

    const { status, errors } = await gateway.ask('{ topics(first: 1) { totalCount } }', {
      headers: { 'x-explain': value },
    });

    expect([status, errors[0].extensions.code]).toEqual([400, 'BAD_USER_INPUT']);
    expect(errors[0].message).toMatch(/"true".*"plan"/);
    expect(gateway.restCalls).toEqual([]);
  },
);

it('x-explain: false has the same effect as no header', async () => {
  const gateway = await openGateway();

  const { data, extensions } = await gateway.ask('{ topics(first: 1) { totalCount } }', {
    headers: { 'x-explain': 'false' },
  });

  expect([data.topics.totalCount > 0, extensions]).toEqual([true, undefined]);
});

describe('the plan (x-explain: plan)', () => {
  it('is returned without a REST call', async () => {
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

  it('counts no calls for arguments that would be rejected', async () => {
    const gateway = await openGateway();

    const { extensions } = await gateway.ask(
      '{ page(pageId: "..") { name } persons(first: 500) { nodes { name } } node(id: "x") { id } }',
      { variables: {}, headers: { 'x-explain': 'plan' } },
    );

    expect(extensions.plan.calls).toEqual({ least: 0, most: 0 });
  });
});

it('the plan lists the missing routes for a backend without the optional routes', async () => {
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

  it('rejects an operation whose minimum cost exceeds it, without a REST call', async () => {
    const gateway = await openGateway({ limits: { maxUpstreamCalls: 5 } });

    const { data, errors, status } = await gateway.ask(
      'query Many($ids: [ID!]!) { nodes(ids: $ids) { ... on Person { name } } }',
      { variables: { ids } },
    );

    expect(gateway.restCalls).toEqual([]);
    expect(status).toBe(400);
    expect(data).toBeUndefined();
    expect(errors?.[0]).toMatchObject({
      extensions: { code: 'QUERY_TOO_EXPENSIVE', calls: 8, maxCalls: 5, field: 'nodes' },
    });
  });

  it('allows an operation whose cost is within it', async () => {
    const gateway = await openGateway({ limits: { maxUpstreamCalls: 5 } });

    const { errors } = await gateway.ask(
      'query Same($ids: [ID!]!) { nodes(ids: $ids) { ... on Person { name } } }',
      { variables: { ids: ids.slice(0, 4) } },
    );

    expect(errors).toEqual([]);
    expect(gateway.restCalls).toHaveLength(4);
  });

  it('rejects calls that exceed it during execution, and returns a continuation for each', async () => {
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

  it('returns a continuation for each field that refers to a rejected object', async () => {
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

  it('names the requested node in the continuation, not the parent that it is read from', async () => {
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
