/** Limits of an execution: above its size or its time it ends immediately, with one error and without data. */
import {
  buildSchema,
  type GraphQLScalarType,
  getIntrospectionQuery,
  parse,
  type ExecutionArgs,
  type ExecutionResult,
} from 'graphql';
import { describe, expect, it } from 'vitest';
import type { ExecutionLimits } from '../../src/execution/core/result-bounds.ts';
import { schema as ownSchema } from '../../src/app/schema.ts';
import { afterRejections, executeWith, UNLIMITED } from './oracle.ts';

const schema = buildSchema(`
  scalar Json
  type Node { text: String number: Int json: Json nodes(count: Int!): [Node!] later: Node needed: Node! fails: String }
  type Query { node: Node other: Node }
  type Mutation { node: Node other: Node }
`);

let resolved = 0;

/** A node that refers to itself, as objects of a graph do. */
const node = {
  text: 'x'.repeat(20),
  number: 5,
  json: { key: 'x'.repeat(100), list: [1, 2, { inner: true }] },
  nodes: ({ count }: { count: number }) => {
    resolved += 1;
    return Array.from({ length: count }, () => node);
  },
  later: async () => {
    resolved += 1;
    return node;
  },
  needed: () => node,
  fails: () => {
    throw new Error('Failed');
  },
};

async function ask(
  source: string,
  limits: Partial<ExecutionLimits>,
  args: Partial<ExecutionArgs> = {},
): Promise<ExecutionResult> {
  resolved = 0;
  const execute = executeWith({ limits: () => ({ ...UNLIMITED, ...limits }) });
  const rootValue = { node, other: node };
  return execute({ schema, document: parse(source), rootValue, ...args });
}

const expectTooLarge = (result: ExecutionResult, field: string): void => {
  expect(result).toEqual({ errors: [expect.any(Error)] });
  expect(result.errors![0]).toMatchObject({
    extensions: { code: 'RESULT_TOO_LARGE', field, http: { status: 400, spec: true } },
  });
};

describe('the number of values', () => {
  it.each<[number, string]>([
    [2, '{ node { number } }'],
    [4, '{ node { text number } other: __typename }'],
    [2 + 3 + 3, '{ node { nodes(count: 3) { number } } }'],
    [
      2 + 3 + 3 * 2 + 3 * (2 + 2 * 2),
      '{ node { nodes(count: 3) { nodes(count: 2) { number text } number } } }',
    ],
  ])('is %i for %s', async (count, source) => {
    expect(await ask(source, { maxValues: count })).not.toHaveProperty('errors');
    expect(await ask(source, { maxValues: count - 1 })).not.toHaveProperty('data');
  });

  it('is rejected with the name of the field that has the most values below it', async () => {
    const source = `{ other { nodes(count: 50) { text } } node { number all: nodes(count: 40) {
      nodes(count: 40) { nodes(count: 1) { text } deep: nodes(count: 40) { text number } } } } }`;

    expectTooLarge(await ask(source, { maxValues: 20_000 }), 'node.all.nodes.deep');
  });

  it('is rejected with the name of a root field when many root fields share the cause', async () => {
    const fields = Array.from({ length: 9 }, (_, i) => `n${i}: node { nodes(count: 10) { text } }`);

    const { errors } = await ask(`{ ${fields.join(' ')} }`, { maxValues: 150 });

    expect(errors![0]!.extensions['field']).toMatch(/^n\d/);
  });

  it('ends the execution when it is too large, so that no further field is resolved', async () => {
    const source =
      '{ node { nodes(count: 1000) { nodes(count: 100) { nodes(count: 1) { number } } } } }';

    expectTooLarge(await ask(source, { maxValues: 10_000 }), 'node.nodes.nodes');
    expect(resolved).toBeLessThan(10_000);
  });

  it('ends pending fields too, handles their rejections and resolves nothing below them', async () => {
    let aborts = 0;
    const onAbort = () => aborts++;
    const source =
      '{ node { nodes(count: 90) { later { later { later { needed { later { number } } } } } } } }';

    const result = await ask(source, { maxValues: 400, onAbort });

    const atTheEnd = resolved;
    expectTooLarge(result, 'node.nodes.later');
    await afterRejections();
    expect(resolved).toBe(atTheEnd);
    expect(aborts).toBe(1);
  });

  it('starts no mutation field after one whose result is too large', async () => {
    const begun: string[] = [];
    const rootValue = {
      node: async () => (begun.push('node'), node),
      other: () => begun.push('other'),
    };

    const result = await ask(
      'mutation { node { nodes(count: 100) { text } } other { text } }',
      { maxValues: 100 },
      { rootValue },
    );

    expectTooLarge(result, 'node.nodes');
    expect(begun).toEqual(['node']);
  });

  it('ends a later mutation field immediately, although a part of it is pending', async () => {
    const never = new Promise(() => {});
    const rootValue = {
      node: async () => node,
      other: () => ({ later: () => never, nodes: node.nodes }),
    };

    const result = await ask(
      'mutation { node { text } other { later { text } nodes(count: 100) { text } } }',
      { maxValues: 100 },
      { rootValue },
    );

    expectTooLarge(result, 'other.nodes');
  });

  it('leaves no rejection of a list that is too long unhandled', async () => {
    const rootValue = {
      node: {
        nodes: () => Array.from({ length: 100 }, () => Promise.reject(new Error('Unhandled?'))),
      },
    };

    const result = await ask(
      '{ node { nodes(count: 1) { text } } }',
      { maxValues: 50 },
      { rootValue },
    );
    await afterRejections();

    expectTooLarge(result, 'node.nodes');
  });

  it('closes an endless iterator', async () => {
    let closed = false;
    function* endless() {
      try {
        for (;;) yield node;
      } finally {
        closed = true;
      }
    }

    const result = await ask(
      '{ node { nodes(count: 1) { text } } }',
      { maxValues: 5_000 },
      { rootValue: { node: { nodes: endless } } },
    );

    expectTooLarge(result, 'node.nodes');
    expect(closed).toBe(true);
  });
});

