/**
 * Schema coordinates used by an operation: `Page.name`, `Query.page(pageId:)`, `PublishBehavior.draft`,
 * `CreatePageInput.title`.
 *
 * Values of variables are ignored: an input type or enum of a variable is used as a whole, and represented by its name.
 *
 * Source: https://spec.graphql.org/draft/#sec-Schema-Coordinates
 */
import {
  getNamedType,
  isEnumType,
  isInputObjectType,
  separateOperations,
  typeFromAST,
  TypeInfo,
  visit,
  visitWithTypeInfo,
  type DocumentNode,
  type GraphQLInputType,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';

/** An operation and its fragments, without the document's others. */
export const separated = (
  document: DocumentNode,
  { name }: OperationDefinitionNode,
): DocumentNode => separateOperations(document)[name?.value ?? ''] ?? document;

/** Returns the coordinates of a valid document, without introspection. */
export function usedBy(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): ReadonlySet<string> {
  const used = new Set<string>();
  const types = new TypeInfo(schema);
  const fieldName = (): string => `${types.getParentType()?.name}.${types.getFieldDef()?.name}`;
  visit(
    separated(document, operation),
    visitWithTypeInfo(types, {
      Field() {
        const name = fieldName();
        if (name.startsWith('__') || name.includes('.__')) return false;
        used.add(name);
        return undefined;
      },
      Argument({ name }) {
        if (!types.getDirective()) used.add(`${fieldName()}(${name.value}:)`);
      },
      EnumValue: () =>
        void used.add(`${getNamedType(types.getInputType())?.name}.${types.getEnumValue()?.name}`),
      ObjectField({ name }) {
        const type = getNamedType(types.getParentInputType());
        // Fields of a scalar's object literal are not part of the schema.
        if (isInputObjectType(type)) used.add(`${type.name}.${name.value}`);
      },
      VariableDefinition({ type }) {
        addWhole(typeFromAST(schema, type) as GraphQLInputType); // the document is valid
      },
    }),
  );
  return used;

  function addWhole(type: GraphQLInputType): void {
    const named = getNamedType(type);
    if (used.has(named.name)) return;
    if (isEnumType(named)) used.add(named.name);
    if (!isInputObjectType(named)) return;
    used.add(named.name);
    for (const field of Object.values(named.getFields())) addWhole(field.type);
  }
}
