/**
 * A bounded queue in which keys take turns: one that queues a thousand items delays another's only one by one.
 *
 * When the queue is full, the key that has most in it gives way, so that no key is shut out by the items of others.
 * Source: P. McKenney, "Stochastic Fairness Queueing", 1990: longest queue drop.
 */
export class RoundRobinQueue<Item> {
  readonly #maxSize: number;
  /** By key; the keys are in the order of their turns, each one's items in the order they came. */
  readonly #waiting = new Map<string, Set<Item>>();
  #size = 0;

  /** @param maxSize items of all keys that may wait. */
  constructor(maxSize: number) {
    this.#maxSize = maxSize;
  }

  get size(): number {
    return this.#size;
  }

  /** How many items of a key wait. */
  sizeOf(key: string): number {
    return this.#waiting.get(key)?.size ?? 0;
  }

  /** Whether a further item of this key would find no room. */
  isFullFor(key: string): boolean {
    return this.#size >= this.#maxSize && this.#longest(key) === key;
  }

  /**
   * Adds an item at the end of its key's.
   *
   * @returns the item that finds no room: this one, or the latest of the key that has most; undefined where
   * there is room for all.
   */
  add(key: string, item: Item): Item | undefined {
    let dropped: Item | undefined;
    if (this.#size >= this.#maxSize) {
      const longest = this.#longest(key);
      if (longest === key) return item;
      dropped = [...this.#waiting.get(longest)!].at(-1)!;
      this.delete(longest, dropped);
    }
    const items = this.#waiting.get(key);
    if (items) items.add(item);
    else this.#waiting.set(key, new Set([item]));
    this.#size += 1;
    return dropped;
  }

  /** Takes an item out that is not wanted any more. @returns whether it was there. */
  delete(key: string, item: Item): boolean {
    const items = this.#waiting.get(key);
    if (!items?.delete(item)) return false;
    if (items.size === 0) this.#waiting.delete(key);
    this.#size -= 1;
    return true;
  }

  /**
   * Takes the first item that may begin, of the key whose turn it is or of the next one that has such an item;
   * the key's next turn comes after all others'.
   */
  take(mayBegin: (item: Item, key: string) => boolean): Item | undefined {
    for (const [key, items] of this.#waiting) {
      for (const item of items) {
        if (!mayBegin(item, key)) continue;
        this.delete(key, item);
        if (this.#waiting.delete(key)) this.#waiting.set(key, items);
        return item;
      }
    }
    return undefined;
  }

  /** The key with the most items, if this one had one more. */
  #longest(key: string): string {
    let longest = key;
    let most = this.sizeOf(key) + 1;
    for (const [other, { size }] of this.#waiting) {
      if (size > most) [longest, most] = [other, size];
    }
    return longest;
  }
}
