/**
 * T61b, T62: the planned cost of a document, and the cost of planning it.
 */
import { getOperationAST, parse, validate, type DocumentNode } from 'graphql';
import { describe, expect, it } from 'vitest';
import { fragmentsOf } from '../../src/execution/operation/collect-fields.ts';
import { formatNodeId } from '../../src/graph/types/node-id.ts';
import { planFor, planningContext, rejectCost } from '../../src/plan/cost.ts';
import { MAX_VISITS, Planner } from '../../src/plan/planner.ts';
import { schema } from '../../src/app/schema.ts';
import { complexityOf, DEFAULT_LIMITS } from '../../src/gateway/documents/document-limits.ts';
import { IDS } from '../support/ids.ts';
import { openGateway } from '../support/open-gateway.ts';

const BUDGET = { calls: 250, values: 50_000 };

const context = planningContext('extended');

const range = <T>(count: number, make: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));

const pages = (count: number, from = 0) =>
  range(count, (i) => formatNodeId('Page', [`page_${from + i}`]));

/** Ids of every type, many of which lead to the same pages, accounts and topics. */
const mixed = (count: number, from = 0) =>
  range(count, (i) => {
    const kinds = [
      ['Page', `p${i}`],
      ['Audience', `p${i % 9}`, `a${from + i}`],
      ['AudienceVersion', `p${i % 9}`, `a${i}`, `v${from + i}`],
      ['Person', `p${i}`],
      ['PersonLog', `p${i % 7}`, `l${from + i}`],
      ['Account', `a${i}`],
      ['AccountLog', `a${i % 7}`, `l${from + i}`],
      ['TopicEntry', `t${i % 5}`, `e${from + i}`],
    ] as const;
    const [typename, ...parts] = kinds[i % kinds.length]!;
    return formatNodeId(typename, parts);
  });

const DEEP = `fragment F on Page { audiences(first: 100) { nodes { page { audiences(first: 100) { nodes {
  page { audiences(first: 100) { nodes { audienceId } } } } } } } } }`;

const WIDE = `fragment F on Node { id
  ... on Page { name links(first: 100) { nodes { page { name audiences { nodes { person { name } } } } } } }
  ... on Audience { page { name audiences { nodes { versions { nodes { audience { effectiveName } } } } } }
    links { nodes { path } } versions { nodes { status } } }
  ... on AudienceVersion { audience { page { links { nodes { path } } } } }
  ... on PersonLog { person { logs { nodes { person { name } } } } }
  ... on AccountLog { account { logs { nodes { type } } activity { nodes { person { name } } } } }
  ... on TopicEntry { topic { title entries { nodes { topic { title } } } } } }`;

/** Aliases of `nodes`, each with its own variable if there are several lists of ids. */
function aliases(lists: readonly (readonly string[])[], count: number, fragment: string) {
  const declared = lists.map((_, i) => `$ids${i}: [ID!]!`).join(', ');
  const fields = range(count, (i) => `a${i}: nodes(ids: $ids${i % lists.length}) { ...F }`);
  const source = `query (${declared}) { ${fields.join(' ')} } ${fragment}`;
  return { source, variables: Object.fromEntries(lists.map((ids, i) => [`ids${i}`, ids])) };
}

/** Fragments that spread the next one twice, under names that do not merge. */
function doubling(levels: number) {
  const fragments = range(levels, (i) => {
    const below = i + 1 < levels ? `...F${i + 1}` : 'pageId';
    return `fragment F${i} on Page { pageId x${i}: audiences { nodes { page { ${below} } } }
      y${i}: links { nodes { page { ${below} } } } }`;
  });
  return `query { page(pageId: "p") { ...F0 } } ${fragments.join(' ')}`;
}

