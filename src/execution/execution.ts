/**
 * One execution of an operation, as the specification describes it.
 *
 * An awaited value is null in the result until it arrives, so that objects and lists need no
 * promises of their own. Paths are built only for resolvers and errors that need them.
 *
 * Source: https://spec.graphql.org/October2021/#sec-Execution
 */
import {
  defaultTypeResolver,
  GraphQLError,
  isObjectType,
  locatedError,
  OperationTypeNode,
  responsePathAsArray,
  type ExecutionArgs,
  type ExecutionResult,
  type FieldNode,
  type GraphQLAbstractType,
  type GraphQLFieldResolver,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  type GraphQLTypeResolver,
  type OperationDefinitionNode,
} from 'graphql';
import { inspect } from 'graphql/jsutils/inspect.js';
import { isIterableObject } from 'graphql/jsutils/isIterableObject.js';
import { dictionary } from '../lib/dictionary.ts';
import type { ArgumentValues } from './operation/arguments.ts';
import type { OperationContext } from './operation/collect-fields.ts';
import { Delivery, Part, Stream, type Payload, type Pending } from './incremental/delivery.ts';
import { streamOf } from './operation/defer-and-stream.ts';
import { NullBoundary, Path, type Container } from './result/path.ts';
import {
  isDeferredAt,
  nameOf,
  type Data,
  type DeferredSelections,
  type LeafShape,
  type PreparedField,
  type PreparedSelection,
  type Shape,
} from './operation/prepared-operation.ts';
import { ResultSize, type ExecutionLimits } from './result/result-size.ts';

export type MaybePromise<Value> = Value | Promise<Value>;

/**
 * What a failed field does to the rest. `PROPAGATE`: if it must not be null, the nearest nullable
 * place above it is null. `NULL`: only the field is null. `ABORT`: there is no data, and execution
 * stops.
 *
 * Source: https://github.com/graphql/graphql-spec/pull/1163
 */
export type ErrorBehavior = 'PROPAGATE' | 'NULL' | 'ABORT';

export interface ExecuteArgs extends ExecutionArgs {
  /** @default PROPAGATE */
  readonly onError?: ErrorBehavior | undefined;
  /** Whether what `@defer` and `@stream` put off may come later. @default false: it comes with the rest */
  readonly isIncremental?: boolean | undefined;
  /** Whether fragments of the initial answer are announced too, for clients that wait for each. */
  readonly announcesAll?: boolean | undefined;
}

/** A result, of which parts may follow. */
export interface IncrementalResult extends ExecutionResult {
  /** Undefined when it is whole. */
  readonly rest?: Rest;
}

export interface Rest {
  readonly pending: readonly Pending[];
  /** The next payload; undefined after the last one. */
  next(): Promise<Payload | undefined>;
  /** Its reader has left. */
  cancel(): void;
}

export interface ExecutionOptions {
  /** How many errors an answer in this context may have; asked whenever there is one more. */
  readonly maxErrors: (contextValue: unknown) => number;
  /** What an answer in this context may hold, and how long it may take. */
  readonly limits: (contextValue: unknown) => ExecutionLimits;
  /**
   * Called before an operation with deferred parts is executed, with a test of what is deferred.
   */
  readonly onIncremental?: (
    contextValue: unknown,
    isDeferred: (path: GraphQLResolveInfo['path']) => boolean,
  ) => void;
}

/** An execution of a part that comes later, beside the one of the initial answer. */
interface Beside {
  readonly main: Execution;
  readonly part: Part;
  readonly root: NullBoundary;
}

