/**
 * A query → how its answers are written as JSON: names, order and kinds of values are known before.
 *
 * About half of what JSON.stringify takes for a long list. What a query does not settle (directives,
 * the order of fields on abstract types, JSON values) is written by JSON.stringify as before.
 */
import fastJson, { type Schema } from 'fast-json-stringify';
import {
  getOperationAST,
  isEnumType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  TypeNameMetaFieldDef,
  type DocumentNode,
  type FieldNode,
  type GraphQLLeafType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
} from 'graphql';
import { fixedFields, fragmentsOf, type Selecting } from '../graph/selection.ts';

export type Stringify = (result: object) => string;

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
  const from = { schema, fragments: fragmentsOf(document) };
  const data = objectSchema(type, [operation]);
  return data && fastJson({ type: 'object', properties: { data } });

  /** Undefined when the order of an object's fields depends on more than its type. */
  function objectSchema(type: GraphQLObjectType, nodes: readonly Selecting[]): Schema | undefined {
    const properties: Record<string, Schema> = {};
    const selected = fixedFields(from, type, nodes);
    if (!selected) return undefined;
    for (const { key, name, nodes } of selected) {
      const field = name === '__typename' ? TypeNameMetaFieldDef : type.getFields()[name];
      if (!field || key === '__proto__') return undefined;
      properties[key] = valueSchema(field.type, nodes);
    }
    return { type: 'object', nullable: true, properties };
  }

  function valueSchema(type: GraphQLOutputType, nodes: readonly FieldNode[]): Schema {
    if (isNonNullType(type)) return valueSchema(type.ofType, nodes);
    if (isListType(type)) {
      return { type: 'array', nullable: true, items: valueSchema(type.ofType, nodes) };
    }
    if (isObjectType(type)) return objectSchema(type, nodes) ?? ANY;
    return isLeafType(type) ? leafSchema(type) : ANY;
  }
}

function leafSchema(type: GraphQLLeafType): Schema {
  const kind = isEnumType(type) ? 'string' : KINDS[type.name];
  return kind ? { type: kind, nullable: true } : ANY;
}
