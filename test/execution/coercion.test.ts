/**
 * The coercion of results and of input for every kind of type, compared with graphql-js.
 *
 * Source: https://spec.graphql.org/October2021/#sec-Scalars and the sections after it
 */
import {
  GraphQLBoolean,
  GraphQLEnumType,
  GraphQLFloat,
  GraphQLID,
  GraphQLInputObjectType,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLScalarType,
  GraphQLSchema,
  GraphQLString,
  parse,
  type GraphQLInputType,
} from 'graphql';
import { describe, expect, it } from 'vitest';
import { clientErrors, executeAlike } from './oracle.ts';

const RED = { red: 255 };
const Colour = new GraphQLEnumType({
  name: 'Colour',
  values: { RED: { value: RED }, GREEN: { value: 1 }, BLUE: {}, NONE: { value: null } },
});
const Even = new GraphQLScalarType({
  name: 'Even',
  serialize: (value) => {
    if (typeof value === 'number' && value % 2 === 0) return `even ${value}`;
    throw new TypeError('Not even.');
  },
  parseValue: (value) => {
    if (typeof value === 'number' && value % 2 === 0) return { even: value };
    throw new TypeError('Not even.');
  },
});
const LEAVES = [GraphQLInt, GraphQLFloat, GraphQLString, GraphQLBoolean, GraphQLID, Colour, Even];

const Point: GraphQLInputObjectType = new GraphQLInputObjectType({
  name: 'Point',
  fields: () => ({
    x: { type: new GraphQLNonNull(GraphQLInt) },
    y: { type: GraphQLInt, defaultValue: 7 },
    names: { type: new GraphQLList(new GraphQLNonNull(GraphQLString)) },
    colour: { type: Colour, defaultValue: RED },
    inner: { type: Point },
  }),
});
const One = new GraphQLInputObjectType({
  name: 'One',
  isOneOf: true,
  fields: { a: { type: GraphQLInt }, b: { type: GraphQLString } },
});

/** Values of every kind in JavaScript, most of which fit no type. */
const VALUES: readonly unknown[] = [
  ...[0, -0, 1, -1, 1.5, 1e21, 2 ** 31 - 1, 2 ** 31, -(2 ** 31), -(2 ** 31) - 1],
  ...[Number.NaN, Infinity, -Infinity, 5n, true, false, '', ' ', '1', '1.5', 'no', 'text', 'RED'],
  ...['ünï"\\\n\u2028', [], [1], {}, RED, { red: 255 }, () => 'called', Symbol('none')],
  ...[{ valueOf: () => 5 }, { toJSON: () => 'json' }, { valueOf: () => 'v', toJSON: () => 'j' }],
  ...[new Date(0), new Error('An error.'), Object(1), Object('text'), Object(true)],
];

describe('results', () => {
  it.each(LEAVES)(
    '%s serializes every value as graphql-js does, alone, promised and in lists',
    async (type) => {
      const fields = {
        value: { type },
        needed: { type: new GraphQLNonNull(type) },
        list: { type: new GraphQLList(type) },
        neededList: { type: new GraphQLList(new GraphQLNonNull(type)) },
      };
      const query = new GraphQLObjectType({
        name: 'Query',
        fields: {
          ...fields,
          resolved: { type, resolve: (source: { value: unknown }) => source.value },
        },
      });
      const schema = new GraphQLSchema({ query });
      for (const value of VALUES) {
        const rootValue = { value, list: [value, Promise.resolve(value)], neededList: [value] };

        await executeAlike({
          schema,
          document: parse('{ value list neededList resolved }'),
          rootValue,
        });
        await executeAlike({ schema, document: parse('{ needed }'), rootValue: { needed: value } });
      }
    },
  );

  it.each<[string, GraphQLScalarType | GraphQLEnumType, unknown, unknown]>([
    ['an integral number as a float', GraphQLFloat, 5, 5],
    ['an integer as an ID', GraphQLID, 5, '5'],
    ['an internal value as its name', Colour, RED, 'RED'],
    [
      'a falsy internal value as its name',
      new GraphQLEnumType({ name: 'E', values: { ZERO: { value: 0 } } }),
      0,
      'ZERO',
    ],
    ['a number by a custom scalar', Even, 4, 'even 4'],
  ])('serialize %s', async (_what, type, value, expected) => {
    const query = new GraphQLObjectType({ name: 'Query', fields: { value: { type } } });

    const result = await executeAlike({
      schema: new GraphQLSchema({ query }),
      document: parse('{ value }'),
      rootValue: { value },
    });

    expect(result).toEqual({ data: { value: expected } });
  });

  it.each<[GraphQLScalarType | GraphQLEnumType, unknown]>([
    [GraphQLInt, 1.5],
    [GraphQLInt, Number.NaN],
    [GraphQLFloat, Number.NaN],
    [GraphQLBoolean, 'no'],
    [GraphQLID, 1.5],
    [GraphQLString, {}],
    [Colour, 'RED'],
    [Even, 3],
  ])('%s rejects %j', async (type, value) => {
    const query = new GraphQLObjectType({ name: 'Query', fields: { value: { type } } });

    const result = await executeAlike({
      schema: new GraphQLSchema({ query }),
      document: parse('{ value }'),
      rootValue: { value },
    });

    expect(result).toMatchObject({ data: { value: null }, errors: [{ path: ['value'] }] });
  });
});

