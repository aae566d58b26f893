/**
 * A bounded queue in which keys take turns: one that queues a thousand items delays another's only one by one.
 *
 * The items of a key wait in lanes, which take turns too. Of a lane only the first item is asked whether it may
 * begin: a lane holds what waits for the same thing.
 * When the queue is full, the key that has most in it gives way, so that no key is shut out by the items of others.
 * Source: P. McKenney, "Stochastic Fairness Queueing", 1990: longest queue drop.
 */
export class RoundRobinQueue<Item> {
  readonly #maxSize: number;
  /** By key, by lane; both in the order of their turns. */
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
   * Adds an item at the end of a lane of its key.
   *
   * @returns the item that finds no room: this one, or the latest of the longest lane of the key that has most;
   * undefined where there is room for all.
   */
  add(key: string, item: Item, lane?: unknown): Item | undefined {
    let dropped: Item | undefined;
    if (this.size >= this.#maxSize) {
      const longest = this.#longest(key);
      if (longest === key) return item;
      dropped = this.#dropFrom(longest);
    }
    let lanes = this.#waiting.get(key);
    if (!lanes) this.#waiting.set(key, (lanes = new Map<unknown, Set<Item>>()));
    lanes.set(lane, (lanes.get(lane) ?? new Set<Item>()).add(item));
    this.size += 1;
    return dropped;
  }

  /** Takes an item out that is not wanted any more. @returns whether it was there. */
  delete(key: string, item: Item, lane?: unknown): boolean {
    const lanes = this.#waiting.get(key);
    const items = lanes?.get(lane);
    if (!lanes || !items?.delete(item)) return false;
    if (items.size === 0) lanes.delete(lane);
    if (lanes.size === 0) this.#waiting.delete(key);
    this.size -= 1;
    return true;
  }

  /**
   * Takes an item that may begin, of the key whose turn it is or of the next one that has such an item; the next
   * turns of its key and its lane come after all others'.
   */
  take(mayBegin: (item: Item, key: string) => boolean): Item | undefined {
    for (const [key, lanes] of this.#waiting) {
      for (const [lane, items] of lanes) {
        const first = items.values().next().value!;
        if (!mayBegin(first, key)) continue;
        this.delete(key, first, lane);
        if (lanes.delete(lane)) lanes.set(lane, items);
        if (this.#waiting.delete(key)) this.#waiting.set(key, lanes);
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
    const lanes = [...this.#waiting.get(key)!];
    const [lane, items] = lanes.reduce((one, other) => (other[1].size > one[1].size ? other : one));
    const latest = [...items].at(-1)!;
    this.delete(key, latest, lane);
    return latest;
  }
}
