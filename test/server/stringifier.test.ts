/** What a query's own stringifier writes is what JSON.stringify does. */
import fc from 'fast-check';
import { parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import { schema } from '../../src/schema.ts';
import { stringifierOf } from '../../src/server/stringifier.ts';

const stringifier = (source: string, operationName?: string) =>
  stringifierOf(schema, parse(source), operationName);

describe('the stringifier of a query', () => {
  it('writes any text, number, null and list as JSON.stringify does', () => {
    const stringify = stringifier(
      `{ page(pageId: "p") { name status audiencesCount archivedAt
         actions { actionIndex buttonTitle } scripts { enabled } } }`,
    )!;
    const text = fc.string({ unit: 'binary' });
    const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: null });
    const page = fc.record({
      name: text,
      status: maybe(fc.constantFrom('draft', 'published')),
      audiencesCount: maybe(fc.maxSafeInteger()),
      archivedAt: maybe(text),
      actions: fc.array(
        maybe(
          fc.record({
            actionIndex: maybe(fc.double({ noDefaultInfinity: true, noNaN: true })),
            buttonTitle: maybe(text),
          }),
        ),
      ),
      scripts: maybe(fc.array(fc.record({ enabled: maybe(fc.boolean()) }))),
    });

    fc.assert(
      fc.property(maybe(page), (value) => {
        const result = { data: { page: value } };
        expect(stringify(result)).toBe(JSON.stringify(result));
      }),
      { numRuns: 10_000 },
    );
  });

  it('writes JSON of any shape as it is', () => {
    const stringify = stringifier(
      '{ accounts(first: 1) { nodes { activity(first: 1) { nodes { payload type } } } } }',
    )!;

    fc.assert(
      fc.property(fc.jsonValue(), (payload) => {
        const nodes = [{ payload, type: 'x' }];
        const result = { data: { accounts: { nodes: [{ activity: { nodes } }] } } };
        expect(stringify(result)).toBe(JSON.stringify(result));
      }),
    );
  });

  it('keeps the order in which fields are selected, through fragments', () => {
    const stringify = stringifier(
      `{ page(pageId: "p") { title ...F name ... on Node { id } } }
       fragment F on Page { status title b: __typename }`,
    )!;
    const page = { id: 'i', name: 'n', b: 'Page', status: 'draft', title: 't' };

    expect(stringify({ data: { page } })).toBe(
      '{"data":{"page":{"title":"t","status":"draft","b":"Page","name":"n","id":"i"}}}',
    );
  });

  it('writes the operation that is asked for', () => {
    const stringify = stringifier('query A { a: __typename } query B { b: __typename }', 'B')!;

    expect(stringify({ data: { b: 'Query' } })).toBe('{"data":{"b":"Query"}}');
  });

  it.each([
    ['directives may leave fields out', '{ page(pageId: "p") { name @skip(if: true) title } }'],
    ['an abstract type leaves the order open', '{ node(id: "x") { id ... on Page { name } } }'],
  ])('leaves an object to JSON.stringify where %s', (_, source) => {
    const data = { page: { title: 't', name: 'n' }, node: { name: 'n', id: 'i' } };
    const [key] = Object.keys(data).filter((name) => source.includes(name)) as ['page'];
    const result = { data: { [key]: data[key] } };

    expect(stringifier(source)!(result)).toBe(JSON.stringify(result));
  });

  it('is none where the query itself is left open', () => {
    expect(stringifier('{ a: __typename @skip(if: true) b: __typename }')).toBeUndefined();
    expect(stringifier('{ __schema { queryType { name } } }')).toBeUndefined();
  });
});
