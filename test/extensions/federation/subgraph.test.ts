/** The gateway as a subgraph: its schema for composers, and its responses to the references of a router. */
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { type GraphQLInterfaceType, parse } from 'graphql';
import { beforeAll, describe, expect, it } from 'vitest';
import { findEntity } from '../../../src/graph/entity/entity.ts';
import { formatNodeId } from '../../../src/graph/types/node-id.ts';
import { schema } from '../../../src/app/schema.ts';
import { printSubgraph } from '../../../src/extensions/federation/sdl.ts';
import { subgraphOf } from '../../../src/extensions/federation/federation.extension.ts';
import { cases } from '../../support/cases.ts';
import { status } from '../../support/faults.ts';
import { IDS } from '../../support/ids.ts';
import {
  openGateway,
  type InProcessGateway,
  type InProcessOptions,
  type WithFaults,
} from '../../support/open-gateway.ts';

const SDL = readFileSync(
  new URL('../../../src/extensions/federation/schema.subgraph.graphql', import.meta.url),
  'utf8',
);

async function open(
  options: InProcessOptions & { readonly backend: 'faulty' },
): Promise<InProcessGateway & WithFaults>;
async function open(options?: InProcessOptions): Promise<InProcessGateway>;
async function open(options: InProcessOptions = {}): Promise<InProcessGateway> {
  const { introspection = 'on' } = options.tools ?? {};
  return openGateway({
    ...options,
    schema: subgraphOf(schema, { exposesSchema: introspection !== 'off' }),
  });
}

it('schema.subgraph.graphql is the printed schema of the subgraph', () => {
  expect(SDL).toBe(printSubgraph(schema));
});

/** As composers ask, without a key. */
const sdlOf = ({ post }: InProcessGateway) => post({ query: '{ _service { sdl } }' });

const ENTITIES = `query Entities($representations: [_Any!]!) { _entities(representations: $representations) {
  __typename
  ... on Page { id name audiences(first: 5) { nodes { effectiveName } } }
  ... on Audience { id effectiveName }
  ... on AudienceVersion { id status }
  ... on Topic { id title }
  ... on TopicEntry { id content { content } }
  ... on Account { id domain }
  ... on Person { id email }
  ... on AccountLog { id source }
  ... on PersonLog { id source } } }`;

const NODES = ENTITIES.replace('[_Any!]!', '[ID!]!').replace(
  '_entities(representations:',
  'nodes(ids:',
);

const pageId = (i: number): string => formatNodeId('Page', [`page_${i}`]);
const page = (id: string) => ({ __typename: 'Page', pageId: id });

/** One object of each of the nine types, by its raw ids. */
let objects: { readonly __typename: string; readonly [part: string]: string }[];

beforeAll(async () => {
  const gateway = await openGateway();
  const { data } = await gateway.ask(`{
    topic(topicId: "${IDS.topic}") { entries(first: 1) { nodes { topicId topicEntryId } } }
    account(accountId: "${IDS.account}") { logs(first: 1) { nodes { accountId accountLogId } } }
    person(personId: "${IDS.person}") { logs(first: 1) { nodes { personId personLogId } } } }`);
  objects = [
    page(IDS.page),
    { __typename: 'Audience', pageId: IDS.page, audienceId: IDS.audience },
    {
      ...{ __typename: 'AudienceVersion', pageId: IDS.page, audienceId: IDS.audience },
      versionId: IDS.version,
    },
    { __typename: 'Topic', topicId: IDS.topic },
    { __typename: 'TopicEntry', ...data.topic.entries.nodes[0] },
    { __typename: 'Account', accountId: IDS.account },
    { __typename: 'Person', personId: IDS.person },
    { __typename: 'AccountLog', ...data.account.logs.nodes[0] },
    { __typename: 'PersonLog', ...data.person.logs.nodes[0] },
  ];
});

const globalIdOf = ({ __typename, ...key }: (typeof objects)[number]): string =>
  findEntity(__typename)!.idOf(key);

