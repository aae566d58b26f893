/** The coercion of arguments, compared with graphql-js. */
import fc from 'fast-check';
import { buildSchema, getArgumentValues, Kind, parse, type FieldNode } from 'graphql';
import { expect, it } from 'vitest';
import { argumentsOf } from '../../src/execution/operation/arguments.ts';
import { cases } from '../support/cases.ts';

const ARGUMENTS = ['needed', 'int', 'given', 'list', 'point'];

const schema = buildSchema(`
  input Point { x: Int = 3, y: [Int] }
  type Query { field(needed: ID!, int: Int, given: Int = 5, list: [Int!] = [1], point: Point): String }
`);

const definition = schema.getQueryType()!.getFields()['field']!;

const someLiteral = fc.constantFrom(
  ...['$a', '$b', '$toString', 'null', '1', '"text"', '[1, $a]', '[2]', '{}', '{ x: $b }'],
  ...['{ y: [1, null] }', '{ z: 1 }'],
);

const someVariables = fc.dictionary(
  fc.constantFrom('a', 'b', 'other'),
  fc.constantFrom(null, 1, 'text', [1], { x: 1 }),
);

it('coerces arguments as graphql-js does, and throws where it throws', () => {
  const someArguments = fc.dictionary(fc.constantFrom(...ARGUMENTS), someLiteral);
  fc.assert(
    fc.property(someArguments, someVariables, (given, variableValues) => {
      const written = Object.entries(given).map(([name, value]) => `${name}: ${value}`);
      const node = fieldIn(`{ field${written.length > 0 ? `(${written.join(' ')})` : ''} }`);
      const document = { schema, fragments: {}, variableValues };

      const first = orUndefined(() => argumentsOf(document, definition, [node]));
      const second = orUndefined(() => argumentsOf(document, definition, [node]));

      const expected = orUndefined(() => getArgumentValues(definition, node, variableValues));
      expect(JSON.stringify(first)).toBe(JSON.stringify(expected));
      expect(JSON.stringify(second)).toBe(JSON.stringify(expected));
    }),
    { numRuns: cases(800) },
  );
});

function fieldIn(source: string): FieldNode {
  const [operation] = parse(source).definitions;
  if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new Error('Write one operation.');
  return operation.selectionSet.selections[0] as FieldNode;
}

function orUndefined<Value>(make: () => Value): Value | undefined {
  try {
    return make();
  } catch {
    return undefined;
  }
}
