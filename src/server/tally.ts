/**
 * Counts by two names, until somebody wants to know.
 *
 * A counter of prom-client makes a text of its labels at every count, to find its value by.
 */
export class Tally<First, Second> {
  readonly #counts = new Map<First, Map<Second, number>>();

  count(first: First, second: Second): void {
    let counts = this.#counts.get(first);
    if (!counts) this.#counts.set(first, (counts = new Map<Second, number>()));
    counts.set(second, (counts.get(second) ?? 0) + 1);
  }

  /** Hands over what was counted, and begins again at nothing. */
  empty(take: (first: First, second: Second, count: number) => void): void {
    for (const [first, counts] of this.#counts) {
      for (const [second, count] of counts) take(first, second, count);
    }
    this.#counts.clear();
  }
}
