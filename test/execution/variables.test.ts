/** The coercion of variables, compared with graphql-js. */
import { buildSchema, getVariableValues, Kind, parse, type OperationDefinitionNode } from 'graphql';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { coerceVariableValues } from '../../src/execution/operation/variables.ts';
import { cases } from '../support/cases.ts';

const schema = buildSchema(`
  enum Color { RED }
  input Point { x: Int! y: [Float] }
  input Named { id: ID! more: [Named] }
  type Query { field(id: ID, text: String, is: Boolean, int: Int, float: Float): String }
`);

const NAMES = ['ID', 'String', 'Boolean', 'Int', 'Float', 'Color', 'Point', 'Nobody'];
const WRAPPED = ['', '!'].flatMap((bang) => [`%${bang}`, `[%]${bang}`, `[%!]${bang}`]);

const aType = fc
  .tuple(fc.constantFrom(...NAMES), fc.constantFrom(...WRAPPED))
  .map(([name, wrapped]) => wrapped.replace('%', name));

const aDeclaration = fc.record({
  name: fc.constantFrom('a', 'b', 'toString', '__proto__'),
  type: aType,
  given: fc.constantFrom('', '', ' = null', ' = 1', ' = "text"'),
});

const someValues = fc.oneof(
  fc.constantFrom(null, true, 'RED', '', '7', 7, -0, 1.5, 2 ** 31, -(2 ** 31), 1e-300),
  fc.constantFrom([], ['a', null], [1], {}, { x: 1 }, { x: 1, y: [2, null] }, { z: 1 }),
);

const someSent = fc.dictionary(fc.constantFrom('a', 'b', 'toString', 'other'), someValues);

it('coerces variables as graphql-js does, and rejects those that it rejects', () => {
  fc.assert(
    fc.property(fc.array(aDeclaration, { maxLength: 3 }), someSent, (declared, sent) => {
      const list = declared.map(({ name, type, given }) => `$${name}: ${type}${given}`).join(' ');
      const operation = operationOf(`query Q${list && `(${list})`} { field }`);

      const { coerced: found } = coerceVariableValues(schema, operation, sent);

      const { coerced } = getVariableValues(schema, operation.variableDefinitions ?? [], sent);
      expect(found && { ...found }).toStrictEqual(coerced);
    }),
    { numRuns: cases(800) },
  );
});

it.each([2 ** 53, -(2 ** 53), 1e21, 1e300])(
  'rejects a number that is inexact in JSON as an ID, but not as a Float: %d',
  (number) => {
    const errorsOf = (type: string, value: unknown) => {
      const operation = operationOf(`query ($v: ${type}) { field }`);
      return coerceVariableValues(schema, operation, { v: value }).errors?.map(
        ({ message }) => message,
      );
    };

    expect(errorsOf('ID!', number)?.join()).toMatch(/"\$v".* as strings/);
    expect(errorsOf('[[ID]!]', [['1', number]])?.join()).toContain('at "v[0][1]"');
    expect(errorsOf('Named', { id: 1, more: [{ id: number }] })?.join()).toContain(
      'at "v.more[0].id"',
    );
    expect(errorsOf('[ID!]', Array(100).fill(number))).toHaveLength(10);
    expect(errorsOf('Float', number)).toBeUndefined();
  },
);

function operationOf(source: string): OperationDefinitionNode {
  const [operation] = parse(source).definitions;
  if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new Error('Write one operation.');
  return operation;
}