const ATTACKS: readonly [string, { source: string; variables?: Record<string, unknown> }][] = [
  ['29 aliases of the same 100 pages over one deep fragment', aliases([pages(100)], 29, DEEP)],
  [
    '29 aliases of other pages each',
    aliases(
      range(29, (i) => pages(100, i * 100)),
      29,
      DEEP,
    ),
  ],
  [
    '29 aliases of nearly the same pages',
    aliases(
      range(29, (i) => pages(100, i)),
      29,
      DEEP,
    ),
  ],
  [
    'aliases of ids of every kind over a wide fragment',
    aliases(
      range(20, (i) => mixed(100, i)),
      20,
      WIDE,
    ),
  ],
  ['aliases of one page a hundred times', aliases([range(100, () => pages(1)[0]!)], 29, DEEP)],
  ['fragments that double at every level', { source: doubling(14) }],
  [
    'thirty mutations with deep payloads',
    {
      source: `mutation { ${range(
        30,
        (i) => `m${i}: createAudience(input: { pageId: "p${i}" }) { audience {
        page { audiences(first: 100) { nodes { person { account { persons { nodes { logs { nodes { type } } } } } } } } } } }`,
      ).join(' ')} }`,
    },
  ],
];

/** Milliseconds of CPU. */
function cpuOf(run: () => void): number {
  const { user, system } = process.cpuUsage();
  run();
  const after = process.cpuUsage();
  return (after.user + after.system - user - system) / 1_000;
}

function plannerFor(document: DocumentNode, variableValues: Record<string, unknown>) {
  const planner = new Planner(
    { schema, fragments: fragmentsOf(document), variableValues },
    context,
  );
  return { planner, plan: planner.plan(getOperationAST(document)!) };
}

describe('T62 the planner', () => {
  it.each(ATTACKS)(
    'T62 plans and rejects %s within half a second of CPU each',
    (_name, { source, variables = {} }) => {
      const document = parse(source);
      expect(validate(schema, document)).toEqual([]);
      expect(JSON.stringify({ query: source, variables }).length).toBeLessThan(100_000);
      plannerFor(document, variables);

      let planned: ReturnType<typeof plannerFor> | undefined;
      const planMs = cpuOf(() => {
        planned = plannerFor(document, variables);
      });
      const refuseMs = cpuOf(() => {
        rejectCost({ schema, document, variableValues: variables }, context, BUDGET);
      });

      // It stops between fields, and a field has a hundred keys at most.
      expect(planned!.planner.visits).toBeLessThan(MAX_VISITS + 100);
      expect(Math.max(planMs, refuseMs)).toBeLessThan(500);
    },
  );

  it('T62 counts a call that many fields share once, even in cycles', () => {
    const { source } = aliases([pages(1)], 29, DEEP);
    const document = parse(source);

    const one = plannerFor(document, { ids0: pages(1) });
    const hundred = plannerFor(document, { ids0: pages(100) });

    expect(hundred.planner.visits).toBeLessThan(MAX_VISITS);
    expect(one.plan.calls).toEqual({ least: 1, most: 1 });
    expect(hundred.plan.calls).toEqual({ least: 100, most: 100 });
  });

  it('T62 stops when the budget is exceeded', () => {
    const { source, variables } = aliases(
      range(29, (i) => pages(100, i * 100)),
      29,
      DEEP,
    );
    const document = parse(source);
    const { planner } = plannerFor(document, variables);
    const hurried = new Planner(
      { schema, fragments: fragmentsOf(document), variableValues: variables },
      context,
      BUDGET,
    );

    const { calls } = hurried.plan(getOperationAST(document)!);

    expect(calls.least).toBeGreaterThan(BUDGET.calls);
    expect(hurried.visits).toBeLessThan(planner.visits / 5);
  });

  it('T62 reports null as the maximum when it stopped early', () => {
    const source = `{ ${range(200, (i) => `p${i}: page(pageId: "p${i}") { ...F }`).join(' ')} }
      fragment F on Page { ${range(80, (i) => `l${i}: links(path: "${i}") { totalCount }`).join(' ')} }`;
    const document = parse(source);

    const { planner, plan } = plannerFor(document, {});

    expect(planner.visits).toBeGreaterThanOrEqual(MAX_VISITS);
    expect(plan.calls.least).toBeGreaterThan(1_000);
    expect(JSON.parse(JSON.stringify(plan))).toMatchObject({
      calls: { most: null },
      values: { atMost: null },
    });
  });
});

