/**
 * Turns of documents that are not known yet: one of them is parsed, validated or planned in a turn of the event
 * loop, because that takes as long as a hundred lookups. Keys take turns, and a full queue refuses.
 */
import { RoundRobinQueue } from '../../lib/round-robin-queue.ts';

interface Waiting {
  /** Whether another operation has made it known meanwhile. */
  readonly isKnown: () => boolean;
  /** Called once, with whether its turn has come. */
  readonly end: (hasTurn: boolean) => void;
}

export class NewDocuments {
  readonly #queue: RoundRobinQueue<Waiting>;
  /** Whether a document has had this turn of the event loop. */
  #isTaken = false;

  /** @param waiting operations that wait; when they are too many, the key with most of them loses its latest. */
  constructor(waiting = 512) {
    this.#queue = new RoundRobinQueue(waiting);
  }

  /** Operations that wait. */
  get waiting(): number {
    return this.#queue.size;
  }

  /**
   * Waits for a turn of a key; false when too many wait.
   *
   * @returns undefined where its turn is now.
   */
  turn(key: string, isKnown: () => boolean): Promise<boolean> | undefined {
    if (!this.#isTaken) {
      this.#take();
      return undefined;
    }
    return new Promise((end) => {
      this.#queue.add(key, { isKnown, end })?.end(false);
    });
  }

  #take(): void {
    this.#isTaken = true;
    // What has arrived meanwhile is read first.
    setImmediate(() => {
      this.#isTaken = false;
      this.#next();
    });
  }

  /** Lets the next one go on, and those before it whose documents have become known. */
  #next(): void {
    for (let next = this.#first(); next; next = this.#first()) {
      const isKnown = next.isKnown();
      if (!isKnown) this.#take();
      next.end(true);
      if (!isKnown) return;
    }
  }

  #first(): Waiting | undefined {
    return this.#queue.take(() => true);
  }
}
