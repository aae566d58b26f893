/** The weight of an operation against others, and when it is computed again. */
import { getOperationAST, parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import shipped from '../../src/client/generated/persisted-documents.json' with { type: 'json' };
import { formatNodeId } from '../../src/graph/types/node-id.ts';
import { leastCost, planningContext } from '../../src/plan/cost.ts';
import { ByteEstimate, UNKNOWN_BYTES, weightOfBytes, Weights } from '../../src/plan/weight.ts';
import { schema } from '../../src/app/schema.ts';

const BUDGET = { calls: 250, values: 50_000 };
const context = planningContext('extended');

/** An operation that is sent with several sets of variables. */
function operationOf(text: string) {
  const document = parse(text);
  const operation = getOperationAST(document)!;
  const given = { schema, document, operation, least: leastCost(document) };
  const weights = new Weights();
  return {
    isKnown: (variables: Readonly<Record<string, unknown>>) =>
      weights.find(variables, context) !== undefined,
    weigh: (variables: Readonly<Record<string, unknown>> = {}) =>
      weights.find(variables, context) ?? weights.learn({ ...given, variables }, context, BUDGET),
  };
}

const AUDIENCES = `query ($id: ID!, $first: Int, $after: String, $all: Boolean = true) {
  page(pageId: $id) { audiences(first: $first, after: $after) { nodes { id
    versions(first: $first) @include(if: $all) { nodes { id status } } } } } }`;

describe('the weight of an operation', () => {
  it('is 1 for a lookup, and more for many values or many calls', () => {
    const lookup = operationOf('query ($id: ID!) { person(personId: $id) { name email } }');
    const values = operationOf(
      '{ page(pageId: "p") { audiences(first: 100) { nodes { page { audiences(first: 50) { nodes { id status } } } } } } }',
    );
    const calls = operationOf('{ accounts(first: 100) { nodes { logs { nodes { id } } } } }');

    expect(lookup.weigh({ id: 'p' }).weight).toBe(1);
    expect(values.weigh().weight).toBeGreaterThan(30);
    expect(calls.weigh().weight).toBeGreaterThan(12);
  });

  it.each([
    [7, 1],
    [8, 2],
    [15, 2],
    [16, 3],
  ])('of %i lookups is %i', (lookups, weight) => {
    const fields = Array.from(
      { length: lookups },
      (_, i) => `p${i}: person(personId: "${i}") { name }`,
    );

    expect(operationOf(`{ ${fields.join(' ')} }`).weigh().weight).toBe(weight);
  });

  it('counts a list of unknown length as a short one', () => {
    const { weigh } = operationOf(
      '{ page(pageId: "p") { actions { buttonTitle } links { nodes { path } } } }',
    );

    expect(weigh().weight).toBeLessThan(5);
  });

  it('allows one key to have four operations of each shipped document in flight', () => {
    const weights = Object.values(shipped).map((text) => operationOf(text).weigh({}).weight);

    expect(Math.max(...weights)).toBeLessThan(192 / 4);
  });

  it('is reused for another id and cursor', () => {
    const { weigh, isKnown } = operationOf(AUDIENCES);

    expect(isKnown({ id: 'a', first: 10 })).toBe(false);
    const { weight } = weigh({ id: 'a', first: 10 });

    expect(isKnown({ id: 'b', first: 10, after: 'any' })).toBe(true);
    expect(weigh({ id: 'b', first: 10, after: 'any' }).weight).toBe(weight);
  });

  it('depends on variables for page sizes, conditions and lists of ids', () => {
    const { weigh } = operationOf(AUDIENCES);
    const nodes = operationOf('query ($ids: [ID!]!) { nodes(ids: $ids) { ... on Page { name } } }');
    const ids = (count: number) => ({
      ids: Array.from({ length: count }, (_, i) => formatNodeId('Page', [`p${i}`])),
    });

    const [few, many] = [weigh({ id: 'a', first: 2 }), weigh({ id: 'a', first: 100 })];
    const without = weigh({ id: 'a', first: 100, all: false });

    expect(few.weight).toBeLessThan(10);
    expect(many.weight).toBeGreaterThan(50);
    expect(without.weight).toBeLessThan(10);
    expect(nodes.weigh(ids(1)).weight).toBe(1);
    expect(nodes.weigh(ids(100)).weight).toBeGreaterThan(12);
  });

  it('is not lowered by earlier operations with ids that are invalid or of another type', () => {
    const { weigh } = operationOf(AUDIENCES);
    const node = operationOf(
      'query ($id: ID!, $n: Int) { node(id: $id) { ... on Account { logs(first: $n) { nodes { id } } persons(first: $n) { nodes { logs(first: $n) { nodes { id } } } } } } }',
    );

    weigh({ id: '..', first: 100, after: 'no cursor' });
    node.weigh({ id: formatNodeId('Page', ['p']), n: 100 });
    node.weigh({ id: 'no id', n: 100 });

    expect(weigh({ id: 'a', first: 100 }).weight).toBeGreaterThan(50);
    expect(node.weigh({ id: formatNodeId('Account', ['a']), n: 100 }).weight).toBeGreaterThan(30);
  });

  it('includes a rejection only if the cost exceeds the budget for all variables, and otherwise whether it is within it', () => {
    const pages = (id: (i: number) => string) =>
      Array.from(
        { length: 300 },
        (_, i) => `p${i}: page(pageId: ${id(i)}) { audiences { totalCount } }`,
      ).join(' ');
    const fixed = operationOf(`{ ${pages((i) => `"p${i}"`)} }`);
    const ids = Array.from({ length: 300 }, (_, i) => `v${i}`);
    const varying = operationOf(
      `query (${ids.map((id) => `$${id}: ID!`).join(' ')}) { ${pages((i) => `$v${i}`)} }`,
    );

    expect(fixed.weigh().rejection?.extensions['code']).toBe('QUERY_TOO_EXPENSIVE');
    const weighed = varying.weigh(Object.fromEntries(ids.map((id) => [id, 'one'])));
    expect(weighed).toMatchObject({ rejection: undefined, isWithin: false });
    expect(operationOf('{ page(pageId: "p") { name } }').weigh()).toMatchObject({ isWithin: true });
  });

  it('includes the number of calls when no variable can change it', () => {
    const { weigh } = operationOf(AUDIENCES);
    const two = operationOf(
      'query ($a: ID!, $b: ID!) { a: person(personId: $a) { name } b: person(personId: $b) { name } }',
    );

    expect(weigh({ id: 'a', first: 10 }).calls).toBe(1);
    expect(two.weigh({ a: 'p', b: 'p' }).calls).toBeUndefined();
    expect(
      operationOf('{ page(pageId: "p") { name links { nodes { path } } } }').weigh().calls,
    ).toBe(2);
  });

  it('is estimated from the bytes that earlier operations returned, and pessimistically before the first', () => {
    const estimate = new ByteEstimate(UNKNOWN_BYTES);

    expect(estimate.bytes).toBe(UNKNOWN_BYTES);
    estimate.learn(2_000);
    expect(estimate.bytes).toBe(2_000);
    estimate.learn(1_000_000);
    expect(estimate.bytes, 'a quarter of the difference counts twice').toBeGreaterThan(500_000);
    for (let i = 0; i < 50; i++) estimate.learn(2_000);
    expect(estimate.bytes).toBeLessThan(5_000);
  });

  it('grows with the bytes of the response', () => {
    expect([0, 1_000, 200_000, 1_000_000].map(weightOfBytes)).toEqual([1, 1, 2, 6]);
  });
});
