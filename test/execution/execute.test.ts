/**
 * The executor answers what graphql-js answers, whatever resolvers do.
 *
 * A failure prints the seed and the query: `randomQuery(seed, …)` makes it again.
 */
import {
  buildSchema,
  execute as graphqlJs,
  GraphQLError,
  GraphQLScalarType,
  isAbstractType,
  isListType,
  isNonNullType,
  isObjectType,
  isScalarType,
  parse,
  responsePathAsArray,
  type ExecutionArgs,
  type ExecutionResult,
  type GraphQLOutputType,
} from 'graphql';
import { describe, expect, it } from 'vitest';
import { createExecute } from '../../src/execution/execute.ts';
import { randomFrom, randomQuery } from '../support/random-query.ts';

/** Fields that begin with `r` have resolvers; the others are properties. */
const schema = buildSchema(/* GraphQL */ `
  scalar Moment
  enum Kind {
    ONE
    TWO
  }
  interface Thing {
    id: ID
    rName: String!
    self: Thing
  }
  type A implements Thing {
    id: ID
    rName: String!
    self: Thing
    a: A
    rA: A
    b: B!
    rB: B!
    list: [A]
    rList(first: Int = 3, kind: Kind): [B!]
    strict: [Thing!]!
    rStrict: [A!]!
    matrix: [[B!]]!
    when: Moment
    rWhen: Moment!
    texts: [String!]
    number: Int
    rNumber: Int!
  }
  type B implements Thing {
    id: ID
    rName: String!
    self: Thing
    a: A
    rThing: Thing
    rUnion: AorB!
    kind: Kind!
    flag: Boolean
  }
  union AorB = A | B
  type Query {
    rA: A
    rB: B!
    rThings: [Thing]
    rOne(id: ID!): AorB
  }
  type Mutation {
    rFirst: A
    rSecond: A!
    rThird: B
  }
`);

/** What a place holds, from the seed and the place's path: the same whenever it is asked. */
type Values = (type: GraphQLOutputType, path: string) => unknown;

for (const type of Object.values(schema.getTypeMap())) {
  if (type instanceof GraphQLScalarType && type.name === 'Moment') type.serialize = serializeMoment;
  if (isAbstractType(type)) type.resolveType = (value) => (value as { is: string }).is;
  if (!isObjectType(type) || type.name.startsWith('__')) continue;
  for (const field of Object.values(type.getFields())) {
    if (!field.name.startsWith('r')) continue;
    field.resolve = (_source, args, { values }: { values: Values }, { path }) => {
      const place = [...responsePathAsArray(path), JSON.stringify(args)].join('.');
      const value = values(field.type, place);
      if (value instanceof Error && hash(place) % 2 === 0) throw value;
      return value;
    };
  }
}

const valuesOf = (seed: number, { async }: { readonly async: boolean }): Values => {
  const values: Values = (type, path) => {
    const random = randomFrom(hash(`${seed} ${path}`));
    const value = random() < 0.08 ? broken(random()) : sound(type, path, random);
    const wait = random();
    if (!async || wait < 0.5) return value;
    const settled = heard(value instanceof Error ? Promise.reject(value) : Promise.resolve(value));
    return wait < 0.75 ? settled : heard(new Promise((resolve) => setImmediate(resolve, settled)));
  };
  const sound = (type: GraphQLOutputType, path: string, random: () => number): unknown => {
    if (isNonNullType(type)) return sound(type.ofType, path, random);
    if (isListType(type)) {
      const items = Array.from({ length: Math.floor(random() * 4) }, (_, i) =>
        values(type.ofType, `${path}.${i}`),
      );
      return random() < 0.2 ? new Set(items) : items;
    }
    if (isScalarType(type)) {
      const known: Record<string, unknown> = { Int: 7, Boolean: true, Moment: random() };
      return known[type.name] ?? `${type.name} "at" ${path}`;
    }
    if (isObjectType(type)) return sourceOf(type.name, path);
    if (isAbstractType(type)) return sourceOf(random() < 0.5 ? 'A' : 'B', path);
    return 'ONE';
  };
  const sourceOf = (is: string, path: string): object => {
    const type = schema.getType(is);
    const fields = isObjectType(type) ? type.getFields() : {};
    const source: Record<string, unknown> = { is };
    for (const { name, type } of Object.values(fields)) {
      if (name.startsWith('r')) continue;
      const place = `${path}.${name}`;
      const get = () => {
        const value = values(type, place);
        if (value instanceof Error && hash(place) % 2 === 0) throw value;
        return value;
      };
      Object.defineProperty(source, name, { get });
    }
    return source;
  };
  return values;
};

/** Its place may never be got to. */
function heard<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}

function broken(which: number): unknown {
  if (which < 0.5) return null;
  return which < 0.75 ? new Error('It broke.') : new GraphQLError('It was refused.');
}

function serializeMoment(value: unknown): string {
  if ((value as number) < 0.9) return `moment ${Number(value)}`;
  throw new Error('No moment.');
}

function hash(text: string): number {
  let sum = 2_166_136_261;
  for (let i = 0; i < text.length; i++) sum = Math.imul(sum ^ text.charCodeAt(i), 16_777_619);
  return sum >>> 0;
}

const SEEDS = Array.from({ length: 400 }, (_, seed) => seed);

async function askBoth(seed: number, { async }: { readonly async: boolean }) {
  const { source, variables } = randomQuery(seed, { schema, values: { id: ['x'] }, depth: 4 });
  const args: ExecutionArgs = {
    schema,
    document: parse(source),
    variableValues: variables,
    contextValue: { values: valuesOf(seed, { async }) },
  };
  const execute = createExecute(() => Infinity);
  const expected = await interpreted(args);
  const first = await execute(args);
  return { hint: `seed ${seed}: ${source}`, expected, first, again: await execute(args) };
}

