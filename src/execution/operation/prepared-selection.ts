/**
 * Prepared selections: fields with types and arguments, computed at the first execution and reused.
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
import {
  collectFields,
  type CollectedField,
  type CollectedFields,
  type DeferUsage,
  type OperationContext,
} from './collect-fields.ts';
import { isStream } from './defer-and-stream.ts';
import { PLAIN_SCALARS, type IsPlain } from './variables.ts';

/** The type of a field or of list items, as required by `completeValue`. */
export type Shape = { readonly isNonNull: boolean } & (
  | { readonly kind: 'leaf'; readonly type: GraphQLLeafType; readonly isPlain: IsPlain | undefined }
  | { readonly kind: 'list'; readonly item: Shape }
  | { readonly kind: 'object'; readonly type: GraphQLObjectType }
  | { readonly kind: 'abstract'; readonly type: GraphQLAbstractType }
);

export type LeafShape = Extract<Shape, { kind: 'leaf' }>;

export type Data = Record<string, unknown>;

/** Like `copyLeaves` of plain-leaves.ts, for one selection. */
export type CopyLeaves = (source: unknown, data: Data) => number;

/** Bytes of `{}`, and of `"":,` around a key. */
const BRACES = 2;
const KEY_MARKS = 4;

/**
 * The selection on objects of one type. Fields are executed with the object, or in separate groups. A field selected
 * both with and without `@defer` is not deferred.
 *
 * Source: `BuildExecutionPlan` of https://github.com/graphql/graphql-spec/pull/1110
 */
export class PreparedSelection {
  readonly fields: readonly PreparedField[];
  /** Fields that are no plain leaves. */
  readonly others: readonly PreparedField[];
  /** Field with this selection; undefined for the root. */
  readonly above: PreparedField | undefined;
  /** All prepared fields of the operation, by index. */
  readonly all: PreparedField[];
  /** `@defer`s around the whole selection. */
  readonly usages: readonly DeferUsage[];
  /** `@defer`s that begin at an object, in document order. */
  readonly begun: readonly DeferUsage[];
  /** Groups of fields executed separately, each with its `@defer`s. */
  readonly groups: readonly PreparedSelection[];
  /** Size of keys and `__typename`s of one object in JSON, in bytes. */
  readonly textBytes: number;
  /** Class of result objects: same keys in the same order give one hidden class in V8. */
  readonly Data: new () => Data = class {
    static {
      // Response keys may be `__proto__`.
      Object.setPrototypeOf(this.prototype, null);
      Reflect.deleteProperty(this.prototype, 'constructor');
    }
    [key: string]: unknown;
  };

  /** Number of objects it was executed with, until `copyLeaves` is generated. */
  executions = 0;
  copyLeaves: CopyLeaves | undefined;

  /** @param all prepared fields of the operation, if `above` is undefined. */
  constructor(
    context: OperationContext,
    type: GraphQLObjectType,
    { fields, begun }: CollectedFields,
    usages: readonly DeferUsage[] = [],
    above?: PreparedField,
    all: PreparedField[] = [],
  ) {
    this.above = above;
    this.all = above?.selection.all ?? all;
    this.usages = usages;
    this.begun = begun;
    const prepared: PreparedField[] = [];
    const groups: [CollectedField, ...CollectedField[]][] = [];
    for (const field of fields) {
      const definition = definitionOf(context.schema, type, field.name);
      if (!definition) continue;
      if (isSame(field.usages, usages)) {
        prepared.push(new PreparedField(this, type, definition, field, context.isIncremental));
        continue;
      }
      const group = groups.find(([first]) => isSame(first.usages, field.usages));
      if (group) group.push(field);
      else groups.push([field]);
    }
    this.fields = prepared;
    this.others = prepared.filter(({ leaf, typename }) => !leaf && typename === undefined);
    this.groups = groups.map((group) => {
      const collected = { fields: group, begun: [] };
      return new PreparedSelection(context, type, collected, group[0].usages, above, this.all);
    });
    this.textBytes = prepared.reduce((sum, field) => sum + field.textBytes, BRACES);
  }
}

const isSame = (a: readonly DeferUsage[], b: readonly DeferUsage[]): boolean =>
  a.length === b.length && a.every((usage) => b.includes(usage));

export class PreparedField {
  readonly selection: PreparedSelection;
  readonly index: number;
  readonly key: string;
  readonly name: string;
  readonly nodes: readonly FieldNode[];
  readonly parentType: GraphQLObjectType;
  readonly definition: GraphQLField<unknown, unknown>;
  readonly shape: Shape;
  /** Value of `__typename`, for this field only. */
  readonly typename: string | undefined;
  readonly resolve: GraphQLFieldResolver<unknown, unknown> | undefined;
  /** Undefined for a field without arguments. */
  readonly arguments: PreparedArguments | undefined;
  /** Shape of a leaf without a resolver, usually a property of its source. */
  readonly leaf: LeafShape | undefined;
  readonly textBytes: number;
  /** Node with `@stream`, if the list is streamed. */
  readonly stream: FieldNode | undefined;
  readonly #collected: CollectedField;
  #below: Map<GraphQLObjectType, PreparedSelection> | undefined;
  #streamed: PreparedField | undefined;

  constructor(
    selection: PreparedSelection,
    parentType: GraphQLObjectType,
    definition: GraphQLField<unknown, unknown>,
    collected: CollectedField,
    isIncremental = false,
  ) {
    const { key, name, fieldNodes } = collected;
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
    this.stream =
      isIncremental && this.shape.kind === 'list'
        ? fieldNodes.find(({ directives }) => directives?.some(isStream))
        : undefined;
    this.#collected = collected;
  }

  /** The same field for streamed items, which do not wait for a `@defer` around their list. */
  get streamed(): PreparedField {
    const { selection, parentType, definition, nodes } = this;
    const collected = { ...this.#collected, selecting: nodes, usages: [] };
    return (this.#streamed ??= new PreparedField(selection, parentType, definition, collected));
  }

  /**
   * Returns the selection of this field's value for an object of `type`.
   *
   * @throws {GraphQLError} if a condition is null.
   */
  below(type: GraphQLObjectType, context: OperationContext): PreparedSelection {
    let selection = this.#below?.get(type);
    if (!selection) {
      const { selecting, usages } = this.#collected;
      const collected = collectFields(context, type, selecting);
      selection = new PreparedSelection(context, type, collected, usages, this);
      (this.#below ??= new Map()).set(type, selection);
    }
    return selection;
  }
}

/** Response keys from the root to a field, without list indexes. */
export function pathOf({ key, selection: { above } }: PreparedField): string {
  return above ? `${pathOf(above)}.${key}` : key;
}

/** `Type.field`. */
export const nameOf = ({ parentType, name }: PreparedField): string => `${parentType.name}.${name}`;

/** Returns a field of a type by name, including introspection. */
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
    return { isNonNull, kind: 'leaf', type: nullable, isPlain: PLAIN_SCALARS.get(nullable) };
  }
  if (isAbstractType(nullable)) return { isNonNull, kind: 'abstract', type: nullable };
  return { isNonNull, kind: 'object', type: nullable };
}