describe('the schema of the subgraph', () => {
  it('is returned by _service without an API key and without a REST call', async () => {
    const gateway = await open();

    const { body } = await sdlOf(gateway);

    expect(body.data._service.sdl).toBe(SDL);
    expect(gateway.restCalls).toEqual([]);
  });

  it('is not returned with INTROSPECTION=off', async () => {
    const gateway = await open({ tools: { introspection: 'off' } });

    const { data, errors } = await gateway.ask('{ _service { sdl } }');

    expect(data).toBeNull();
    expect(errors[0].message).toMatch(/INTROSPECTION=off.*\bschema\.subgraph\.graphql\b/);
  });

  it('is returned only to callers with an API key with INTROSPECTION=keys', async () => {
    const gateway = await open({ tools: { introspection: 'keys' }, apiKey: 'demo' });

    expect((await sdlOf(gateway)).status).toBe(401);
    expect((await gateway.ask('{ _service { sdl } }')).data._service.sdl).toBe(SDL);
  });

  it('declares the global id and the raw ids of each type as keys', () => {
    const keys = Object.fromEntries(
      [...SDL.matchAll(/^type (\w+).* @key\(fields: "id"\) @key\(fields: "([^"]+)"\)/gm)].map(
        ([, name, key]) => [name, key],
      ),
    );

    const node = schema.getType('Node') as GraphQLInterfaceType;
    const types = schema.getPossibleTypes(node).map(({ name }) => name);
    expect(Object.keys(keys).sort()).toEqual(types.sort());
    expect(keys).toMatchObject(
      Object.fromEntries(
        objects.map(({ __typename, ...key }) => [__typename, Object.keys(key).join(' ')]),
      ),
    );
  });

  it('omits node and nodes, but direct callers can still query node', async () => {
    const gateway = await open();

    const { data } = await gateway.ask(`{ node(id: "${globalIdOf(objects[0]!)}") { id } }`);

    expect(data.node.id).toBe(globalIdOf(objects[0]!));
    expect(SDL).not.toMatch(/\bNode\b|\bnodes?\(/);
    expect(() => parse(SDL)).not.toThrow();
  });

  it('is not returned without the extension', async () => {
    const gateway = await openGateway();

    const { status, errors } = await gateway.ask('{ _service { sdl } }');

    expect(status).toBe(400);
    expect(errors[0].message).toContain('"_service"');
  });
});

describe('references', () => {
  it('of each type are resolved by the global id and by raw ids, with the results and calls of nodes', async () => {
    const gateway = await open();
    const byId = objects.map((one) => ({ __typename: one.__typename, id: globalIdOf(one) }));

    const nodes = await gateway.ask(NODES, {
      variables: { representations: byId.map(({ id }) => id) },
    });
    const calls = [...gateway.restCalls].sort();
    for (const representations of [objects, byId]) {
      const { data, errors } = await gateway.ask(ENTITIES, { variables: { representations } });
      expect(errors).toEqual([]);
      expect(data._entities).toEqual(nodes.data.nodes);
      expect(data._entities).toHaveLength(9);
      expect([...gateway.restCalls].sort()).toEqual(calls);
    }
  });

  it('can be literals in the document', async () => {
    const gateway = await open();

    const { data } = await gateway.ask(
      `{ _entities(representations: [{ __typename: "Page", pageId: "${IDS.page}" }]) { ... on Page { name } } }`,
    );

    expect(data._entities).toEqual([{ name: 'Northwind launch' }]);
  });

  it('accept numbers as ids, as the ID scalar does', async () => {
    const gateway = await open({ backend: 'faulty' });

    const { data } = await gateway.ask(ENTITIES, {
      variables: { representations: [{ __typename: 'Topic', topicId: 7 }] },
    });

    expect(gateway.upstream.seen.map(({ target }) => target)).toContain('/v0/topics/7');
    expect(data._entities).toEqual([expect.objectContaining({ __typename: 'Topic' })]);
  });

  it.each([
    ['an unknown type', { __typename: 'Review', id: 'r1' }, /^"Review"/],
    ['a type without a key', { __typename: 'PageInfo' }, /^"PageInfo"/],
    ['no type', { pageId: IDS.page }, /"__typename"/],
    ['a string', 'Page', /\bobject\b/],
    ['no key', { __typename: 'Page' }, /\ba Page\b.*"id".*"pageId"/],
    [
      'a part of a key',
      { __typename: 'Audience', audienceId: IDS.audience },
      /\ban Audience\b.*"id".*"pageId", "audienceId"/,
    ],
    ['a key that is null', { __typename: 'Page', pageId: null }, /\ba Page\b.*"id".*"pageId"/],
    ['a key that is no integer', { __typename: 'Page', pageId: 1.5 }, /\ba Page\b.*"id".*"pageId"/],
    ['an id that is no global id', { __typename: 'Page', id: 'x' }, /^"x"/],
    [
      'the id of another type',
      { __typename: 'Page', id: formatNodeId('Topic', ['t1']) },
      /\ba Topic\b.*\ba Page\b/,
    ],
    [
      'ids of two objects',
      { __typename: 'Page', id: formatNodeId('Page', ['p1']), pageId: 'p2' },
      /^"id" and "pageId"/,
    ],
    ['a raw id that no path can have', page('..'), /`pageId`/],
  ])('that are invalid fail alone with BAD_USER_INPUT: %s', async (_what, broken, message) => {
    const gateway = await open();

    const { status, data, errors } = await gateway.ask(ENTITIES, {
      variables: { representations: [page(IDS.page), broken, objects[6]] },
    });

    expect(status).toBe(200);
    expect(data._entities.map((one: any) => one?.__typename)).toEqual([
      'Page',
      undefined,
      'Person',
    ]);
    expect(errors).toMatchObject([
      { path: ['_entities', 1], extensions: { code: 'BAD_USER_INPUT' } },
    ]);
    expect(errors[0].message).toMatch(message);
    expect(gateway.restCalls).toHaveLength(3);
  });

  it('to missing objects are null with NOT_FOUND', async () => {
    const gateway = await open();

    const { data, errors } = await gateway.ask(ENTITIES, {
      variables: { representations: [page('gone'), page(IDS.page)] },
    });

    expect(data._entities[0]).toBeNull();
    expect(data._entities[1].name).toBe('Northwind launch');
    expect(errors).toMatchObject([
      {
        path: ['_entities', 0],
        extensions: { code: 'NOT_FOUND' },
      },
    ]);
  });

  it('fail alone when the backend rejects them, next to an unknown type', async () => {
    const gateway = await open({ backend: 'faulty' });
    gateway.upstream.on('GET /v0/persons/broken', status(404));
    gateway.upstream.on('GET /v0/persons/failing', status(400));

    const person = (personId: string) => ({ __typename: 'Person', personId });
    const { data, errors } = await gateway.ask(
      'query ($representations: [_Any!]!) { _entities(representations: $representations) { ... on Person { personId name } } }',
      {
        variables: {
          representations: [
            ...[{ __typename: 'Nobody' }, person('failing'), person('p1')],
            ...[person('broken'), { __typename: 'Nobody' }],
          ],
        },
      },
    );

    expect(data._entities.map((one: any) => one?.personId)).toEqual([
      ...[undefined, undefined, 'p1', undefined, undefined],
    ]);
    expect(errors.map(({ path }: any) => path[1]).sort()).toEqual([0, 1, 3, 4]);
  });
});

describe('the cost of references', () => {
  const representations = Array.from({ length: 100 }, (_, i) => page(`page_${i}`));
  const ids = representations.map((_, i) => pageId(i));

  it.each([
    [100, 'name', 100],
    [20, 'name audiences(first: 5) { nodes { effectiveName } }', 40],
  ])(
    'equals that of nodes for %i objects in the plan, calls and round trips: %s',
    async (count, selected, calls) => {
      const gateway = await open({ backend: 'faulty', rest: { timeoutMs: 9_000 } });
      const ask = (field: string, type: string, given: readonly unknown[], explain: string) =>
        gateway.ask(
          `query ($given: [${type}!]!) { ${field}: $given) { ... on Page { ${selected} } } }`,
          { variables: { given: given.slice(0, count) }, headers: { 'x-explain': explain } },
        );
      const askNodes = (explain: string) => ask('nodes(ids', 'ID', ids, explain);
      const askEntities = (explain: string) =>
        ask('_entities(representations', '_Any', representations, explain);

      const plans = [await askNodes('plan'), await askEntities('plan')].map(
        ({ extensions }) => extensions.plan,
      );
      const nodes = await askNodes('true');
      const entities = await askEntities('true');

      expect(plans[1].calls).toEqual({ least: calls, most: calls });
      for (const part of ['calls', 'rounds', 'values'])
        expect(plans[1][part]).toEqual(plans[0][part]);
      expect(entities.data._entities).toEqual(nodes.data.nodes);
      expect(nodes.extensions.upstream).toMatchObject({ calls, rounds: 1 });
      expect(entities.extensions.upstream).toMatchObject({ calls, rounds: 1 });
    },
  );

  it('is one call for a hundred references to one object', async () => {
    const gateway = await open();

    const { data } = await gateway.ask(
      'query ($representations: [_Any!]!) { _entities(representations: $representations) { ... on Page { name } } }',
      { variables: { representations: Array.from({ length: 100 }, () => page(IDS.page)) } },
    );

    expect(data._entities).toHaveLength(100);
    expect(gateway.restCalls).toEqual([`GET /v0/pages/${IDS.page}`]);
  });

  it('is checked against the budget before any call', async () => {
    const gateway = await open({ limits: { maxUpstreamCalls: 99 } });

    const { status, errors } = await gateway.ask(
      'query ($representations: [_Any!]!) { _entities(representations: $representations) { ... on Page { name } } }',
      { variables: { representations } },
    );

    expect(status).toBe(400);
    expect(errors[0]).toMatchObject({
      extensions: { code: 'QUERY_TOO_EXPENSIVE', calls: 100, maxCalls: 99, field: '_entities' },
    });
    expect(gateway.restCalls).toEqual([]);
  });

  it('includes equal references once, and they are loaded once', async () => {
    const gateway = await open();
    const [one, other] = IDS.pages;
    const given = Array.from({ length: 150 }, (_, i) => page(i % 2 ? one : other));

    const { data, errors } = await gateway.ask(ENTITIES, { variables: { representations: given } });

    expect(errors).toEqual([]);
    expect(data._entities.map(({ id }: any) => id)).toEqual(
      given.map(({ pageId: id }) => formatNodeId('Page', [id])),
    );
    expect(gateway.restCalls.filter((line) => !line.includes('audiences')).sort()).toEqual(
      [one, other].map((id) => `GET /v0/pages/${id}`).sort(),
    );
    expect(gateway.restCalls).toHaveLength(4);
  });

  it.each([
    ['different references', (i: number) => page(`p${i}`)],
    ['equal broken references', () => ({ __typename: 'Nobody' })],
  ])(
    'is limited to a hundred distinct or broken references before any call: %s',
    async (_what, one) => {
      const gateway = await open();

      const { data, errors } = await gateway.ask(ENTITIES, {
        variables: { representations: Array.from({ length: 1_000 }, (_, i) => one(i)) },
      });

      expect(data).toBeNull();
      expect(errors).toMatchObject([
        {
          message: expect.stringMatching(/"representations".*\b1000\b.*\b100\b/),
          extensions: { code: 'BAD_USER_INPUT' },
        },
      ]);
      expect(gateway.restCalls).toEqual([]);
    },
  );

  it('is limited by the number of aliases before any call, and nine aliases are enough for routers', async () => {
    const gateway = await open();
    const listsOf = (count: number) =>
      Array.from(
        { length: count },
        (_, i) => `_${i}: _entities(representations: $broken) { __typename }`,
      );
    const ask = (count: number) =>
      gateway.ask(`query ($broken: [_Any!]!) { ${listsOf(count).join('\n')} }`, {
        variables: { broken: Array.from({ length: 100 }, () => ({ __typename: 'Nobody' })) },
      });

    const oneAType = await ask(9);
    const tooMany = await ask(31);

    expect(Object.keys(oneAType.data)).toHaveLength(9);
    expect(oneAType.errors).toHaveLength(900);
    expect(tooMany.codes).toEqual(['QUERY_TOO_LARGE']);
    expect(gateway.restCalls).toEqual([]);
  });

  it('stays within the plan for random references, each resolved at its index in the response', async () => {
    const gateway = await open();
    // The first response of each route shows that the route exists, so that no later call checks it.
    await gateway.ask(ENTITIES, { variables: { representations: objects } });
    const part = fc.constantFrom(IDS.page, 'gone', '', '..', null, 7, pageId(1));
    const reference = fc.oneof(
      fc.constantFrom(...objects),
      fc.jsonValue({ maxDepth: 2 }).filter((value) => value !== null),
      fc.record(
        {
          __typename: fc.constantFrom('Page', 'Audience', 'Topic', 'Query', '__proto__', null),
          id: part,
          pageId: part,
          audienceId: fc.constantFrom(IDS.audience, 'gone', ''),
          topicId: part,
        },
        { requiredKeys: [] },
      ),
    );

    await fc.assert(
      fc.asyncProperty(fc.array(reference, { maxLength: 8 }), async (given) => {
        const variables = { representations: given };
        const planned = await gateway.ask(ENTITIES, {
          variables,
          headers: { 'x-explain': 'plan' },
        });
        const { status, data, errors } = await gateway.ask(ENTITIES, { variables });

        expect(status).toBe(200);
        expect(data._entities).toHaveLength(given.length);
        const failed = new Set(errors.map(({ path }: any) => path[1]));
        for (const [i, one] of data._entities.entries()) expect(one === null).toBe(failed.has(i));
        const { least, most } = planned.extensions.plan.calls;
        // A missing object needs no further call.
        expect(gateway.restCalls.length).toBeLessThanOrEqual(most);
        expect(least).toBeLessThanOrEqual(most);
      }),
      { numRuns: cases(20) },
    );
  });
});
