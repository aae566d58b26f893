/**
 * Admission: limits the weight of operations in flight, per key and in total.
 *
 * An operation's weight estimates its use of the event loop and of memory. A key at its limit waits for its own
 * operations, and waiting keys take turns. A full queue rejects, since late responses are wasted work.
 */
import { weightOfBytes } from '../../plan/weight.ts';
import { RoundRobinQueue } from '../../lib/round-robin-queue.ts';

export interface AdmissionLimits {
  /** Maximum weight in flight of all keys. @default 512 */
  readonly underWay?: number;
  /** Maximum weight in flight of one key. @default 192 */
  readonly perKey?: number;
  /** Maximum number of waiting operations; above it, the key with the most loses its latest. @default 1_024 */
  readonly waiting?: number;
  /** Called when waiting operations are admitted. */
  readonly onAdmitted?: () => void;
}

/**
 * Default limits. All keys together: some 200 ms of work, and 100 MB. A key: more than there are connections, since
 * waiting operations share calls.
 */
export const ADMISSION = { underWay: 512, perKey: 192, waiting: 1_024 };

interface WaitingOperation {
  readonly weight: number;
  /** Called once; with undefined if the operation is rejected. */
  readonly end: (permit: Permit | undefined) => void;
}

/** A held weight of a key's share. */
export class Permit {
  readonly #admission: Admission;
  readonly #key: string;
  /** Weight in its key's share. */
  #weight: number;
  /** Weight in the total. */
  #ofAll: number;

  /** Created by `Admission`. */
  constructor(admission: Admission, key: string, weight: number) {
    this.#admission = admission;
    this.#key = key;
    this.#weight = weight;
    this.#ofAll = weight;
  }

  /**
   * The work is done: reduces the weight to that of the unsent response, which counts for its key but not in the total.
   */
  answered(bytes: number): void {
    if (this.#weight === 0) return;
    this.#change(weightOfBytes(bytes), 0);
  }

  /** Releases the permit. Idempotent. */
  leave(): void {
    if (this.#weight === 0) return;
    this.#change(0, 0);
  }

  #change(weight: number, ofAll: number): void {
    this.#admission.change(this.#key, weight - this.#weight, ofAll - this.#ofAll);
    this.#weight = weight;
    this.#ofAll = ofAll;
  }
}

export class Admission {
  readonly #underWay: number;
  readonly #perKey: number;
  readonly #queue: RoundRobinQueue<WaitingOperation>;
  readonly #onAdmitted: () => void;
  /** Weight in flight by key. */
  readonly #weights = new Map<string, number>();
  #active = 0;
  #isScheduled = false;
  /** Whether the next operation waits for the total limit; lighter ones do not overtake it. */
  #isFull = false;

  constructor(limits: AdmissionLimits = {}) {
    const { underWay, perKey, waiting, onAdmitted = () => {} } = { ...ADMISSION, ...limits };
    this.#onAdmitted = onAdmitted;
    this.#underWay = underWay;
    this.#perKey = perKey;
    this.#queue = new RoundRobinQueue(waiting);
  }

  /** Weight in flight, without unsent responses. */
  get active(): number {
    return this.#active;
  }

  /** Number of waiting operations. */
  get waiting(): number {
    return this.#queue.size;
  }

  /** Whether operations of a key wait. */
  isWaiting(key: string): boolean {
    return this.#queue.sizeOf(key) > 0;
  }

  /**
   * Returns a permit, at once or when there is room; undefined if too many operations wait. An operation above the
   * limit of a key is admitted when the key has nothing else in flight.
   */
  enter(key: string, weight: number): Permit | Promise<Permit | undefined> {
    // A larger weight would wait for all others, and block those behind it.
    const share = Math.min(weight, this.#perKey);
    if (!this.#isFull && this.#queue.sizeOf(key) === 0 && this.#keyHasRoom(key, share)) {
      if (this.#hasRoom(share)) return this.#begin(key, share);
    }
    return new Promise((end) => {
      this.#queue.add(key, { weight: share, end })?.end(undefined);
    });
  }

  /** Called by permits. */
  change(key: string, more: number, moreOfAll: number): void {
    const weight = (this.#weights.get(key) ?? 0) + more;
    if (weight > 0) this.#weights.set(key, weight);
    else this.#weights.delete(key);
    this.#active += moreOfAll;
    if ((more >= 0 && moreOfAll >= 0) || this.#queue.size === 0 || this.#isScheduled) return;
    this.#isScheduled = true;
    // Deferred: operations without backend calls would otherwise follow each other without letting the event loop read
    // requests.
    setImmediate(() => this.#admitWaiting());
  }

  #keyHasRoom(key: string, weight: number): boolean {
    const underWay = this.#weights.get(key) ?? 0;
    return underWay === 0 || underWay + weight <= this.#perKey;
  }

  #hasRoom(weight: number): boolean {
    return this.#active === 0 || this.#active + weight <= this.#underWay;
  }

  #begin(key: string, weight: number): Permit {
    this.#active += weight;
    this.#weights.set(key, (this.#weights.get(key) ?? 0) + weight);
    return new Permit(this, key, weight);
  }

  #admitWaiting(): void {
    this.#isScheduled = false;
    this.#isFull = false;
    for (;;) {
      let permit: Permit | undefined;
      const next = this.#queue.take(({ weight }, key) => {
        if (this.#isFull || !this.#keyHasRoom(key, weight)) return false;
        this.#isFull = !this.#hasRoom(weight);
        if (!this.#isFull) permit = this.#begin(key, weight);
        return !this.#isFull;
      });
      if (!next) break;
      next.end(permit);
    }
    this.#onAdmitted();
  }
}
