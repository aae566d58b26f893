/**
 * An answer has a size and a time: an execution that passes either ends at once, with one error and
 * without data.
 */
import {
  buildSchema,
  getIntrospectionQuery,
  parse,
  type ExecutionArgs,
  type ExecutionResult,
} from 'graphql';
import { describe, expect, it } from 'vitest';
import type { ExecutionLimits } from '../../src/execution/bounds/bounds.ts';
import { schema as ownSchema } from '../../src/app/schema.ts';
import { afterRejections, executeWith, UNLIMITED } from './oracle.ts';

const schema = buildSchema(`
  scalar Json
  type Node { text: String number: Int json: Json nodes(count: Int!): [Node!] later: Node needed: Node! fails: String }
  type Query { node: Node other: Node }
  type Mutation { node: Node other: Node }
`);

let resolved = 0;

/** Cycles, as objects of a graph make them: the same few objects again and again. */
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
    message: expect.stringMatching(/ask for fewer items with "first", or for fewer fields\.$/),
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

  it('names the field that multiplies most', async () => {
    const source = `{ other { nodes(count: 50) { text } } node { number all: nodes(count: 40) {
      nodes(count: 40) { nodes(count: 1) { text } deep: nodes(count: 40) { text number } } } } }`;

    expectTooLarge(await ask(source, { maxValues: 20_000 }), 'node.all.nodes.deep');
  });

  it('names a field at the root where many of them share the blame', async () => {
    const fields = Array.from({ length: 9 }, (_, i) => `n${i}: node { nodes(count: 10) { text } }`);

    const { errors } = await ask(`{ ${fields.join(' ')} }`, { maxValues: 150 });

    expect(errors![0]!.extensions['field']).toMatch(/^n\d/);
  });

  it('ends execution there: nothing more is resolved', async () => {
    const source =
      '{ node { nodes(count: 1000) { nodes(count: 100) { nodes(count: 1) { number } } } } }';

    expectTooLarge(await ask(source, { maxValues: 10_000 }), 'node.nodes.nodes');
    expect(resolved).toBeLessThan(10_000);
  });

  it('ends what is promised too: it is heard, and goes no further', async () => {
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

  it('begins no write after one whose answer was too large', async () => {
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

  it('ends a write after others at once, though some of it is awaited', async () => {
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

  it('hears promises of the list that was too long', async () => {
    const rootValue = {
      node: {
        nodes: () => Array.from({ length: 100 }, () => Promise.reject(new Error('Unheard?'))),
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

  it('ends an iterator that has no end', async () => {
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
  it('is about what JSON takes', async () => {
    const source =
      '{ node { nodes(count: 50) { text number json ... { key_of_some_length: text } } } }';
    const whole = await ask(source, {});
    const bytes = Buffer.byteLength(JSON.stringify(whole.data));

    expect(await ask(source, { maxTextBytes: 1.2 * bytes })).toHaveProperty('data');
    expectTooLarge(await ask(source, { maxTextBytes: 0.8 * bytes }), 'node.nodes');
  });

  it('counts bytes, not characters, of what is long', async () => {
    const text = '頁'.repeat(10_000);

    const result = await ask(
      '{ node { text } }',
      { maxTextBytes: 20_000 },
      { rootValue: { node: { text } } },
    );

    expectTooLarge(result, 'node');
  });

  it('counts what a scalar of any JSON holds, however deep', async () => {
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

  it('ends synchronous work, which no timer can', async () => {
    // A billion nodes would take minutes.
    const result = await ask(deep, { deadlineMs: performance.now() + 30 });

    expect(result).toEqual({ errors: [expect.any(Error)] });
    expect(result.errors![0]!.extensions).toEqual({
      code: 'REQUEST_TIMEOUT',
      http: { status: 504 },
    });
  });

  it('is no concern of an answer that is nearly there', async () => {
    const result = await ask('{ node { text } }', { deadlineMs: performance.now() - 1 });

    expect(result).toEqual({ data: { node: { text: node.text } } });
  });
});

describe('an answer with much that is promised', () => {
  const source =
    '{ node { nodes(count: 200) { later { nodes(count: 200) { later { number } } } } } }';

  it('has more values than one that is there: an awaited one counts thirteen', async () => {
    const values = 2 + 200 * 2 + 200 * (1 + 200 * 2) + 200 * 200 + 12 * (200 + 200 * 200);

    expect(await ask(source, { maxValues: values })).not.toHaveProperty('errors');
    expect(await ask(source, { maxValues: values - 1 })).not.toHaveProperty('data');
  });
});

it('counts twenty more values for a field that failed', async () => {
  const failing = '{ node { nodes(count: 200) { fails } } }';
  const values = 2 + 200 * 2 + 200 * 20;

  expect(await ask(failing, { maxValues: values })).toHaveProperty('data');
  expect(await ask(failing, { maxValues: values - 1 })).not.toHaveProperty('data');
});

describe('introspection', () => {
  const introspect = (source: string) =>
    ask(source, { maxValues: 200_000, maxTextBytes: 5_000_000 }, { schema: ownSchema });

  it('of the whole schema passes', async () => {
    expect(
      await introspect(getIntrospectionQuery({ inputValueDeprecation: true, oneOf: true })),
    ).not.toHaveProperty('errors');
  });

  it('that goes in circles does not', async () => {
    const circle = (levels: number): string =>
      levels === 0
        ? 'fields { name description }'
        : `possibleTypes { interfaces { ${circle(levels - 1)} } }`;

    const result = await introspect(`{ __type(name: "Node") { ${circle(6)} } }`);

    expect(result.errors).toMatchObject([{ extensions: { code: 'RESULT_TOO_LARGE' } }]);
  });
});

it('is asked for once an execution, with its context', async () => {
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
