/** T32 to T34, T38: the limits of documents and variables, and the work that a rejection takes. */
import { describe, expect, it } from 'vitest';
import { formatNodeId } from '../../src/graph/types/node-id.ts';
import { countCalls } from '../support/count-calls.ts';
import { openGateway } from '../support/open-gateway.ts';

const nested = (depth: number): string =>
  '{ page(pageId: "p") ' +
  '{ audiences { nodes { page '.repeat(depth) +
  '{ name }' +
  ' } } }'.repeat(depth) +
  ' }';
const many = (count: number, text: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => text(i)).join(' ');

/** A document whose fragments each spread the next one twice, a field deeper: 2^levels fields in a kilobyte. */
const bomb = (levels: number): string =>
  `{ ...F0 } ${many(levels, (i) => `fragment F${i} on Query { a: page(pageId: "a") { audiences { nodes { page { ...G${i} } } } } ...F${i + 1} }`)} fragment F${levels} on Query { __typename } ${many(levels, (i) => `fragment G${i} on Page { ${i + 1 < levels ? `...G${i + 1} x: links { nodes { page { ...G${i + 1} } } }` : 'name'} }`)}`;

/** The most calls of JavaScript functions for a rejection of up to 100 KB: some tens of milliseconds. */
const MAX_FUNCTION_CALLS = 400_000;

const TOO_LARGE = ['QUERY_TOO_LARGE'];

const ATTACKS: readonly (readonly [string, string, readonly string[]])[] = [
  ['13 levels of fields', nested(4), TOO_LARGE],
  ['5000 levels of fields', nested(1_666), TOO_LARGE],
  ['20,000 brackets', `{ a(b: ${'['.repeat(20_000)}`, TOO_LARGE],
  ['20,000 braces', '{'.repeat(20_000), ['GRAPHQL_PARSE_FAILED']],
  ['20,000 open fields', '{ a'.repeat(20_000), TOO_LARGE],
  ['no closing brackets', '{ page(', ['GRAPHQL_PARSE_FAILED']],
  ['an unterminated string', `{ __typename "${'\\"'.repeat(24_000)}`, ['GRAPHQL_PARSE_FAILED']],
  [
    'an unterminated block string',
    `{ __typename ${'"""x '.repeat(9_999)}`,
    ['GRAPHQL_PARSE_FAILED'],
  ],
  ['40,000 lines', `${'\n'.repeat(40_000)}{ __typename }`, TOO_LARGE],
  ['a name of 90,000 letters', `query ${'x'.repeat(90_000)} { __typename }`, TOO_LARGE],
  ['31 aliases', `{ ${many(31, (i) => `a${i}: __typename`)} }`, TOO_LARGE],
  ['21 directives', `{ __typename ${many(21, () => '@skip(if: true)')} }`, TOO_LARGE],
  ['5000 directives', `{ __typename ${many(5_000, () => '@skip(if: true)')} }`, TOO_LARGE],
  ['5000 unknown directives', `{ __typename ${many(5_000, () => '@x')} }`, TOO_LARGE],
  ['3000 operations', many(3_000, (i) => `query Q${i} { __typename }`), TOO_LARGE],
  ['an alias of 201 letters', `{ ${'x'.repeat(201)}: __typename }`, TOO_LARGE],
  [
    'a label of 201 letters',
    `{ ... @defer(label: "${'x'.repeat(201)}") { __typename } }`,
    TOO_LARGE,
  ],
  ['a field 5000 times', `{ ${many(5_000, () => '__typename')} }`, TOO_LARGE],
  ['a field 1900 times', `{ ${many(1_900, () => '__typename')} }`, TOO_LARGE],
  ['a field 400 times', `{ ${many(400, () => '__typename')} }`, TOO_LARGE],
  [
    'a field with subfields 400 times',
    `{ ${many(400, () => 'a: node(id: "x") { id }')} }`,
    TOO_LARGE,
  ],
  [
    '200 fragments',
    `{ ...F0 } ${many(200, (i) => `fragment F${i} on Query { ...F${i + 1} }`)}`,
    TOO_LARGE,
  ],
  [
    '120 fragments side by side',
    `{ ${many(120, (i) => `...F${i}`)} } ${many(120, (i) => `fragment F${i} on Query { __typename }`)}`,
    TOO_LARGE,
  ],
  [
    '200 fragments in each of 50 operations',
    `${many(50, (i) => `query Q${i} { ...F0 }`)} ${many(199, (i) => `fragment F${i} on Query { ...F${i + 1} }`)} fragment F199 on Query { __typename }`,
    TOO_LARGE,
  ],
  [
    'a fragment that spreads itself',
    '{ ...A } fragment A on Query { ...A }',
    ['GRAPHQL_VALIDATION_FAILED'],
  ],
  ['a fragment bomb', bomb(20), TOO_LARGE],
  ['a fragment bomb of 2^90', bomb(90), TOO_LARGE],
  [
    'a fragment bomb of one field',
    `{ ...F0 } ${many(90, (i) => `fragment F${i} on Query { ...F${i + 1} ...F${i + 1} }`)} fragment F90 on Query { __typename }`,
    TOO_LARGE,
  ],
  [
    'deep introspection',
    `{ __schema { types { ${'fields { type { '.repeat(12)} name ${'} } '.repeat(12)} } } }`,
    ['GRAPHQL_VALIDATION_FAILED'],
  ],
];

