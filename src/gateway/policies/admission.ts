/**
 * Admission: how much is under way at a time, of one key and of all.
 *
 * An operation has a weight, which is a share of the event loop and of memory. What one operation may cost is bounded
 * elsewhere. Here a key with much under way waits for its own, and keys that wait take turns. A full queue refuses: an
 * answer that comes too late is work for nobody.
 */
import { weightOfBytes } from '../../plan/weight.ts';
import { RoundRobinQueue } from '../../lib/round-robin-queue.ts';

export interface AdmissionLimits {
  /** Weight under way, of all keys: some 200 ms of work, and 100 MB. @default 512 */
  readonly underWay?: number;
  /** Weight under way of one key. @default 128, as many lookups as there are connections to the backend */
  readonly perKey?: number;
  /** Operations that wait; when they are too many, the key with most of them loses its latest. @default 1_024 */
  readonly waiting?: number;
  /** Hears that operations that waited have begun. */
  readonly onAdmitted?: () => void;
}

interface Waiting {
  readonly weight: number;
  /** Called once; without a permit where too many wait. */
  readonly end: (permit: Permit | undefined) => void;
}

/** What an operation has of its key's share, until it leaves. */
export class Permit {
  readonly #admission: Admission;
  readonly #key: string;
  /** In its key's share. */
  #weight: number;
  /** Among all keys. */
  #ofAll: number;

  /** Made by the admission. */
  constructor(admission: Admission, key: string, weight: number) {
    this.#admission = admission;
    this.#key = key;
    this.#weight = weight;
    this.#ofAll = weight;
  }

  /** The work is done: what its unsent answer weighs is left, in the share of its key and in nobody else's. */
  answered(bytes: number): void {
    if (this.#weight === 0) return;
    this.#change(weightOfBytes(bytes), 0);
  }

  /** Leaves; again does nothing. */
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
  readonly #queue: RoundRobinQueue<Waiting>;
  readonly #onAdmitted: () => void;
  /** Weight under way, by key. */
  readonly #weights = new Map<string, number>();
  #active = 0;
  #isScheduled = false;
  /** Whether an operation whose turn has come waits for room among all keys: no lighter one passes it. */
  #isFull = false;

  constructor(limits: AdmissionLimits = {}) {
    const { underWay = 512, perKey = 128, waiting = 1_024, onAdmitted = () => {} } = limits;
    this.#onAdmitted = onAdmitted;
    this.#underWay = underWay;
    this.#perKey = perKey;
    this.#queue = new RoundRobinQueue(waiting);
  }

  /** Weight that is worked at. */
  get active(): number {
    return this.#active;
  }

  /** Operations that wait. */
  get waiting(): number {
    return this.#queue.size;
  }

  /** Whether operations of a key wait. */
  isWaiting(key: string): boolean {
    return this.#queue.sizeOf(key) > 0;
  }

  /**
   * A permit for an operation of a key, at once or when there is room; undefined when too many wait. One that weighs
   * more than a key may have under way gets its permit when its key has nothing else under way.
   */
  enter(key: string, weight: number): Permit | Promise<Permit | undefined> {
    // A larger weight would wait until all others have left, and others of any weight behind it.
    const share = Math.min(weight, this.#perKey);
    if (!this.#isFull && this.#queue.sizeOf(key) === 0 && this.#keyHasRoom(key, share)) {
      if (this.#hasRoom(share)) return this.#begin(key, share);
    }
    return new Promise((end) => {
      this.#queue.add(key, { weight: share, end })?.end(undefined);
    });
  }

  /** For permits. */
  change(key: string, more: number, moreOfAll: number): void {
    const weight = (this.#weights.get(key) ?? 0) + more;
    if (weight > 0) this.#weights.set(key, weight);
    else this.#weights.delete(key);
    this.#active += moreOfAll;
    if ((more >= 0 && moreOfAll >= 0) || this.#queue.size === 0 || this.#isScheduled) return;
    this.#isScheduled = true;
    // Not at once: operations that never wait for the backend would follow each other without an end, and
    // requests that have arrived meanwhile would not be read.
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
