/** Converts GraphQL types to JSON Schema 2020-12, for inputs and outputs of tools. */
import {
  getNamedType,
  GraphQLNonNull,
  isAbstractType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  Kind,
  typeFromAST,
  TypeNameMetaFieldDef,
  valueFromAST,
  type GraphQLAbstractType,
  type GraphQLCompositeType,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLOutputType,
  type GraphQLSchema,
  type SelectionSetNode,
  type VariableDefinitionNode,
} from 'graphql';
import type { OperationContext } from '../../execution/operation/collect-fields.ts';
import { MAX_FIRST } from '../../graph/loading/page-request.ts';
import { dictionary } from '../../lib/dictionary.ts';

export type JsonSchema = Readonly<Record<string, unknown>>;

type ObjectSchema = JsonSchema & {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, JsonSchema>>;
};

/** JSON Schema of the variables of an operation. @param counts variables that are the size of a page. */
export function schemaOfVariables(
  schema: GraphQLSchema,
  variables: readonly VariableDefinitionNode[],
  describe: (variable: VariableDefinitionNode) => string | undefined,
  counts: ReadonlySet<string>,
): ObjectSchema {
  const properties = dictionary<JsonSchema>();
  const required: string[] = [];
  for (const definition of variables) {
    const { variable, type: node, defaultValue } = definition;
    const name = variable.name.value;
    const type = typeFromAST(schema, node) as GraphQLInputType; // the document is valid
    const description = describe(definition);
    properties[name] = {
      ...ofInput(type, []),
      ...(counts.has(name) && { minimum: 0, maximum: MAX_FIRST }),
      ...(description !== undefined && { description }),
      ...(defaultValue && { default: inJson(valueFromAST(defaultValue, type), type) }),
    };
    if (node.kind === Kind.NON_NULL_TYPE && !defaultValue) required.push(name);
  }
  return { type: 'object', properties, required, additionalProperties: false };
}

/** @param above the enclosing input types: a recursive one is any object. */
function ofInput(type: GraphQLInputType, above: readonly string[]): JsonSchema {
  if (!isNonNullType(type)) return orNull(ofInput(new GraphQLNonNull(type), above));
  const present = type.ofType;
  if (isListType(present)) return { type: 'array', items: ofInput(present.ofType, above) };
  if (!isInputObjectType(present)) return ofLeaf(getNamedType(present));
  if (above.includes(present.name)) return { type: 'object' };
  const fields = Object.values(present.getFields());
  return {
    type: 'object',
    properties: Object.fromEntries(
      fields.map(({ name, type: of, description, defaultValue }) => [
        name,
        {
          ...ofInput(of, [...above, present.name]),
          ...(description != null && { description }),
          ...(defaultValue !== undefined && { default: inJson(defaultValue, of) }),
        },
      ]),
    ),
    required: fields
      .filter(({ type: of, defaultValue }) => isNonNullType(of) && defaultValue === undefined)
      .map(({ name }) => name),
    additionalProperties: false,
    ...(present.isOneOf && { minProperties: 1, maxProperties: 1 }),
  };
}

/** Converts a coerced input value to JSON: single items to lists, enum values to names. */
function inJson(value: unknown, type: GraphQLInputType): unknown {
  if (isNonNullType(type)) return inJson(value, type.ofType);
  if (value == null) return null;
  if (isListType(type)) {
    return (value as readonly unknown[]).map((item) => inJson(item, type.ofType));
  }
  if (!isInputObjectType(type)) return type.serialize(value);
  const fields = type.getFields();
  return dictionary(
    Object.entries(value).map(([name, one]) => [name, inJson(one, fields[name]!.type)] as const),
  );
}