/** What graphql-js answers. Of a list that fails at once, it leaves what was promised unheard. */
async function interpreted(args: ExecutionArgs): Promise<ExecutionResult> {
  const listeners = process.listeners('unhandledRejection');
  process.removeAllListeners('unhandledRejection').on('unhandledRejection', () => {});
  const result = await graphqlJs(args);
  await new Promise((resolve) => setImmediate(setImmediate, resolve));
  process.removeAllListeners('unhandledRejection');
  for (const listener of listeners) process.on('unhandledRejection', listener);
  return result;
}

/** Places that are null because of an error: which of several came first is up to chance. */
const nulls = ({ data, errors = [] }: ExecutionResult) =>
  new Set(
    errors.map(({ path = [] }) => {
      let [value, depth]: [any, number] = [data, 0];
      for (; value != null && depth < path.length; depth++) value = value[path[depth]!];
      return JSON.stringify(path.slice(0, depth));
    }),
  );

describe('the executor', () => {
  it('answers like graphql-js, byte for byte, when nothing is promised', async () => {
    let errors = 0;
    for (const seed of SEEDS) {
      const { hint, expected, first, again } = await askBoth(seed, { async: false });

      expect(JSON.stringify(first), hint).toBe(JSON.stringify(expected));
      expect(JSON.stringify(again), hint).toBe(JSON.stringify(expected));
      errors += expected.errors?.length ?? 0;
    }

    expect(errors).toBeGreaterThan(500);
  });

  it('answers like graphql-js when much is promised, and some of it fails', async () => {
    let errors = 0;
    for (const seed of SEEDS) {
      const { hint, expected, first, again } = await askBoth(seed, { async: true });

      for (const result of [first, again]) {
        expect(JSON.stringify(result.data), hint).toBe(JSON.stringify(expected.data));
        expect(nulls(result), hint).toEqual(nulls(expected));
      }
      errors += expected.errors?.length ?? 0;
    }

    expect(errors).toBeGreaterThan(500);
  });

  it('begins a write when the one before has ended, and none after one that failed', async () => {
    const begun: string[] = [];
    const writes = buildSchema('type Query { a: Int } type Mutation { a: Int b: Int! c: Int }');
    const fields = writes.getMutationType()!.getFields();
    fields['a']!.resolve = async () => {
      begun.push('a');
      await new Promise((resolve) => setTimeout(resolve, 5));
      begun.push('a ended');
      return 1;
    };
    fields['b']!.resolve = () => {
      begun.push('b');
      return Promise.reject(new Error('Not written.'));
    };
    fields['c']!.resolve = () => begun.push('c');

    const result = await createExecute(() => 10)({
      schema: writes,
      document: parse('mutation { a b c }'),
    });

    expect(begun).toEqual(['a', 'a ended', 'b']);
    expect(result).toMatchObject({
      data: null,
      errors: [{ message: 'Not written.', path: ['b'] }],
    });
  });

  it.each([
    ['query', '{ late now }'],
    ['mutation', 'mutation { late now }'],
    ['below a query', '{ both { late now } }'],
  ])('ends with what it began when all data is null: %s', async (_what, source) => {
    const failing = buildSchema(`
      type Query { late: Int now: Int! both: Both! }
      type Mutation { late: Int now: Int! }
      type Both { late: Int! now: Int! }
    `);
    let isOver = false;
    for (const name of ['Query', 'Mutation', 'Both']) {
      const type = failing.getType(name);
      const fields = isObjectType(type) ? type.getFields() : {};
      fields['late']!.resolve = async () => {
        await new Promise((resolve) => setTimeout(resolve, 20));
        isOver = true;
        throw new Error('Late.');
      };
      fields['now']!.resolve = () => {
        throw new Error('Now.');
      };
    }
    failing.getQueryType()!.getFields()['both']!.resolve = () => ({});

    const result = await createExecute(() => 10)({ schema: failing, document: parse(source) });

    expect(isOver).toBe(true);
    expect(result.data).toBeNull();
    expect(result.errors!.at(-1)).toMatchObject({ message: 'Now.' });
  });

  it('asks for no condition of a fragment that was spread already', async () => {
    const document = parse(`query ($c: Boolean = true) { ...F ...F @include(if: $c) }
      fragment F on Query { __typename }`);

    const result = await createExecute(() => 10)({ schema, document, variableValues: { c: null } });

    expect(result).toEqual({ data: { __typename: 'Query' } });
  });

  it('tells as many errors as it may, and makes every failed place null', async () => {
    const lists = buildSchema('type Query { items: [Int] }');
    lists.getQueryType()!.getFields()['items']!.resolve = () =>
      Array.from({ length: 50 }, () => new Error('It broke.'));

    const result = await createExecute(() => 3)({ schema: lists, document: parse('{ items }') });

    expect(result.errors).toHaveLength(3);
    expect(result.data).toEqual({ items: Array.from({ length: 50 }, () => null) });
  });

  it('leaves what cannot be executed to graphql-js, which says why', async () => {
    const execute = createExecute(() => 10);
    const document = parse('query A($n: Int!) { rA { id } } query B { rA { id } }');

    for (const asked of [{}, { operationName: 'C' }, { operationName: 'A' }]) {
      const args: ExecutionArgs = { schema, document, ...asked };

      const result = await execute(args);

      expect(result).toEqual(await graphqlJs(args));
      expect(result.errors).toHaveLength(1);
    }
  });
});