describe('T61b the size of a result', () => {
  it('T61b is planned without a REST call and multiplies in nested lists', async () => {
    const gateway = await openGateway();
    const source = `query ($ids: [ID!]!) { nodes(ids: $ids) { ... on Page { audiences(first: 100) { nodes {
      page { audiences(first: 100) { nodes { audienceId } } } } } } } }`;
    const { extensions } = await gateway.ask(source, {
      variables: { ids: range(100, () => formatNodeId('Page', [IDS.page])) },
      headers: { 'x-explain': 'plan' },
    });

    expect(complexityOf(parse(source), DEFAULT_LIMITS).excess).toBeUndefined();
    expect(gateway.restCalls).toEqual([]);
    expect(extensions.plan.calls).toEqual({ least: 1, most: 1 });
    // nodes and its items; for each page, audiences, nodes and its items; and for each of these the same.
    const inner = 2 + 100 * (1 + 1);
    expect(extensions.plan.values).toEqual({
      atLeast: 101,
      atMost: 1 + 100 * (1 + 2 + 100 * (1 + 1 + inner)),
    });
    expect(extensions.plan.budget).toEqual({ calls: 250, values: 50_000 });
    expect(extensions.plan.largestList).toBe('nodes');
  });

  it('T61b is rejected with the largest list when its minimum exceeds the limit', () => {
    const { source, variables } = aliases([pages(100), pages(10)], 2, DEEP);
    const args = { schema, document: parse(source), variableValues: variables };

    const rejection = rejectCost(args, context, { calls: 1_000, values: 111 });
    const passed = rejectCost(args, context, { calls: 1_000, values: 112 });

    expect(passed).toBeUndefined();
    expect(rejection?.message).toMatch(/\b112\b.*\b111\b.*`a0`/);
    expect(rejection?.extensions).toEqual({
      code: 'QUERY_TOO_EXPENSIVE',
      values: 112,
      maxValues: 111,
      field: 'a0',
    });
  });

  it.each([
    ['a lookup that may find nothing', '{ page(pageId: "p") { name title } }', 1, 3],
    ['a list that may be empty', '{ persons(first: 3) { nodes { name } totalCount } }', 1, 9],
    ['__typename', '{ __typename a: __typename }', 2, 2],
    ['aliases', '{ a: page(pageId: "p") { name } b: page(pageId: "p") { name } }', 2, 4],
    [
      'edges',
      '{ topics(first: 2) { edges { cursor node { title } } pageInfo { endCursor } } }',
      1,
      12,
    ],
    [
      'a list that comes with its object',
      '{ topic(topicId: "t") { entries(last: 2) { nodes { id } } } }',
      1,
      7,
    ],
    ['a list of unknown length', '{ page(pageId: "p") { actions { url } } }', 1, Infinity],
    ['a list of scalars', '{ page(pageId: "p") { metadata { robots } } }', 1, Infinity],
    ['introspection', '{ __schema { types { name } } }', 1, Infinity],
    [
      'more ids than are allowed, in a list that may not be null',
      `{ nodes(ids: [${'"x" '.repeat(101)}]) { id } page(pageId: "p") { name } }`,
      0,
      3,
    ],
    ['an invalid id', '{ nodes(ids: ["x"]) { id } page(pageId: "p") { name } }', 3, 4],
  ])('T61b has bounds for %s', (_name, source, atLeast, atMost) => {
    const plan = planFor({ schema, document: parse(source) }, context);

    expect(plan?.values).toEqual({ atLeast, atMost });
  });
});
