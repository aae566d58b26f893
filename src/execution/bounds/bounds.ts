/**
 * How much one answer may hold, and how long it may take, counted while it is made.
 *
 * A cycle of the graph costs one backend call and multiplies the answer, so neither the document nor
 * the calls bound it. The deadline is looked at as values are counted: no timer fires while
 * resolvers answer synchronously.
 */
import { GraphQLError } from 'graphql';
import {
  pathOf,
  type PreparedField,
  type PreparedSelection,
} from '../operation/prepared-selection.ts';

export interface ExecutionLimits {
  /** Fields and list items that one answer may have; one that is awaited counts twelve more. */
  readonly maxValues: number;
  /** What its keys and strings may take in JSON, in bytes. */
  readonly maxTextBytes: number;
  /** How many errors it may have; asked whenever there is one more. */
  readonly maxErrors: () => number;
  /** When the request's time is over, on `performance.now()`'s clock. */
  readonly deadlineMs: number;
  /** Called once when execution ends early: the calls that resolvers began are not needed. */
  readonly onAbort?: (() => void) | undefined;
}

/** Values between two looks at the clock: some tenths of a millisecond. */
const VALUES_PER_LOOK = 1_000;

/** Further values that an awaited one counts as, by its time and memory. */
const VALUES_PER_AWAITED = 12;

/** Further values that a separate execution counts as: a fragment or an item that is delivered by itself. */
const VALUES_PER_EXECUTION = 50;

/** Further values that a failed field counts as. */
const VALUES_PER_FAILED = 20;

/** Shorter strings count a byte a character, which is cheaper to know and mostly true. */
const SHORT = 256;

/** Quotes, or braces, and a comma. */
const MARKS = 3;

export class Bounds {
  readonly limits: ExecutionLimits;
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

  /** Counts the text of a leaf, which was counted as a value with its object or list. */
  addLeaf(value: unknown): boolean {
    if (typeof value === 'string') this.#textBytes += bytesOf(value);
    else this.#textBytes += bytesOfJson(value, this.limits.maxTextBytes - this.#textBytes);
    return this.#textBytes > this.limits.maxTextBytes;
  }

  #add(values: number, textBytes: number, above: PreparedField | undefined): boolean {
    this.#values += values;
    this.#textBytes += textBytes;
    if (above) this.#valuesBelow[above.index] = (this.#valuesBelow[above.index] ?? 0) + values;
    return this.#values > this.#nextLook || this.#textBytes > this.limits.maxTextBytes;
  }

  /** Checks the bounds. Returns the error that ends the execution; undefined while the answer is within them. */
  excess(nowMs: number): GraphQLError | undefined {
    const { maxValues, maxTextBytes, deadlineMs } = this.limits;
    if (this.#values > maxValues) return this.#tooLarge(`${maxValues} values`);
    if (this.#textBytes > maxTextBytes) return this.#tooLarge(`${maxTextBytes} bytes of text`);
    if (nowMs > deadlineMs) {
      return new GraphQLError(`The request took longer than it may: ask for less at once.`, {
        extensions: { code: 'REQUEST_TIMEOUT', http: { status: 504 } },
      });
    }
    this.#nextLook = Math.min(this.#values + VALUES_PER_LOOK, maxValues);
    return undefined;
  }

  #tooLarge(limit: string): GraphQLError {
    const field = this.#largestField();
    return new GraphQLError(
      `An answer may have ${limit}, and this one has more, most of it below "${field}": ask for fewer items with "first", or for fewer fields.`,
      // `spec`: callers who accept only application/json are answered with 200.
      { extensions: { code: 'RESULT_TOO_LARGE', field, http: { status: 400, spec: true } } },
    );
  }

  /** The path of the deepest field with at least half of all values below it. */
  #largestField(): string {
    const { all } = this.#operation;
    const sizes = all.map(({ index }) => this.#valuesBelow[index] ?? 0);
    // Fields are prepared after those above them.
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

const bytesOf = (text: string): number =>
  MARKS + (text.length < SHORT ? text.length : Buffer.byteLength(text));

/** What a custom scalar has made; read as far as it fits. A loop, since it may nest deeply. */
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
