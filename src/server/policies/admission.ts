/**
 * Admission: how many operations are under way at a time, of one key and of all.
 *
 * What one operation may cost is bounded elsewhere. Here a key with many of them waits for its own, and
 * keys that wait take turns. A full queue refuses: an answer that comes too late is work for nobody.
 */
import { systemClock, type Clock } from '../../lib/clock.ts';
import { RoundRobinQueue } from '../../lib/round-robin-queue.ts';

/**
 * For how long operations begin in one turn of the event loop, in milliseconds: a hundred expensive ones that arrive
 * together would hold up all other keys, and their answers would come together again.
 */
const TURN_MS = 10;

export interface AdmissionLimits {
  /** Operations under way, of all keys. @default 512 */
  readonly underWay?: number;
  /** Operations under way of one key. @default 128, as many as there are connections to the backend */
  readonly perKey?: number;
  /** Operations that wait; when they are too many, the key with most of them loses its latest. @default 1_024 */
  readonly waiting?: number;
  /** By which turns end. @default the system's */
  readonly clock?: Clock;
}

/** Too many operations wait already. */
export class AdmissionError extends Error {
  override readonly name = 'AdmissionError';
}

interface Waiting {
  readonly admit: () => void;
  readonly refuse: (error: AdmissionError) => void;
}

export class Admission {
  readonly #underWay: number;
  readonly #perKey: number;
  readonly #clock: Clock;
  readonly #queue: RoundRobinQueue<Waiting>;
  /** Operations under way, by key. */
  readonly #counts = new Map<string, number>();
  #active = 0;
  /** Until when operations begin in this turn of the event loop; infinite before the first. */
  #turnEndsMs = Infinity;
  #isScheduled = false;

  constructor({
    underWay = 512,
    perKey = 128,
    waiting = 1_024,
    clock = systemClock,
  }: AdmissionLimits = {}) {
    this.#underWay = underWay;
    this.#perKey = perKey;
    this.#clock = clock;
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
   * Waits until an operation of a key may begin; rejects with an `AdmissionError` when too many wait. Every
   * operation that has begun must `leave`.
   *
   * @returns undefined where the operation may begin at once.
   */
  enter(key: string): Promise<void> | undefined {
    if (this.#queue.sizeOf(key) === 0 && this.#hasRoom(key)) {
      this.#begin(key);
      return undefined;
    }
    return new Promise((admit, refuse) => {
      this.#queue.add(key, { admit, refuse })?.refuse(new AdmissionError());
    });
  }

  leave(key: string): void {
    const left = this.#counts.get(key)! - 1;
    if (left > 0) this.#counts.set(key, left);
    else this.#counts.delete(key);
    this.#active -= 1;
    if (this.#queue.size > 0) this.#schedule();
  }

  #hasRoom(key: string): boolean {
    const ofKey = this.#counts.get(key) ?? 0;
    if (this.#active >= this.#underWay || ofKey >= this.#perKey) return false;
    return this.#turnEndsMs === Infinity || this.#clock.now() < this.#turnEndsMs;
  }

  #begin(key: string): void {
    this.#active += 1;
    if (this.#turnEndsMs === Infinity) this.#turnEndsMs = this.#clock.now() + TURN_MS;
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
    this.#schedule();
  }

  /** Requests that have arrived meanwhile are read first, also where operations never wait for the backend. */
  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.#admitWaiting());
  }

  #admitWaiting(): void {
    this.#isScheduled = false;
    this.#turnEndsMs = Infinity;
    let next: Waiting | undefined;
    do {
      next = this.#queue.take((_item, key) => {
        const hasRoom = this.#hasRoom(key);
        if (hasRoom) this.#begin(key);
        return hasRoom;
      });
      next?.admit();
    } while (next);
  }
}
