/**
 * A query → how its answers are written as JSON: names, order and kinds of values are known before.
 *
 * About half of what JSON.stringify takes for a long list. What a query does not settle (directives,
 * the order of fields on abstract types, JSON values) is written by JSON.stringify as before.
 */
import fastJson, { type Schema } from 'fast-json-stringify';
import {
  getOperationAST,
  isAbstractType,
  isEnumType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  TypeNameMetaFieldDef,
  type DocumentNode,
  type GraphQLLeafType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  type NamedTypeNode,
  type SelectionSetNode,
} from 'graphql';

export type Stringify = (result: object) => string;

/** A field of an answer, and every place that selects below it. */
interface Below {
  readonly type: GraphQLOutputType;
  readonly selections: SelectionSetNode[];
}

/** Anything at all, by JSON.stringify. */
const ANY = {} as Schema;

const KINDS: Readonly<Record<string, 'string' | 'number' | 'boolean'>> = {
  ID: 'string',
  String: 'string',
  DateTime: 'string',
  Int: 'number',
  Float: 'number',
  SafeInt: 'number',
  Boolean: 'boolean',
};

/** Writes results that hold data alone; undefined where nothing would be gained. */
export function stringifierOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName: string | null | undefined,
): Stringify | undefined {
  const operation = getOperationAST(document, operationName);
  const type = operation && schema.getRootType(operation.operation);
  if (!type) return undefined;
  const fragments = new Map(
    document.definitions.flatMap((node) =>
      node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node]] : [],
    ),
  );
  const data = objectSchema(type, [operation.selectionSet]);
  return data && fastJson({ type: 'object', properties: { data } });

  /** Undefined when the order of an object's fields depends on more than its type. */
  function objectSchema(
    type: GraphQLObjectType,
    selections: readonly SelectionSetNode[],
  ): Schema | undefined {
    const below = new Map<string, Below>();
    if (!selections.every((selection) => collect(type, selection, below))) return undefined;
    const properties: Record<string, Schema> = {};
    for (const [key, field] of below) properties[key] = valueSchema(field.type, field.selections);
    return { type: 'object', nullable: true, properties };
  }

  function collect(
    type: GraphQLObjectType,
    { selections }: SelectionSetNode,
    into: Map<string, Below>,
  ): boolean {
    return selections.every((selection) => {
      if (selection.directives?.length) return false;
      if (selection.kind !== Kind.FIELD) {
        const fragment =
          selection.kind === Kind.FRAGMENT_SPREAD ? fragments.get(selection.name.value) : selection;
        if (!fragment) return false;
        if (!applies(type, fragment.typeCondition)) return true;
        return collect(type, fragment.selectionSet, into);
      }
      const key = selection.alias?.value ?? selection.name.value;
      const { value: name } = selection.name;
      const field = name === '__typename' ? TypeNameMetaFieldDef : type.getFields()[name];
      if (!field || key === '__proto__') return false;
      const known: Below = into.get(key) ?? { type: field.type, selections: [] };
      if (selection.selectionSet) known.selections.push(selection.selectionSet);
      into.set(key, known);
      return true;
    });
  }

  function applies(type: GraphQLObjectType, condition: NamedTypeNode | undefined): boolean {
    if (!condition || condition.name.value === type.name) return true;
    const named = schema.getType(condition.name.value);
    return isAbstractType(named) && schema.isSubType(named, type);
  }

  function valueSchema(type: GraphQLOutputType, selections: readonly SelectionSetNode[]): Schema {
    if (isNonNullType(type)) return valueSchema(type.ofType, selections);
    if (isListType(type)) {
      return { type: 'array', nullable: true, items: valueSchema(type.ofType, selections) };
    }
    if (isObjectType(type)) return objectSchema(type, selections) ?? ANY;
    return isLeafType(type) ? leafSchema(type) : ANY;
  }
}

function leafSchema(type: GraphQLLeafType): Schema {
  const kind = isEnumType(type) ? 'string' : KINDS[type.name];
  return kind ? { type: kind, nullable: true } : ANY;
}
