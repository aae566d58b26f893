/**
 * Queue of new documents, in which keys take turns and a full queue rejects. Parsing, validation and planning get two
 * milliseconds per turn of the event loop, at least one document: one can take as long as a hundred cached ones.
 *
 * A longer turn is followed by a pause of its length. Node accepts one connection per turn of the event loop: with a
 * document of 15 ms in each, a new connection behind 600 others would wait for nine seconds.
 *
 * A parsed document takes a hundred times the memory of its text, so a key with operations waiting for admission gets
 * no turn.
 */
import { RoundRobinQueue } from '../../lib/round-robin-queue.ts';

/** Time in a turn of the event loop after which no further document begins, in milliseconds. */
export const TURN_MS = 2;

/** Maximum number of waiting operations. */
export const MAX_WAITING = 512;

interface WaitingDocument {
  /** Whether another operation has parsed it meanwhile. */
  readonly isKnown: () => boolean;
  /** Called once; with false if it is rejected. */
  readonly end: (hasTurn: boolean) => void;
}

interface NewDocumentsOptions {
  /** Whether a key may have a turn; call `wake` when this changes. @default always */
  readonly mayHave?: (key: string) => boolean;
  /** Maximum number of waiting operations; above it, the key with the most loses its latest. @default 512 */
  readonly waiting?: number;
  /** Clock in milliseconds. @default `performance.now` */
  readonly now?: () => number;
}

export class NewDocuments {
  readonly #queue: RoundRobinQueue<WaitingDocument>;
  readonly #mayHave: (key: string) => boolean;
  readonly #now: () => number;
  /** Start of the first document of this turn; undefined before it. */
  #beganMs: number | undefined;
  /** End of the last document. */
  #endedMs = 0;

  constructor(options: NewDocumentsOptions = {}) {
    const { mayHave = () => true, waiting = MAX_WAITING, now = () => performance.now() } = options;
    this.#mayHave = mayHave;
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
  turn(key: string, isKnown: () => boolean): Promise<boolean> | undefined {
    if (this.#hasTime() && this.#queue.sizeOf(key) === 0 && this.#mayHave(key)) {
      this.#take();
      return undefined;
    }
    return new Promise((end) => {
      this.#queue.add(key, { isKnown, end })?.end(false);
    });
  }

  /** Checks again which keys may have a turn. */
  wake(): void {
    if (this.#beganMs === undefined) this.#next();
  }

  #hasTime(): boolean {
    return this.#beganMs === undefined || this.#now() - this.#beganMs < TURN_MS;
  }

  /** Begins a document, whose work ends before the next tick. */
  #take(): void {
    // Ticks queued by a microtask run after all microtasks.
    queueMicrotask(() => process.nextTick(() => this.#endDocument()));
    if (this.#beganMs !== undefined) return;
    this.#beganMs = this.#now();
    // Arrived requests are read first.
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

  /** Resumes the next operation, and those before it whose documents are known by now. */
  #next(): void {
    for (let next = this.#first(); next; next = this.#first()) {
      const isKnown = next.isKnown();
      if (!isKnown) this.#take();
      next.end(true);
      if (!isKnown) return;
    }
  }

  #first(): WaitingDocument | undefined {
    return this.#queue.take((_waiting, key) => this.#mayHave(key));
  }
}
