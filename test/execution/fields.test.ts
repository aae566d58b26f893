/**
 * Executing fields: arguments, resolvers and the completion of values, compared with graphql-js.
 *
 * Source: https://spec.graphql.org/October2021/#sec-Executing-Fields
 */
import {
  buildSchema,
  GraphQLEnumType,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLScalarType,
  GraphQLSchema,
  GraphQLString,
  isAbstractType,
  isObjectType,
  parse,
  type ExecutionArgs,
  type GraphQLFieldConfigArgumentMap,
  type GraphQLIsTypeOfFn,
  type GraphQLResolveInfo,
} from 'graphql';
import { describe, expect, it } from 'vitest';
import { executeAlike, executeWith, clientErrors } from './oracle.ts';

describe('the leaves of many objects', () => {
  const schema = buildSchema(`
    enum Colour { RED GREEN }
    type Thing { id: ID! colour: Colour name: String size: Float count: Int! isNew: Boolean length: Int }
    type Query { things: [Thing] }
  `);
  const document = parse(
    '{ things { id colour __typename name again: name size count isNew length } }',
  );
  const thing = (i: number) => ({
    id: `t${i}`,
    colour: 'RED',
    name: 'a',
    size: 1.5,
    count: i,
    isNew: true,
  });
  const things = (...last: readonly unknown[]) =>
    executeAlike({
      schema,
      document,
      rootValue: { things: [...Array.from({ length: 60 }, (_, i) => thing(i)), ...last] },
    });

  it.each<[string, object | string, number]>([
    ['numbers for IDs and strings', { id: 7, name: 8 }, 0],
    ['values that serialize rejects', { colour: 'BLUE', isNew: 'yes', size: 'large' }, 3],
    ['null for nullable fields', { colour: null, name: null, size: undefined, isNew: null }, 0],
    ['null for a non-null field', { count: null }, 1],
    ['functions and promises', { name: () => 'b', size: Promise.resolve(2) }, 0],
    ['long strings', { name: 'ü'.repeat(300) }, 0],
    ['what is no object', 'text', 1],
  ])('are those of graphql-js: %s', async (_what, last, failures) => {
    const given = typeof last === 'string' ? last : { ...thing(60), ...last };
    const { errors = [] } = await things(given);
    expect(errors).toHaveLength(failures);
  });

  it('are those of graphql-js if reading one throws', async () => {
    const given = Object.defineProperty(thing(60), 'name', {
      get: () => {
        throw new Error('no name');
      },
    });
    expect((await things(given)).errors).toHaveLength(2);
  });

  it('are null for a string, which has a length but no fields', async () => {
    const rootValue = { things: Array.from({ length: 60 }, () => 'text') };
    const of = { schema, document: parse('{ things { length name } }'), rootValue };
    expect((await executeAlike(of)).errors).toBeUndefined();
  });

  it('have keys such as __proto__', async () => {
    const odd = parse('{ things { __proto__: id name } }');
    const rootValue = { things: Array.from({ length: 60 }, (_, i) => thing(i)) };
    const { data } = await executeAlike({ schema, document: odd, rootValue });
    expect(JSON.stringify(data)).toContain('{"__proto__":"t59","name":"a"}');
  });
});

