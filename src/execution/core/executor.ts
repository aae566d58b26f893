/**
 * `ExecuteQuery`, `ExecuteMutation` and their algorithms in the specification, with bounds on the result.
 *
 * An awaited value is null in the result until it arrives, so objects and lists need no promises. Incremental delivery
 * uses and overrides the protected methods.
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
  type GraphQLAbstractType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  type OperationDefinitionNode,
} from 'graphql';
import { isDeepStrictEqual } from 'node:util';
import { inspect } from 'graphql/jsutils/inspect.js';
import { isIterableObject } from 'graphql/jsutils/isIterableObject.js';
import { dictionary } from '../../lib/dictionary.ts';
import { copyLeaves } from './plain-leaves.ts';
import type { ResultBounds } from './result-bounds.ts';
import type { ArgumentValues } from '../operation/arguments.ts';
import type { OperationContext } from '../operation/collect-fields.ts';
import {
  nameOf,
  type Data,
  type LeafShape,
  type PreparedField,
  type PreparedSelection,
  type Shape,
} from '../operation/prepared-selection.ts';
import {
  handleRejections,
  isPrimitive,
  isPromiseLike,
  propertyOf,
  serialize,
  type MaybePromise,
} from './resolved-value.ts';
import { NullBoundary, ResponsePosition, type Container } from './response-position.ts';
import { continueLater, isTickOver } from './ticks.ts';

/**
 * Effect of a failed field. `PROPAGATE`: an error at a non-null position nulls the nearest nullable position above it.
 * `NULL`: only the field is null. `ABORT`: there is no data, and execution stops.
 *
 * Source: https://github.com/graphql/graphql-spec/pull/1163
 */
export type ErrorBehavior = 'PROPAGATE' | 'NULL' | 'ABORT';

export interface ExecutorArgs extends Pick<
  ExecutionArgs,
  'rootValue' | 'contextValue' | 'fieldResolver' | 'typeResolver'
> {
  /** @default PROPAGATE */
  readonly onError?: ErrorBehavior | undefined;
}

/** Arguments of an execution. */
export interface ExecutionRequest {
  readonly context: OperationContext;
  readonly operation: OperationDefinitionNode;
  readonly selection: PreparedSelection;
  readonly args: ExecutorArgs;
}

/** A failed field. */
interface FailedField {
  readonly position: ResponsePosition;
  readonly cause: unknown;
}

/** Shared arguments of fields without any. */
const NO_ARGUMENTS: ArgumentValues = Object.freeze(dictionary<unknown>());

export class Executor {
  protected readonly request: ExecutionRequest;
  protected readonly bounds: ResultBounds;
  protected readonly root: NullBoundary;
  protected data: Data | null = null;
  readonly #context: OperationContext;
  readonly #args: ExecutorArgs;
  /** Errors are located on demand, since an aborted execution may have thousands. */
  readonly #failures: (GraphQLError | FailedField)[] = [];
  #errors: GraphQLError[] | undefined;
  /** Cause of the latest located error; alike ones share it. */
  #cause: GraphQLError | undefined;
  #aborted: { readonly error: GraphQLError; readonly result: ExecutionResult } | undefined;
  /** Begins the next field of a mutation when all awaited values have arrived. */
  #next: (() => void) | undefined;
  #resolve: ((result: ExecutionResult) => void) | undefined;

  /** @param bounds shared by the executions of one request. */
  constructor(
    request: ExecutionRequest,
    bounds: ResultBounds,
    root = new NullBoundary(undefined, undefined),
  ) {
    this.request = request;
    this.bounds = bounds;
    this.root = root;
    this.#context = request.context;
    this.#args = request.args;
  }