describe('input', () => {
  const wrapped = (type: GraphQLInputType): GraphQLInputType[] => [
    type,
    new GraphQLNonNull(type),
    new GraphQLList(type),
    new GraphQLList(new GraphQLNonNull(type)),
    new GraphQLNonNull(new GraphQLList(new GraphQLList(type))),
  ];
  const types = [...LEAVES, Point, One].flatMap(wrapped);
  const seen: unknown[] = [];
  const echo = (type: GraphQLInputType) =>
    new GraphQLSchema({
      // Documents declare variables of type Int.
      types: [GraphQLInt],
      query: new GraphQLObjectType({
        name: 'Query',
        fields: {
          echo: {
            type: GraphQLString,
            args: { value: { type } },
            resolve: (_source, args) => {
              seen.push(args);
              return Object.keys(args).join();
            },
          },
        },
      }),
    });

  /** Returns whether the value was accepted. */
  const expectAlikeArguments = (hint: string): boolean => {
    const [reference, ...ours] = seen;
    for (const args of ours) expect({ ...(args as object) }, hint).toEqual(reference);
    return ours.length > 0;
  };

  it.each(types)('%s accepts from variables what graphql-js accepts', async (type) => {
    const schema = echo(type);
    const document = parse(`query ($v: ${String(type)}) { echo(value: $v) }`);
    const sent = [
      ...[null, 1, 1.5, 3e9, 'text', '', 'RED', 4, true, [], [1], [null], ['RED', null], [[1], 1]],
      ...[{}, { x: 1 }, { x: 1, y: null, names: 'one' }, { x: '1' }, { x: 1, z: 1 }, [{ x: 1 }]],
      ...[{ x: 1, names: ['a', null] }, { x: 1, colour: 'GREEN', inner: { x: 2 } }, { a: 1 }],
      ...[{ a: 1, b: 'x' }, { a: null }, { b: 'x' }, JSON.parse('{ "x": 1, "__proto__": 2 }')],
    ];
    let accepted = 0;
    for (const v of sent) {
      seen.length = 0;
      const { errors } = await executeAlike({ schema, document, variableValues: { v } });

      accepted += Number(expectAlikeArguments(`${String(type)} ${JSON.stringify(v)}`));
      for (const { extensions } of clientErrors(errors) ?? [])
        expect(extensions['code']).toBe('BAD_USER_INPUT');
    }
    expect(accepted).toBeGreaterThan(0);
  });

  it.each(types)('%s accepts from literals what graphql-js accepts', async (type) => {
    const schema = echo(type);
    const literals = [
      ...['null', '1', '1.5', '3000000000', '"text"', '""', 'RED', 'PINK', '4', '3', 'true', '[]'],
      ...['[1]', '[null]', '[RED, null]', '[[1], 1]', '{}', '{ x: 1 }', '{ x: "1" }', '[{ x: 1 }]'],
      ...['{ x: 1, y: null, names: "one" }', '{ x: 1, names: ["a", null] }', '{ x: null }'],
      ...[
        '{ x: 1, colour: GREEN, inner: { x: 2 } }',
        '{ a: 1 }',
        '{ a: 1, b: "x" }',
        '{ a: null }',
      ],
      ...['$int', '[$int]', '{ x: $int }', '{ x: 1, y: $int }', '{ a: $int }', '[$none]'],
      ...['{ x: $none }', '{ x: 1, y: $none }', '{ a: $none }', '$none', '[[$int, $none]]'],
    ];
    let accepted = 0;
    for (const literal of literals) {
      seen.length = 0;
      const { errors } = await executeAlike({
        schema,
        document: parse(`query ($int: Int, $none: Int) { echo(value: ${literal}) }`),
        variableValues: { int: 2 },
      });

      accepted += Number(expectAlikeArguments(`${String(type)} ${literal}`));
      for (const { extensions } of clientErrors(errors) ?? [])
        expect(extensions['code']).toBe('BAD_USER_INPUT');
    }
    expect(accepted).toBeGreaterThan(0);
  });
});
