/**
 * Preparing a document ahead: its first execution has nothing left to work out.
 */
import { buildSchema, isObjectType, parse } from 'graphql';
import { expect, it } from 'vitest';
import { createExecute } from '../../src/execution/execute.ts';

const SDL = `
  type Query { users(first: Int): [User!] search: Found }
  interface Named { name: String }
  union Found = User | Team
  type User implements Named { name: String friends: [User!]! team: Team }
  type Team implements Named { name: String }
`;
const DOCUMENT = parse(`
  query ($withTeam: Boolean!) {
    users(first: 2) { name friends { name } team @include(if: $withTeam) { name } }
    search { ... on Named { name } ... on User { friends { name } } }
  }
  fragment Later on User { friends { name } }
  query Deferred($withTeam: Boolean!) { users { name ...Later @defer } search @skip(if: $withTeam) { __typename } }
`);
const USER = { __typename: 'User', name: 'Ada', friends: [{ name: 'Grace' }], team: { name: 'A' } };

/** A schema that counts how often the fields of its types are looked up. */
function openSchema() {
  const schema = buildSchema(SDL);
  let lookUps = 0;
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue;
    const fields = type.getFields();
    type.getFields = () => {
      lookUps += 1;
      return fields;
    };
  }
  const unlimited = { maxValues: Infinity, maxTextBytes: Infinity, deadlineMs: Infinity };
  const execute = createExecute({ maxErrors: () => 10, limits: () => unlimited });
  const count = (run: () => void): number => {
    const before = lookUps;
    run();
    return lookUps - before;
  };
  return { schema, execute, count };
}

it.each([
  [undefined, true, false],
  [undefined, false, false],
  ['Deferred', true, false],
  ['Deferred', false, true],
])(
  'leaves nothing to look up of %s with %s, in parts: %s',
  (operationName, withTeam, isIncremental) => {
    const document = operationName
      ? DOCUMENT
      : { ...DOCUMENT, definitions: DOCUMENT.definitions.slice(0, 1) };
    const run = ({ schema, execute }: ReturnType<typeof openSchema>) =>
      void execute({
        ...{ schema, document, operationName, isIncremental, variableValues: { withTeam } },
        rootValue: { users: [USER], search: USER },
      });
    const unprepared = openSchema();
    const prepared = openSchema();

    prepared.execute.prepare(prepared.schema, document);

    expect(unprepared.count(() => run(unprepared))).toBeGreaterThan(0);
    expect(prepared.count(() => run(prepared))).toBe(0);
  },
);