describe('a document', () => {
  it.each(ATTACKS)(
    'T32, T33: with %s is rejected with little work and without a REST call',
    async (_what, query, codes) => {
      const site = await openGateway();
      // Compile the gateway's own code before the measurement.
      await site.ask('{ page(pageId: "none") { name } }');
      site.restCalls.length = 0;

      const calls = await countCalls(async () => {
        const reply = await site.ask(query, { headers: {} });
        expect(reply.status).toBe(400);
        expect(reply.codes).toEqual(codes);
      });
      expect(calls).toBeLessThan(MAX_FUNCTION_CALLS);
      expect(site.restCalls).toEqual([]);
    },
  );

  it.each([...new Map(ATTACKS.map((attack) => [attack[2].join(), attack])).values()])(
    'T34: with %s is rejected with 200 for clients that accept only application/json',
    async (_what, query, codes) => {
      const site = await openGateway();

      const reply = await site.ask(query, { headers: { accept: 'application/json' } });

      expect(reply.codes).toEqual(codes);
      expect(reply.status).toBe(200);
      expect(reply.headers.get('content-type')).toMatch(/^application\/json/);
      expect(reply.body).not.toHaveProperty('data');
    },
  );

  it('with 350 operations executes the named one, and is rejected with a short message when none is named', async () => {
    const site = await openGateway();
    const query = many(350, (i) => `query Q${i} { __typename }`);

    const reply = await site.ask(query, { operationName: 'Q349' });
    const unnamed = await site.ask(query);

    expect(reply.body).toEqual({ data: { __typename: 'Query' } });
    expect([unnamed.status, unnamed.codes]).toEqual([400, ['OPERATION_RESOLUTION_FAILURE']]);
    expect(unnamed.body.errors[0].message.length).toBeLessThan(400);
  });

  it('with 30 aliased lists of ids is rejected by the budget, and returns at most 1,000 errors for invalid ids', async () => {
    const site = await openGateway({ limits: { maxUpstreamCalls: 50 } });
    const ids = Array.from({ length: 100 }, (_, i) => formatNodeId('Page', [`p${i}`]));
    const query = `query ($ids: [ID!]!) { ${many(30, (i) => `a${i}: nodes(ids: $ids) { id ... on Page { name } }`)} }`;

    const known = await site.ask(query, { variables: { ids } });
    const unknown = await site.ask(query, { variables: { ids: ids.map((_, i) => `x${i}`) } });

    expect(known.codes).toEqual(['QUERY_TOO_EXPENSIVE']);
    expect(unknown.codes.length).toBeLessThanOrEqual(1_000);
    expect(site.restCalls).toEqual([]);
  });

  it('with a cycle of 90 fragments is rejected with little work', async () => {
    const site = await openGateway();
    const circle = `{ ...F0 } ${many(90, (i) => `fragment F${i} on Query { ...F${(i + 1) % 90} }`)}`;

    const calls = await countCalls(async () => {
      const reply = await site.ask(circle);
      expect([reply.status, reply.codes]).toEqual([400, ['GRAPHQL_VALIDATION_FAILED']]);
    });
    expect(calls).toBeLessThan(MAX_FUNCTION_CALLS);
  });

  it.each([
    ['executed', {}],
    ['planned', { 'x-explain': 'plan' }],
  ])(
    'with 4,900 unknown input fields is rejected with few errors and little work when %s',
    async (_what, headers) => {
      const site = await openGateway();
      const source = `mutation ($i: CreatePageInput!) { createPage(input: $i) { page { id } } }`;
      const input = Object.fromEntries(Array.from({ length: 4_900 }, (_, i) => [`logs${i}`, 1]));

      const calls = await countCalls(async () => {
        const reply = await site.ask(source, { variables: { i: input }, headers });
        expect(reply.status).toBe(400);
        expect(reply.codes.length).toBeLessThan(12);
      });
      expect(calls).toBeLessThan(MAX_FUNCTION_CALLS);
    },
  );

  it('can contain any number of brackets in strings and comments', async () => {
    const site = await openGateway();
    const many = '[{('.repeat(100);

    const reply = await site.ask(
      `# ${many}\n{ a: page(pageId: "\\"${many}") { name } b: page(pageId: """${many}""") { name } }`,
    );

    expect(reply.body).toEqual({ data: { a: null, b: null } });
  });

  it('is rejected with the limit and the actual value', async () => {
    const site = await openGateway();

    const { body } = await site.ask(`{ ${many(31, (i) => `a${i}: __typename`)} }`);

    expect(body.errors[0].message).toMatch(/\b30 aliases .*\b31\b/);
  });
});

