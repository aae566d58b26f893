/**
 * Admission: how many operations are under way at a time, of one key and of all.
 *
 * What one operation may cost is bounded elsewhere. Here a key with many of them waits for its own, and
 * keys that wait take turns (round robin). A full queue refuses at once: an answer that comes too late is
 * work for nobody.
 */

export interface AdmissionLimits {
  /** Operations under way, of all keys. @default 512 */
  readonly underWay?: number;
  /** Operations under way of one key. @default 128, as many as there are connections to the backend */
  readonly perKey?: number;
  /** Operations that wait; one key may have half of the places. @default 1_024 */
  readonly waiting?: number;
}

/** Too many operations wait already. */
export class AdmissionError extends Error {
  override readonly name = 'AdmissionError';
}

interface Waiting {
  readonly admit: () => void;
}

export class Admission {
  readonly #limits: Required<AdmissionLimits>;
  readonly #underWay = new Map<string, number>();
  /** Of keys with waiting operations; the first is next. */
  readonly #queues = new Map<string, Waiting[]>();
  #active = 0;
  #waiting = 0;
  #isScheduled = false;

  constructor({ underWay = 512, perKey = 128, waiting = 1_024 }: AdmissionLimits = {}) {
    this.#limits = { underWay, perKey, waiting };
  }

  /** Operations under way. */
  get active(): number {
    return this.#active;
  }

  /** Operations that wait. */
  get waiting(): number {
    return this.#waiting;
  }

  /**
   * Waits until an operation of a key may begin. Every operation that has begun must `leave`.
   *
   * @returns undefined where the operation may begin at once.
   * @throws {AdmissionError} when too many wait.
   */
  enter(key: string): Promise<void> | undefined {
    const queue = this.#queues.get(key);
    if (!queue && this.#hasRoom(key)) {
      this.#begin(key);
      return undefined;
    }
    const { waiting } = this.#limits;
    if (this.#waiting >= waiting || (queue?.length ?? 0) >= waiting / 2) throw new AdmissionError();
    this.#waiting += 1;
    return new Promise((admit) => {
      if (queue) queue.push({ admit });
      else this.#queues.set(key, [{ admit }]);
    });
  }

  leave(key: string): void {
    const left = this.#underWay.get(key)! - 1;
    if (left > 0) this.#underWay.set(key, left);
    else this.#underWay.delete(key);
    this.#active -= 1;
    if (this.#waiting === 0 || this.#isScheduled) return;
    this.#isScheduled = true;
    // Not at once: operations that never wait for the backend would follow each other without an end, and
    // requests that have arrived meanwhile would not be read.
    setImmediate(() => this.#admitWaiting());
  }

  #hasRoom(key: string): boolean {
    const { underWay, perKey } = this.#limits;
    return this.#active < underWay && (this.#underWay.get(key) ?? 0) < perKey;
  }

  #begin(key: string): void {
    this.#active += 1;
    this.#underWay.set(key, (this.#underWay.get(key) ?? 0) + 1);
  }

  /** One operation of each key in turn, while there is room. */
  #admitWaiting(): void {
    this.#isScheduled = false;
    let isFull = false;
    while (!isFull) {
      isFull = true;
      for (const [key, queue] of [...this.#queues]) {
        if (!this.#hasRoom(key)) continue;
        isFull = false;
        this.#waiting -= 1;
        this.#begin(key);
        queue.shift()!.admit();
        // The key goes behind those that still wait.
        this.#queues.delete(key);
        if (queue.length > 0) this.#queues.set(key, queue);
      }
    }
  }
}
