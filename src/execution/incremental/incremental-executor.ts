/**
 * An executor with support for `@defer` and `@stream`, whose fields and items are executed as separate tasks.
 *
 * Each task has its own executor, with separate errors and null propagation. `Delivery` decides when results are sent.
 *
 * Source: https://github.com/graphql/graphql-spec/pull/1110
 */
import {
  GraphQLError,
  isObjectType,
  type ExecutionResult,
  type FieldNode,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
} from 'graphql';
import { isIterableObject } from 'graphql/jsutils/isIterableObject.js';
import { dictionary } from '../../lib/dictionary.ts';
import type { ResultBounds } from '../core/result-bounds.ts';
import { Executor, type ExecutionRequest } from '../core/executor.ts';
import { handleRejections } from '../core/resolved-value.ts';
import { NullBoundary, type ResponsePosition } from '../core/response-position.ts';
import type { OperationContext } from '../operation/collect-fields.ts';
import type {
  Data,
  PreparedField,
  PreparedSelection,
  Shape,
} from '../operation/prepared-selection.ts';
import { streamOf } from '../operation/defer-and-stream.ts';
import {
  Delivery,
  Task,
  type DeliveredPayload,
  type FragmentDelivery,
  type PendingResult,
} from './delivery.ts';

/** An initial result, possibly followed by payloads. */
export interface IncrementalResult extends ExecutionResult {
  /** Undefined if the result is complete. */
  readonly subsequent?: SubsequentResults;
}

export interface SubsequentResults {
  readonly pending: readonly PendingResult[];
  /** Returns the next payload; undefined after the last one. */
  next(): Promise<DeliveredPayload | undefined>;
  /** Cancels the remaining execution. */
  cancel(): void;
}

export class IncrementalExecutor extends Executor {
  readonly #delivery: Delivery;
  /** Executor of the initial result; undefined for that itself. */
  readonly #initial: IncrementalExecutor | undefined;
  readonly #task: Task | undefined;
  /** Tasks that wait for the initial result. */
  #waiting: (() => void)[] | undefined;

  /**
   * @param delivery how fragments are delivered, or the executor of the initial result.
   * @param task undefined for the initial result.
   */
  constructor(
    request: ExecutionRequest,
    bounds: ResultBounds,
    delivery: FragmentDelivery | IncrementalExecutor,
    task?: Task,
  ) {
    super(request, bounds, new NullBoundary(undefined, undefined, task?.boundary));
    this.#task = task;
    if (typeof delivery === 'string') this.#delivery = new Delivery(() => this.#leave(), delivery);
    else {
      this.#initial = delivery;
      this.#delivery = delivery.#delivery;
    }
  }

  protected override abort(error: GraphQLError, result: ExecutionResult): GraphQLError {
    if (this.#initial) return this.#initial.abort(error, result);
    this.#waiting = undefined;
    super.abort(error, result);
    this.#delivery.abort(error);
    return error;
  }

  protected override get abortError(): GraphQLError | undefined {
    return this.#initial ? this.#initial.abortError : super.abortError;
  }

  protected override result(): IncrementalResult {
    if (!this.abortError) this.#executeTasks();
    if (this.abortError) return super.result();
    const delivery = this.#delivery;
    // First, since data and errors of ended tasks are inlined into the result.
    const pending = delivery.sendInitial(this.data, this.errors);
    if (pending.length === 0) return super.result();
    const subsequent = { pending, next: () => delivery.next(), cancel: () => delivery.cancel() };
    return { ...super.result(), subsequent };
  }

  protected override finish(): void {
    const task = this.#task;
    if (!task) {
      super.finish();
      return;
    }
    const data = task.item ? this.data?.[task.item.index] : (this.data ?? undefined);
    this.#delivery.end(task, { data, errors: this.errors });
  }

  /** Called if the reader of the payloads disconnects. */
  #leave(): void {
    if (this.abortError) return;
    const error = new GraphQLError('The client disconnected.');
    this.abort(error, { errors: [error] });
  }

  /** Defers groups of fields before executing the others, whose subfields may belong to the same `@defer`s. */
  protected override executeFields(
    selection: PreparedSelection,
    source: unknown,
    position: ResponsePosition | undefined,
  ): Data {
    this.#defer(selection, source, position);
    return super.executeFields(selection, source, position);
  }

