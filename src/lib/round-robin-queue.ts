/**
 * A bounded queue in which keys take turns: one that queues a thousand items delays another's only one by one.
 *
 * The items of a key wait in subqueues, which take turns too. Of a subqueue only the first item is asked whether it may
 * begin: a subqueue holds what waits for the same thing.
 * When the queue is full, the key that has most in it gives way, so that no key is shut out by the items of others.
 * Source: P. McKenney, "Stochastic Fairness Queueing", 1990: longest queue drop.
 */
export class RoundRobinQueue<Item> {
  readonly #maxSize: number;
  /** By key, by subqueue; both in the order of their turns. */
  readonly #waiting = new Map<string, Map<unknown, Set<Item>>>();
  /** How many items wait. */
  size = 0;

  /** @param maxSize items of all keys that may wait. */
  constructor(maxSize: number) {
    this.#maxSize = maxSize;
  }

  /** How many items of a key wait. */
  sizeOf(key: string): number {
    let size = 0;
    for (const items of this.#waiting.get(key)?.values() ?? []) size += items.size;
    return size;
  }

  /**
   * Adds an item at the end of a subqueue of its key.
   *
   * @returns the item that finds no room: this one, or the latest of the longest subqueue of the key that has most;
   * undefined where there is room for all.
   */
  add(key: string, item: Item, subqueue?: unknown): Item | undefined {
    let dropped: Item | undefined;
    if (this.size >= this.#maxSize) {
      const longest = this.#longest(key);
      if (longest === key) return item;
      dropped = this.#dropFrom(longest);
    }
    let subqueues = this.#waiting.get(key);
    if (!subqueues) this.#waiting.set(key, (subqueues = new Map<unknown, Set<Item>>()));
    subqueues.set(subqueue, (subqueues.get(subqueue) ?? new Set<Item>()).add(item));
    this.size += 1;
    return dropped;
  }

  /** Takes an item out that is not wanted any more. @returns whether it was there. */
  delete(key: string, item: Item, subqueue?: unknown): boolean {
    const subqueues = this.#waiting.get(key);
    const items = subqueues?.get(subqueue);
    if (!subqueues || !items?.delete(item)) return false;
    if (items.size === 0) subqueues.delete(subqueue);
    if (subqueues.size === 0) this.#waiting.delete(key);
    this.size -= 1;
    return true;
  }

  /**
   * Takes an item that may begin, of the key whose turn it is or of the next one that has such an item; the next
   * turns of its key and its subqueue come after all others'.
   */
  take(mayBegin: (item: Item, key: string) => boolean): Item | undefined {
    for (const [key, subqueues] of this.#waiting) {
      for (const [subqueue, items] of subqueues) {
        const first = items.values().next().value!;
        if (!mayBegin(first, key)) continue;
        this.delete(key, first, subqueue);
        if (subqueues.delete(subqueue)) subqueues.set(subqueue, items);
        if (this.#waiting.delete(key)) this.#waiting.set(key, subqueues);
        return first;
      }
    }
    return undefined;
  }

  /** The key with the most items, if this one had one more. */
  #longest(key: string): string {
    let longest = key;
    let most = this.sizeOf(key) + 1;
    for (const other of this.#waiting.keys()) {
      const size = this.sizeOf(other);
      if (size > most) [longest, most] = [other, size];
    }
    return longest;
  }

  #dropFrom(key: string): Item {
    const subqueues = [...this.#waiting.get(key)!];
    const [subqueue, items] = subqueues.reduce((one, other) =>
      other[1].size > one[1].size ? other : one,
    );
    const latest = [...items].at(-1)!;
    this.delete(key, latest, subqueue);
    return latest;
  }
}
