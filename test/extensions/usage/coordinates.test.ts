/** The coordinates of the schema that an operation uses. */
import { Kind, parse, validate, type OperationDefinitionNode } from 'graphql';
import { expect, it } from 'vitest';
import { usedBy } from '../../../src/plan/coordinates.ts';
import { schema } from '../../../src/app/schema.ts';

/** Of the first operation of a valid document. */
function used(text: string): readonly string[] {
  const document = parse(text);
  expect(validate(schema, document)).toEqual([]);
  const operation = document.definitions.find(
    (one): one is OperationDefinitionNode => one.kind === Kind.OPERATION_DEFINITION,
  );
  return [...usedBy(schema, document, operation!)].sort();
}

it('usedBy names fields and arguments, also of fragments, but not of other operations or of introspection', () => {
  const text = `query A($few: Int = 2, $yes: Boolean!) {
      node(id: "x") { __typename ...P @include(if: $yes) }
      __schema { types { name } }
    }
    fragment P on Page { audiences(first: $few) { nodes { person { name } } } }
    query B { topics { totalCount } }`;

  expect(used(text)).toEqual([
    ...['Audience.person', 'AudienceConnection.nodes', 'Page.audiences', 'Page.audiences(first:)'],
    ...['Person.name', 'Query.node', 'Query.node(id:)'],
  ]);
});

it('usedBy names input fields and enum values of literals', () => {
  const text = `mutation {
    createPage(input: { brandId: "b", name: "n", pageContext: "c", pageType: custom }) { page { id } }
  }`;

  expect(used(text)).toEqual([
    ...['CreatePageInput.brandId', 'CreatePageInput.name', 'CreatePageInput.pageContext'],
    ...['CreatePageInput.pageType', 'CreatePagePayload.page', 'Mutation.createPage'],
    ...['Mutation.createPage(input:)', 'Page.id', 'PageType.custom'],
  ]);
});

it('usedBy names the whole input type of a variable', () => {
  const text = 'mutation ($input: CreatePageInput!) { createPage(input: $input) { page { id } } }';

  expect(used(text)).toEqual(expect.arrayContaining(['CreatePageInput', 'PageType']));
});
