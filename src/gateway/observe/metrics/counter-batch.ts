/** Batches the increments of a counter until metrics are read: building labels costs more than counting. */
import type { Counter } from 'prom-client';

/** @typeParam Row first key of events, `Column` the second; both are compared by identity. */
export class CounterBatch<Row, Column, Label extends string> {
  readonly #counts = new Map<Row, Map<Column, number>>();
  readonly #labelsOf: (row: Row, column: Column) => Record<Label, string | number>;

  constructor(labelsOf: (row: Row, column: Column) => Record<Label, string | number>) {
    this.#labelsOf = labelsOf;
  }

  /** Adds to a count. */
  add(row: Row, column: Column, more = 1): void {
    let counts = this.#counts.get(row);
    if (!counts) {
      counts = new Map();
      this.#counts.set(row, counts);
    }
    counts.set(column, (counts.get(column) ?? 0) + more);
  }

  /** Moves the counts to a counter. */
  moveTo(counter: Counter<Label>): void {
    for (const [row, counts] of this.#counts) {
      for (const [column, count] of counts) counter.inc(this.#labelsOf(row, column), count);
      counts.clear();
    }
  }
}
