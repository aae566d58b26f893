/**
 * Executing selection sets, compared with graphql-js.
 *
 * Source: https://spec.graphql.org/October2021/#sec-Executing-Selection-Sets
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { buildSchema, parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import { clientErrors, executeAlike } from './oracle.ts';

const schema = buildSchema(`
  interface Named { name: String self: Named }
  type Cat implements Named { name: String self: Named meows: Boolean friend: Animal }
  type Dog implements Named { name: String self: Named barks: Boolean friend: Animal }
  union Animal = Cat | Dog
  type Query { animal: Animal named: Named cat: Cat animals: [Animal] slow: String quick: String }
`);

const cat = {
  __typename: 'Cat',
  name: 'Tom',
  meows: true,
  self: () => cat,
  friend: () => dog,
};
const dog = { __typename: 'Dog', name: 'Rex', barks: true, self: () => dog, friend: () => cat };
const rootValue = {
  animal: cat,
  named: dog,
  cat,
  animals: [cat, dog],
  slow: () => sleep(2, 'slow'),
  quick: 'quick',
};

const ask = (source: string, variableValues: Record<string, unknown> = {}) =>
  executeAlike({ schema, document: parse(source), rootValue, variableValues });

describe('ExecuteSelectionSet', () => {
  it('returns fields in the order of the document, whichever resolves first', async () => {
    const { data } = await ask('{ slow cat { name } again: slow quick }');

    expect(Object.keys(data!)).toEqual(['slow', 'cat', 'again', 'quick']);
  });

  it.each(['__proto__', 'constructor', 'toString', 'then', 'length'])(
    'accepts the alias %s',
    async (alias) => {
      const { data } = await ask(`{ ${alias}: quick cat { ${alias}: name } }`);

      expect(JSON.stringify(data)).toBe(`{"${alias}":"quick","cat":{"${alias}":"Tom"}}`);
    },
  );
});

describe('CollectFields', () => {
  it.each([
    '{ cat { name } cat { meows } }',
    '{ cat { self { name } self { ... on Cat { meows } } } }',
    '{ ...A } fragment A on Query { cat { ...B ...B } } fragment B on Cat { name }',
    '{ animal { ...C ...D } } fragment C on Cat { name } fragment D on Dog { name barks }',
    '{ animals { ... on Named { name } ... on Cat { meows } ... { __typename } } }',
    '{ named { ... on Animal { __typename } ... on Dog { barks friend { ... on Cat { name } } } } }',
    '{ animals { __typename kind: __typename } __typename }',
    '{ nobody cat { nothing name } }',
    '{ ...Unknown quick }',
    '{ ... on Nothing { quick } quick }',
    '{ cat }',
    '{ ...A } fragment A on Query { quick ...A }',
  ])('collects the fields of %s as graphql-js does', async (source) => {
    expect(await ask(source)).toHaveProperty('data');
  });

  it.each<[string, Record<string, unknown>, object]>([
    ['quick @skip(if: true) slow', {}, { slow: 'slow' }],
    ['quick @include(if: false) slow', {}, { slow: 'slow' }],
    ['quick @include(if: true) @skip(if: true) slow', {}, { slow: 'slow' }],
    ['quick @skip(if: $v) slow', { v: true }, { slow: 'slow' }],
    ['quick @skip(if: $v) slow', { v: false }, { quick: 'quick', slow: 'slow' }],
    ['quick @skip(if: $v) slow', {}, { slow: 'slow' }],
    ['quick @skip(if: $v) quick slow', { v: true }, { quick: 'quick', slow: 'slow' }],
    ['... @include(if: $v) { quick } slow', { v: false }, { slow: 'slow' }],
    ['...F @skip(if: $v) ...F slow', { v: true }, { quick: 'quick', slow: 'slow' }],
    ['...F ...F @skip(if: $v) slow', { v: null }, { quick: 'quick', slow: 'slow' }],
  ])('applies the conditions of %s with %j', async (selection, variables, expected) => {
    const source = `query ($v: Boolean = true) { ${selection} } fragment F on Query { quick }`;

    expect(await ask(source, variables)).toEqual({ data: expected });
  });

  it('prepares each outcome of the conditions separately', async () => {
    const source = 'query ($v: Boolean!) { cat { name @skip(if: $v) meows @include(if: $v) } }';

    for (const v of [true, false, true]) {
      const expected = v ? { meows: true } : { name: 'Tom' };
      expect(await ask(source, { v })).toEqual({ data: { cat: expected } });
    }
  });

  it.each([
    ['query ($v: Boolean = true) { quick @skip(if: $v) }', null],
    ['query ($v: Boolean = true) { ...F @include(if: $v) } fragment F on Query { quick }', null],
    ['query ($v: Boolean = true) { cat { name @include(if: $v) } quick }', { quick: 'quick' }],
  ])('rejects a null condition with BAD_USER_INPUT: %s', async (source, expected) => {
    const { data, errors } = await ask(source, { v: null });

    expect(data).toEqual(expected && { cat: null, ...expected });
    expect(clientErrors(errors)).toMatchObject([
      {
        message: expect.stringMatching(/"if".*\bnull\b/),
        extensions: { code: 'BAD_USER_INPUT' },
      },
    ]);
  });
});