describe('CoerceArgumentValues', () => {
  const schema = buildSchema(`
    enum Colour { RED GREEN }
    input Point { x: Int = 3 y: [Int] }
    type Query {
      echo(
        int: Int, given: Int = 5, needed: Int! = 6, ids: [ID!] = ["d"], point: Point, colour: Colour
      ): String
      property(needed: Int!): String
    }
  `);
  const rootValue = { echo: (args: object) => JSON.stringify(args), property: 'property' };
  const ask = (source: string, variableValues: Record<string, unknown> = {}) =>
    executeAlike({ schema, document: parse(source), rootValue, variableValues });

  it.each<[string, string, Record<string, unknown>?]>([
    ['{ echo }', '{"given":5,"needed":6,"ids":["d"]}'],
    ['{ echo(int: 1, given: null) }', '{"int":1,"given":null,"needed":6,"ids":["d"]}'],
    ['{ echo(ids: "one") }', '{"given":5,"needed":6,"ids":["one"]}'],
    ['{ echo(ids: [1, "two"]) }', '{"given":5,"needed":6,"ids":["1","two"]}'],
    ['{ echo(point: {}) }', '{"given":5,"needed":6,"ids":["d"],"point":{"x":3}}'],
    [
      '{ echo(point: { x: null, y: 1 }) }',
      '{"given":5,"needed":6,"ids":["d"],"point":{"x":null,"y":[1]}}',
    ],
    ['{ echo(colour: GREEN) }', '{"given":5,"needed":6,"ids":["d"],"colour":"GREEN"}'],
    [
      'query ($v: Int) { echo(int: $v, given: $v, needed: $v) }',
      '{"given":5,"needed":6,"ids":["d"]}',
    ],
    [
      'query ($v: Int) { echo(int: $v) }',
      '{"int":null,"given":5,"needed":6,"ids":["d"]}',
      { v: null },
    ],
    [
      'query ($v: Int) { echo(point: { x: $v, y: [$v] }) }',
      '{"given":5,"needed":6,"ids":["d"],"point":{"x":3,"y":[null]}}',
    ],
    [
      'query ($v: Int) { echo(point: { y: [1, $v] }) }',
      '{"given":5,"needed":6,"ids":["d"],"point":{"x":3,"y":[1,2]}}',
      { v: 2 },
    ],
  ])('passes the arguments of %s to the resolver', async (source, expected, variables) => {
    expect(await ask(source, variables)).toEqual({ data: { echo: expected } });
  });

  it.each<[string, Record<string, unknown>?]>([
    ['{ echo(needed: null) }'],
    ['{ echo(int: "text") }'],
    ['{ echo(ids: [null]) }'],
    ['{ echo(point: { x: "text" }) }'],
    ['{ echo(colour: BLUE) }'],
    ['{ property }'],
    ['query ($v: Int) { echo(needed: $v) }', { v: null }],
    ['query ($v: Int = 5) { property(needed: $v) }', { v: null }],
    ['query ($v: Int) { property(needed: $v) }'],
    ['query ($v: ID = "x") { echo(ids: [$v]) }', { v: null }],
  ])(
    'rejects %s with %j with BAD_USER_INPUT at the path of the field',
    async (source, variables) => {
      const { errors } = await ask(source, variables);

      expect(clientErrors(errors)).toMatchObject([
        { path: [expect.any(String)], extensions: { code: 'BAD_USER_INPUT' } },
      ]);
    },
  );

  it('gives each call of a resolver its own arguments object', async () => {
    const seen: string[] = [];
    const args: GraphQLFieldConfigArgumentMap = {
      list: { type: new GraphQLList(GraphQLInt), defaultValue: [1] },
      ids: { type: new GraphQLList(GraphQLInt) },
      more: { type: new GraphQLList(GraphQLInt) },
    };
    const item = new GraphQLObjectType({
      name: 'Item',
      fields: {
        change: {
          type: GraphQLString,
          args,
          resolve: (_source, given: Record<string, number[]>) => {
            seen.push(JSON.stringify(given));
            given['other'] = [];
          },
        },
      },
    });
    const schema = new GraphQLSchema({
      query: new GraphQLObjectType({
        name: 'Query',
        fields: { items: { type: new GraphQLList(item), resolve: () => [{}, {}] } },
      }),
    });
    const document = parse('query ($v: [Int]) { items { change(ids: [2], more: $v) } }');
    const execute = executeWith();

    for (let i = 0; i < 2; i++) await execute({ schema, document, variableValues: { v: [3] } });

    expect(new Set(seen)).toEqual(new Set(['{"list":[1],"ids":[2],"more":[3]}']));
    expect(seen).toHaveLength(4);
  });

  it('passes the internal value of an enum itself, and parses a custom scalar in each execution', async () => {
    const red = { red: 255 };
    let asked = 0;
    const clock = new GraphQLScalarType<unknown>({
      name: 'Clock',
      parseValue: String,
      parseLiteral: () => new Date(asked++),
    });
    const colour = new GraphQLEnumType({ name: 'Colour', values: { RED: { value: red } } });
    const given: unknown[] = [];
    const schema = new GraphQLSchema({
      query: new GraphQLObjectType({
        name: 'Query',
        fields: {
          ask: {
            type: GraphQLString,
            args: { colour: { type: colour }, now: { type: clock } },
            resolve: (_source, args) => {
              given.push(args['colour'], args['now']);
            },
          },
        },
      }),
    });
    const document = parse('{ ask(colour: RED, now: "now") }');
    const execute = executeWith();

    await execute({ schema, document });
    await execute({ schema, document });

    expect(given).toEqual([red, new Date(0), red, new Date(1)]);
    expect(given[0]).toBe(red);
  });
});

