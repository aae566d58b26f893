/**
 * An operation as GraphQL Hive is told of it: its text without literals and aliases, and the coordinates that it uses.
 *
 * Coordinates are written as Hive's own clients write them, not as the specification does: Hive matches them by their
 * text. `Query.page.pageId` is an argument, and `Query.page.pageId!` one that is given a value; a value of an enum
 * counts as used where a selected field may answer it.
 *
 * Source: https://the-guild.dev/graphql/hive/docs/api-reference/usage-reports
 */
import {
  getNamedType,
  isEnumType,
  isInputObjectType,
  isNonNullType,
  Kind,
  print,
  separateOperations,
  stripIgnoredCharacters,
  typeFromAST,
  TypeInfo,
  visit,
  visitWithTypeInfo,
  type DocumentNode,
  type GraphQLInputType,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type ValueNode,
} from 'graphql';

/** `OperationMapRecord` of Hive's reports. */
export interface HiveOperation {
  readonly operation: string;
  readonly operationName?: string;
  readonly fields: readonly string[];
}

/** Of a valid document. Introspection is left out: an operation of nothing else has no fields. */
export function hiveOperationOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): HiveOperation {
  const name = operation.name?.value;
  const own = separateOperations(document)[name ?? ''] ?? document;
  return {
    operation: stripIgnoredCharacters(print(withoutValues(own))),
    ...(name !== undefined && { operationName: name }),
    fields: [...coordinatesOf(schema, own)],
  };
}

/** Callers may have written anything into literals and aliases. */
const withoutValues = (document: DocumentNode): DocumentNode =>
  visit(document, {
    IntValue: (node) => ({ ...node, value: '0' }),
    FloatValue: (node) => ({ ...node, value: '0' }),
    StringValue: (node) => ({ ...node, value: '', block: false }),
    Field: ({ alias: _alias, ...node }) => node,
  });

function coordinatesOf(schema: GraphQLSchema, document: DocumentNode): ReadonlySet<string> {
  const used = new Set<string>();
  const types = new TypeInfo(schema);
  const whole = new Set<string>();
  visit(
    document,
    visitWithTypeInfo(types, {
      Field() {
        const field = types.getFieldDef()!; // the document is valid
        const parent = types.getParentType()!.name;
        if (field.name.startsWith('__') || parent.startsWith('__')) return false;
        used.add(`${parent}.${field.name}`);
        const answered = getNamedType(field.type);
        if (isEnumType(answered)) addWhole(answered);
        return undefined;
      },
      Directive: () => false,
      Argument: ({ name, value }) => {
        const coordinate = `${types.getParentType()!.name}.${types.getFieldDef()!.name}.${name.value}`;
        addGiven(coordinate, value, isNonNullType(types.getArgument()!.type));
      },
      ObjectField: ({ name, value }) => {
        const parent = getNamedType(types.getParentInputType());
        if (isInputObjectType(parent)) addGiven(`${parent.name}.${name.value}`, value, false);
      },
      ListValue: ({ values }) => values.forEach(addValue),
      // Variables are not looked at: the types of those that come in them are used as a whole.
      VariableDefinition: ({ type }) => addWhole(typeFromAST(schema, type) as GraphQLInputType),
    }),
  );
  return used;

  function addGiven(coordinate: string, value: ValueNode, isRequired: boolean): void {
    used.add(coordinate);
    const isGiven = value.kind !== Kind.NULL && value.kind !== Kind.VARIABLE;
    if (isGiven || isRequired) used.add(`${coordinate}!`);
    addValue(value);
  }

  function addValue(value: ValueNode): void {
    if (value.kind === Kind.OBJECT || value.kind === Kind.LIST) return;
    const type = types.getInputType()!;
    if (value.kind === Kind.ENUM) used.add(`${getNamedType(type).name}.${value.value}`);
    else addWhole(type);
  }

  function addWhole(type: GraphQLInputType): void {
    const named = getNamedType(type);
    if (whole.has(named.name)) return;
    whole.add(named.name);
    if (isEnumType(named)) {
      for (const { name } of named.getValues()) used.add(`${named.name}.${name}`);
    } else if (isInputObjectType(named)) {
      for (const field of Object.values(named.getFields())) {
        used.add(`${named.name}.${field.name}`);
        addWhole(field.type);
      }
    } else {
      used.add(named.name);
    }
  }
}
