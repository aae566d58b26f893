/**
 * Turns of documents that are not known yet: they are parsed, validated or planned for two milliseconds of a turn of the
 * event loop, or one of them is, because that takes as long as a hundred lookups. Keys take turns, and a full queue
 * refuses.
 *
 * A longer turn is followed by a pause of its own length. Node accepts one connection a turn of the event loop: if each
 * had a document of 15 ms, a new connection behind 600 others would wait for nine seconds.
 *
 * A parsed document takes a hundred times the memory of its text: a key whose operations wait for their admission gets
 * no turn before they have it.
 */
import { RoundRobinQueue } from '../../lib/round-robin-queue.ts';

/** How long a turn of the event loop may have been spent on documents when another begins, in milliseconds. */
const TURN_MS = 2;

interface Waiting {
  /** Whether another operation has made it known meanwhile. */
  readonly isKnown: () => boolean;
  /** Called once, with whether its turn has come. */
  readonly end: (hasTurn: boolean) => void;
}

interface NewDocumentsOptions {
  /** Whether a key may have a turn; `wake` says that this may have changed. @default always */
  readonly mayHave?: (key: string) => boolean;
  /** Operations that wait; when they are too many, the key with most of them loses its latest. @default 512 */
  readonly waiting?: number;
  /** In milliseconds. @default `performance.now` */
  readonly now?: () => number;
}

export class NewDocuments {
  readonly #queue: RoundRobinQueue<Waiting>;
  readonly #mayHave: (key: string) => boolean;
  readonly #now: () => number;
  /** When the first document of this turn began; undefined where none has. */
  #beganMs: number | undefined;
  /** When the work of the last one ended. */
  #endedMs = 0;

  constructor(options: NewDocumentsOptions = {}) {
    const { mayHave = () => true, waiting = 512, now = () => performance.now() } = options;
    this.#mayHave = mayHave;
    this.#now = now;
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
    if (this.#hasTime() && this.#queue.sizeOf(key) === 0 && this.#mayHave(key)) {
      this.#take();
      return undefined;
    }
    return new Promise((end) => {
      this.#queue.add(key, { isKnown, end })?.end(false);
    });
  }

  /** Looks again whose turn it is. */
  wake(): void {
    if (this.#beganMs === undefined) this.#next();
  }

  #hasTime(): boolean {
    return this.#beganMs === undefined || this.#now() - this.#beganMs < TURN_MS;
  }

  /** Begins a document, whose work is done before the next tick. */
  #take(): void {
    // After microtasks ticks come.
    queueMicrotask(() => process.nextTick(() => this.#endDocument()));
    if (this.#beganMs !== undefined) return;
    this.#beganMs = this.#now();
    // What has arrived meanwhile is read first.
    setImmediate(() => this.#endTurn(this.#endedMs - this.#beganMs!));
  }

  #endDocument(): void {
    this.#endedMs = this.#now();
    if (this.#hasTime()) this.#next();
  }

  #endTurn(spentMs: number): void {
    if (spentMs > TURN_MS) return void setTimeout(() => this.#endTurn(0), spentMs);
    this.#beganMs = undefined;
    this.#next();
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
    return this.#queue.take((_waiting, key) => this.#mayHave(key));
  }
}