function fail(what: unknown): never {
  throw what;
}

/** A thenable that is not a promise. Its rejection is handled here, since a test may never await it. */
function thenable(promise: Promise<unknown>): object {
  promise.catch(() => {});
  return { then: (...callbacks: Parameters<typeof promise.then>) => promise.then(...callbacks) };
}

describe('ResolveFieldValue', () => {
  const schema = buildSchema(`
    type Thing { text: String args(a: Int = 1): String needed: String! self: Thing }
    type Query { thing: Thing fn: Thing }
  `);
  const ask = (thing: unknown, args: Partial<ExecutionArgs> = {}) =>
    executeAlike({
      schema,
      document: parse('{ thing { text args needed } }'),
      rootValue: { thing },
      contextValue: 'context',
      ...args,
    });

  it.each<[string, unknown]>([
    ['a property', { text: 'own', args: 'args', needed: 'needed' }],
    ['an inherited property', Object.create({ text: 'inherited', needed: 'too' })],
    [
      'a getter',
      {
        get text() {
          return 'got';
        },
        needed: '',
      },
    ],
    [
      'a getter that throws',
      {
        get text(): never {
          throw new Error('Not got.');
        },
        needed: '',
      },
    ],
    [
      'a getter that throws a string',
      {
        get needed(): never {
          return fail('text');
        },
      },
    ],
    ['an error as a value', { text: new Error('No text.'), needed: new Error('None.') }],
    ['undefined and null', { text: undefined, args: null, needed: null }],
    ['a promise', { text: Promise.resolve('later'), needed: Promise.resolve('too') }],
    ['a thenable', { text: thenable(Promise.resolve('later')), needed: '' }],
    ['a thenable that fails', { needed: thenable(Promise.reject(new Error('No.'))) }],
    [
      'an async method that throws',
      {
        text: async () => {
          throw new Error('Late.');
        },
        needed: '',
      },
    ],
    ['a string instead of an object', 'text'],
    ['a number instead of an object', 5],
  ])('reads %s as graphql-js does', async (_what, thing) => {
    await ask(thing);
  });

  it('awaits a thenable that calls back twice, and fails a field whose thenable throws', async () => {
    const thing = {
      text: {
        then: (fulfil: (value: string) => void) => {
          fulfil('once');
          fulfil('twice');
        },
      },
      needed: {
        then: () => {
          throw new Error('No promise.');
        },
      },
    };

    const result = await executeWith()({
      schema,
      document: parse('{ fn { text } thing { needed } }'),
      rootValue: { thing, fn: thing },
    });

    expect(result).toMatchObject({
      data: { fn: { text: 'once' }, thing: null },
      errors: [{ message: 'No promise.', path: ['thing', 'needed'] }],
    });
  });

  it('calls methods with the arguments, the context and the info, on their object', async () => {
    class Thing {
      readonly needed = 'needed';
      text(args: object, context: string, info: GraphQLResolveInfo) {
        return [JSON.stringify(args), context, info.fieldName, this.needed].join();
      }
      args(args: object) {
        return JSON.stringify(args);
      }
    }

    expect(await ask(new Thing())).toEqual({
      data: { thing: { text: '{},context,text,needed', args: '{"a":1}', needed: 'needed' } },
    });
  });

  it('reads the properties of a function', async () => {
    const source = Object.assign(() => {}, { text: 'of a function' });

    const result = await executeAlike({
      schema,
      document: parse('{ fn { text } }'),
      rootValue: { fn: () => source },
    });

    expect(result).toEqual({ data: { fn: { text: 'of a function' } } });
  });

  it('uses the given field resolver for every field without its own resolver', async () => {
    const result = await ask(undefined, {
      rootValue: undefined,
      fieldResolver: (_source, args, context, { fieldName }) =>
        fieldName === 'thing' ? {} : [fieldName, JSON.stringify(args), context].join(),
    });

    expect(result).toEqual({
      data: {
        thing: {
          text: 'text,{},context',
          args: 'args,{"a":1},context',
          needed: 'needed,{},context',
        },
      },
    });
  });

  it('passes the same info to resolvers as graphql-js does', async () => {
    const infos: GraphQLResolveInfo[] = [];
    const rootValue = {
      thing: (_args: object, _context: unknown, info: GraphQLResolveInfo) => {
        infos.push(info);
        return {
          text: (_: object, __: unknown, inner: GraphQLResolveInfo) => {
            infos.push(inner);
          },
        };
      },
    };
    const document = parse(
      'query Q($v: Int = 2) { t: thing { ...F } } fragment F on Thing { text }',
    );

    await executeAlike({ schema, document, rootValue });

    const plain = infos.map(({ schema: _schema, parentType, returnType, ...info }) =>
      JSON.stringify({
        ...info,
        parentType: String(parentType),
        returnType: String(returnType),
        rootValue: 0,
      }),
    );
    // Two of graphql-js, then two of each of our executions.
    expect(plain).toHaveLength(6);
    expect(plain.slice(2, 4)).toEqual(plain.slice(0, 2));
    expect(plain.slice(4, 6)).toEqual(plain.slice(0, 2));
  });
});

