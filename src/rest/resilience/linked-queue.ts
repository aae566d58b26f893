/**
 * A queue that items can leave from any place.
 *
 * Not a Set: each time one changes its size it leaves its table to the collector, with the items that
 * were in it. Of a Set that lives long, V8's young collections keep all such tables and their items: with
 * 50 keys under load those were 50 kB of each nested query.
 */
export class LinkedQueue<Item extends Linked<Item>> implements Iterable<Item> {
  size = 0;
  first: Item | undefined;
  #last: Item | undefined;

  add(item: Item): void {
    item.previous = this.#last;
    if (this.#last) this.#last.next = item;
    else this.first = item;
    this.#last = item;
    this.size += 1;
  }

  /** @param item one of its own. */
  delete(item: Item): void {
    const { previous, next } = item;
    if (previous) previous.next = next;
    else this.first = next;
    if (next) next.previous = previous;
    else this.#last = previous;
    // What has left holds no others.
    item.previous = item.next = undefined;
    this.size -= 1;
  }

  *[Symbol.iterator](): Generator<Item, undefined> {
    for (let item = this.first; item; item = item.next) yield item;
  }
}

/** An item's neighbours, set by its queue. */
export interface Linked<Item> {
  previous: Item | undefined;
  next: Item | undefined;
}
