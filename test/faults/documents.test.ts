/**
 * T62b and T65: documents that cost more than their size suggests, and callers without a key.
 *
 * The cost is measured in function calls of a gateway in this process.
 */
import { getIntrospectionQuery } from 'graphql';
import { beforeEach, describe, expect, it } from 'vitest';
import { formatNodeId } from '../../src/graph/types/node-id.ts';
import { KEY, type Reply } from '../support/client.ts';
import { countCalls } from '../support/count-calls.ts';
import { openGateway } from '../support/open-gateway.ts';
import { openTestbed } from './testbed.ts';

const testbed = await openTestbed({ LOG_LEVEL: 'warn' });
beforeEach(() => testbed.forget());

const times = (count: number, write: (i: number) => string, separator = ' ') =>
  Array.from({ length: count }, (_, i) => write(i)).join(separator);

/** A request without a key. */
const askAnonymously = (query: string, variables?: unknown): Promise<Reply> =>
  testbed.gateway.post({ query, variables });

const WITH_KEY = { 'x-api-key': KEY };

let variants = 0;
/** The same document for validation, but another text for the cache. */
const variant = (query: string) => `${query} # ${variants++}`;

/** The number of function calls that a request takes. */
async function costOf(query: string, variables?: unknown, headers = {}): Promise<number> {
  const site = await openGateway({ backend: 'faulty' });
  await site.post({ query: '{ __typename }' }, headers);
  const calls = await countCalls(() => site.post({ query: variant(query), variables }, headers));
  return calls;
}

/** A page's audiences' pages' audiences …, `width` of each side by side. */
const nested = (levels: number, width: number): string => {
  const fields = ['audiences', 'nodes', 'page'];
  const at = (level: number): string =>
    level === levels ? 'id' : times(width, () => `${fields[level % 3]} { ${at(level + 1)} }`);
  return at(0);
};

const PLANS = `{ ${times(29, (i) => `a${i}: nodes(ids: [${times(100, (j) => `"x${j}"`)}]) { ...F }`)} }
  fragment F on Page { audiences(first: 100) { nodes { page { audiences(first: 100) { nodes { person {
  name } page { name audiences(first: 100) { nodes { page { name } } } } } } } } } }`;

describe('T62b a request without an API key', () => {
  it.each([
    ['a document that is expensive to plan', PLANS.replaceAll(/"x\d+"/g, '"x"').slice(0, 90_000)],
    ['a document that is expensive to validate', `{ page(pageId: "a") { ${nested(4, 3)} } }`],
  ])('T62b is rejected with little CPU time for %s', async (_what, query) => {
    const reply = await askAnonymously(query);

    // The size or the missing key, whichever is found first.
    expect(['QUERY_TOO_LARGE', 'UNAUTHENTICATED']).toContain(reply.codes[0]);
    expect(reply.status).toBe(reply.codes[0] === 'UNAUTHENTICATED' ? 401 : 400);
    expect(reply.body).not.toHaveProperty('data');
    expect(await costOf(query)).toBeLessThan(60_000);
    await testbed.holds(reply, { hits: 0 });
  });
});

/** Fragments of which each spreads the next eight. */
const wide = (count: number): string =>
  times(count, (i) => {
    const next = times(Math.min(8, count - 1 - i), (j) => `...F${i + j + 1}`);
    return `fragment F${i} on Page { name id title ${next} }`;
  });

