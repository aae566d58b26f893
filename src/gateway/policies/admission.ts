/**
 * Admission: limits the weight of operations in flight, per key and in total.
 *
 * An operation's weight estimates its use of the event loop and of memory. A key at its limit waits for its own
 * operations, and waiting keys take turns. A full queue rejects, since late responses are wasted work.
 *
 * Estimates may be too low, so the bytes that operations receive and have not sent are limited too.
 */
import { BYTES_PER_UNIT, weightOfBytes } from '../../plan/weight.ts';
import type { ReceiveRefusal } from '../../rest/call/errors.ts';
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
  readonly weight: () => number;
  /** Called once; with undefined if the operation is rejected. */
  readonly end: (permit: Permit | undefined) => void;
}

/** What a key has in flight. */
class Share {
  weight = 0;
  /** Received by operations, or unsent. */
  bytes = 0;
  /** Permits of unsent responses, oldest first. */
  readonly unsent = new Set<Permit>();
}

/** A held weight of a key's share. */
export class Permit {
  /** Bytes that the backend returned, with refused ones. */
  received = 0;
  readonly #admission: Admission;
  readonly #key: string;
  /** Weight in its key's share. */
  #weight: number;
  /** Weight in the total. */
  #ofAll: number;
  /** Bytes received, then those of the unsent response. */
  #bytes = 0;
  #cut: (() => void) | undefined;

  /** Created by `Admission`. */
  constructor(admission: Admission, key: string, weight: number) {
    this.#admission = admission;
    this.#key = key;
    this.#weight = weight;
    this.#ofAll = weight;
  }

  /** Counts bytes of a backend response, and returns why they may not be received. */
  receive(bytes: number): ReceiveRefusal | undefined {
    if (this.#ofAll === 0) return undefined;
    this.received += bytes;
    const refusal = this.#admission.refusalOf(this.#key, bytes, this.#bytes);
    if (!refusal) this.#change(this.#weight, this.#ofAll, this.#bytes + bytes);
    return refusal;
  }

  /**
   * The work is done: reduces the weight to that of the unsent response, which counts for its key but not in the total.
   *
   * @param cut ends the wait for the response to be sent, if other responses need its bytes.
   */
  answered(bytes: number, cut: () => void): void {
    if (this.#weight === 0) return;
    this.#cut = cut;
    this.#change(weightOfBytes(bytes), 0, bytes);
    this.#admission.addUnsent(this.#key, this);
  }

  /** Releases the permit. Idempotent. */
  leave(): void {
    if (this.#weight === 0) return;
    this.#admission.removeUnsent(this.#key, this);
    this.#change(0, 0, 0);
  }

  /** Drops the unsent response. */
  cut(): void {
    this.leave();
    this.#cut?.();
  }

  #change(weight: number, ofAll: number, bytes: number): void {
    const more = { weight: weight - this.#weight, ofAll: ofAll - this.#ofAll };
    this.#admission.change(this.#key, more.weight, more.ofAll, bytes - this.#bytes);
    this.#weight = weight;
    this.#ofAll = ofAll;
    this.#bytes = bytes;
  }
}

export class Admission {
  readonly #underWay: number;
  readonly #perKey: number;
  readonly #queue: RoundRobinQueue<WaitingOperation>;
  readonly #onAdmitted: () => void;
  readonly #shares = new Map<string, Share>();
  #active = 0;
  #bytes = 0;
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
  enter(key: string, weightNow: () => number): Permit | Promise<Permit | undefined> {
    // A larger weight would wait for all others, and block those behind it.
    const weight = (): number => Math.min(weightNow(), this.#perKey);
    if (!this.#isFull && this.#queue.sizeOf(key) === 0) {
      const now = weight();
      if (this.#keyHasRoom(key, now) && this.#hasRoom(now)) return this.#begin(key, now);
    }
    return new Promise((end) => {
      this.#queue.add(key, { weight, end })?.end(undefined);
    });
  }

  /** Returns why an operation may not receive bytes. @param had those that it has. */
  refusalOf(key: string, bytes: number, had: number): ReceiveRefusal | undefined {
    const ofKey = this.#perKey * BYTES_PER_UNIT;
    if (had + bytes > ofKey) return 'budget';
    if ((this.#shares.get(key)?.bytes ?? 0) + bytes > ofKey) return 'overloaded';
    return this.#cutUnsent(bytes) ? undefined : 'overloaded';
  }

  /** Called by permits. */
  addUnsent(key: string, permit: Permit): void {
    this.#shares.get(key)?.unsent.add(permit);
    this.#cutUnsent(0);
  }

  /** Called by permits. */
  removeUnsent(key: string, permit: Permit): void {
    this.#shares.get(key)?.unsent.delete(permit);
  }

  /**
   * Makes room for bytes in the total: as long as they do not fit, the key with the most bytes loses its oldest unsent
   * response. Otherwise a few keys that read nothing would stop the others.
   *
   * @returns whether there is room.
   */
  #cutUnsent(bytes: number): boolean {
    while (this.#bytes + bytes > this.#underWay * BYTES_PER_UNIT) {
      let most: Share | undefined;
      for (const share of this.#shares.values()) {
        if (share.unsent.size > 0 && share.bytes > (most?.bytes ?? 0)) most = share;
      }
      const [oldest] = most?.unsent ?? [];
      if (!oldest) return false;
      oldest.cut();
    }
    return true;
  }

  /** Called by permits. */
  change(key: string, more: number, moreOfAll: number, moreBytes: number): void {
    const share = this.#shares.get(key)!; // exists while permits of its key do
    share.weight += more;
    share.bytes += moreBytes;
    if (share.weight === 0) this.#shares.delete(key);
    this.#active += moreOfAll;
    this.#bytes += moreBytes;
    if ((more >= 0 && moreOfAll >= 0) || this.#queue.size === 0 || this.#isScheduled) return;
    this.#isScheduled = true;
    // Deferred: operations without backend calls would otherwise follow each other without letting the event loop read
    // requests.
    setImmediate(() => this.#admitWaiting());
  }

  #keyHasRoom(key: string, weight: number): boolean {
    const underWay = this.#shares.get(key)?.weight ?? 0;
    return underWay === 0 || underWay + weight <= this.#perKey;
  }

  #hasRoom(weight: number): boolean {
    return this.#active === 0 || this.#active + weight <= this.#underWay;
  }

  #begin(key: string, weight: number): Permit {
    this.#active += weight;
    let share = this.#shares.get(key);
    if (!share) this.#shares.set(key, (share = new Share()));
    share.weight += weight;
    return new Permit(this, key, weight);
  }

  #admitWaiting(): void {
    this.#isScheduled = false;
    this.#isFull = false;
    for (;;) {
      let permit: Permit | undefined;
      const next = this.#queue.take(({ weight }, key) => {
        const now = weight();
        if (this.#isFull || !this.#keyHasRoom(key, now)) return false;
        this.#isFull = !this.#hasRoom(now);
        if (!this.#isFull) permit = this.#begin(key, now);
        return !this.#isFull;
      });
      if (!next) break;
      next.end(permit);
    }
    this.#onAdmitted();
  }
}
