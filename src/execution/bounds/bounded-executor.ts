/**
 * An executor that counts what it writes, and aborts an answer that is too large or too late.
 *
 * It overrides the methods of the executor in which values appear; the numbers are in `Bounds`, which
 * executions of one request share.
 */
import type { ExecutionResult, GraphQLError } from 'graphql';
import { Executor, type OperationRequest } from '../core/executor.ts';
import type { NullBoundary, ResponsePosition } from '../core/response-position.ts';
import type {
  LeafShape,
  PreparedField,
  PreparedSelection,
} from '../operation/prepared-selection.ts';
import type { Bounds } from './bounds.ts';

export class BoundedExecutor extends Executor {
  protected readonly bounds: Bounds;

  constructor(request: OperationRequest, bounds: Bounds, root?: NullBoundary) {
    super(request, root);
    this.bounds = bounds;
  }

  protected override abort(error: GraphQLError, result: ExecutionResult): GraphQLError {
    this.bounds.limits.onAbort?.();
    return super.abort(error, result);
  }

  protected override report(error: GraphQLError): void {
    this.bounds.addError();
    super.report(error);
  }

  protected override get reportsErrors(): boolean {
    return this.bounds.hasRoomForErrors;
  }

  protected override beginObject(selection: PreparedSelection): void {
    if (this.bounds.addObject(selection)) this.checkBounds();
  }

  protected override beginItems(field: PreparedField, count: number): void {
    if (this.bounds.addItems(count, field)) this.checkBounds();
  }

  protected override completeLeafValue(shape: LeafShape, value: unknown): unknown {
    const serialized = super.completeLeafValue(shape, value);
    if (typeof serialized === 'string' || typeof serialized === 'object') {
      if (this.bounds.addLeaf(serialized)) this.checkBounds();
    }
    return serialized;
  }

  protected override awaitValue(
    position: ResponsePosition,
    promise: PromiseLike<unknown>,
    complete?: (value: unknown) => unknown,
  ): null {
    super.awaitValue(position, promise, complete);
    if (this.bounds.addAwaited(position.field)) this.checkBounds();
    return null;
  }

  protected override handleFieldError(position: ResponsePosition, cause: unknown): null {
    if (!this.abortError && this.bounds.addFailed(position.field)) this.checkBounds();
    return super.handleFieldError(position, cause);
  }

  /** @throws the error of an answer that is over a limit; its execution is aborted. */
  protected checkBounds(): void {
    const error = this.bounds.excess(performance.now());
    if (error) throw this.abort(error, { errors: [error] });
  }
}
