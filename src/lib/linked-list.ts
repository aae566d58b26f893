/**
 * Items that come and go for as long as the process lives.
 *
 * Not a Set: when V8 gives a Set a larger or smaller table, the one before stays in the old generation with all that
 * was in it, and what its items lead to lives until the next full collection.
 */
export class LinkedList<Item extends Linked<Item>> {
  #last: Item | undefined;

  /** Adds an item that is in no list. */
  add(item: Item): void {
    const last = this.#last;
    if (last) last.next = item;
    item.previous = last;
    this.#last = item;
  }

  /** Takes an item out, if it is in this list. */
  delete(item: Item): void {
    const { previous, next } = item;
    if (previous) previous.next = next;
    if (next) next.previous = previous;
    else if (this.#last === item) this.#last = previous;
    item.previous = item.next = undefined;
  }

  /** The items that are in it now, the latest first. */
  items(): Item[] {
    const items: Item[] = [];
    for (let item = this.#last; item; item = item.previous) items.push(item);
    return items;
  }
}

/** Has the neighbours of an item, for its list alone. */
export interface Linked<Item> {
  previous: Item | undefined;
  next: Item | undefined;
}
