/** GraphiQL's "Merge fragments". */
import { mergeAst as mergeOfToolkit } from '@graphiql/toolkit';
import { buildSchema, parse, print, stripIgnoredCharacters } from 'graphql';
import { expect, it } from 'vitest';
import { mergeAst } from '../../src/explorer/page/toolkit.ts';

const SCHEMA = buildSchema('type Query { a: Int b: Int me: Query }');

const merged = (text: string, schema: typeof SCHEMA | null = SCHEMA) =>
  stripIgnoredCharacters(print(mergeAst(parse(text), schema)));

it.each(['@include(if:$x)', '@skip(if:$x)', '@defer(label:"l")'])(
  'mergeAst keeps %s of a spread, also of one inside another fragment',
  (directive) => {
    const text = `{ a ...F } fragment F on Query { b me { ...G ${directive} } } fragment G on Query { a }`;

    expect(merged(`{ ...G ${directive} } fragment G on Query { a }`)).toBe(
      `{...on Query${directive}{a}}`,
    );
    expect(merged(text)).toBe(`{a b me{...on Query${directive}{a}}}`);
  },
);

it('mergeAst inlines a fragment that is spread with several directives, and once without', () => {
  expect(
    merged('{ ...F @include(if: $x) ...F @skip(if: $y) me { ...F } } fragment F on Query { a }'),
  ).toBe('{...on Query@include(if:$x){a}...on Query@skip(if:$y){a}me{a}}');
});

it('mergeAst merges without a schema, as with INTROSPECTION=off', () => {
  expect(merged('{ ...F @include(if: $x) } fragment F on Query { a }', null)).toBe(
    '{...on Query@include(if:$x){a}}',
  );
});

it('mergeAst does not change a document whose fragments spread themselves', () => {
  const text = '{...F}fragment F on Query{me{...F@include(if:$x)}}';

  expect(merged(text)).toBe(text);
});

it("mergeAst is still needed: the toolkit's own drops directives of spreads", () => {
  const document = parse('{ ...F @include(if: $x) } fragment F on Query { a }');

  expect(print(mergeOfToolkit(document, SCHEMA))).not.toContain('@include');
});
