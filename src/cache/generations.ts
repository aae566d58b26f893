/**
 * The generations of each key: a write ends one and begins another, and what was read in one is not used in the next.
 *
 * So an answer that was asked for before a write is never used after it, however late it comes.
 */
import { LRUCache } from 'lru-cache';

/** Keys that are remembered. Of one that was forgotten nothing that is kept is used. */
const MAX_KEYS = 10_000;

/** A number of its own for each of any key. */
export type Generation = number;

export class Generations {
  readonly #current = new LRUCache<string, Generation>({ max: MAX_KEYS });
  #last = 0;

  of(apiKey: string): Generation {
    return this.#current.get(apiKey) ?? this.move(apiKey);
  }

  /** A write is about to be sent, or has ended. */
  move(apiKey: string): Generation {
    const generation = (this.#last += 1);
    this.#current.set(apiKey, generation);
    return generation;
  }
}