describe('the size of text', () => {
  it.each([
    [50, 'text number json'],
    [500, 'text number'],
  ])('is within a fifth of the bytes of JSON, for %i objects', async (count, fields) => {
    const source = `{ node { nodes(count: ${count}) { ${fields} ... { key_of_some_length: text } } } }`;
    const whole = await ask(source, {});
    const bytes = Buffer.byteLength(JSON.stringify(whole.data));

    expect(await ask(source, { maxTextBytes: 1.2 * bytes })).toHaveProperty('data');
    expectTooLarge(await ask(source, { maxTextBytes: 0.8 * bytes }), 'node.nodes');
  });

  it('counts bytes, not characters, of a long string', async () => {
    const text = '頁'.repeat(10_000);

    const result = await ask(
      '{ node { text } }',
      { maxTextBytes: 20_000 },
      { rootValue: { node: { text } } },
    );

    expectTooLarge(result, 'node');
  });

  it('counts bytes, not characters, of the long strings of many objects', async () => {
    const nodes = Array.from({ length: 100 }, () => ({ text: '頁'.repeat(300) }));

    const result = await ask(
      '{ node { nodes(count: 100) { text } } }',
      { maxTextBytes: 80_000 },
      { rootValue: { node: { nodes } } },
    );

    expectTooLarge(result, 'node.nodes');
  });

  it('counts the objects that a scalar makes of strings', async () => {
    const schema = buildSchema(
      'scalar Wrapped type Query { all: [Thing] } type Thing { one: Wrapped }',
    );
    const wrapped = schema.getType('Wrapped') as GraphQLScalarType;
    wrapped.serialize = (text) => ({ text });
    const all = Array.from({ length: 200 }, () => ({ one: 'x'.repeat(100) }));

    const given = { schema, rootValue: { all } };
    const result = await ask('{ all { one } }', { maxTextBytes: 15_000 }, given);

    expectTooLarge(result, 'all');
  });

  it('counts the content of a JSON scalar, however deep', async () => {
    let json: unknown = 'x';
    for (let depth = 0; depth < 100_000; depth++) json = [json];

    const result = await ask(
      '{ node { json } }',
      { maxTextBytes: 100_000 },
      { rootValue: { node: { json } } },
    );

    expectTooLarge(result, 'node');
  });
});

describe('the deadline', () => {
  const deep =
    '{ node { nodes(count: 1000) { nodes(count: 1000) { nodes(count: 1000) { number } } } } }';

  it('ends synchronous work, which no timer can interrupt', async () => {
    // A billion nodes would take minutes.
    const result = await ask(deep, { deadlineMs: performance.now() + 30 });

    expect(result).toEqual({ errors: [expect.any(Error)] });
    expect(result.errors![0]!.extensions).toEqual({
      code: 'REQUEST_TIMEOUT',
      http: { status: 504 },
    });
  });

  it('does not end a small execution that has passed it', async () => {
    const result = await ask('{ node { text } }', { deadlineMs: performance.now() - 1 });

    expect(result).toEqual({ data: { node: { text: node.text } } });
  });
});

describe('a result with many promises', () => {
  const source =
    '{ node { nodes(count: 200) { later { nodes(count: 200) { later { number } } } } } }';

  it('counts thirteen values for each awaited one', async () => {
    const values = 2 + 200 * 2 + 200 * (1 + 200 * 2) + 200 * 200 + 12 * (200 + 200 * 200);

    expect(await ask(source, { maxValues: values })).not.toHaveProperty('errors');
    expect(await ask(source, { maxValues: values - 1 })).not.toHaveProperty('data');
  });
});

it('counts twenty more values for a failed field', async () => {
  const failing = '{ node { nodes(count: 200) { fails } } }';
  const values = 2 + 200 * 2 + 200 * 20;

  expect(await ask(failing, { maxValues: values })).toHaveProperty('data');
  expect(await ask(failing, { maxValues: values - 1 })).not.toHaveProperty('data');
});

describe('introspection', () => {
  const introspect = (source: string) =>
    ask(source, { maxValues: 200_000, maxTextBytes: 5_000_000 }, { schema: ownSchema });

  it('of the whole schema is within the limits', async () => {
    expect(
      await introspect(getIntrospectionQuery({ inputValueDeprecation: true, oneOf: true })),
    ).not.toHaveProperty('errors');
  });

  it('in a cycle of types is rejected with RESULT_TOO_LARGE', async () => {
    const circle = (levels: number): string =>
      levels === 0
        ? 'fields { name description }'
        : `possibleTypes { interfaces { ${circle(levels - 1)} } }`;

    const result = await introspect(`{ __type(name: "Node") { ${circle(6)} } }`);

    expect(result.errors).toMatchObject([{ extensions: { code: 'RESULT_TOO_LARGE' } }]);
  });
});

it('reads the limits once per execution, with its context value', async () => {
  const asked: unknown[] = [];
  const execute = executeWith({
    limits: (contextValue) => {
      asked.push(contextValue);
      return UNLIMITED;
    },
  });

  await execute({ schema, document: parse('{ node { text } }'), contextValue: 'a' });
  await execute({ schema, document: parse('{ node { text } }'), contextValue: 'b' });

  expect(asked).toEqual(['a', 'b']);
});
