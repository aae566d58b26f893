/** `onError`: the effect of a failed field on the rest of the result. */
import { setTimeout as sleep } from 'node:timers/promises';
import { buildSchema, parse, print, visit } from 'graphql';
import { describe, expect, it } from 'vitest';
import type { ErrorBehavior } from '../../src/execution/core/executor.ts';
import { executeWith, written, UNLIMITED } from './oracle.ts';

const SDL = `
  type Node { value: Int needed: Int! node: Node neededNode: Node! list: [Node!]! }
  type Query { node: Node neededNode: Node! needed: Int! value: Int }
  type Mutation { first: Int second: Int! third: Int }
`;
const schema = buildSchema(SDL);

/** The same schema with nullable types only, in which no error propagates. */
const nullableSchema = buildSchema(
  print(visit(parse(SDL), { NonNullType: { leave: ({ type }) => type } })),
);

const broken = () => {
  throw new Error('It broke.');
};
const brokenLater = async (): Promise<never> => {
  await Promise.resolve();
  throw new Error('It broke later.');
};

const ask = (source: string, rootValue: object, onError: ErrorBehavior, options = {}) =>
  executeWith(options)({ schema, document: parse(source), rootValue, onError });

describe('onError: NULL', () => {
  it.each<[string, object]>([
    ['{ node { value needed } }', { node: { value: 1, needed: broken } }],
    ['{ node { value needed } }', { node: { value: 1, needed: brokenLater } }],
    ['{ neededNode { needed } needed }', { neededNode: { needed: 1 }, needed: broken }],
    ['{ node { neededNode { neededNode { needed } } } }', { node: { neededNode: brokenLater } }],
    [
      '{ node { list { needed value } } }',
      { node: { list: () => [{ needed: brokenLater, value: 2 }, brokenLater()] } },
    ],
  ])('leaves the failure of %s at its field', async (source, rootValue) => {
    const document = parse(source);
    const expected = await executeWith()({ schema: nullableSchema, document, rootValue });

    const found = await ask(source, rootValue, 'NULL');

    expect(written(found)).toEqual(written(expected));
    expect(found.errors?.length).toBeGreaterThan(0);
  });

  it('reports null in a non-null field and keeps its siblings', async () => {
    const { data, errors } = await ask('{ node { needed value } }', { node: { value: 1 } }, 'NULL');

    expect(data).toEqual({ node: { needed: null, value: 1 } });
    expect(errors?.map(({ path }) => path)).toEqual([['node', 'needed']]);
  });
});

describe('onError: ABORT', () => {
  it('returns null data and the first error without waiting for other fields', async () => {
    let aborts = 0;
    const limits = () => ({ ...UNLIMITED, onAbort: () => aborts++ });
    const rootValue = { value: () => new Promise(() => {}), node: { value: brokenLater } };

    const result = await ask('{ value node { value } needed }', rootValue, 'ABORT', { limits });

    expect(result.data).toBeNull();
    expect(result.errors?.map(({ path }) => path)).toEqual([['needed']]);
    expect(aborts).toBe(1);
  });

  it('runs no field of a mutation after a failed one', async () => {
    const done: string[] = [];
    const rootValue = {
      first: async () => {
        await sleep(1);
        done.push('first');
        throw new Error('It broke.');
      },
      second: () => done.push('second'),
      third: () => done.push('third'),
    };

    const result = await ask('mutation { first second third }', rootValue, 'ABORT');

    expect(result.data).toBeNull();
    expect(done).toEqual(['first']);
  });

  it('returns the whole result when no field fails', async () => {
    const result = await ask('{ node { needed } }', { node: { needed: 1 } }, 'ABORT');

    expect(result).toEqual({ data: { node: { needed: 1 } } });
  });
});