export class Execution implements OperationContext {
  readonly schema: GraphQLSchema;
  readonly fragments: OperationContext['fragments'];
  readonly variableValues: OperationContext['variableValues'];
  readonly operation: OperationDefinitionNode;
  readonly #rootValue: unknown;
  readonly #contextValue: unknown;
  readonly #fieldResolver: GraphQLFieldResolver<unknown, unknown> | undefined;
  readonly #typeResolver: GraphQLTypeResolver<unknown, unknown>;
  readonly #selection: PreparedSelection;
  readonly #args: ExecuteArgs;
  readonly #options: ExecutionOptions;
  readonly #size: ResultSize;
  readonly #maxErrors: (contextValue: unknown) => number;
  readonly #onError: ErrorBehavior;
  readonly #errors: GraphQLError[] = [];
  readonly #root: NullBoundary;
  /** Of a part: the execution of the initial answer. */
  readonly #main: Execution | undefined;
  readonly #part: Part | undefined;
  /** Undefined where nothing may come later. */
  readonly #delivery: Delivery | undefined;
  /** Parts that have not begun; undefined before the first. */
  #later: (() => void)[] | undefined;
  /** Errors of parts. */
  #laterErrors = 0;
  #data: Record<PropertyKey, unknown> | null = null;
  /** Why there will be no data. */
  #aborted: GraphQLError | undefined;
  #abortedResult: ExecutionResult | undefined;
  /** Called when nothing is awaited any more. */
  #next: (() => void) | undefined;
  #resolve: ((result: IncrementalResult) => void) | undefined;

  /** @param beside of a part. */
  constructor(
    { schema, fragments, variableValues }: OperationContext,
    operation: OperationDefinitionNode,
    selection: PreparedSelection,
    args: ExecuteArgs,
    options: ExecutionOptions,
    beside?: Beside,
  ) {
    const { rootValue, contextValue, fieldResolver, typeResolver, onError } = args;
    const { maxErrors, limits } = options;
    this.schema = schema;
    this.fragments = fragments;
    this.variableValues = variableValues;
    this.operation = operation;
    this.#rootValue = rootValue;
    this.#contextValue = contextValue;
    this.#fieldResolver = fieldResolver ?? undefined;
    this.#typeResolver = typeResolver ?? defaultTypeResolver;
    this.#maxErrors = maxErrors;
    this.#onError = onError ?? 'PROPAGATE';
    this.#size = beside ? beside.main.#size : new ResultSize(selection, limits(contextValue));
    this.#selection = selection;
    this.#args = args;
    this.#options = options;
    this.#main = beside?.main;
    this.#part = beside?.part;
    this.#root = beside ? beside.root : new NullBoundary(undefined, undefined);
    if (!args.isIncremental) return;
    this.#delivery = beside
      ? beside.main.#delivery
      : new Delivery(() => this.#leave(), args.announcesAll ?? false);
  }

  executeOperation(): MaybePromise<IncrementalResult> {
    if (this.#delivery) {
      this.#options.onIncremental?.(this.#contextValue, (path) =>
        isDeferredAt(this.#selection, path, this),
      );
    }
    try {
      this.#data =
        this.operation.operation === OperationTypeNode.MUTATION
          ? this.#executeFieldsSerially(this.#selection)
          : this.#executeFields(this.#selection, this.#rootValue, undefined);
    } catch (error) {
      this.#nullData(error);
    }
    if (this.#aborted || !this.#root.isAwaited) return this.#result();
    return new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  /** Ends it without data: later results are dropped, and no more fields are resolved. */
  #abort(error: GraphQLError, result: ExecutionResult): GraphQLError {
    if (this.#main) return this.#main.#abort(error, result);
    this.#aborted = error;
    this.#abortedResult = result;
    this.#root.isNull = true;
    this.#data = null;
    this.#size.limits.giveUp?.();
    this.#later = undefined;
    this.#finish();
    this.#delivery?.abort(error);
    return error;
  }

  /** The reader of the parts has left. */
  #leave(): void {
    if (this.#aborted) return;
    const error = new GraphQLError('The reader has left.');
    this.#abort(error, { errors: [error] });
  }

  #result(): IncrementalResult {
    if (this.#abortedResult) return this.#abortedResult;
    this.#executeLater();
    if (this.#abortedResult) return this.#abortedResult;
    const data = this.#data;
    const pending = this.#delivery?.sendInitial(this.#errors);
    if (pending && pending.length > 0) return this.#initialResult(pending);
    return this.#errors.length > 0 ? { errors: this.#errors, data } : { data };
  }

  #initialResult(pending: readonly Pending[]): IncrementalResult {
    const delivery = this.#delivery!;
    const rest: Rest = {
      pending,
      next: () => delivery.next(),
      cancel: () => delivery.cancel(),
    };
    const data = this.#data;
    return this.#errors.length > 0 ? { errors: this.#errors, data, rest } : { data, rest };
  }

  /** A value that must not be null was null, or failed, and nothing above it may be. */
  #nullData(error: unknown): void {
    if (this.#isAborted) return;
    this.#data = null;
    this.#root.isNull = true;
    this.#report(error as GraphQLError);
  }

  get #isAborted(): boolean {
    return (this.#main ?? this).#aborted !== undefined;
  }

  #report(error: GraphQLError): void {
    this.#errors.push(error);
    if (this.#main) this.#main.#laterErrors += 1;
  }

  /** Each field begins when the one before has ended. */
  #executeFieldsSerially(selection: PreparedSelection): Data {
    const data = new selection.Data();
    this.#count(selection);
    if (selection.deferred) this.#defer(selection.deferred, this.#rootValue, undefined, data);
    const executeFrom = (start: number): void => {
      for (let i = start; i < selection.fields.length; i++) {
        const field = selection.fields[i]!;
        data[field.key] = this.#executeField(field, this.#rootValue, undefined, data);
        if (this.#root.isAwaited) {
          this.#next = () => {
            executeFrom(i + 1);
          };
          return;
        }
      }
    };
    executeFrom(0);
    return data;
  }

  #executeFields(selection: PreparedSelection, source: unknown, path: Path | undefined): Data {
    const data = new selection.Data();
    this.#count(selection);
    if (selection.deferred) this.#defer(selection.deferred, source, path, data);
    for (const field of selection.fields) {
      data[field.key] = this.#executeField(field, source, path, data);
    }
    return data;
  }

