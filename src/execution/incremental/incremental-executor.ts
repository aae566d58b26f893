/**
 * An executor that honours `@defer` and `@stream`: it executes their fields and items as tasks of their own.
 *
 * A task is executed by an executor of its own, beside the one of the initial result, with errors and nulls of
 * its own. When results are sent is decided by `Delivery`.
 *
 * Source: https://github.com/graphql/graphql-spec/pull/1110
 */
import { GraphQLError, type ExecutionResult, type FieldNode } from 'graphql';
import { isIterableObject } from 'graphql/jsutils/isIterableObject.js';
import { dictionary } from '../../lib/dictionary.ts';
import type { Bounds } from '../bounds/bounds.ts';
import { Executor, type OperationRequest } from '../core/executor.ts';
import { handleRejections } from '../core/resolved-value.ts';
import { NullBoundary, type ResponsePosition } from '../core/response-position.ts';
import type { Data, PreparedSelection, Shape } from '../operation/prepared-selection.ts';
import { streamOf } from './defer-and-stream.ts';
import { Delivery, Task, type Payload, type Pending } from './delivery.ts';
import { IncrementalField, IncrementalSelection } from './incremental-selection.ts';

/** A result, which payloads may follow. */
export interface IncrementalResult extends ExecutionResult {
  /** Undefined when the result is whole. */
  readonly subsequent?: SubsequentResults;
}

export interface SubsequentResults {
  readonly pending: readonly Pending[];
  /** The next payload; undefined after the last one. */
  next(): Promise<Payload | undefined>;
  /** Says that its reader has left: no more fields are resolved. */
  cancel(): void;
}

interface TaskExecution {
  /** The executor of the initial result. */
  readonly initial: IncrementalExecutor;
  readonly task: Task;
  readonly root: NullBoundary;
}

export class IncrementalExecutor extends Executor {
  readonly #delivery: Delivery;
  /** Of a task: the executor of the initial result. */
  readonly #initial: IncrementalExecutor | undefined;
  readonly #task: Task | undefined;
  /** Of the initial result: begin the tasks that wait for it; undefined before the first. */
  #waiting: (() => void)[] | undefined;

  /**
   * @param announcesAll whether fragments whose data the initial result has are announced too, for clients
   *   that wait for each.
   * @param execution of a task; undefined for the initial result.
   */
  constructor(
    request: OperationRequest,
    bounds: Bounds,
    announcesAll: boolean,
    execution?: TaskExecution,
  ) {
    super(request, bounds, execution?.root);
    this.#initial = execution?.initial;
    this.#task = execution?.task;
    this.#delivery = execution
      ? execution.initial.#delivery
      : new Delivery(() => this.#leave(), announcesAll);
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
    // Before the result is made: data and errors of tasks that have ended come into it.
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
    const data = task.item ? this.data?.[task.item.index] : this.data;
    this.#delivery.end(task, { data, isFailed: this.root.isNull, errors: this.errors });
  }

  /** The reader of the payloads has left. */
  #leave(): void {
    if (this.abortError) return;
    const error = new GraphQLError('The reader has left.');
    this.abort(error, { errors: [error] });
  }

  /** Defers groups of fields before the others are executed: fields below those may belong to the same `@defer`s. */
  protected override executeFields(
    selection: PreparedSelection,
    source: unknown,
    position: ResponsePosition | undefined,
  ): Data {
    if (selection instanceof IncrementalSelection) this.#defer(selection, source, position);
    return super.executeFields(selection, source, position);
  }

  #defer(
    { begun, groups }: IncrementalSelection,
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
    // Lists in a streamed list have indices for keys.
    const isStreamed = field instanceof IncrementalField && typeof key === 'string';
    return isStreamed && field.stream && isIterableObject(values)
      ? this.#streamItems(position, field, field.stream, item, values)
      : super.completeListValue(position, item, values);
  }

  /** Completes the first items, and makes tasks of the others. */
  #streamItems(
    position: ResponsePosition,
    field: IncrementalField,
    node: FieldNode,
    shape: Shape,
    values: Iterable<unknown>,
  ): unknown[] {
    const asked = streamOf(node, this.request.context.variableValues);
    const all = Array.isArray(values) ? (values as readonly unknown[]) : [...values];
    const count = asked?.initialCount ?? Infinity;
    const streamed = all.slice(count);
    handleRejections(streamed);
    const list = this.completeItems(position, shape, all.slice(0, count));
    if (streamed.length === 0) return list;
    this.countItems(field, streamed.length);
    if (this.bounds.addExecutions(streamed.length, field)) this.checkBounds();
    const boundary = this.boundaryOf(position);
    const origin = { label: asked?.label, position, boundary, creator: this.#task };
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

  /** Executes a task when all of the initial result has begun, or else before that is sent. */
  #executeTask(task: Task, execute: (executor: IncrementalExecutor) => Data): void {
    const initial = this.#initial ?? this;
    if (!initial.#waiting) {
      initial.#waiting = [];
      queueMicrotask(() => initial.#executeTasks());
    }
    initial.#waiting.push(() => {
      if (task.boundary.isBelowNull) return;
      const root = new NullBoundary(undefined, undefined, task.boundary);
      const execution = { initial, task, root };
      const executor = new IncrementalExecutor(this.request, this.bounds, false, execution);
      try {
        executor.data = execute(executor);
      } catch (error) {
        executor.nullData(error);
      }
      if (!root.isAwaited) executor.finish();
    });
  }

  /** Begins the tasks that wait, and those that they add. */
  #executeTasks(): void {
    for (const begin of this.#waiting ?? []) {
      if (this.abortError) break;
      begin();
    }
    this.#waiting = undefined;
  }
}
