/** Breaking changes of a schema, the operations that they break, and the reasons of deprecations. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  buildASTSchema,
  buildSchema,
  isInputType,
  Kind,
  parse,
  validate,
  validateSchema,
  visit,
  type ASTNode,
  type DocumentNode,
} from 'graphql';
import { expect, it } from 'vitest';
import { readManifests } from '../../../src/gateway/documents/manifest-folder.ts';
import { shippedIn } from '../../../src/extensions/impact/impact.ts';
import {
  changesBetween,
  undatedDeprecations,
} from '../../../src/extensions/impact/schema-changes.ts';
import { ROOT } from '../../support/pages.ts';

const OLD = `
  type Query { page(pageId: ID!, kind: Kind): Page find(by: By): Page }
  type Page { name: String nameOfOwner: String status: Status owner: Owner }
  type Owner { mail: String }
  enum Status { draft live }
  enum Kind { wide tall }
  input By { id: ID path: String }
`;

/** Breaking and dangerous changes, with the names of the operations that are affected. */
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

it('changesBetween names the operations that use a removed field, but not a field whose name begins alike', async () => {
  expect(await changes('name: String ', '', { A, B })).toEqual([['breaking', 'Page.name', 'A']]);
  expect(await changes('nameOfOwner: String ', '', { A })).toEqual([
    ['breaking', 'Page.nameOfOwner', ''],
  ]);
});

it('changesBetween names the operations that use a removed argument, enum value, input field or object field', async () => {
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

it('changesBetween names the operations that lack a newly required argument', async () => {
  expect(await changes('kind: Kind)', 'kind: Kind, size: Int!)', { A })).toEqual([
    ['breaking', 'Query.page.size', 'A'],
  ]);
});

it('changesBetween names the operations that lack a newly required value, or may lack it in a variable', async () => {
  const documents = {
    A,
    Empty: 'query Empty { find(by: {}) { name } }',
    Other: 'query Other { find(by: { path: "/" }) { name } }',
    None: 'query None { find(by: null) { name } }',
    Variable: 'query Variable($by: By) { find(by: $by) { name } }',
  };

  expect(await changes('path: String', 'path: String size: Int!', documents)).toEqual([
    ['breaking', 'By.size', 'Empty Other Variable'],
  ]);
  expect(await changes('id: ID path', 'id: ID! path', documents)).toEqual([
    ['breaking', 'By.id', 'Empty Other Variable'],
  ]);
  expect(await changes('kind: Kind)', 'kind: Kind!)', documents)).toEqual([
    ['breaking', 'Query.page.kind', 'A'],
  ]);
});

it('changesBetween does not name operations that always give a newly required value', async () => {
  const documents = {
    Given: 'query Given { page(pageId: 1, kind: tall) { name } find(by: { id: 1 }) { name } }',
    Sure: 'query Sure($kind: Kind!) { page(pageId: 1, kind: $kind) { name } }',
    Perhaps: 'query Perhaps($kind: Kind) { page(pageId: 1, kind: $kind) { name } }',
    Both: 'query Both { a: find(by: { id: 1 }) { name } b: find(by: {}) { name } }',
  };

  expect(await changes('kind: Kind)', 'kind: Kind!)', documents)).toEqual([
    ['breaking', 'Query.page.kind', 'Perhaps'],
  ]);
  expect(await changes('id: ID path', 'id: ID! path', documents)).toEqual([
    ['breaking', 'By.id', 'Both'],
  ]);
});

it('changesBetween reports a new enum value as dangerous without users, and no change of a description', async () => {
  expect(await changes('draft live', 'draft live gone', { A })).toEqual([
    ['dangerous', 'Status.gone', ''],
  ]);
  expect(await changes('type Owner', '"Who has it." type Owner', { A })).toEqual([]);
});

it('changesBetween names the documents that become invalid, for removals and required arguments all over schema.graphql', async () => {
  const text = readFileSync(join(ROOT, 'schema.graphql'), 'utf8');
  const old = buildSchema(text);
  const shipped = shippedIn(old, readManifests(join(ROOT, 'src/client/generated')));
  let broken = 0;
  for (const one of withAChange(parse(text, { noLocation: true }))) {
    const now = buildASTSchema(one);
    // A field of an interface cannot be removed alone.
    if (validateSchema(now).length > 0) continue;
    const invalid = shipped
      .filter(({ document }) => validate(now, document).length > 0)
      .map(({ name }) => name);
    const [change] = await changesBetween(old, now, shipped);
    const users = change!.users.map(({ name }) => name);

    // A variable may hold a removed enum value or input field, which validation cannot see.
    const isInput = isInputType(old.getType(change!.path!.split('.')[0]!));
    expect(users, change!.path).toEqual(isInput ? expect.arrayContaining(invalid) : invalid);
    broken += invalid.length;
  }
  expect(broken).toBeGreaterThan(5);
});

it('undatedDeprecations finds deprecations whose reasons lack a date or a text', () => {
  const schema = buildSchema(`
    type Query {
      good: Int @deprecated(reason: "Use better. Goes on 2027-03-01.")
      silent: Int @deprecated
      bare: Int @deprecated(reason: "2027-03-01")
      none: Int @deprecated(reason: "Use better. Goes on 2027-13-01.")
      asked(kind: Int @deprecated(reason: "Soon.")): Kind
    }
    enum Kind { wide tall @deprecated(reason: "Use wide.") }
    input By { id: ID path: ID @deprecated(reason: "Use id. Goes on 2027-03-01.") old: ID @deprecated }
  `);

  expect(undatedDeprecations(schema).toSorted()).toEqual([
    ...['By.old', 'Kind.tall', 'Query.asked(kind:)', 'Query.bare', 'Query.none', 'Query.silent'],
  ]);
});

/** The schema with one field, argument or value removed, or one required argument added: a twentieth of all, since each comparison takes 10 ms. */
function* withAChange(schema: DocumentNode) {
  const kinds: readonly string[] = [
    ...[Kind.FIELD_DEFINITION, Kind.INPUT_VALUE_DEFINITION, Kind.ENUM_VALUE_DEFINITION],
    Kind.INPUT_OBJECT_TYPE_DEFINITION,
  ];
  const places: ASTNode[] = [];
  visit(schema, {
    enter(node) {
      if (node.kind === Kind.DIRECTIVE_DEFINITION) return false;
      if (kinds.includes(node.kind)) places.push(node);
      return undefined;
    },
  });
  const size = parse('input In { size: Int! }').definitions[0]!;
  for (const place of places.filter((_, i) => i % 20 === 0)) {
    if (place.kind !== Kind.INPUT_OBJECT_TYPE_DEFINITION) {
      yield visit(schema, { enter: (node) => (node === place ? null : undefined) });
    }
    if (size.kind !== Kind.INPUT_OBJECT_TYPE_DEFINITION) continue;
    const { fields = [] } = size;
    let added: ASTNode;
    if (place.kind === Kind.FIELD_DEFINITION) {
      added = { ...place, arguments: [...(place.arguments ?? []), ...fields] };
    } else if (place.kind === Kind.INPUT_OBJECT_TYPE_DEFINITION) {
      added = { ...place, fields: [...(place.fields ?? []), ...fields] };
    } else {
      continue;
    }
    yield visit(schema, { enter: (node) => (node === place ? added : undefined) });
  }
}