const DEEP = `${'['.repeat(40_000)}${']'.repeat(40_000)}`;

describe('variables', () => {
  it.each([
    ['8,000 names', `{ ${Array.from({ length: 8_000 }, (_, i) => `"v${i}": 1`).join()} }`],
    ['lists 40,000 deep', `{ "id": ${DEEP} }`],
    ['lists 40,000 deep for a number', `{ "id": "p", "n": ${DEEP} }`],
    ['null for a required id', '{ "id": null }'],
    ['an object for an id', '{ "id": { "a": 1 } }'],
    ['a string for a number', '{ "id": "p", "n": "many" }'],
    ['a fraction for an integer', '{ "id": "p", "n": 1.5 }'],
    ['a number beyond all floats', '{ "id": "p", "n": 1e400 }'],
    ['a missing required id', '{}'],
    ['a list instead of the object', '[]', 'BAD_REQUEST'],
    ['a string instead of the object', '"text"', 'BAD_REQUEST'],
    ['a number instead of the object', '7', 'BAD_REQUEST'],
  ])(
    'T38: with %s are rejected with 400 and without a REST call',
    async (_what, variables, code = 'BAD_USER_INPUT') => {
      const site = await openGateway();
      const query =
        'query ($id: ID!, $n: Int) { person(personId: $id) { name } persons(first: $n) { totalCount } }';

      const reply = await site.post(`{ "query": "${query}", "variables": ${variables} }`, {
        'x-api-key': 'demo',
      });

      expect([reply.status, reply.codes]).toEqual([400, [code]]);
      expect(site.restCalls).toEqual([]);
    },
  );
});