const EXPENSIVE: readonly (readonly [string, string])[] = [
  ['a fragment that is not spread', `{ __typename } fragment F on Page { ${nested(3, 7)} }`],
  ['a deeper fragment that is not spread', `{ __typename } fragment F on Page { ${nested(7, 2)} }`],
  ['many fragments that are not spread', `{ __typename } ${wide(60)}`],
  ['many fragments that are spread', `{ page(pageId: "a") { ...F0 } } ${wide(60)}`],
  ['one field in many places', `{ page(pageId: "a") { ${nested(2, 30)} } }`],
  [
    'fragments side by side',
    `{ page(pageId: "a") { ${times(90, (i) => `...F${i}`)} } } ${times(90, (i) => `fragment F${i} on Page { name id title status }`)}`,
  ],
  [
    'fragments with conflicting fields',
    `{ page(pageId: "a") { ${times(90, (i) => `...F${i}`)} } } ${times(90, (i) => `fragment F${i} on Page { name ${i % 2 ? 'id' : 'id: title'} }`)}`,
  ],
  [
    'circular fragments',
    `{ page(pageId: "a") { ...F0 } } ${times(60, (i) => `fragment F${i} on Page { audiences { nodes { page { ...F${(i + 1) % 60} ...F${(i + 7) % 60} } } } }`)}`,
  ],
  [
    'variables in many operations',
    `${times(45, (i) => `query Q${i}($a: ID!) { ...F0 }`)} ${times(40, (i) => `fragment F${i} on Query { page(pageId: $a) { id } ${i < 39 ? `...F${i + 1}` : ''} }`)}`,
  ],
  ['unknown fields', `{ ${times(900, (i) => `pagex${i}`)} }`],
  ['unknown arguments', `{ page(${times(600, (i) => `pageIdx${i}: 1`)}) { id } }`],
  ['unknown types', times(99, (i) => `fragment F${i} on Pagee${i} { x }`)],
  [
    'conditions on many types',
    `{ node(id: "x") { ${times(250, (i) => `... on ${['Page', 'Topic', 'Person'][i % 3]} { id }`)} } }`,
  ],
  [
    'an input full of mistakes',
    `mutation { createPage(input: { ${times(600, (i) => `x${i}: 1`)} }) { page { id } } }`,
  ],
  ['long strings', `{ a: page(pageId: "${'x'.repeat(95_000)}") { id } }`],
];

describe('T65 a document of up to 100 KB', () => {
  it.each(EXPENSIVE)('T65 is rejected with little CPU time: %s', async (_what, query) => {
    const reply = await testbed.ask(query);

    expect(reply.codes.length).toBeGreaterThan(0);
    expect(reply.errors.length).toBeLessThan(30);
    await testbed.holds(reply, { hits: 0 });
    expect(await costOf(query, undefined, WITH_KEY)).toBeLessThan(400_000);
  });

  it.each([
    ['cursor', 'String', 'after', 'x'.repeat(8_000)],
    ['count', 'Int', 'first', 1_000],
  ])(
    'T65 takes little CPU time when one %s is rejected in thousands of fields',
    async (_what, type, argument, wrong) => {
      const query = `query ($ids: [ID!]!, $wrong: ${type}) { ${times(4, (i) => `a${i}: nodes(ids: $ids) { ...F }`)} }
        fragment F on Page { ${times(5, (i) => `b${i}: audiences(${argument}: $wrong) { nodes { audienceId } }`)} }`;
      const ids = Array.from({ length: 100 }, (_, i) => formatNodeId('Page', [`p${i}`]));

      const reply = await testbed.ask(query, { variables: { ids, wrong } });

      expect(new Set(reply.codes)).toEqual(new Set(['BAD_USER_INPUT']));
      // Pages are looked up meanwhile.
      await testbed.holds(reply, { hits: [0, 100] });
      expect(await costOf(query, { ids, wrong }, WITH_KEY)).toBeLessThan(2_000_000);
    },
  );

  it('T65 is quoted in error messages with at most a hundred characters', async () => {
    const long = 'x'.repeat(190);
    const text = 'y'.repeat(50_000);
    const list = `[${times(1_500, (i) => `"${i}"`)}]`;
    const create = 'mutation ($i: CreatePageInput!) { createPage(input: $i) { page { id } } }';
    const replies = [
      await testbed.ask(`{ ${long} }`),
      await testbed.ask(`{ page(${long}: 1) { id } }`),
      await testbed.ask(`{ page(pageId: "p") { id } "${text}" }`),
      await testbed.ask(`{ topics(first: "${text}") { totalCount } }`),
      await testbed.ask(`{ topics(first: ${list}) { totalCount } }`),
      await testbed.ask(`query ($a: Int) { topics(first: $a) { totalCount } }`, {
        variables: { a: text },
      }),
      await testbed.ask(`query ($a: Int) { topics(first: $a) { totalCount } }`, {
        variables: { a: { [text]: [text, text] } },
      }),
      await testbed.ask(create, { variables: { i: { [text]: 1, title: text } } }),
      await testbed.ask(`{ node(id: "${text}") { id } }`),
      await testbed.ask(`{ topics(after: "${text}") { totalCount } }`),
      await testbed.ask(`{ page(pageId: "${text}") { name } }`),
    ];

    for (const { errors } of replies) {
      expect(errors.length).toBeGreaterThan(0);
      for (const { message } of errors) {
        expect(message).not.toMatch(/[xy]{101}/);
        expect(message.length).toBeLessThanOrEqual(400);
      }
    }
    await testbed.holds(replies, { hits: 0 });
  });
});