describe('CompleteValue of lists', () => {
  const list = async (type: string, value: unknown) =>
    executeAlike({
      schema: buildSchema(`type Query { list: ${type} } type Item { a: Int }`),
      document: parse(type.includes('Item') ? '{ list { a } }' : '{ list }'),
      rootValue: { list: typeof value === 'function' ? (value as () => unknown) : () => value },
    });

  it.each<[string, unknown]>([
    ['[Int]', [1, null, undefined, 2]],
    ['[Int]', []],
    ['[Int]', new Set([1, 2])],
    [
      '[Int]',
      function* () {
        yield 1;
        yield 2;
      },
    ],
    [
      '[Int]',
      function* () {
        yield 1;
        throw new Error('No more.');
      },
    ],
    ['[Int]', new Map([[1, 2]])],
    ['[Int]', 'text'],
    ['[Int]', 5],
    ['[Int]', { length: 1, 0: 1 }],
    ['[Int!]', [1, null]],
    ['[Int!]!', [1, null]],
    ['[Int]!', null],
    ['[Int]', [1, 'text', new Error('No item.')]],
    ['[[Int!]]', [[1], [null, 2], null, 5]],
    ['[[Int]!]!', [[1], null]],
    ['[[[Int!]!]!]', [[[1], [2, null]]]],
    ['[Item!]', [{ a: 1 }, { a: 'text' }, Promise.resolve({ a: 2 })]],
    ['[Item!]!', [{ a: 1 }, Promise.resolve(null)]],
    ['[Int]', [Promise.resolve(1), 2, Promise.resolve(null)]],
    ['[Int!]', Promise.resolve([Promise.resolve(1)])],
  ])('completes %s of %j as graphql-js does', async (type, value) => {
    await list(type, value);
  });

  it.each<[string, () => unknown]>([
    ['[Int]', () => [Promise.reject(new Error('First.')), Promise.reject(new Error('Second.'))]],
    ['[Int!]', () => [Promise.reject(new Error('First.')), Promise.reject(new Error('Second.'))]],
    ['[Int!]', () => [1, 'text', Promise.reject(new Error('Unhandled?'))]],
    ['[Int!]!', () => [null, Promise.reject(new Error('Unhandled?'))]],
    ['[[Int!]]', () => [[null, Promise.reject(new Error('Unhandled?'))], 5]],
    ['[[Int!]!]!', () => [[null], [Promise.reject(new Error('Unhandled?'))]]],
    [
      '[Int!]',
      function* () {
        yield Promise.reject(new Error('Unhandled?'));
        throw new Error('No more.');
      },
    ],
  ])('handles every rejection in %s', async (type, make) => {
    await list(type, make);
  });
});

