/**
 * Round-robin queue of new documents by API key. Each tick of the event loop spends at most two milliseconds on parsing,
 * validating and planning them, or handles one that takes longer: one can take as long as a hundred cached ones.
 *
 * After a document that takes longer than that, its key pauses for as long as the document took, which leaves half of the
 * time to others, and to new connections, of which Node accepts one per tick.
 *
 * A parsed document takes a hundred times the memory of its text, so keys with operations waiting for admission parse
 * none.
 */
import { RoundRobinQueue } from '../../lib/round-robin-queue.ts';

/** Time in a tick after which no further document begins, in milliseconds. */
export const TURN_MS = 2;

/** Maximum number of waiting operations. */
export const MAX_WAITING = 4_096;

/** Maximum length of all waiting documents, in characters. */
export const MAX_CHARACTERS = 8_000_000;

/** A new document whose operation waits for a turn. */
export interface WaitingDocument {
  /** In characters. */
  readonly length: number;
  /** Whether another operation has parsed it in the meantime. */
  readonly isKnown: () => boolean;
}

interface QueuedDocument extends WaitingDocument {
  readonly key: string;
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
  readonly #paused = new Set<string>();
  #characters = 0;
  /** Start of the first document of this tick; undefined before it. */
  #beganMs: number | undefined;

  constructor(options: NewDocumentsOptions = {}) {
    const { mayHave = () => true, waiting = MAX_WAITING, now = () => performance.now() } = options;
    this.#mayHave = (key) => !this.#paused.has(key) && mayHave(key);
    this.#now = now;
    this.#queue = new RoundRobinQueue(waiting);
  }

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
    return new Promise((end) => this.#wait({ ...document, key, end }));
  }

  /** Checks again which keys may have a turn. */
  wake(): void {
    if (this.#beganMs === undefined) this.#next();
  }

  #wait(document: QueuedDocument): void {
    const { key } = document;
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
    if (spentMs > TURN_MS) this.#pause(key, spentMs);
    if (this.#hasTime()) this.#next();
  }

  #pause(key: string, pauseMs: number): void {
    this.#paused.add(key);
    setTimeout(() => {
      this.#paused.delete(key);
      this.wake();
    }, pauseMs);
  }

  /** Resumes the next operation, and those before it whose documents are known by now. */
  #next(): void {
    for (;;) {
      const document = this.#queue.take((_document, key) => this.#mayHave(key));
      if (!document) return;
      this.#characters -= document.length;
      const isKnown = document.isKnown();
      if (!isKnown) this.#take(document.key);
      document.end(true);
      if (!isKnown) return;
    }
  }
}
