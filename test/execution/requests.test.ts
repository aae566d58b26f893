/**
 * Executing requests and operations, compared with graphql-js.
 *
 * Source: https://spec.graphql.org/October2021/#sec-Executing-Requests
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { buildSchema, GraphQLScalarType, GraphQLSchema, parse, type ExecutionArgs } from 'graphql';
import { describe, expect, it } from 'vitest';
import { assertExecutable } from '../../src/execution/execute.ts';
import { schema as ownSchema } from '../../src/app/schema.ts';
import { clientErrors, executeAlike, executeWith } from './oracle.ts';

const schema = buildSchema(`
  type Query { a: String }
  type Mutation { a: String b: String! c: String }
  type Subscription { a: String }
`);

const ask = (source: string, args: Partial<ExecutionArgs> = {}) =>
  executeAlike({ schema, document: parse(source), rootValue: { a: 'root' }, ...args });

describe('GetOperation', () => {
  it.each<[string, string | null | undefined]>([
    ['{ a }', undefined],
    ['{ a }', null],
    ['query A { a }', undefined],
    ['query A { a } query B { b: a }', 'B'],
    ['query A { a } fragment F on Query { a }', undefined],
  ])('finds the operation of %s for the name %s', async (source, operationName) => {
    expect(await ask(source, { operationName })).toHaveProperty('data');
  });

  it.each<[string, string | null | undefined]>([
    ['query A { a } query B { a }', undefined],
    ['query A { a } query B { a }', 'C'],
    ['query A { a } query B { a }', ''],
    ['{ a }', 'A'],
    ['fragment F on Query { a }', undefined],
    ['type T { a: Int }', undefined],
  ])(
    'rejects %s for the name %s with BAD_USER_INPUT and without data',
    async (source, operationName) => {
      const result = await ask(source, { operationName });

      expect(result).not.toHaveProperty('data');
      expect(clientErrors(result.errors)).toMatchObject([
        { extensions: { code: 'BAD_USER_INPUT' } },
      ]);
    },
  );
});

describe('ExecuteRequest', () => {
  it('throws without a document or a valid schema, and for variables that are not an object', () => {
    const execute = executeWith();
    const document = parse('{ a }');

    expect(() => execute({ schema, document: undefined as never })).toThrow(/document/);
    expect(() => execute({ schema: undefined as never, document })).toThrow(/schema/);
    expect(() => execute({ schema: new GraphQLSchema({}), document })).toThrow(/Query/);
    expect(() => execute({ schema, document, variableValues: '{}' as never })).toThrow(
      /variables/i,
    );
  });

  it.each<[string, GraphQLSchema, RegExp]>([
    ['is invalid', buildSchema('type T { a: Int }'), /Query/],
    [
      'has a scalar with an async serialize',
      new GraphQLSchema({
        query: schema.getQueryType()!,
        types: [new GraphQLScalarType({ name: 'Late', serialize: async () => 'late' })],
      }),
      /"Late\.serialize"/,
    ],
  ])('rejects a schema that %s, at start and when it is executed', (_what, refused, message) => {
    const args = { schema: refused, document: parse('{ a }') };

    expect(() => {
      assertExecutable(refused);
    }).toThrow(message);
    expect(() => executeWith()(args)).toThrow(message);
    expect(() => {
      assertExecutable(ownSchema);
    }).not.toThrow();
  });

  it('returns a result, not a promise, when no resolver returns a promise', () => {
    const execute = executeWith();

    for (const source of ['{ a }', 'mutation { a }', '{ nobody }', 'query ($v: Int!) { a }']) {
      expect(execute({ schema, document: parse(source) })).not.toBeInstanceOf(Promise);
    }
  });

  it('prepares a document separately for each schema', async () => {
    const other = buildSchema('type Query { a: Int }');
    const document = parse('{ a }');
    const execute = executeWith();

    await execute({ schema, document, rootValue: { a: '5' } });
    const result = await execute({ schema: other, document, rootValue: { a: '5' } });

    expect(result.data).toEqual({ a: 5 });
  });
});

describe('ExecuteQuery, ExecuteMutation', () => {
  it('pass the root value to the fields of the root', async () => {
    expect(await ask('{ a }')).toEqual({ data: { a: 'root' } });
    expect(await ask('mutation { a }')).toEqual({ data: { a: 'root' } });
    expect(await ask('subscription { a }')).toEqual({ data: { a: 'root' } });
  });

  it('reject an operation without a root type with BAD_USER_INPUT', async () => {
    const queries = buildSchema('type Query { a: String }');

    for (const kind of ['mutation', 'subscription']) {
      const result = await executeAlike({ schema: queries, document: parse(`${kind} { a }`) });

      expect(clientErrors(result.errors)).toMatchObject([
        { extensions: { code: 'BAD_USER_INPUT' } },
      ]);
    }
  });

  it('start a mutation field after the previous one and its subfields have completed, and none after a failure', async () => {
    const writes = buildSchema(`
      type Query { a: Int }
      type Written { late: Int }
      type Mutation { a: Written b: Int! c: Int }
    `);
    const begun: string[] = [];
    const rootValue = {
      a: async () => {
        begun.push('a');
        await sleep(2);
        return {
          late: async () => {
            await sleep(2);
            begun.push('a ended');
          },
        };
      },
      b: () => {
        begun.push('b');
        return Promise.reject(new Error('Not written.'));
      },
      c: () => begun.push('c'),
    };

    const document = parse('mutation { a { late } b c }');
    const result = await executeWith()({ schema: writes, document, rootValue });

    expect(begun).toEqual(['a', 'a ended', 'b']);
    expect(result).toMatchObject({
      data: null,
      errors: [{ message: 'Not written.', path: ['b'] }],
    });
    await executeAlike({ schema: writes, document, rootValue });
  });
});

describe('CoerceVariableValues', () => {
  const inputs = buildSchema(`
    input Filter { needed: Int! text: String = "default" }
    type Query { echo(
      int: Int, given: Int = 5, needed: Int! = 6, list: [Int!], filter: Filter
    ): String }
  `);
  const rootValue = { echo: (args: object) => JSON.stringify(args) };
  const echo = (source: string, variableValues: Record<string, unknown>) =>
    executeAlike({ schema: inputs, document: parse(source), rootValue, variableValues });

  it.each<[string, Record<string, unknown>, string | undefined]>([
    ['query ($v: Int) { echo(int: $v) }', {}, '{"given":5,"needed":6}'],
    ['query ($v: Int = 7) { echo(int: $v) }', {}, '{"int":7,"given":5,"needed":6}'],
    ['query ($v: Int = 7) { echo(int: $v) }', { v: null }, '{"int":null,"given":5,"needed":6}'],
    ['query ($v: Int = 7) { echo(int: $v) }', { v: 8 }, '{"int":8,"given":5,"needed":6}'],
    ['query ($v: Int!) { echo(int: $v) }', { v: 8, other: 1 }, '{"int":8,"given":5,"needed":6}'],
    ['query ($v: Int!) { echo(int: $v) }', {}, undefined],
    ['query ($v: Int!) { echo(int: $v) }', { v: null }, undefined],
    ['query ($v: Int!) { echo(int: $v) }', { v: '8' }, undefined],
    ['query ($v: [Int!]) { echo(list: $v) }', { v: 1 }, '{"given":5,"needed":6,"list":[1]}'],
    ['query ($v: [Int!]) { echo(list: $v) }', { v: [1, null] }, undefined],
    ['query ($v: Filter) { echo(filter: $v) }', { v: { text: 'x' } }, undefined],
    ['query ($v: Filter) { echo(filter: $v) }', { v: { needed: 1, other: 2 } }, undefined],
    ['query ($v: Query) { echo }', { v: {} }, undefined],
    ['query ($v: Nobody) { echo }', { v: {} }, undefined],
  ])('coerces or rejects %s with %j', async (source, variableValues, expected) => {
    const result = await echo(source, variableValues);

    if (expected) expect(result).toEqual({ data: { echo: expected } });
    else
      expect(clientErrors(result.errors)).toMatchObject([
        { extensions: { code: 'BAD_USER_INPUT' } },
      ]);
  });

  it('accepts variables with names of object properties such as __proto__', async () => {
    const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty'];
    for (const name of names) {
      const source = `query ($${name}: Int) { echo(int: $${name}) }`;

      expect(await echo(source, JSON.parse(`{ "${name}": 3 }`))).toEqual({
        data: { echo: '{"int":3,"given":5,"needed":6}' },
      });
      expect(await echo(source, {})).toEqual({ data: { echo: '{"given":5,"needed":6}' } });
    }
  });

  it('rejects an unknown key of an input object, even __proto__', async () => {
    for (const key of ['__proto__', 'constructor', 'toString']) {
      const v: unknown = JSON.parse(`{ "needed": 1, "${key}": {} }`);

      const result = await echo('query ($v: Filter) { echo(filter: $v) }', { v });

      expect(result.errors).toMatchObject([{ message: expect.stringContaining(`"${key}"`) }]);
    }
  });

  it('reports ten errors, and in an eleventh that there are more', async () => {
    const v = Array.from({ length: 1_000 }, () => 'x');

    const document = parse('query ($v: [Int!]) { echo(list: $v) }');
    const { errors } = await executeWith()({ schema: inputs, document, variableValues: { v } });

    expect(errors).toHaveLength(11);
    expect(errors!.at(-1)!.message).toMatch(/^Too many errors/);
  });
});