describe('CompleteValue of abstract types', () => {
  const schemaOf = (
    resolveType: unknown,
    isTypeOf: Record<string, GraphQLIsTypeOfFn<any, any>> = {},
  ) => {
    const schema = buildSchema(`
      interface Pet { name: String }
      interface Other { name: String }
      type Cat implements Pet { name: String }
      type Dog implements Pet { name: String }
      type Rock implements Other { name: String }
      union CatOrDog = Cat | Dog
      type Query { pet: Pet union: CatOrDog pets: [Pet!] cat: Cat }
    `);
    for (const type of Object.values(schema.getTypeMap())) {
      if (isAbstractType(type) && resolveType) type.resolveType = resolveType as never;
      if (isObjectType(type)) type.isTypeOf = isTypeOf[type.name];
    }
    return schema;
  };
  const tom = { is: 'Cat', name: 'Tom' };
  const ask = (schema: GraphQLSchema, args: Partial<ExecutionArgs> = {}) =>
    executeAlike({
      schema,
      document: parse(
        '{ pet { __typename name } union { ... on Cat { name } } pets { name } cat { name } }',
      ),
      rootValue: { pet: tom, union: tom, pets: [tom, { is: 'Dog', name: 'Rex' }], cat: tom },
      ...args,
    });
  const isCat = (value: { is: string }) => value.is === 'Cat';
  const isDog = (value: { is: string }) => value.is === 'Dog';

  it.each<[string, unknown]>([
    ['a name', (value: { is: string }) => value.is],
    ['a promise of a name', async (value: { is: string }) => value.is],
    ['a thenable of a name', (value: { is: string }) => thenable(Promise.resolve(value.is))],
    ['nothing', () => undefined],
    [
      'a type',
      (_value: unknown, _context: unknown, info: GraphQLResolveInfo) => info.schema.getType('Cat'),
    ],
    ['a number', () => 5],
    ['an unknown name', () => 'Nobody'],
    ['an interface', () => 'Pet'],
    ['a type that is not a member', () => 'Rock'],
    [
      'an error',
      () => {
        throw new Error('Not resolved.');
      },
    ],
    ['a rejection', () => Promise.reject(new Error('Not resolved.'))],
  ])('does as graphql-js does when resolveType returns %s', async (_what, resolveType) => {
    await ask(schemaOf(resolveType));
  });

  it.each<[string, Record<string, GraphQLIsTypeOfFn<any, any>>]>([
    ['returns booleans', { Cat: isCat, Dog: isDog }],
    ['exists for one type', { Dog: isDog }],
    [
      'returns promises',
      { Cat: async (value) => isCat(value), Dog: async (value) => isDog(value) },
    ],
    ['returns a promise for one type', { Cat: async (value) => isCat(value), Dog: isDog }],
    ['returns false', { Cat: () => false, Dog: () => false }],
    ['returns promises of false', { Cat: async () => false, Dog: async () => false }],
    [
      'throws',
      {
        Cat: () => {
          throw new Error('Not asked.');
        },
        Dog: isDog,
      },
    ],
    ['rejects', { Cat: () => Promise.reject(new Error('Not asked.')), Dog: isDog }],
    ['is missing', {}],
  ])('does as graphql-js does when isTypeOf %s', async (_what, isTypeOf) => {
    await ask(schemaOf(undefined, isTypeOf));
  });

  it('reads __typename of the value without resolveType and isTypeOf', async () => {
    const cat = { __typename: 'Cat', name: 'Tom' };

    const result = await ask(schemaOf(undefined), {
      rootValue: { pet: cat, union: Promise.resolve(cat), pets: [cat] },
    });

    expect(result.errors).toBeUndefined();
  });

  it('uses the given type resolver', async () => {
    const result = await ask(schemaOf(undefined), {
      typeResolver: (value: { is: string }) => value.is,
    });

    expect(result.data).toMatchObject({ pet: { __typename: 'Cat', name: 'Tom' } });
  });
});

describe('CompleteValue of leaves', () => {
  it.each<[string, unknown]>([
    [
      'throws',
      () => {
        throw new Error('Not serialized.');
      },
    ],
    ['returns undefined', () => undefined],
    ['returns null', () => null],
    ['returns an object', () => ({ any: ['value'] })],
  ])('does as graphql-js does with a scalar whose serialize %s', async (_what, serialize) => {
    const scalar = new GraphQLScalarType({ name: 'Odd', serialize: serialize as () => unknown });
    const schema = new GraphQLSchema({
      query: new GraphQLObjectType({
        name: 'Query',
        fields: {
          odd: { type: scalar },
          odds: { type: new GraphQLList(new GraphQLNonNull(scalar)) },
        },
      }),
    });

    await executeAlike({
      schema,
      document: parse('{ odd odds }'),
      rootValue: { odd: 1, odds: [1] },
    });
  });
});
