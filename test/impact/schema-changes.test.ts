/** What a new schema breaks, for whom, and what deprecations must say. */
import { buildSchema } from 'graphql';
import { expect, it } from 'vitest';
import { shippedIn } from '../../src/impact/impact.ts';
import { changesBetween, undatedDeprecations } from '../../src/impact/schema-changes.ts';

const OLD = `
  type Query { page(pageId: ID!, kind: Kind): Page find(by: By): Page }
  type Page { name: String nameOfOwner: String status: Status owner: Owner }
  type Owner { mail: String }
  enum Status { draft live }
  enum Kind { wide tall }
  input By { id: ID path: String }
`;

/** Breaking and dangerous changes, and the names of the operations that use what breaks. */
async function changes(from: string, to: string, documents: Readonly<Record<string, string>>) {
  const old = buildSchema(OLD);
  expect(OLD).toContain(from);
  const texts = new Map(Object.entries(documents));
  const shipped = shippedIn(old, [{ app: 'shop', version: '1.0', texts }]);
  expect(shipped).toHaveLength(texts.size);
  const found = await changesBetween(old, buildSchema(OLD.replace(from, to)), shipped);
  return found
    .filter(({ level }) => level !== 'safe')
    .map(({ level, path, users }) => [level, path, users.map(({ name }) => name).join(' ')]);
}

const A = 'query A { page(pageId: 1) { name } }';
const B = 'query B { page(pageId: 1) { nameOfOwner } }';

it('names who uses a field that goes, and nobody who uses one whose name begins alike', async () => {
  expect(await changes('name: String ', '', { A, B })).toEqual([['breaking', 'Page.name', 'A']]);
  expect(await changes('nameOfOwner: String ', '', { A })).toEqual([
    ['breaking', 'Page.nameOfOwner', ''],
  ]);
});

it('names who uses a type, an argument, a value or a field of an input that goes', async () => {
  const C = 'query C { page(pageId: 1, kind: tall) { owner { mail } } }';
  const D =
    'query D($kind: Kind, $by: By) { page(pageId: 1, kind: $kind) { name } find(by: $by) { name } }';
  const documents = { A, C, D };

  expect(await changes(', kind: Kind', '', documents)).toEqual([
    ['breaking', 'Query.page.kind', 'C D'],
  ]);
  expect(await changes('wide tall', 'wide', documents)).toEqual([['breaking', 'Kind.tall', 'C D']]);
  expect(await changes(' path: String', '', documents)).toEqual([['breaking', 'By.path', 'D']]);
  expect(await changes('owner: Owner', '', documents)).toEqual([['breaking', 'Page.owner', 'C']]);
});

it('names who leaves out what must be given from now on', async () => {
  expect(await changes('kind: Kind)', 'kind: Kind, size: Int!)', { A })).toEqual([
    ['breaking', 'Query.page.size', 'A'],
  ]);
});

it('tells dangerous changes, of which nobody is broken, and says nothing of descriptions', async () => {
  expect(await changes('draft live', 'draft live gone', { A })).toEqual([
    ['dangerous', 'Status.gone', ''],
  ]);
  expect(await changes('type Owner', '"Who has it." type Owner', { A })).toEqual([]);
});

it('finds deprecations that name no day, or nothing else', () => {
  const schema = buildSchema(`
    type Query {
      good: Int @deprecated(reason: "Use better. Goes on 2027-03-01.")
      silent: Int @deprecated
      bare: Int @deprecated(reason: "2027-03-01")
      asked(kind: Int @deprecated(reason: "Soon.")): Kind
    }
    enum Kind { wide tall @deprecated(reason: "Use wide.") }
    input By { id: ID path: ID @deprecated(reason: "Use id. Goes on 2027-03-01.") old: ID @deprecated }
  `);

  expect(undatedDeprecations(schema).toSorted()).toEqual([
    ...['By.old', 'Kind.tall', 'Query.asked(kind:)', 'Query.bare', 'Query.silent'],
  ]);
});
