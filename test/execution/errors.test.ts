/**
 * Field errors and the nulls that they cause, compared with graphql-js.
 *
 * Source: https://spec.graphql.org/October2021/#sec-Handling-Field-Errors
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { buildSchema, GraphQLError, parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import { afterRejections, executeAlike, executeWith, UNLIMITED } from './oracle.ts';

const schema = buildSchema(`
  type Node {
    value: Int
    needed: Int!
    node: Node
    neededNode: Node!
    list: [Node]
    neededItems: [Node!]
    neededList: [Node!]!
  }
  type Query { node: Node neededNode: Node! value: Int needed: Int! }
  type Mutation { value: Int needed: Int! }
`);

const broken = () => {
  throw new Error('It broke.');
};
const brokenLater = async (): Promise<never> => {
  await Promise.resolve();
  throw new Error('It broke later.');
};

const ask = (source: string, rootValue: object) =>
  executeAlike({ schema, document: parse(source), rootValue });

/** Executes without a comparison, where graphql-js calls more resolvers or waits longer. */
const askOurs = (source: string, rootValue: object) =>
  executeWith()({ schema, document: parse(source), rootValue });

describe('a field that fails', () => {
  const node = { value: 1, needed: 2 };

  it.each<[string, object]>([
    ['{ node { value needed } }', { node: { value: broken, needed: 1 } }],
    ['{ node { value needed } }', { node: { value: 1, needed: broken } }],
    ['{ node { value needed } value }', { node: { value: 1, needed: null }, value: 1 }],
    ['{ node { neededNode { needed } } value }', { node: { neededNode: {} }, value: 1 }],
    ['{ neededNode { neededNode { needed } } value }', { neededNode: { neededNode: {} } }],
    [
      '{ neededNode { node { neededNode { needed } } } }',
      { neededNode: { node: { neededNode: {} } } },
    ],
    ['{ node { list { needed } } }', { node: { list: [node, {}, null, node] } }],
    [
      '{ node { neededItems { needed } value } }',
      { node: { neededItems: [node, {}, node], value: 3 } },
    ],
    [
      '{ node { neededList { needed } value } }',
      { node: { neededList: [node, {}, node], value: 3 } },
    ],
    ['{ node { value } }', { node: broken }],
    ['{ neededNode { value } }', { neededNode: brokenLater }],
    ['{ node { list { needed } } }', { node: { list: [{ needed: brokenLater }, node] } }],
    [
      '{ node { neededList { needed } } }',
      { node: { neededList: [{ needed: brokenLater }, node] } },
    ],
    ['{ node { a: needed b: needed } }', { node: { needed: brokenLater } }],
    [
      '{ node { value node { value needed } } }',
      { node: { node: { value: broken, needed: broken } } },
    ],
    ['{ node { value } }', { node: { value: new GraphQLError('Own path.', { path: ['own'] }) } }],
    [
      '{ node { value } }',
      {
        node: {
          value: new GraphQLError('Refused.', { extensions: { code: 'FORBIDDEN', more: 1 } }),
        },
      },
    ],
  ])(
    'makes the nearest nullable field or item null, as graphql-js does: %s with %j',
    async (source, rootValue) => {
      const { errors } = await ask(source, rootValue);

      expect(errors).not.toHaveLength(0);
    },
  );

  it('is reported with its path and its location in the document', async () => {
    const { errors } = await ask('{ n: node { l: list { v: value } } }', {
      node: { list: [{}, { value: broken }] },
    });

    expect(errors).toMatchObject([
      { message: 'It broke.', path: ['n', 'l', 1, 'v'], locations: [{ line: 1, column: 23 }] },
    ]);
  });

  it('reports any thrown value as graphql-js does', async () => {
    const thrown = (what: unknown) => () => {
      throw what;
    };
    await ask('{ a: value node { value } }', {
      value: thrown('text'),
      node: { value: thrown(null) },
    });
    await ask('{ value }', { value: () => Promise.reject(new Error('rejected')) });
  });
});

describe('a failure that propagates', () => {
  it('does not wait for pending siblings, and resolves nothing below them', async () => {
    const resolved: string[] = [];
    let finish!: () => void;
    const slow = new Promise<void>((resolve) => (finish = resolve));
    const rootValue = {
      node: {
        needed: brokenLater,
        node: async () => {
          await slow;
          return { value: () => resolved.push('value') };
        },
      },
      value: 1,
    };

    const result = await askOurs('{ node { needed node { value } } value }', rootValue);
    finish();
    await afterRejections();

    expect(result).toMatchObject({
      data: { node: null, value: 1 },
      errors: [{ path: ['node', 'needed'] }],
    });
    expect(resolved).toEqual([]);
  });

  it('does not wait for pending fields at the root', async () => {
    const never = new Promise(() => {});

    const result = await askOurs('{ value neededNode { value } }', {
      value: never,
      neededNode: brokenLater,
    });

    expect(result).toMatchObject({ data: null, errors: [{ path: ['neededNode'] }] });
  });

  it('is reported alone, while later failures below its parent are handled', async () => {
    let finish!: () => void;
    const slow = new Promise<void>((resolve) => (finish = resolve));
    const rootValue = {
      node: {
        needed: brokenLater,
        list: async () => {
          await slow;
          return [
            Promise.reject(new Error('Unhandled?')),
            [Promise.reject(new Error('Unhandled?'))],
          ];
        },
        node: async () => {
          await slow;
          throw new Error('Unhandled?');
        },
      },
    };

    const result = await askOurs('{ node { needed list { value } node { value } } }', rootValue);
    finish();
    await afterRejections();

    expect(result.errors).toHaveLength(1);
  });

  it.each([
    ['query', '{ late: value needed }'],
    ['mutation', 'mutation { late: value needed }'],
    ['below a query', '{ neededNode { late: value needed } }'],
  ])(
    'waits for its siblings, as graphql-js does, when it fails synchronously: %s',
    async (_, source) => {
      let isOver = false;
      const node = {
        needed: broken,
        value: async () => {
          await sleep(5);
          isOver = true;
          throw new Error('Late.');
        },
      };

      const result = await askOurs(source, { ...node, neededNode: node });

      expect(isOver).toBe(true);
      expect(result.data).toBeNull();
      expect(result.errors!.at(-1)).toMatchObject({ message: 'It broke.' });
    },
  );
});

describe('the number of errors', () => {
  it('is limited, while every failed item is null', async () => {
    const result = await executeWith({ limits: () => ({ ...UNLIMITED, maxErrors: () => 3 }) })({
      schema,
      document: parse('{ node { list { value } } }'),
      rootValue: { node: { list: Array.from({ length: 50 }, () => new Error('It broke.')) } },
    });

    expect(result.errors).toHaveLength(3);
    expect(result.data).toEqual({ node: { list: Array.from({ length: 50 }, () => null) } });
  });

  it('has a limit that is read from the context for each further error', async () => {
    const context = { maxErrors: 1 };
    const rootValue = {
      node: { list: [{ value: broken }, { value: broken }, { value: more }, { value: broken }] },
    };
    function more(): void {
      context.maxErrors = 2;
    }

    const result = await executeWith({
      limits: (contextValue) => ({
        ...UNLIMITED,
        maxErrors: () => (contextValue as typeof context).maxErrors,
      }),
    })({
      schema,
      document: parse('{ node { list { value } } }'),
      rootValue,
      contextValue: context,
    });

    expect(result.errors?.map(({ path }) => path![2])).toEqual([0, 3]);
  });
});
