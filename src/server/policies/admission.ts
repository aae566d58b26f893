/**
 * Admission: how many operations are under way at a time, of one key and of all.
 *
 * What one operation may cost is bounded elsewhere. Here a key with many of them waits for its own, and
 * keys that wait take turns. A full queue refuses: an answer that comes too late is work for nobody.
 */
import { RoundRobinQueue } from '../../lib/round-robin-queue.ts';

export interface AdmissionLimits {
  /** Operations under way, of all keys. @default 512 */
  readonly underWay?: number;
  /** Operations under way of one key. @default 128, as many as there are connections to the backend */
  readonly perKey?: number;
  /** Operations that wait; when they are too many, the key with most of them loses its latest. @default 1_024 */
  readonly waiting?: number;
}

/** Called once, with whether the operation may begin. */
type Waiting = (isAdmitted: boolean) => void;

export class Admission {
  readonly #underWay: number;
  readonly #perKey: number;
  readonly #queue: RoundRobinQueue<Waiting>;
  /** Operations under way, by key. */
  readonly #counts = new Map<string, number>();
  #active = 0;
  #isScheduled = false;

  constructor({ underWay = 512, perKey = 128, waiting = 1_024 }: AdmissionLimits = {}) {
    this.#underWay = underWay;
    this.#perKey = perKey;
    this.#queue = new RoundRobinQueue(waiting);
  }

  /** Operations under way. */
  get active(): number {
    return this.#active;
  }

  /** Operations that wait. */
  get waiting(): number {
    return this.#queue.size;
  }

  /**
   * Waits until an operation of a key may begin; false when too many wait. Every operation that has begun must
   * `leave`.
   *
   * @returns undefined where the operation may begin at once.
   */
  enter(key: string): Promise<boolean> | undefined {
    if (this.#queue.sizeOf(key) === 0 && this.#hasRoom(key)) {
      this.#begin(key);
      return undefined;
    }
    return new Promise<boolean>((resolve) => {
      const dropped = this.#queue.add(key, resolve);
      dropped?.(false);
    });
  }

  leave(key: string): void {
    const left = this.#counts.get(key)! - 1;
    if (left > 0) this.#counts.set(key, left);
    else this.#counts.delete(key);
    this.#active -= 1;
    if (this.#queue.size === 0 || this.#isScheduled) return;
    this.#isScheduled = true;
    // Not at once: operations that never wait for the backend would follow each other without an end, and
    // requests that have arrived meanwhile would not be read.
    setImmediate(() => this.#admitWaiting());
  }

  #hasRoom(key: string): boolean {
    return this.#active < this.#underWay && (this.#counts.get(key) ?? 0) < this.#perKey;
  }

  #begin(key: string): void {
    this.#active += 1;
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }

  #admitWaiting(): void {
    this.#isScheduled = false;
    let next: Waiting | undefined;
    do {
      next = this.#queue.take((_item, key) => {
        const hasRoom = this.#hasRoom(key);
        if (hasRoom) this.#begin(key);
        return hasRoom;
      });
      next?.(true);
    } while (next);
  }
}
