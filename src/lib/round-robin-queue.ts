/**
 * A bounded queue with fair queueing, so a key with a thousand items does not delay those of others.
 *
 * The items of a key are in sub-queues, which are served round-robin too. Only the first item of a sub-queue is tested for its
 * start, since its items wait for the same condition. When the queue is full, the key with the most items loses one, so
 * no key is shut out by others. Source: P. McKenney, "Stochastic Fairness Queueing", 1990: longest queue drop.
 */
export class RoundRobinQueue<Item> {
  readonly #maxSize: number;
  /** Items by key and sub-queue, both in round-robin order. */
  readonly #waiting = new Map<string, Map<unknown, Set<Item>>>();
  size = 0;

  /** @param maxSize maximum number of items of all keys. */
  constructor(maxSize: number) {
    this.#maxSize = maxSize;
  }

  sizeOf(key: string): number {
    let size = 0;
    for (const items of this.#waiting.get(key)?.values() ?? []) size += items.size;
    return size;
  }

  /**
   * Adds an item to a sub-queue of its key.
   *
   * @returns the dropped item: this one, or the latest of the longest sub-queue of the key with the most items;
   * undefined if there was room.
   */
  add(key: string, item: Item, subqueue?: unknown): Item | undefined {
    let dropped: Item | undefined;
    if (this.size >= this.#maxSize) {
      dropped = this.drop(key);
      if (!dropped) return item;
    }
    let subqueues = this.#waiting.get(key);
    if (!subqueues) this.#waiting.set(key, (subqueues = new Map<unknown, Set<Item>>()));
    subqueues.set(subqueue, (subqueues.get(subqueue) ?? new Set<Item>()).add(item));
    this.size += 1;
    return dropped;
  }

  /**
   * Makes room for an item of a key: removes and returns the latest item of the longest sub-queue of the key with the
   * most items; undefined if that is this key itself.
   */
  drop(key: string): Item | undefined {
    const longest = this.#longest(key);
    return longest === key ? undefined : this.#dropFrom(longest);
  }

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
   * Removes and returns an item that may begin, of the next key with such an item. Its key and sub-queue move
   * to the end.
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

  /** Returns the key with the most items, counting one more for this key. */
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