/** JSON Schema of scalars; unlisted ones allow any value. */
const SCALARS: Readonly<Record<string, JsonSchema>> = {
  ID: { type: 'string' },
  String: { type: 'string' },
  Boolean: { type: 'boolean' },
  Float: { type: 'number' },
  Int: { type: 'integer', minimum: -(2 ** 31), maximum: 2 ** 31 - 1 },
  SafeInt: { type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
  DateTime: { type: 'string', format: 'date-time' },
};

const ofLeaf = (type: GraphQLNamedType): JsonSchema =>
  isEnumType(type)
    ? { type: 'string', enum: type.getValues().map(({ name }) => name) }
    : (SCALARS[type.name] ?? {});

/** A nullable schema, by a list of types, since adapters drop the type and the enum of an `anyOf`. */
export function orNull(schema: JsonSchema): JsonSchema {
  const { type, enum: values } = schema;
  if (type === undefined) return schema;
  return {
    ...schema,
    type: [type, 'null'],
    ...(Array.isArray(values) && { enum: [...(values as unknown[]), null] }),
  };
}

export function schemaOfSelection(
  schema: GraphQLSchema,
  fragments: OperationContext['fragments'],
  root: GraphQLCompositeType,
  selectionSet: SelectionSetNode,
): ObjectSchema {
  return ofObject(root, [{ selectionSet, isSure: true }]);

  function ofObject(parent: GraphQLCompositeType, selected: readonly Selected[]): ObjectSchema {
    const fields = new Map<string, ToolField>();
    for (const one of selected) collect(parent, one, fields);
    const properties = dictionary<JsonSchema>();
    for (const [key, { types, below }] of fields) {
      const schemas = [...types].map((type) => ofOutput(type, below));
      const different = [...new Map(schemas.map((one) => [JSON.stringify(one), one])).values()];
      properties[key] = different.length === 1 ? different[0]! : { anyOf: different };
    }
    const required = [...fields].filter(([, { isSure }]) => isSure).map(([key]) => key);
    return { type: 'object', properties, required };
  }

  function ofOutput(type: GraphQLOutputType, below: readonly Selected[]): JsonSchema {
    if (!isNonNullType(type)) return orNull(ofOutput(new GraphQLNonNull(type), below));
    const present: GraphQLOutputType = type.ofType;
    if (isListType(present)) return { type: 'array', items: ofOutput(present.ofType, below) };
    const named = getNamedType(present);
    return isCompositeType(named) ? ofObject(named, below) : ofLeaf(named);
  }

  function collect(
    parent: GraphQLCompositeType,
    { selectionSet: { selections }, isSure }: Selected,
    into: Map<string, ToolField>,
  ): void {
    for (const selection of selections) {
      const isThere = isSure && !selection.directives?.length;
      if (selection.kind === Kind.FIELD) {
        const { name, alias, selectionSet: below } = selection;
        const key = (alias ?? name).value;
        const known = into.get(key) ?? { types: new Set(), below: [], isSure: false };
        known.types.add(typeOf(parent, name.value));
        if (below) known.below.push({ selectionSet: below, isSure: isThere });
        known.isSure ||= isThere;
        into.set(key, known);
        continue;
      }
      const fragment =
        selection.kind === Kind.FRAGMENT_SPREAD ? fragments[selection.name.value]! : selection;
      const condition = fragment.typeCondition?.name.value;
      const type = condition === undefined ? parent : schema.getType(condition);
      if (!isCompositeType(type)) continue; // not in valid documents
      const covers = type === parent || (isAbstractType(type) && isCovered(parent, type));
      const { selectionSet: below } = fragment;
      collect(type, { selectionSet: below, isSure: isThere && covers }, into);
    }
  }

  function typeOf(parent: GraphQLCompositeType, field: string): GraphQLOutputType {
    if (field === TypeNameMetaFieldDef.name) return TypeNameMetaFieldDef.type;
    const fields = 'getFields' in parent ? parent.getFields() : {};
    return fields[field]!.type; // the document is valid
  }

  /** Whether every possible object of a type belongs to an abstract type. */
  function isCovered(type: GraphQLCompositeType, abstract: GraphQLAbstractType): boolean {
    const objects = isAbstractType(type) ? schema.getPossibleTypes(type) : [type];
    return objects.every((one) => schema.isSubType(abstract, one));
  }
}

interface Selected {
  readonly selectionSet: SelectionSetNode;
  /** Whether every result has it. */
  readonly isSure: boolean;
}

interface ToolField {
  readonly types: Set<GraphQLOutputType>;
  readonly below: Selected[];
  isSure: boolean;
}
