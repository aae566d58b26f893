/**
 * An operation, prepared: what stays the same when it is executed again, worked out when an
 * execution first gets to it.
 */
import {
  getNullableType,
  isAbstractType,
  isEnumType,
  isLeafType,
  isListType,
  isNonNullType,
  isSpecifiedScalarType,
  SchemaMetaFieldDef,
  TypeMetaFieldDef,
  TypeNameMetaFieldDef,
  type FieldNode,
  type GraphQLAbstractType,
  type GraphQLField,
  type GraphQLFieldResolver,
  type GraphQLLeafType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
} from 'graphql';
import { fixedArguments, type Arguments } from './arguments.ts';
import { selectedFields, type Document, type Selected, type Selecting } from './selection.ts';

export type Data = Record<string, unknown>;

/** A type of a field's result, as completion goes through it. */
export type Shape = { readonly isNonNull: boolean } & (
  | {
      readonly kind: 'leaf';
      readonly type: GraphQLLeafType;
      /** What the backend answers for it is looked at as it arrives, and not once more. */
      readonly isChecked: boolean;
    }
  | { readonly kind: 'list'; readonly item: Shape }
  | { readonly kind: 'object'; readonly type: GraphQLObjectType }
  | { readonly kind: 'abstract'; readonly type: GraphQLAbstractType }
);

/** What is selected on objects of one type. */
export class PreparedSelection {
  readonly fields: readonly PreparedField[];
  /** Objects of one selection get the same keys in the same order, so V8 keeps them as one class. */
  readonly Data: new () => Data = class {
    static {
      // Nothing is inherited: a key `__proto__` is a key.
      Object.setPrototypeOf(this.prototype, null);
    }
    [key: string]: unknown;
  };

  /** @throws {GraphQLError} when a condition is null. */
  constructor(document: Document, type: GraphQLObjectType, nodes: readonly Selecting[]) {
    this.fields = selectedFields(document, type, nodes).flatMap((selected) => {
      const definition = definitionOf(document.schema, type, selected.name);
      return definition ? [new PreparedField(type, definition, selected)] : [];
    });
  }
}

export class PreparedField {
  readonly key: string;
  readonly name: string;
  readonly nodes: readonly FieldNode[];
  readonly parentType: GraphQLObjectType;
  readonly definition: GraphQLField<unknown, unknown>;
  readonly shape: Shape;
  /** What `__typename` is here, if this is it. */
  readonly typename: string | undefined;
  /** Undefined for what is a property of the source. */
  readonly resolve: GraphQLFieldResolver<unknown, unknown> | undefined;
  /** Undefined when variables have a say in them. */
  readonly fixedArguments: Arguments | undefined;
  #below: Map<GraphQLObjectType, PreparedSelection> | undefined;

  constructor(
    parentType: GraphQLObjectType,
    definition: GraphQLField<unknown, unknown>,
    { key, name, fieldNodes }: Selected,
  ) {
    this.key = key;
    this.name = name;
    this.nodes = fieldNodes;
    this.parentType = parentType;
    this.definition = definition;
    this.shape = shapeOf(definition.type);
    this.resolve = definition.resolve;
    this.typename = definition === TypeNameMetaFieldDef ? parentType.name : undefined;
    this.fixedArguments = fixedArguments(definition, fieldNodes[0]!);
  }

  /** A plain value as an answer has it; undefined where this is no leaf, or has something against it. */
  written(value: unknown): unknown {
    const { shape } = this;
    if (shape.kind !== 'leaf') return undefined;
    if (shape.isChecked) return value;
    try {
      return shape.type.serialize(value);
    } catch {
      return undefined;
    }
  }

  /** What is selected of this field's result, if it is of `type`. */
  below(type: GraphQLObjectType, document: Document): PreparedSelection {
    let selection = this.#below?.get(type);
    if (!selection) {
      selection = new PreparedSelection(document, type, this.nodes);
      (this.#below ??= new Map()).set(type, selection);
    }
    return selection;
  }
}

/** `Type.field`. */
export const nameOf = ({ parentType, name }: PreparedField): string => `${parentType.name}.${name}`;

function definitionOf(
  schema: GraphQLSchema,
  type: GraphQLObjectType,
  name: string,
): GraphQLField<unknown, unknown> | undefined {
  if (name === TypeNameMetaFieldDef.name) return TypeNameMetaFieldDef;
  if (type === schema.getQueryType()) {
    if (name === SchemaMetaFieldDef.name) return SchemaMetaFieldDef;
    if (name === TypeMetaFieldDef.name) return TypeMetaFieldDef;
  }
  return type.getFields()[name];
}

const shapes = new WeakMap<GraphQLOutputType, Shape>();

function shapeOf(type: GraphQLOutputType): Shape {
  const known = shapes.get(type);
  if (known) return known;
  const shape = newShape(type);
  shapes.set(type, shape);
  return shape;
}

function newShape(type: GraphQLOutputType): Shape {
  const isNonNull = isNonNullType(type);
  const nullable = getNullableType(type);
  if (isListType(nullable)) return { isNonNull, kind: 'list', item: shapeOf(nullable.ofType) };
  if (isLeafType(nullable)) {
    const isChecked = isEnumType(nullable) || isSpecifiedScalarType(nullable);
    return { isNonNull, kind: 'leaf', type: nullable, isChecked };
  }
  if (isAbstractType(nullable)) return { isNonNull, kind: 'abstract', type: nullable };
  return { isNonNull, kind: 'object', type: nullable };
}
