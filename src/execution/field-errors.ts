/**
 * The errors of one execution: each at the place that became null by it, and none below such a place.
 */
import type { GraphQLError } from 'graphql';
import type { Place } from './place.ts';

export class FieldErrors {
  readonly told: GraphQLError[] = [];
  readonly #limit: () => number;
  /** Undefined is all of the data. */
  #nulled: Set<Place | undefined> | undefined;

  /** @param limit how many are told at most. */
  constructor(limit: () => number) {
    this.#limit = limit;
  }

  /** Whether one more would be told nobody. */
  get isFull(): boolean {
    return this.told.length >= this.#limit();
  }

  add(error: GraphQLError, place: Place | undefined): void {
    if (this.isFull || this.#isNulled(place)) return;
    (this.#nulled ??= new Set()).add(place);
    this.told.push(error);
  }

  #isNulled(place: Place | undefined): boolean {
    if (!this.#nulled) return false;
    for (let at = place; at; at = at.prev) if (this.#nulled.has(at)) return true;
    return this.#nulled.has(undefined);
  }
}