  #defer(
    { begun, groups }: PreparedSelection,
    source: unknown,
    position: ResponsePosition | undefined,
  ): void {
    if (begun.length === 0 && groups.length === 0) return;
    const boundary = this.boundaryOf(position);
    this.#delivery.begin(begun, { position, boundary, creator: this.#task });
    for (const group of groups) {
      if (this.bounds.addExecutions(1, group.above)) this.checkBounds();
      const fragments = group.usages.map((usage) => this.#delivery.fragmentOf(usage, position));
      const task = new Task(position, boundary, fragments);
      this.#executeTask(task, (executor) =>
        executor.executeFields(group, source, position?.below(executor.root)),
      );
    }
  }

  protected override completeListValue(
    position: ResponsePosition,
    item: Shape,
    values: unknown,
  ): unknown[] {
    const { field, key } = position;
    // Nested lists have indexes as keys, and are not streamed.
    return field.stream && typeof key === 'string' && isIterableObject(values)
      ? this.#streamItems(position, field, field.stream, item, values)
      : super.completeListValue(position, item, values);
  }

  /** Completes the first items, and creates tasks for the others. */
  #streamItems(
    position: ResponsePosition,
    field: PreparedField,
    node: FieldNode,
    shape: Shape,
    values: Iterable<unknown>,
  ): unknown[] {
    const directive = streamOf(node, this.request.context.variableValues);
    const all = Array.isArray(values) ? (values as readonly unknown[]) : [...values];
    const count = directive?.initialCount ?? Infinity;
    const streamed = all.slice(count);
    handleRejections(streamed);
    const list = this.completeItems(position, shape, all.slice(0, count));
    if (streamed.length === 0) return list;
    this.countItems(field, streamed.length);
    if (this.bounds.addExecutions(streamed.length, field)) this.checkBounds();
    const boundary = this.boundaryOf(position);
    const origin = { label: directive?.label, position, boundary, creator: this.#task };
    const stream = this.#delivery.beginStream(origin, list);
    for (const [i, value] of streamed.entries()) {
      const index = count + i;
      const task = new Task(position, boundary, [], { stream, index });
      this.#executeTask(task, (executor) => {
        const data: Data = dictionary();
        const above = position.below(executor.root, field.streamed);
        data[index] = executor.completeItem(above, shape, data, index, value);
        return data;
      });
    }
    return list;
  }

  /** Executes a task when the whole initial result has begun, at the latest before it is sent. */
  #executeTask(task: Task, execute: (executor: IncrementalExecutor) => Data): void {
    const initial = this.#initial ?? this;
    if (!initial.#waiting) {
      initial.#waiting = [];
      queueMicrotask(() => initial.#executeTasks());
    }
    initial.#waiting.push(() => {
      if (task.boundary.isBelowNull) return;
      const executor = new IncrementalExecutor(this.request, this.bounds, initial, task);
      try {
        executor.data = execute(executor);
      } catch (error) {
        executor.nullData(error);
      }
      if (!executor.root.isAwaited) executor.finish();
    });
  }

  /** Begins waiting tasks, and those that they add. */
  #executeTasks(): void {
    const waiting = this.#waiting ?? [];
    while (waiting.length > 0 && !this.abortError) {
      if (this.bounds.isPaused) {
        this.pause(() => {
          this.#executeTasks();
        });
        return;
      }
      waiting.shift()!();
    }
    this.#waiting = undefined;
  }
}

/** Whether the position at a path is executed separately from the initial result. */
export function isDeferredAt(
  operation: PreparedSelection,
  path: GraphQLResolveInfo['path'],
  context: OperationContext,
): boolean {
  const steps: GraphQLResolveInfo['path'][] = [];
  for (let step: GraphQLResolveInfo['path'] | undefined = path; step; step = step.prev) {
    steps.unshift(step);
  }
  let field: PreparedField | undefined;
  for (const { key, typename } of steps) {
    if (typeof key === 'number') {
      const node = field?.stream;
      const stream = node && streamOf(node, context.variableValues);
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
