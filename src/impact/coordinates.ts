/**
 * What of the schema an operation uses, by schema coordinates: `Page.name`, `Query.page(pageId:)`,
 * `PublishBehavior.draft`, `CreatePageInput.title`.
 *
 * Variables are not looked at: an input type or an enum that comes in one is used as a whole, and stands by its
 * name alone.
 *
 * Source: https://spec.graphql.org/draft/#sec-Schema-Coordinates
 */
import {
  getNamedType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  Kind,
  SchemaMetaFieldDef,
  TypeMetaFieldDef,
  TypeNameMetaFieldDef,
  type DirectiveNode,
  type DocumentNode,
  type FieldNode,
  type GraphQLArgument,
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type SelectionSetNode,
  type ValueNode,
  type VariableDefinitionNode,
  typeFromAST,
} from 'graphql';
import { fragmentsOf } from '../execution/operation/collect-fields.ts';

/** Of a valid document. Introspection is left out: its types are GraphQL's own. */
export function usedBy(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): ReadonlySet<string> {
  const used = new Set<string>();
  const fragments = fragmentsOf(document);
  const spread = new Set<string>();
  const root = schema.getRootType(operation.operation);
  if (root) visitSet(root, operation.selectionSet);
  for (const definition of operation.variableDefinitions ?? []) visitVariable(definition);
  visitDirectives(operation.directives);
  return used;

  function visitSet(type: GraphQLCompositeType, { selections }: SelectionSetNode): void {
    for (const selection of selections) {
      visitDirectives(selection.directives);
      if (selection.kind === Kind.FIELD) {
        visitField(type, selection);
        continue;
      }
      let inner = selection.kind === Kind.INLINE_FRAGMENT ? selection : undefined;
      if (selection.kind === Kind.FRAGMENT_SPREAD) {
        // What a fragment uses does not depend on where it is spread.
        if (spread.has(selection.name.value)) continue;
        spread.add(selection.name.value);
        inner = fragments[selection.name.value] as typeof inner;
        visitDirectives(inner?.directives);
      }
      const condition = inner?.typeCondition && schema.getType(inner.typeCondition.name.value);
      if (inner) visitSet(isCompositeType(condition) ? condition : type, inner.selectionSet);
    }
  }

  function visitField(type: GraphQLCompositeType, node: FieldNode): void {
    const field = fieldOf(schema, type, node.name.value);
    if (!field || type.name.startsWith('__') || field.name.startsWith('__')) return;
    const name = `${type.name}.${field.name}`;
    used.add(name);
    for (const { name: given, value } of node.arguments ?? []) {
      used.add(`${name}(${given.value}:)`);
      visitArgument(field.args, given.value, value);
    }
    const inner = getNamedType(field.type);
    if (node.selectionSet && isCompositeType(inner)) visitSet(inner, node.selectionSet);
  }

  function visitDirectives(directives: readonly DirectiveNode[] = []): void {
    for (const { name, arguments: given = [] } of directives) {
      const args = schema.getDirective(name.value)?.args ?? [];
      for (const one of given) visitArgument(args, one.name.value, one.value);
    }
  }

  function visitArgument(args: readonly GraphQLArgument[], name: string, value: ValueNode): void {
    const type = args.find((one) => one.name === name)?.type;
    if (type) visitValue(type, value);
  }

  function visitValue(type: GraphQLInputType, value: ValueNode): void {
    const named = getNamedType(type);
    if (value.kind === Kind.LIST) for (const item of value.values) visitValue(type, item);
    else if (value.kind === Kind.ENUM && isEnumType(named))
      used.add(`${named.name}.${value.value}`);
    else if (value.kind === Kind.OBJECT && isInputObjectType(named)) {
      for (const { name, value: inner } of value.fields) {
        const field = named.getFields()[name.value];
        used.add(`${named.name}.${name.value}`);
        if (field) visitValue(field.type, inner);
      }
    }
  }

  function visitVariable({ type: node, defaultValue }: VariableDefinitionNode): void {
    const type = typeFromAST(schema, node) as GraphQLInputType | undefined; // the document is valid
    if (!type) return;
    addWhole(type);
    if (defaultValue) visitValue(type, defaultValue);
  }

  function addWhole(type: GraphQLInputType): void {
    const named = getNamedType(type);
    if (used.has(named.name)) return;
    if (isEnumType(named)) used.add(named.name);
    if (!isInputObjectType(named)) return;
    used.add(named.name);
    for (const field of Object.values(named.getFields())) addWhole(field.type);
  }
}

/** A field of a type by its name, those of introspection as well. */
export function fieldOf(
  schema: GraphQLSchema,
  type: GraphQLCompositeType,
  name: string,
): GraphQLField<unknown, unknown> | undefined {
  if (name === TypeNameMetaFieldDef.name) return TypeNameMetaFieldDef;
  if (type === schema.getQueryType()) {
    if (name === SchemaMetaFieldDef.name) return SchemaMetaFieldDef;
    if (name === TypeMetaFieldDef.name) return TypeMetaFieldDef;
  }
  return 'getFields' in type ? type.getFields()[name] : undefined;
}