  /**
   * Defers groups of fields; called before the fields below, which may belong to the same
   * `@defer`s.
   */
  #defer(
    { usages, groups }: DeferredSelections,
    source: unknown,
    path: Path | undefined,
    data: Data,
  ): void {
    const delivery = this.#delivery!;
    const place = this.#boundaryOf(path);
    delivery.begin(usages, { path, place, creator: this.#part });
    for (const group of groups) {
      const { selection } = group;
      if (this.#size.addParts(1, selection.above)) this.#checkSize();
      const fragments = group.usages.map((usage) => delivery.fragmentOf(usage, path));
      const part = new Part(path, place, data, { fragments });
      this.#executeBeside(part, (execution, root) =>
        execution.#executeFields(selection, source, path?.rooted(root)),
      );
    }
  }

  /** Executes a part when everything before it has begun, with errors and nulls of its own. */
  #executeBeside(
    part: Part,
    execute: (execution: Execution, root: NullBoundary) => Record<PropertyKey, unknown>,
  ): void {
    const main = this.#main ?? this;
    if (!main.#later) {
      main.#later = [];
      queueMicrotask(() => main.#executeLater());
    }
    main.#later.push(() => {
      if (part.place.isBelowNull) return;
      const root = new NullBoundary(undefined, undefined, part.place);
      const beside = { main, part, root };
      const execution = new Execution(
        this,
        this.operation,
        this.#selection,
        this.#args,
        this.#options,
        beside,
      );
      try {
        execution.#data = execute(execution, root);
      } catch (error) {
        execution.#nullData(error);
      }
      if (!root.isAwaited) execution.#finish();
    });
  }

  /** Begins parts, and those that they put off in their turn. */
  #executeLater(): void {
    const later = this.#later ?? [];
    for (const begin of later) {
      if (this.#aborted) break;
      begin();
    }
    this.#later = undefined;
  }

  #count(selection: PreparedSelection): void {
    if (this.#size.addObject(selection)) this.#checkSize();
  }

  #checkSize(): void {
    const error = this.#size.excess(performance.now());
    if (error) throw this.#abort(error, { errors: [error] });
  }

  /** The completed value of a field; null as long as it is awaited. */
  #executeField(
    field: PreparedField,
    source: unknown,
    parent: Path | undefined,
    data: Data,
  ): unknown {
    const { leaf } = field;
    if (field.typename !== undefined) return field.typename;
    if (!leaf || this.#fieldResolver) return this.#executeAt(field, source, parent, data);
    // Most of an answer ends here, and needs no path.
    let property: unknown;
    try {
      property = propertyOf(source, field.name);
      if (isPrimitive(property)) return this.#completeLeafValue(leaf, property);
      if (property == null && !leaf.isNonNull) return null;
    } catch (error) {
      return this.#handleFieldError(new Path(parent, field.key, field, data), error);
    }
    return this.#executeAt(field, source, parent, data, property);
  }

  /** @param property what the source has in the field's name, where that was read already. */
  #executeAt(
    field: PreparedField,
    source: unknown,
    parent: Path | undefined,
    data: Data,
    property?: unknown,
  ): unknown {
    const path = new Path(parent, field.key, field, data);
    try {
      return this.#completeOrAwait(path, this.#resolveFieldValue(path, source, property));
    } catch (error) {
      return this.#handleFieldError(path, error);
    }
  }

  /** What becomes null when a place fails that must not be null. */
  #boundaryOf(path: Path | undefined): NullBoundary {
    return path?.boundary(this.#root, this.#onError !== 'NULL') ?? this.#root;
  }

  #resolveFieldValue(path: Path, source: unknown, property: unknown): unknown {
    const { field } = path;
    const resolve = field.resolve ?? this.#fieldResolver;
    if (resolve) {
      const args = this.#coerceArgumentValues(field);
      return resolve(source, args, this.#contextValue, this.#info(path));
    }
    // Wrong arguments are an error even where no resolver reads them.
    const args = field.arguments && this.#coerceArgumentValues(field);
    const value = field.leaf ? property : propertyOf(source, field.name);
    if (typeof value !== 'function') return value;
    const method = value as (...given: unknown[]) => unknown;
    const info = this.#info(path);
    return method.call(source, args ?? dictionary(), this.#contextValue, info);
  }

  #coerceArgumentValues(field: PreparedField): ArgumentValues {
    return field.arguments ? field.arguments.coerce(this.variableValues) : dictionary();
  }

  #completeOrAwait(path: Path, value: unknown): unknown {
    return isPromiseLike(value) ? this.#await(path, value) : this.#completeValue(path, value);
  }

  /** @throws what the place cannot hold. */
  #completeValue(path: Path, value: unknown): unknown {
    const { field, shape } = path;
    if (value instanceof Error) throw value;
    if (value === null || value === undefined) {
      if (!shape.isNonNull) return null;
      throw new Error(`Cannot return null for non-nullable field ${nameOf(field)}.`);
    }
    switch (shape.kind) {
      case 'leaf':
        return this.#completeLeafValue(shape, value);
      case 'list':
        return this.#completeListValue(path, shape.item, value);
      case 'object':
        return this.#completeObjectValue(path, shape.type, value);
      case 'abstract':
        return this.#completeAbstractValue(path, shape.type, value);
    }
  }

  #completeLeafValue(shape: LeafShape, value: unknown): unknown {
    const serialized = serialize(shape, value);
    if (typeof serialized === 'string' || typeof serialized === 'object') {
      if (this.#size.addLeaf(serialized)) this.#checkSize();
    }
    return serialized;
  }

  #completeListValue(path: Path, item: Shape, values: unknown): unknown[] {
    const { field } = path;
    if (!isIterableObject(values)) {
      throw new Error(`Expected Iterable, but did not find one for field "${nameOf(field)}".`);
    }
    // Lists in this one have indices for keys.
    return field.stream && typeof path.key === 'string'
      ? this.#streamItems(path, item, values, field.stream)
      : this.#completeItems(path, item, values);
  }

  #completeItems(path: Path, item: Shape, values: Iterable<unknown>): unknown[] {
    const { field } = path;
    const isArray = Array.isArray(values);
    const list: unknown[] = [];
    try {
      if (isArray) this.#countItems(field, values.length);
      for (const value of values) {
        list.push(this.#completeItem(field, item, path, list, list.length, value));
        if (!isArray) this.#countItems(field, 1);
      }
      return list;
    } catch (error) {
      // The list is null, but rejections among its further items must be handled.
      handleRejections(values);
      throw error;
    }
  }

  /** Completes the first items, and has the others completed later. */
  #streamItems(path: Path, shape: Shape, values: Iterable<unknown>, node: FieldNode): unknown[] {
    const { field } = path;
    const asked = streamOf(node, this.variableValues);
    const all = Array.isArray(values) ? (values as readonly unknown[]) : [...values];
    const count = asked?.initialCount ?? Infinity;
    const rest = all.slice(count);
    handleRejections(rest);
    const list = this.#completeItems(path, shape, all.slice(0, count));
    if (rest.length === 0) return list;
    this.#countItems(field, rest.length);
    if (this.#size.addParts(rest.length, field)) this.#checkSize();
    const place = this.#boundaryOf(path);
    const origin = { label: asked?.label, path, place, creator: this.#part };
    const stream = new Stream(origin, list);
    this.#delivery!.beginStream(stream);
    const { streamed } = field;
    for (const [i, value] of rest.entries()) {
      const index = count + i;
      const part = new Part(path, place, list, { stream, index });
      this.#executeBeside(part, (execution, root) => {
        const holder: Record<PropertyKey, unknown> = dictionary();
        const above = path.rooted(root);
        holder[index] = execution.#completeItem(streamed, shape, above, holder, index, value);
        return holder;
      });
    }
    return list;
  }

  #countItems(field: PreparedField, count: number): void {
    if (this.#size.addItems(count, field)) this.#checkSize();
  }

  #completeItem(
    field: PreparedField,
    shape: Shape,
    parent: Path,
    container: Container,
    index: number,
    value: unknown,
  ): unknown {
    let path: Path | undefined;
    try {
      if (shape.kind === 'leaf' && isPrimitive(value)) return this.#completeLeafValue(shape, value);
      path = new Path(parent, index, field, container);
      return this.#completeOrAwait(path, value);
    } catch (error) {
      path ??= new Path(parent, index, field, container);
      return this.#handleFieldError(path, error);
    }
  }

  #completeAbstractValue(path: Path, type: GraphQLAbstractType, value: unknown): unknown {
    const resolveType = type.resolveType ?? this.#typeResolver;
    const info = this.#info(path);
    const name: unknown = resolveType(value, this.#contextValue, info, type);
    const complete = (settled: unknown): unknown => {
      const found = this.#objectTypeOf(path.field, type, settled, value);
      return this.#completeObjectValue(path, found, value);
    };
    return isPromiseLike(name) ? this.#await(path, name, complete) : complete(name);
  }

  #objectTypeOf(
    field: PreparedField,
    abstract: GraphQLAbstractType,
    name: unknown,
    value: unknown,
  ): GraphQLObjectType {
    const type = typeof name === 'string' ? this.schema.getType(name) : undefined;
    if (isObjectType(type) && this.schema.isSubType(abstract, type)) return type;
    throw new Error(wrongTypeMessage(field, abstract, name, type, value));
  }

  #completeObjectValue(path: Path, type: GraphQLObjectType, value: unknown): unknown {
    const selection = path.field.below(type, this);
    if (!type.isTypeOf) return this.#executeFields(selection, value, path);
    const isTypeOf = type.isTypeOf(value, this.#contextValue, this.#info(path));
    const complete = (settled: unknown): unknown => {
      if (settled) return this.#executeFields(selection, value, path);
      throw new Error(`Expected value of type "${type.name}" but got: ${inspect(value)}.`);
    };
    return isPromiseLike(isTypeOf) ? this.#await(path, isTypeOf, complete) : complete(isTypeOf);
  }

  /**
   * Completes the place when the promise is fulfilled; null until then.
   *
   * @param complete what makes the completed value of it. @default completeValue
   */
  #await(path: Path, promise: PromiseLike<unknown>, complete?: (value: unknown) => unknown): null {
    const boundary = this.#boundaryOf(path.prev);
    boundary.await();
    // Other thenables may call back at once, or twice.
    const native = promise instanceof Promise ? promise : Promise.resolve(promise);
    native.then(
      (value: unknown) => {
        this.#fulfilled(path, boundary, value, complete);
      },
      (error: unknown) => {
        this.#rejected(path, boundary, error);
      },
    );
    if (this.#size.addAwaited(path.field)) this.#checkSize();
    return null;
  }

  #fulfilled(
    path: Path,
    boundary: NullBoundary,
    value: unknown,
    complete: ((value: unknown) => unknown) | undefined,
  ): void {
    if (boundary.isBelowNull) handleRejections(value);
    else {
      try {
        path.put(complete ? complete(value) : this.#completeValue(path, value));
      } catch (error) {
        this.#rejected(path, boundary, error);
        return;
      }
    }
    this.#settle(boundary);
  }

  #rejected(path: Path, boundary: NullBoundary, cause: unknown): void {
    // One turn of microtasks later, as graphql-js does: its clients know errors in that order.
    queueMicrotask(() => {
      if (!boundary.isBelowNull) {
        try {
          path.put(this.#handleFieldError(path, cause));
        } catch (error) {
          this.#nullBoundary(boundary, error as GraphQLError);
        }
      }
      this.#settle(boundary);
    });
  }

  /** An awaited place failed, and nothing between it and the boundary may be null. */
  #nullBoundary(boundary: NullBoundary, error: GraphQLError): void {
    if (boundary === this.#root) {
      this.#nullData(error);
      this.#finish();
    } else {
      if (!this.#isFull) this.#report(error);
      boundary.leave();
    }
  }

  #settle(boundary: NullBoundary): void {
    boundary.settle();
    if (this.#root.isAwaited) return;
    const next = this.#next;
    this.#next = undefined;
    if (next && !this.#root.isNull) {
      try {
        next();
      } catch (error) {
        this.#nullData(error);
      }
    }
    if (!this.#root.isAwaited) this.#finish();
  }

  #finish(): void {
    if (this.#part) {
      const data = this.#part.index === undefined ? this.#data : this.#data?.[this.#part.index];
      this.#delivery!.end(this.#part, { data, isFailed: this.#root.isNull, errors: this.#errors });
      return;
    }
    this.#resolve?.(this.#result());
    this.#resolve = undefined;
  }

  /** @throws the error, with its path, where the place must not be null. */
  #handleFieldError(path: Path, cause: unknown): null {
    const { field, shape } = path;
    const aborted = (this.#main ?? this).#aborted;
    if (aborted) throw aborted;
    if (this.#size.addFailed(field)) this.#checkSize();
    const propagates = shape.isNonNull && this.#onError !== 'NULL';
    if (!propagates) path.nullify();
    if (!propagates && this.#isFull && this.#onError !== 'ABORT') return null;
    const error = locatedError(cause, field.nodes, responsePathAsArray(path));
    if (this.#onError === 'ABORT') throw this.#abort(error, { errors: [error], data: null });
    if (propagates) throw error;
    this.#report(error);
    return null;
  }

  /** Whether one more error would not be reported. */
  get #isFull(): boolean {
    const main = this.#main ?? this;
    return main.#errors.length + main.#laterErrors >= this.#maxErrors(this.#contextValue);
  }

  #info(path: Path): GraphQLResolveInfo {
    const { field } = path;
    return {
      fieldName: field.name,
      fieldNodes: field.nodes,
      returnType: field.definition.type,
      parentType: field.parentType,
      path,
      schema: this.schema,
      fragments: this.fragments,
      rootValue: this.#rootValue,
      operation: this.operation,
      variableValues: this.variableValues,
    };
  }
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

const isPrimitive = (value: unknown): boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';

const isPromiseLike = (value: unknown): value is PromiseLike<unknown> =>
  (isObject(value) || typeof value === 'function') &&
  typeof (value as { then?: unknown }).then === 'function';

const propertyOf = (source: unknown, name: string): unknown =>
  isObject(source) || typeof source === 'function' ? (source as Data)[name] : undefined;

/** Handles rejections in a value that is completed later, or never. */
function handleRejections(value: unknown): void {
  if (isPromiseLike(value)) Promise.resolve(value).then(handleRejections, () => {});
  else if (Array.isArray(value) || value instanceof Set) value.forEach(handleRejections);
}

/** @throws the type's error for the value. */
function serialize({ type, scalar }: LeafShape, value: unknown): unknown {
  switch (scalar) {
    case 'text':
      if (typeof value === 'string') return value;
      break;
    case 'boolean':
      if (typeof value === 'boolean') return value;
      break;
    case 'int':
      if (typeof value === 'number' && (value | 0) === value) return value;
      break;
    case 'float':
      if (typeof value === 'number' && Number.isFinite(value)) return value;
      break;
  }
  let serialized: unknown;
  try {
    serialized = type.serialize(value);
  } catch (error) {
    // Without a code it was not written for callers, and may repeat what a source answered.
    const isForCallers = !(error instanceof GraphQLError) || 'code' in error.extensions;
    throw isForCallers ? error : new Error(error.message);
  }
  if (isPromiseLike(serialized)) {
    handleRejections(serialized);
    throw new Error(`"${type.name}.serialize" must answer at once, and answered a promise.`);
  }
  if (serialized !== null && serialized !== undefined) return serialized;
  throw new Error(
    `Expected \`${type.name}.serialize(${inspect(value)})\` to return non-nullable value, returned: ${String(serialized)}`,
  );
}

/** @param type the schema's type of that name. */
function wrongTypeMessage(
  field: PreparedField,
  abstract: GraphQLAbstractType,
  name: unknown,
  type: GraphQLNamedType | undefined,
  value: unknown,
): string {
  const unresolved = `Abstract type "${abstract.name}" must resolve to an Object type at runtime for field "${nameOf(field)}"`;
  if (name === null || name === undefined) {
    return `${unresolved}. Either the "${abstract.name}" type should provide a "resolveType" function or each possible type should provide an "isTypeOf" function.`;
  }
  if (isObjectType(name)) {
    return 'Support for returning GraphQLObjectType from resolveType was removed in graphql-js@16.0.0 please return type name instead.';
  }
  if (typeof name !== 'string') {
    return `${unresolved} with value ${inspect(value)}, received "${inspect(name)}".`;
  }
  if (!type) {
    return `Abstract type "${abstract.name}" was resolved to a type "${name}" that does not exist inside the schema.`;
  }
  return isObjectType(type)
    ? `Runtime Object type "${name}" is not a possible type for "${abstract.name}".`
    : `Abstract type "${abstract.name}" was resolved to a non-object type "${name}".`;
}