const ALL = getIntrospectionQuery({ inputValueDeprecation: true, specifiedByUrl: true });

describe('T65 introspection', () => {
  it.each([
    [
      'fields of types of fields',
      '{ __schema { types { fields { type { fields { type { fields { name } } } } } } } }',
      'GRAPHQL_VALIDATION_FAILED',
    ],
    [
      'possible types of fields',
      '{ __schema { types { possibleTypes { interfaces { possibleTypes { name } } } } } }',
      'GRAPHQL_VALIDATION_FAILED',
    ],
    [
      'many aliases',
      `{ __schema { types { ${times(30, (i) => `a${i}: fields { name args { name description type { name kind } } }`)} } } }`,
      'RESULT_TOO_LARGE',
    ],
    [
      'the whole schema many times',
      `{ ${times(30, (i) => `a${i}: __schema { types { name fields { name type { name kind } } } }`)} }`,
      'RESULT_TOO_LARGE',
    ],
  ])('T65 is rejected when its result multiplies: %s', async (_what, query, code) => {
    const reply = await askAnonymously(query);

    expect([reply.status, reply.codes]).toEqual([400, [code]]);
    expect(await costOf(query)).toBeLessThan(2_000_000);
    await testbed.holds(reply, { hits: 0 });
  });

  it.each([
    ['types of fields of types', '{ __schema { types { fields { type { fields { name } } } } } }'],
    [
      'one type many times',
      `{ ${times(30, (i) => `a${i}: __type(name: "Query") { fields { name description } }`)} }`,
    ],
  ])(
    'T65 is executed when it costs less than the introspection query of tools: %s',
    async (_what, query) => {
      const all = await askAnonymously(ALL);
      const reply = await askAnonymously(query);

      expect(reply.codes).toEqual([]);
      expect(reply.text.length).toBeLessThan(all.text.length);
      await testbed.holds(reply, { hits: 0 });
    },
  );

  it('T65 returns the same response to tools with and without an API key, in little CPU time', async () => {
    const first = await askAnonymously(ALL);
    const withKey = await testbed.ask(ALL);

    expect(first.data.__schema.types.length).toBeGreaterThan(50);
    expect(withKey.text).toBe(first.text);
    await testbed.holds([], { hits: 0 });
    expect(await costOf(ALL)).toBeLessThan(400_000);
  });

  it('T65 uses the variables of each request', async () => {
    const query = 'query ($name: String!) { __type(name: $name) { name } }';

    const names = ['Page', 'Topic', 'Nothing'];
    const replies = await Promise.all(names.map((name) => askAnonymously(query, { name })));

    expect(replies.map(({ data }) => data.__type?.name)).toEqual(['Page', 'Topic', undefined]);
  });
});