  executeOperation(): MaybePromise<ExecutionResult> {
    const { operation, selection } = this.request;
    try {
      this.data =
        operation.operation === OperationTypeNode.MUTATION
          ? this.#executeFieldsSerially(selection)
          : this.executeFields(selection, this.#args.rootValue, undefined);
    } catch (error) {
      this.nullData(error);
    }
    if (this.abortError || !this.root.isAwaited) return this.result();
    return new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  /** Ends the execution with this result. Later values are dropped, and no further fields are resolved. */
  protected abort(error: GraphQLError, result: ExecutionResult): GraphQLError {
    this.bounds.limits.onAbort?.();
    this.#aborted = { error, result };
    this.root.isNull = true;
    this.data = null;
    this.finish();
    return error;
  }

  /** Undefined unless the execution was aborted. */
  protected get abortError(): GraphQLError | undefined {
    return this.#aborted?.error;
  }

  /** Errors of all failed fields. Use only after all awaited values have arrived. */
  protected get errors(): GraphQLError[] {
    return (this.#errors ??= this.#failures.map((one) =>
      one instanceof Error ? one : this.#located(one.position, one.cause),
    ));
  }

  /** Returns the result. Called once, after all awaited values have arrived. */
  protected result(): ExecutionResult {
    if (this.#aborted) return this.#aborted.result;
    const { data, errors } = this;
    return errors.length > 0 ? { errors, data } : { data };
  }

  /** Called when all awaited values have arrived. */
  protected finish(): void {
    this.#resolve?.(this.result());
    this.#resolve = undefined;
  }

  /** Nulls the data: a non-null value failed or was null, and so are all positions above it. */
  protected nullData(error: unknown): void {
    if (this.abortError) return;
    this.data = null;
    this.root.isNull = true;
    this.#report(error as GraphQLError);
  }

  #report(failure: GraphQLError | FailedField): void {
    this.bounds.addError();
    this.#failures.push(failure);
  }

  /** @throws the error of an exceeded limit; the execution is aborted. */
  protected checkBounds(): void {
    const nowMs = performance.now();
    const error = this.bounds.excess(nowMs);
    if (error) throw this.abort(error, { errors: [error] });
    this.bounds.isPaused = isTickOver(nowMs);
  }

  /** Continues in a later tick. */
  protected pause(resume: () => void): void {
    continueLater(() => {
      this.bounds.isPaused = false;
      resume();
    });
  }

  /** Begins each field after the end of the previous one. */
  #executeFieldsSerially(selection: PreparedSelection): Data {
    if (this.bounds.addObject(selection)) this.checkBounds();
    const data = new selection.Data();
    const executeFrom = (start: number): void => {
      for (let i = start; i < selection.fields.length; i++) {
        const field = selection.fields[i]!;
        data[field.key] = this.#executeField(field, this.#args.rootValue, undefined, data);
        if (this.root.isAwaited) {
          // Named, so that V8 does not allocate it in its old generation.
          const next = (): void => executeFrom(i + 1);
          this.#next = next;
          return;
        }
      }
    };
    executeFrom(0);
    return data;
  }

  protected executeFields(
    selection: PreparedSelection,
    source: unknown,
    position: ResponsePosition | undefined,
  ): Data {
    if (this.bounds.addObject(selection)) this.checkBounds();
    const data = new selection.Data();
    const bytes = this.#args.fieldResolver ? -1 : copyLeaves(selection, source, data);
    for (const field of bytes < 0 ? selection.fields : selection.others) {
      data[field.key] = this.#executeField(field, source, position, data);
    }
    if (bytes > 0 && this.bounds.addLeaves(bytes)) this.checkBounds();
    return data;
  }

