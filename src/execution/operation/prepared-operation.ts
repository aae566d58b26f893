/**
 * What stays the same when an operation is executed again: fields, their types and arguments, worked
 * out when an execution first gets to them.
 *
 * An operation is prepared once for every outcome of its `@skip` and `@include`.
 */
import {
  getNullableType,
  GraphQLBoolean,
  GraphQLFloat,
  GraphQLID,
  GraphQLInt,
  GraphQLString,
  isAbstractType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  SchemaMetaFieldDef,
  TypeMetaFieldDef,
  TypeNameMetaFieldDef,
  visit,
  type DocumentNode,
  type FieldNode,
  type GraphQLAbstractType,
  type GraphQLField,
  type GraphQLFieldResolver,
  type GraphQLLeafType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import { dictionary } from '../../lib/dictionary.ts';
import { LRUCache } from 'lru-cache';
import { prepareArguments, type PreparedArguments } from './arguments.ts';
import {
  collectFields,
  fragmentsOf,
  type CollectedField,
  type OperationContext,
} from './collect-fields.ts';
import {
  collectDeferred,
  type CollectedDeferred,
  type DeferUsage,
  type Detail,
  type DetailedField,
} from './collect-deferred.ts';
import { isIncremental, isStream, streamOf } from './defer-and-stream.ts';
import { userInputError } from './user-input-error.ts';

/** The type of a field or of a list's items, as `completeValue` goes through it. */
export type Shape = { readonly isNonNull: boolean } & (
  | { readonly kind: 'leaf'; readonly type: GraphQLLeafType; readonly scalar: Scalar | undefined }
  | { readonly kind: 'list'; readonly item: Shape }
  | { readonly kind: 'object'; readonly type: GraphQLObjectType }
  | { readonly kind: 'abstract'; readonly type: GraphQLAbstractType }
);

export type LeafShape = Extract<Shape, { kind: 'leaf' }>;

/** What a scalar of the specification is in JSON. */
type Scalar = 'text' | 'boolean' | 'int' | 'float';

const SCALARS: ReadonlyMap<GraphQLLeafType, Scalar> = new Map<GraphQLLeafType, Scalar>([
  [GraphQLString, 'text'],
  [GraphQLID, 'text'],
  [GraphQLBoolean, 'boolean'],
  [GraphQLInt, 'int'],
  [GraphQLFloat, 'float'],
]);

export type Data = Record<string, unknown>;

const NO_USAGES: readonly DeferUsage[] = [];

/** What is selected on objects of one type. */
export class PreparedSelection {
  readonly fields: readonly PreparedField[];
  /** The `@defer`s that all of it stands in. */
  readonly usages: readonly DeferUsage[];
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

  /** What comes later of such objects; undefined where nothing does. */
  readonly deferred: DeferredSelections | undefined;

  constructor(
    context: OperationContext,
    type: GraphQLObjectType,
    selected: readonly (CollectedField | DetailedField)[],
    { above, all = [], later, usages = NO_USAGES }: PreparedBelow = {},
  ) {
    this.above = above;
    this.all = above?.selection.all ?? all;
    this.usages = usages;
    this.fields = selected.flatMap((collected) => {
      const definition = definitionOf(context.schema, type, collected.name);
      return definition ? [new PreparedField(this, type, definition, collected)] : [];
    });
    this.textBytes = this.fields.reduce((sum, field) => sum + field.textBytes, BRACES);
    this.deferred = later && {
      usages: later.usages,
      groups: later.groups.map(({ usages, fields }) => ({
        usages,
        selection: new PreparedSelection(context, type, fields, { above, all: this.all, usages }),
      })),
    };
  }
}

/** What is deferred of objects. */
export interface DeferredSelections {
  /** The `@defer`s that begin there. */
  readonly usages: readonly DeferUsage[];
  readonly groups: readonly DeferredSelection[];
}

interface DeferredSelection {
  readonly usages: readonly DeferUsage[];
  readonly selection: PreparedSelection;
}

interface PreparedBelow {
  readonly above?: PreparedField | undefined;
  readonly all?: PreparedField[];
  readonly later?: Pick<CollectedDeferred, 'usages' | 'groups'> | undefined;
  readonly usages?: readonly DeferUsage[];
}

/** @throws {GraphQLError} when a condition is null. */
function prepareIncremental(
  context: OperationContext,
  type: GraphQLObjectType,
  details: readonly Detail[],
  usages: readonly DeferUsage[],
  above?: PreparedField,
): PreparedSelection {
  const collected = collectDeferred(context, type, details, usages);
  const later = collected.usages.length > 0 || collected.groups.length > 0 ? collected : undefined;
  return new PreparedSelection(context, type, collected.fields, { above, later, usages });
}

/**
 * Whether what stands at a path comes later than the answer it belongs to.
 *
 * @param operation prepared for incremental delivery.
 */
export function isDeferredAt(
  operation: PreparedSelection,
  path: GraphQLResolveInfo['path'],
  context: OperationContext,
): boolean {
  const steps: GraphQLResolveInfo['path'][] = [];
  for (let step: GraphQLResolveInfo['path'] | undefined = path; step; step = step.prev) {
    steps.push(step);
  }
  let field: PreparedField | undefined;
  for (const { key, typename } of steps.reverse()) {
    if (typeof key === 'number') {
      const stream = field?.stream && streamOf(field.stream, context.variableValues);
      if (stream && key >= stream.initialCount) return true;
      continue;
    }
    const type: unknown = field && context.schema.getType(typename!);
    if (field && !isObjectType(type)) return false;
    const selection: PreparedSelection = field
      ? field.below(type as GraphQLObjectType, context)
      : operation;
    field = selection.fields.find((one) => one.key === key);
    if (!field) return true;
  }
  return false;
}

/** `{}`, and `"":,` around a key. */
const BRACES = 2;
const KEY_MARKS = 4;

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
  /** Undefined for a field that takes none. */
  readonly arguments: PreparedArguments | undefined;
  /** Its shape if it is a leaf without a resolver: most often no more than a property of its source. */
  readonly leaf: LeafShape | undefined;
  readonly textBytes: number;
  /** Undefined where nothing may come later. */
  readonly details: readonly Detail<FieldNode>[] | undefined;
  /** The node that streams its list. */
  readonly stream: FieldNode | undefined;
  readonly #collected: CollectedField & Partial<DetailedField>;
  readonly #usages: readonly DeferUsage[];
  #streamed: PreparedField | undefined;
  #below: Map<GraphQLObjectType, PreparedSelection> | undefined;

  constructor(
    selection: PreparedSelection,
    parentType: GraphQLObjectType,
    definition: GraphQLField<unknown, unknown>,
    collected: CollectedField & Partial<DetailedField>,
    usages = selection.usages,
  ) {
    const { key, name, fieldNodes, details } = collected;
    this.#collected = collected;
    this.#usages = usages;
    this.details = details;
    this.stream =
      details && isListType(getNullableType(definition.type))
        ? fieldNodes.find(({ directives }) => directives?.some(isStream))
        : undefined;
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

  /** The field as streamed items have it: they wait for no `@defer` around their list. */
  get streamed(): PreparedField {
    const { selection, parentType, definition } = this;
    const details = this.details?.map(({ node }) => ({ node, usage: undefined }));
    const collected = { ...this.#collected, ...(details && { details }) };
    return (this.#streamed ??= new PreparedField(
      selection,
      parentType,
      definition,
      collected,
      NO_USAGES,
    ));
  }

  /**
   * What is selected of this field's result, if it is of `type`.
   *
   * @throws {GraphQLError} when a condition is null.
   */
  below(type: GraphQLObjectType, context: OperationContext): PreparedSelection {
    let selection = this.#below?.get(type);
    if (!selection) {
      selection = this.details
        ? prepareIncremental(context, type, this.details, this.#usages, this)
        : new PreparedSelection(context, type, collectFields(context, type, this.nodes), {
            above: this,
          });
      (this.#below ??= new Map()).set(type, selection);
    }
    return selection;
  }
}

/** The response keys from the root to a field, without the indices of lists. */
export function pathOf({ key, selection: { above } }: PreparedField): string {
  return above ? `${pathOf(above)}.${key}` : key;
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
    return { isNonNull, kind: 'leaf', type: nullable, scalar: SCALARS.get(nullable) };
  }
  if (isAbstractType(nullable)) return { isNonNull, kind: 'abstract', type: nullable };
  return { isNonNull, kind: 'object', type: nullable };
}

/** What is kept prepared at the most, in bytes. */
const MAX_BYTES = 32_000_000;

/** Assumed weights, in bytes; measured: 500 to 750, and 30 to 110. */
const BYTES_PER_FIELD = 700;
const BYTES_PER_CHARACTER = 100;

/** What all operations of a document share. */
interface KnownDocument {
  readonly id: number;
  readonly fragments: OperationContext['fragments'];
  /** The variables that decide what is selected. */
  readonly deciders: readonly string[];
}

/** The operations of one schema that are kept prepared. */
export class PreparedOperations {
  /** Documents are let go by the cache that parsed them. */
  readonly #documents = new WeakMap<DocumentNode, KnownDocument>();
  readonly #roots = new LRUCache<string, PreparedSelection>({ maxSize: MAX_BYTES });
  #ids = 0;

  document(document: DocumentNode): KnownDocument {
    let known = this.#documents.get(document);
    if (!known) {
      const id = this.#ids++;
      known = { id, fragments: fragmentsOf(document), deciders: decidersOf(document) };
      this.#documents.set(document, known);
    }
    return known;
  }

  /**
   * Prepares all that its operations can select, for conditions that are all true and all false.
   *
   * @param document a valid one.
   */
  prepare(schema: GraphQLSchema, document: DocumentNode): void {
    const known = this.document(document);
    const ways = hasIncremental(document) ? [false, true] : [false];
    for (const operation of document.definitions) {
      if (operation.kind !== Kind.OPERATION_DEFINITION) continue;
      for (const condition of known.deciders.length > 0 ? [false, true] : [false]) {
        const names = known.deciders.map((name): [string, boolean] => [name, condition]);
        const variableValues = dictionary(names);
        const context = { schema, fragments: known.fragments, variableValues };
        for (const isLater of ways) {
          prepareBelow(this.root(known, operation, context, isLater), context);
        }
      }
    }
  }

  /**
   * What an operation selects.
   *
   * @param isIncremental whether what is deferred may come later.
   * @throws {GraphQLError} when a condition is null, or the schema has no operations of this kind.
   */
  root(
    { id, deciders }: KnownDocument,
    operation: OperationDefinitionNode,
    context: OperationContext,
    isIncremental: boolean,
  ): PreparedSelection {
    const type = context.schema.getRootType(operation.operation);
    if (!type) {
      const message = `Schema is not configured to execute ${operation.operation} operation.`;
      throw userInputError(message, operation);
    }
    let key = `${isIncremental ? '+' : ''}${id} ${operation.name?.value ?? ''}`;
    for (const name of deciders) key += ` ${signOf(context.variableValues[name])}`;
    let root = this.#roots.get(key);
    if (!root) {
      // The array is this outcome's own: what is collected below it is remembered by it.
      root = isIncremental
        ? prepareIncremental(context, type, [{ node: operation, usage: undefined }], NO_USAGES)
        : new PreparedSelection(context, type, collectFields(context, type, [operation]));
      this.#roots.set(key, root, { size: weightOf(operation, context.fragments) });
    }
    return root;
  }
}

/** Fields of one operation that are prepared ahead: abstract types multiply what is selected of them. */
const MAX_AHEAD = 2_000;

function prepareBelow(root: PreparedSelection, context: OperationContext): void {
  const open = [root];
  for (let selection = open.pop(); selection; selection = open.pop()) {
    for (const group of selection.deferred?.groups ?? []) open.push(group.selection);
    for (const field of selection.fields) {
      if (root.all.length > MAX_AHEAD) return;
      for (const type of objectTypesOf(field.shape, context.schema)) {
        open.push(field.below(type, context));
      }
    }
  }
}

function objectTypesOf(shape: Shape, schema: GraphQLSchema): readonly GraphQLObjectType[] {
  if (shape.kind === 'list') return objectTypesOf(shape.item, schema);
  if (shape.kind === 'object') return [shape.type];
  return shape.kind === 'abstract' ? schema.getPossibleTypes(shape.type) : [];
}

/** Of an operation whose fields have all been prepared. */
const weightOf = (
  operation: OperationDefinitionNode,
  fragments: OperationContext['fragments'],
): number =>
  1 +
  BYTES_PER_CHARACTER * (operation.loc?.source.body.length ?? 0) +
  BYTES_PER_FIELD * countFields(operation.selectionSet, fragments);

function countFields(
  set: SelectionSetNode | undefined,
  fragments: OperationContext['fragments'],
  counted = new Map<string, number>(),
): number {
  let count = 0;
  for (const selection of set?.selections ?? []) {
    if (selection.kind !== Kind.FRAGMENT_SPREAD) {
      count += selection.kind === Kind.FIELD ? 1 : 0;
      count += countFields(selection.selectionSet, fragments, counted);
      continue;
    }
    const name = selection.name.value;
    if (!counted.has(name)) {
      counted.set(name, 0); // a fragment inside itself is collected once
      counted.set(name, countFields(fragments[name]?.selectionSet, fragments, counted));
    }
    count += counted.get(name)!;
  }
  return count;
}

/** Another operation may declare the same name with another type. */
const signOf = (value: unknown): string => (typeof value === 'boolean' ? String(value) : '-');

function hasIncremental(document: DocumentNode): boolean {
  let found = false;
  visit(document, {
    Directive: (node) => {
      found ||= isIncremental(node);
    },
  });
  return found;
}

function decidersOf(document: DocumentNode): readonly string[] {
  const names = new Set<string>();
  visit(document, {
    Directive: ({ arguments: given = [] }) => {
      for (const { value } of given) if (value.kind === Kind.VARIABLE) names.add(value.name.value);
    },
  });
  return [...names];
}
