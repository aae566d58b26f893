/**
 * What stays the same when an operation is executed again: fields, their types and arguments, worked
 * out when an execution first gets to them.
 */
import {
  getNullableType,
  isAbstractType,
  isLeafType,
  isListType,
  isNonNullType,
  SchemaMetaFieldDef,
  TypeMetaFieldDef,
  TypeNameMetaFieldDef,
  type FieldNode,
  type GraphQLAbstractType,
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLFieldResolver,
  type GraphQLLeafType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
} from 'graphql';
import { prepareArguments, type PreparedArguments } from './arguments.ts';
import { collectFields, type CollectedField, type OperationContext } from './collect-fields.ts';
import { PLAIN, type IsPlain } from './variables.ts';

/** The type of a field or of a list's items, as `completeValue` goes through it. */
export type Shape = { readonly isNonNull: boolean } & (
  | { readonly kind: 'leaf'; readonly type: GraphQLLeafType; readonly isPlain: IsPlain | undefined }
  | { readonly kind: 'list'; readonly item: Shape }
  | { readonly kind: 'object'; readonly type: GraphQLObjectType }
  | { readonly kind: 'abstract'; readonly type: GraphQLAbstractType }
);

export type LeafShape = Extract<Shape, { kind: 'leaf' }>;

export type Data = Record<string, unknown>;

/** `{}`, and `"":,` around a key. */
const BRACES = 2;
const KEY_MARKS = 4;

/** What is selected on objects of one type. */
export class PreparedSelection {
  readonly fields: readonly PreparedField[];
  /** The field that selects it; undefined for an operation's own. */
  readonly above: PreparedField | undefined;
  /** All fields that have been prepared of the operation, each at its index. */
  readonly all: PreparedField[];
  /** What the keys and `__typename`s of one object take in JSON, in bytes. */
  readonly textBytes: number;
  /** Objects of one selection get the same keys in the same order, so V8 keeps them as one class. */
  readonly Data: new () => Data = class {
    static {
      // A response key may be `__proto__`.
      Object.setPrototypeOf(this.prototype, null);
      Reflect.deleteProperty(this.prototype, 'constructor');
    }
    [key: string]: unknown;
  };

  /** @param all where `above` is undefined: of the operation's root, unless this is that. */
  constructor(
    context: OperationContext,
    type: GraphQLObjectType,
    selected: readonly CollectedField[],
    above?: PreparedField,
    all: PreparedField[] = [],
  ) {
    this.above = above;
    this.all = above?.selection.all ?? all;
    this.fields = selected.flatMap((collected) => {
      const definition = definitionOf(context.schema, type, collected.name);
      return definition ? [this.prepareField(type, definition, collected)] : [];
    });
    this.textBytes = this.fields.reduce((sum, field) => sum + field.textBytes, BRACES);
  }

  /** Called by the constructor. */
  protected prepareField(
    type: GraphQLObjectType,
    definition: GraphQLField<unknown, unknown>,
    collected: CollectedField,
  ): PreparedField {
    return new PreparedField(this, type, definition, collected);
  }
}

export class PreparedField {
  readonly selection: PreparedSelection;
  readonly index: number;
  readonly key: string;
  readonly name: string;
  readonly nodes: readonly FieldNode[];
  readonly parentType: GraphQLObjectType;
  readonly definition: GraphQLField<unknown, unknown>;
  readonly shape: Shape;
  /** What `__typename` is here, if this is it. */
  readonly typename: string | undefined;
  readonly resolve: GraphQLFieldResolver<unknown, unknown> | undefined;
  /** Undefined for a field without arguments. */
  readonly arguments: PreparedArguments | undefined;
  /** The shape of a leaf without a resolver, which is mostly a plain property of its source. */
  readonly leaf: LeafShape | undefined;
  readonly textBytes: number;
  #below: Map<GraphQLObjectType, PreparedSelection> | undefined;

  constructor(
    selection: PreparedSelection,
    parentType: GraphQLObjectType,
    definition: GraphQLField<unknown, unknown>,
    { key, name, fieldNodes }: CollectedField,
  ) {
    this.selection = selection;
    this.index = selection.all.push(this) - 1;
    this.key = key;
    this.name = name;
    this.nodes = fieldNodes;
    this.parentType = parentType;
    this.definition = definition;
    this.shape = shapeOf(definition.type);
    this.typename = definition === TypeNameMetaFieldDef ? parentType.name : undefined;
    this.resolve = definition.resolve;
    this.arguments =
      definition.args.length > 0 ? prepareArguments(definition, fieldNodes[0]!) : undefined;
    const isProperty = !definition.resolve && !this.arguments;
    this.leaf = isProperty && this.shape.kind === 'leaf' ? this.shape : undefined;
    this.textBytes = Buffer.byteLength(key) + KEY_MARKS + (this.typename?.length ?? 0);
  }

  /**
   * What is selected of this field's result, if it is of `type`.
   *
   * @throws {GraphQLError} when a condition is null.
   */
  below(type: GraphQLObjectType, context: OperationContext): PreparedSelection {
    let selection = this.#below?.get(type);
    if (!selection) {
      selection = this.prepareBelow(type, context);
      (this.#below ??= new Map()).set(type, selection);
    }
    return selection;
  }

  protected prepareBelow(type: GraphQLObjectType, context: OperationContext): PreparedSelection {
    return new PreparedSelection(context, type, collectFields(context, type, this.nodes), this);
  }
}

/** The response keys from the root to a field, without the indices of lists. */
export function pathOf({ key, selection: { above } }: PreparedField): string {
  return above ? `${pathOf(above)}.${key}` : key;
}

/** `Type.field`. */
export const nameOf = ({ parentType, name }: PreparedField): string => `${parentType.name}.${name}`;

/** A field of a type by its name, those of introspection as well. */
export function definitionOf(
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

function shapeOf(type: GraphQLOutputType): Shape {
  const isNonNull = isNonNullType(type);
  const nullable = getNullableType(type);
  if (isListType(nullable)) return { isNonNull, kind: 'list', item: shapeOf(nullable.ofType) };
  if (isLeafType(nullable)) {
    return { isNonNull, kind: 'leaf', type: nullable, isPlain: PLAIN.get(nullable) };
  }
  if (isAbstractType(nullable)) return { isNonNull, kind: 'abstract', type: nullable };
  return { isNonNull, kind: 'object', type: nullable };
}
