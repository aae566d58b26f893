/**
 * A bounded queue with fair queueing, so a key with a thousand items does not delay those of others.
 *
 * When the queue is full, the key with the most items loses its latest, so no key is shut out by others. Source:
 * P. McKenney, "Stochastic Fairness Queueing", 1990: longest queue drop.
 */
export class RoundRobinQueue<Item> {
  readonly #maxSize: number;
  /** Items by key, in round-robin order. */
  readonly #waiting = new Map<string, Item[]>();
  /** Number of items. */
  size = 0;

  /** @param maxSize maximum number of items of all keys. */
  constructor(maxSize: number) {
    this.#maxSize = maxSize;
  }

  sizeOf(key: string): number {
    return this.#waiting.get(key)?.length ?? 0;
  }

  /**
   * Adds an item of a key.
   *
   * @returns the dropped item: this one, or the latest of the key with the most items; undefined if there was room.
   */
  add(key: string, item: Item): Item | undefined {
    const dropped = this.size < this.#maxSize ? undefined : this.drop(key);
    if (this.size >= this.#maxSize) return item;
    const items = this.#waiting.get(key);
    if (items) items.push(item);
    else this.#waiting.set(key, [item]);
    this.size += 1;
    return dropped;
  }

  /**
   * Makes room for an item of a key: removes and returns the latest item of the key with the most items; undefined if
   * that is this key itself.
   */
  drop(key: string): Item | undefined {
    let longest = key;
    let most = this.sizeOf(key) + 1;
    for (const [other, { length }] of this.#waiting) {
      if (length > most) [longest, most] = [other, length];
    }
    if (longest === key) return undefined;
    this.size -= 1;
    return this.#waiting.get(longest)!.pop();
  }

  /** Removes and returns the first item of the next key whose first item may begin. The key moves to the end. */
  take(mayBegin: (item: Item, key: string) => boolean): Item | undefined {
    for (const [key, items] of this.#waiting) {
      if (!mayBegin(items[0]!, key)) continue;
      this.#waiting.delete(key);
      if (items.length > 1) this.#waiting.set(key, items);
      this.size -= 1;
      return items.shift();
    }
    return undefined;
  }
}
