/**
 * Limits on the size and duration of a result, enforced during execution.
 *
 * A cycle of the graph costs one backend call and multiplies the result, so limits of documents and calls do not bound
 * it. The deadline is checked while values are counted, since no timer fires during synchronous execution.
 */
import { GraphQLError } from 'graphql';
import {
  pathOf,
  type PreparedField,
  type PreparedSelection,
} from '../operation/prepared-selection.ts';

export interface ExecutionLimits {
  /** Maximum number of fields and list items; an awaited one counts as thirteen. */
  readonly maxValues: number;
  /** Maximum size of keys and strings in JSON, in bytes. */
  readonly maxTextBytes: number;
  /** Maximum number of errors; called for each error. */
  readonly maxErrors: () => number;
  /** Deadline of the request on `performance.now()`'s clock. */
  readonly deadlineMs: number;
  /** Whether something was written, so the operation must not be retried. */
  readonly hasWritten?: (() => boolean) | undefined;
  /** Whether the client has disconnected, so the rest of the result is not needed. */
  readonly isCancelled?: (() => boolean) | undefined;
  /** Called once if execution ends early, to cancel the calls of resolvers. */
  readonly onAbort?: (() => void) | undefined;
}

/** Values between two checks of the clock: some tenths of a millisecond. */
const VALUES_PER_LOOK = 1_000;

/** Additional values per awaited one, by its time and memory. */
const VALUES_PER_AWAITED = 12;

/** Additional values per separate execution: of a deferred fragment or a streamed item. */
const VALUES_PER_EXECUTION = 50;

/** Additional values per failed field. */
const VALUES_PER_FAILED = 20;

/** Length below which strings count one byte per character, which is cheaper and mostly exact. */
const SHORT = 256;

/** Quotes or braces, and a comma. */
const MARKS = 3;

export class ResultBounds {
  readonly limits: ExecutionLimits;
  /** Whether execution continues in a later tick of the event loop. */
  isPaused = false;
  #errors = 0;
  #values = 0;
  #textBytes = 0;
  #nextLook: number;
  readonly #operation: PreparedSelection;
  /** Values directly below each field, by its index. */
  readonly #valuesBelow: number[] = [];

  constructor(operation: PreparedSelection, limits: ExecutionLimits) {
    this.#operation = operation;
    this.limits = limits;
    this.#nextLook = Math.min(VALUES_PER_LOOK, limits.maxValues);
  }

  /** Counts an object with its fields. Returns, as the methods below do, whether the bounds are due for a check. */
  addObject({ fields, textBytes, above }: PreparedSelection): boolean {
    return this.#add(fields.length, textBytes, above);
  }

  addItems(count: number, field: PreparedField): boolean {
    return this.#add(count, count, field);
  }

  addAwaited(field: PreparedField | undefined): boolean {
    return this.#add(VALUES_PER_AWAITED, 0, field);
  }

  addExecutions(count: number, field: PreparedField | undefined): boolean {
    return this.#add(count * VALUES_PER_EXECUTION, 0, field);
  }

  addFailed(field: PreparedField): boolean {
    return this.#add(VALUES_PER_FAILED, 0, field);
  }

  addError(): void {
    this.#errors += 1;
  }

  get hasRoomForErrors(): boolean {
    return this.#errors < this.limits.maxErrors();
  }

  /** Counts the text of a leaf; its value was counted with its object or list. */
  addLeaf(value: unknown): boolean {
    if (typeof value === 'string') this.#textBytes += bytesOf(value);
    else this.#textBytes += bytesOfJson(value, this.limits.maxTextBytes - this.#textBytes);
    return this.#textBytes > this.limits.maxTextBytes;
  }

  /** Counts the strings of an object's plain leaves. */
  addLeaves(bytes: number): boolean {
    return this.#add(0, bytes, undefined);
  }

  #add(values: number, textBytes: number, above: PreparedField | undefined): boolean {
    this.#values += values;
    this.#textBytes += textBytes;
    if (above) this.#valuesBelow[above.index] = (this.#valuesBelow[above.index] ?? 0) + values;
    return this.#values > this.#nextLook || this.#textBytes > this.limits.maxTextBytes;
  }

  /** Checks the bounds. Returns the error that ends the execution; undefined within the bounds. */
  excess(nowMs: number): GraphQLError | undefined {
    const { maxValues, maxTextBytes, deadlineMs } = this.limits;
    if (this.#values > maxValues) return this.#tooLarge(`${maxValues} values`);
    if (this.#textBytes > maxTextBytes) return this.#tooLarge(`${maxTextBytes} bytes of text`);
    // Otherwise clients that disconnect could pile up executions that take several ticks.
    if (this.limits.isCancelled?.() === true) return new GraphQLError('The client disconnected.');
    if (nowMs > deadlineMs) {
      const advice = this.#advice('Request fewer fields or items.');
      return new GraphQLError(`The request timed out. ${advice}`, {
        extensions: { code: 'REQUEST_TIMEOUT', http: { status: 504 } },
      });
    }
    this.#nextLook = Math.min(this.#values + VALUES_PER_LOOK, maxValues);
    return undefined;
  }

  #tooLarge(limit: string): GraphQLError {
    const field = this.#largestField();
    const advice = this.#advice('Request fewer items with `first`, or fewer fields.');
    return new GraphQLError(
      `The response exceeds ${limit}, most of it below \`${field}\`. ${advice}`,
      // `spec`: status 200 for callers that accept only application/json.
      { extensions: { code: 'RESULT_TOO_LARGE', field, http: { status: 400, spec: true } } },
    );
  }

  #advice(before: string): string {
    return this.limits.hasWritten?.() === true
      ? 'Do not send the mutation again. Read what it has written with a smaller query.'
      : before;
  }

  /** Returns the path of the deepest field with at least half of all values below it. */
  #largestField(): string {
    const { all } = this.#operation;
    const sizes = all.map(({ index }) => this.#valuesBelow[index] ?? 0);
    // Fields are prepared after their parents.
    for (const { index, selection } of all.toReversed()) {
      if (selection.above) sizes[selection.above.index]! += sizes[index]!;
    }
    const largestBelow = (above: PreparedField | undefined): PreparedField | undefined =>
      all
        .filter(({ selection }) => selection.above === above)
        .sort((a, b) => sizes[b.index]! - sizes[a.index]!)[0];
    let largest = largestBelow(undefined)!;
    for (;;) {
      const below = largestBelow(largest);
      if (!below || 2 * sizes[below.index]! < this.#values) return pathOf(largest);
      largest = below;
    }
  }
}

/** Size of a string in JSON, in bytes. */
export const bytesOf = (text: string): number =>
  MARKS + (text.length < SHORT ? text.length : Buffer.byteLength(text));

/** Size of a custom scalar's value, computed up to a maximum. Iterative, since it may nest deeply. */
function bytesOfJson(root: unknown, maxBytes: number): number {
  const open: unknown[] = [root];
  let bytes = 0;
  while (open.length > 0 && bytes <= maxBytes) {
    const value = open.pop();
    bytes += MARKS;
    if (typeof value === 'string') bytes += value.length;
    else if (Array.isArray(value)) for (const item of value) open.push(item);
    else if (typeof value === 'object' && value !== null) {
      for (const [key, inner] of Object.entries(value)) {
        bytes += key.length + MARKS;
        open.push(inner);
      }
    }
  }
  return bytes;
}
