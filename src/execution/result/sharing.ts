/**
 * What an answer has in several places, completed once: a field of the same object, selected at the same
 * place of the document.
 *
 * Cycles of the graph lead back to objects that are there already, so an answer may be a thousand times
 * what it is made of. Its parts are then shared, and the size of a part is added wherever it stands.
 */
import type { GraphQLError } from 'graphql';
import type { PreparedField } from '../operation/prepared-operation.ts';

/** The completed value of a field, and where else it is wanted. */
export class SharedValue {
  value: unknown;
  isEnded = false;
  /** Whether its first place was dropped, so that it was never completed. */
  isDropped = false;
  /** Errors at and below the field, with paths of its first place. */
  readonly errors: GraphQLError[] = [];
  /** Steps of the path to that place. */
  readonly depth: number;
  #awaited = 0;
  #waiting: (() => void)[] = [];

  constructor(depth: number) {
    this.depth = depth;
  }

  /** Whether the value itself is awaited. */
  get isAwaited(): boolean {
    return this.#awaited > 0;
  }

  await(): void {
    this.#awaited += 1;
  }

  settle(): void {
    this.#awaited -= 1;
  }

  /** @param put called when it is known what becomes of the value. */
  whenEnded(put: () => void): void {
    this.#waiting.push(put);
  }

  /** Nothing of it is awaited any more. */
  end(value: unknown): void {
    if (this.isEnded) return;
    this.isEnded = true;
    this.value = value;
    for (const put of this.#waiting.splice(0)) put();
  }

  drop(): void {
    if (this.isEnded) return;
    this.isDropped = true;
    this.end(undefined);
  }
}

/** All that one execution may have in several places. */
export class Sharing {
  readonly #values = new Map<PreparedField, Map<object, SharedValue>>();

  find(field: PreparedField, source: object): SharedValue | undefined {
    return this.#values.get(field)?.get(source);
  }

  /** @param depth steps of the path to its first place. */
  begin(field: PreparedField, source: object, depth: number): SharedValue {
    let ofField = this.#values.get(field);
    if (!ofField) {
      ofField = new Map();
      this.#values.set(field, ofField);
    }
    const shared = new SharedValue(depth);
    ofField.set(source, shared);
    return shared;
  }
}
