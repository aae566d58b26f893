/**
 * Queue of new documents, in which keys take turns and a full queue rejects. Parsing, validation and planning get two
 * milliseconds per turn of the event loop, at least one document: one can take as long as a hundred cached ones.
 *
 * A key rests for as long as its last document took if that was longer than a turn, so a key with such documents leaves
 * half of the time to others, and to new connections, of which Node accepts one per turn of the event loop.
 *
 * A parsed document takes a hundred times the memory of its text, so a key with operations waiting for admission gets
 * no turn.
 */
import { RoundRobinQueue } from '../../lib/round-robin-queue.ts';

/** Time in a turn of the event loop after which no further document begins, in milliseconds. */
export const TURN_MS = 2;

/** Maximum number of waiting operations. */
export const MAX_WAITING = 4_096;

/** Maximum length of all waiting documents, in characters. */
export const MAX_CHARACTERS = 8_000_000;

/** A new document whose operation waits for a turn. */
export interface WaitingDocument {
  /** In characters. */
  readonly length: number;
  /** Whether another operation has parsed it meanwhile. */
  readonly isKnown: () => boolean;
}

interface QueuedDocument extends WaitingDocument {
  /** Called once; with false if it is rejected. */
  readonly end: (hasTurn: boolean) => void;
}

interface NewDocumentsOptions {
  /** Whether a key may have a turn; call `wake` when this changes. @default always */
  readonly mayHave?: (key: string) => boolean;
  /** Maximum number of waiting operations; above it, the key with the most loses its latest. @default 4_096 */
  readonly waiting?: number;
  /** Clock in milliseconds. @default `performance.now` */
  readonly now?: () => number;
}

export class NewDocuments {
  readonly #queue: RoundRobinQueue<QueuedDocument>;
  readonly #mayHave: (key: string) => boolean;
  readonly #now: () => number;
  readonly #resting = new Set<string>();
  #characters = 0;
  /** Start of the first document of this turn; undefined before it. */
  #beganMs: number | undefined;

  constructor(options: NewDocumentsOptions = {}) {
    const { mayHave = () => true, waiting = MAX_WAITING, now = () => performance.now() } = options;
    this.#mayHave = (key) => !this.#resting.has(key) && mayHave(key);
    this.#now = now;
    this.#queue = new RoundRobinQueue(waiting);
  }

  /** Number of waiting operations. */
  get waiting(): number {
    return this.#queue.size;
  }

  /**
   * Waits for a turn; resolves to false if too many operations wait.
   *
   * @returns undefined if it need not wait.
   */
  turn(key: string, document: WaitingDocument): Promise<boolean> | undefined {
    if (this.#hasTime() && this.#mayHave(key)) {
      this.#take(key);
      return undefined;
    }
    return new Promise((end) => this.#wait(key, { ...document, end }));
  }

  /** Checks again which keys may have a turn. */
  wake(): void {
    if (this.#beganMs === undefined) this.#next();
  }

  #wait(key: string, document: QueuedDocument): void {
    while (this.#characters + document.length > MAX_CHARACTERS) {
      const dropped = this.#queue.drop(key);
      if (!dropped) return document.end(false);
      this.#reject(dropped);
    }
    this.#characters += document.length;
    const dropped = this.#queue.add(key, document);
    if (dropped) this.#reject(dropped);
  }

  #reject(document: QueuedDocument): void {
    this.#characters -= document.length;
    document.end(false);
  }

  #hasTime(): boolean {
    return this.#beganMs === undefined || this.#now() - this.#beganMs < TURN_MS;
  }

  /** Begins a document, whose work ends before the next tick. */
  #take(key: string): void {
    const beganMs = this.#now();
    // Ticks queued by a microtask run after all microtasks.
    queueMicrotask(() => process.nextTick(() => this.#endDocument(key, this.#now() - beganMs)));
    if (this.#beganMs !== undefined) return;
    this.#beganMs = beganMs;
    // Arrived requests are read first.
    setImmediate(() => {
      this.#beganMs = undefined;
      this.#next();
    });
  }

  #endDocument(key: string, spentMs: number): void {
    if (spentMs > TURN_MS) this.#rest(key, spentMs);
    if (this.#hasTime()) this.#next();
  }

  #rest(key: string, restMs: number): void {
    this.#resting.add(key);
    setTimeout(() => {
      this.#resting.delete(key);
      this.wake();
    }, restMs);
  }

  /** Resumes the next operation, and those before it whose documents are known by now. */
  #next(): void {
    for (let next = this.#first(); next; next = this.#first()) {
      const { document, key } = next;
      this.#characters -= document.length;
      const isKnown = document.isKnown();
      if (!isKnown) this.#take(key);
      document.end(true);
      if (!isKnown) return;
    }
  }

  #first(): { readonly document: QueuedDocument; readonly key: string } | undefined {
    let taken = '';
    const document = this.#queue.take((_document, key) => {
      taken = key;
      return this.#mayHave(key);
    });
    return document && { document, key: taken };
  }
}