  /** Returns the completed value of a field; null while it is awaited. */
  #executeField(
    field: PreparedField,
    source: unknown,
    parent: ResponsePosition | undefined,
    data: Data,
  ): unknown {
    if (field.typename !== undefined) return field.typename;
    let position: ResponsePosition | undefined;
    let property: unknown;
    try {
      const { leaf } = field;
      if (leaf && !this.#args.fieldResolver) {
        // Fast path for most values, without a position.
        property = propertyOf(source, field.name);
        if (isPrimitive(property)) return this.#completeLeafValue(leaf, property);
        if (property == null && !leaf.isNonNull) return null;
      }
      position = new ResponsePosition(parent, field.key, field, field.shape, data);
      return this.#completeOrAwait(position, this.#resolveFieldValue(position, source, property));
    } catch (error) {
      position ??= new ResponsePosition(parent, field.key, field, field.shape, data);
      return this.#handleFieldError(position, error);
    }
  }

  /** Returns the boundary that a failed non-null position nulls. */
  protected boundaryOf(position: ResponsePosition | undefined): NullBoundary {
    return position?.boundary(this.root, this.#args.onError !== 'NULL') ?? this.root;
  }

  /** @param property property of a leaf's source, which was already read. */
  #resolveFieldValue(position: ResponsePosition, source: unknown, property: unknown): unknown {
    const { field } = position;
    const resolve = field.resolve ?? this.#args.fieldResolver;
    if (resolve) {
      const args = this.#coerceArgumentValues(field);
      return resolve(source, args, this.#args.contextValue, this.#info(position));
    }
    // Invalid arguments are an error even without a resolver.
    const args = field.arguments && this.#coerceArgumentValues(field);
    const value = field.leaf ? property : propertyOf(source, field.name);
    if (typeof value !== 'function') return value;
    const method = value as (...given: unknown[]) => unknown;
    const info = this.#info(position);
    return method.call(source, args ?? NO_ARGUMENTS, this.#args.contextValue, info);
  }

  #coerceArgumentValues(field: PreparedField): ArgumentValues {
    return field.arguments?.coerce(this.#context.variableValues) ?? NO_ARGUMENTS;
  }

  #completeOrAwait(position: ResponsePosition, value: unknown): unknown {
    return isPromiseLike(value)
      ? this.#awaitValue(position, value)
      : this.#completeValue(position, value);
  }

  /** @throws the error of an invalid value. */
  #completeValue(position: ResponsePosition, value: unknown): unknown {
    const { field, shape } = position;
    if (value instanceof Error) throw value;
    if (value === null || value === undefined) {
      if (!shape.isNonNull) return null;
      throw new Error(`Cannot return null for non-nullable field ${nameOf(field)}.`);
    }
    switch (shape.kind) {
      case 'leaf':
        return this.#completeLeafValue(shape, value);
      case 'list':
        return this.completeListValue(position, shape.item, value);
      case 'object':
        return this.#completeObjectValue(position, shape.type, value);
      case 'abstract':
        return this.#completeAbstractValue(position, shape.type, value);
    }
  }

  #completeLeafValue(shape: LeafShape, value: unknown): unknown {
    const serialized = serialize(shape, value);
    if (typeof serialized === 'string' || typeof serialized === 'object') {
      if (this.bounds.addLeaf(serialized)) this.checkBounds();
    }
    return serialized;
  }

  protected completeListValue(position: ResponsePosition, item: Shape, values: unknown): unknown[] {
    if (isIterableObject(values)) return this.completeItems(position, item, values);
    const name = nameOf(position.field);
    throw new Error(`Expected Iterable, but did not find one for field "${name}".`);
  }

  /** Items of arrays are counted together, those of other iterables one by one. */
  protected completeItems(
    position: ResponsePosition,
    item: Shape,
    values: Iterable<unknown>,
  ): unknown[] {
    const { field } = position;
    const isArray = Array.isArray(values);
    const list: unknown[] = [];
    try {
      if (isArray) {
        this.countItems(field, values.length);
        this.#completeArray(position, item, list, values);
        // After a pause, promised items may reject before their turn.
        if (list.length < values.length) handleRejections(values);
        return list;
      }
      for (const value of values) {
        list.push(this.completeItem(position, item, list, list.length, value));
        this.countItems(field, 1);
      }
      return list;
    } catch (error) {
      // The list is null, but rejections of further items must be handled.
      handleRejections(values);
      throw error;
    }
  }

  /** Completes the items that the list does not have yet. */
  #completeArray(
    position: ResponsePosition,
    item: Shape,
    list: unknown[],
    values: readonly unknown[],
  ): void {
    for (let i = list.length; i < values.length; i++) {
      if (this.bounds.isPaused) {
        this.#completeLater(position, item, list, values);
        return;
      }
      list.push(this.completeItem(position, item, list, i, values[i]));
    }
  }

  #completeLater(
    position: ResponsePosition,
    item: Shape,
    list: unknown[],
    values: readonly unknown[],
  ): void {
    const boundary = this.boundaryOf(position.prev);
    boundary.await();
    this.pause(() => {
      try {
        if (!this.boundaryOf(position).isBelowNull)
          this.#completeArray(position, item, list, values);
      } catch (error) {
        this.#rejected(position, boundary, error);
        return;
      }
      this.#settle(boundary);
    });
  }

  protected countItems(field: PreparedField, count: number): void {
    if (this.bounds.addItems(count, field)) this.checkBounds();
  }

  protected completeItem(
    list: ResponsePosition,
    shape: Shape,
    container: Container,
    index: number,
    value: unknown,
  ): unknown {
    let position: ResponsePosition | undefined;
    try {
      if (shape.kind === 'leaf' && isPrimitive(value)) return this.#completeLeafValue(shape, value);
      position = new ResponsePosition(list, index, list.field, shape, container);
      return this.#completeOrAwait(position, value);
    } catch (error) {
      position ??= new ResponsePosition(list, index, list.field, shape, container);
      return this.#handleFieldError(position, error);
    }
  }

  #completeAbstractValue(
    position: ResponsePosition,
    type: GraphQLAbstractType,
    value: unknown,
  ): unknown {
    const resolveType = type.resolveType ?? this.#args.typeResolver ?? defaultTypeResolver;
    const info = this.#info(position);
    const name: unknown = resolveType(value, this.#args.contextValue, info, type);
    const complete = (settled: unknown): unknown => {
      const found = this.#objectTypeOf(position.field, type, settled, value);
      return this.#completeObjectValue(position, found, value);
    };
    return isPromiseLike(name) ? this.#awaitValue(position, name, complete) : complete(name);
  }

  #objectTypeOf(
    field: PreparedField,
    abstract: GraphQLAbstractType,
    name: unknown,
    value: unknown,
  ): GraphQLObjectType {
    const { schema } = this.#context;
    const type = typeof name === 'string' ? schema.getType(name) : undefined;
    if (isObjectType(type) && schema.isSubType(abstract, type)) return type;
    throw new Error(wrongTypeMessage(field, abstract, name, type, value));
  }

  #completeObjectValue(
    position: ResponsePosition,
    type: GraphQLObjectType,
    value: unknown,
  ): unknown {
    const selection = position.field.below(type, this.#context);
    if (!type.isTypeOf) return this.executeFields(selection, value, position);
    const isTypeOf = type.isTypeOf(value, this.#args.contextValue, this.#info(position));
    const complete = (settled: unknown): unknown => {
      if (settled) return this.executeFields(selection, value, position);
      throw new Error(`Expected value of type "${type.name}" but got: ${inspect(value)}.`);
    };
    return isPromiseLike(isTypeOf)
      ? this.#awaitValue(position, isTypeOf, complete)
      : complete(isTypeOf);
  }

  /**
   * Completes the position when the promise is fulfilled; null until then.
   *
   * @param complete completes the fulfilled value. @default completeValue
   */
  #awaitValue(
    position: ResponsePosition,
    promise: PromiseLike<unknown>,
    complete?: (value: unknown) => unknown,
  ): null {
    const boundary = this.boundaryOf(position.prev);
    boundary.await();
    // Other thenables may call back synchronously, or twice.
    const native = promise instanceof Promise ? promise : Promise.resolve(promise);
    native.then(
      (value: unknown) => {
        this.#fulfilled(position, boundary, value, complete);
      },
      (error: unknown) => {
        this.#rejected(position, boundary, error);
      },
    );
    if (this.bounds.addAwaited(position.field)) this.checkBounds();
    return null;
  }

  #fulfilled(
    position: ResponsePosition,
    boundary: NullBoundary,
    value: unknown,
    complete: ((value: unknown) => unknown) | undefined,
  ): void {
    if (boundary.isBelowNull) handleRejections(value);
    else if (this.bounds.isPaused) {
      handleRejections(value);
      this.pause(() => {
        this.#fulfilled(position, boundary, value, complete);
      });
      return;
    } else {
      try {
        position.put(complete ? complete(value) : this.#completeValue(position, value));
      } catch (error) {
        this.#rejected(position, boundary, error);
        return;
      }
    }
    this.#settle(boundary);
  }

  #rejected(position: ResponsePosition, boundary: NullBoundary, cause: unknown): void {
    // One microtask later, for the same order of errors as in graphql-js.
    queueMicrotask(() => {
      if (!boundary.isBelowNull) {
        try {
          position.put(this.#handleFieldError(position, cause));
        } catch (error) {
          this.#nullBoundary(boundary, error as GraphQLError);
        }
      }
      this.#settle(boundary);
    });
  }

  /** Nulls a boundary after the failure of an awaited position. */
  #nullBoundary(boundary: NullBoundary, error: GraphQLError): void {
    if (boundary === this.root) {
      this.nullData(error);
      this.finish();
    } else {
      if (this.bounds.hasRoomForErrors) this.#report(error);
      boundary.leave();
    }
  }

  #settle(boundary: NullBoundary): void {
    boundary.settle();
    if (this.root.isAwaited) return;
    const next = this.#next;
    this.#next = undefined;
    if (next && !this.root.isNull) {
      try {
        next();
      } catch (error) {
        this.nullData(error);
      }
    }
    if (!this.root.isAwaited) this.finish();
  }

  /** @throws the located error at a non-null position. */
  #handleFieldError(position: ResponsePosition, cause: unknown): null {
    const { field, shape } = position;
    if (this.abortError) throw this.abortError;
    if (this.bounds.addFailed(field)) this.checkBounds();
    if (this.#args.onError === 'ABORT') {
      const error = this.#located(position, cause);
      throw this.abort(error, { errors: [error], data: null });
    }
    if (shape.isNonNull && this.#args.onError !== 'NULL') throw this.#located(position, cause);
    position.nullify();
    if (this.bounds.hasRoomForErrors) this.#report({ position, cause });
    return null;
  }

  /** An error's stack is formatted, which takes as long as ten fields, and one variable can fail thousands of them. */
  #located(position: ResponsePosition, cause: unknown): GraphQLError {
    const earlier = this.#cause;
    const isRepeated = earlier && cause instanceof GraphQLError && areAlike(earlier, cause);
    if (!isRepeated && cause instanceof GraphQLError) this.#cause = cause;
    const { nodes } = position.field;
    return locatedError(isRepeated ? earlier : cause, nodes, responsePathAsArray(position));
  }

  #info(position: ResponsePosition): GraphQLResolveInfo {
    const { field } = position;
    const { schema, fragments, variableValues } = this.#context;
    return {
      fieldName: field.name,
      fieldNodes: field.nodes,
      returnType: field.definition.type,
      parentType: field.parentType,
      path: position,
      schema,
      fragments,
      rootValue: this.#args.rootValue,
      operation: this.request.operation,
      variableValues,
    };
  }
}

/** Whether errors say the same, of no place. */
const areAlike = (some: GraphQLError, other: GraphQLError): boolean =>
  some.message === other.message &&
  isPlain(some) &&
  isPlain(other) &&
  isDeepStrictEqual(some.extensions, other.extensions);

const isPlain = ({ nodes, source, path, originalError }: GraphQLError): boolean =>
  !nodes && !source && !path && !originalError;

/** @param type the schema's type of the resolved name. */
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
