/**
 * Whose work is next, and how much of it is done before the event loop looks at anything else.
 *
 * Parsing, validating and planning cannot be interrupted, so tasks wait here for a later turn of the
 * event loop once a turn has worked for its share of time. Those who wait are served by deficit round
 * robin (Shreedhar and Varghese, 1995), a key a lane, in milliseconds: whoever sends what is dear waits
 * for it himself.
 */

/** How long a turn works before it lets the event loop go on, in milliseconds. */
const TURN_MS = 5;

/** What a lane may use each time it is visited, in milliseconds. */
const QUANTUM_MS = 1;

/** Tasks that may wait. A lane may have as many as are free, so no one fills more than half of it. */
const MAX_WAITING = 1_024;

/** Too much waits already. */
export class QueueFullError extends Error {
  override readonly name = 'QueueFullError';
}

interface Lane {
  readonly tasks: (() => void)[];
  creditMs: number;
}

export class FairQueue {
  /** Of keys with waiting tasks; the first is next. */
  readonly #lanes = new Map<string, Lane>();
  #waiting = 0;
  /** In this turn of the event loop. */
  #usedMs = 0;
  #turnHasEnd = false;

  /**
   * Runs a task: at once where none waits and the turn has time left.
   *
   * @throws {QueueFullError} when too many of its lane wait.
   */
  run<Value>(key: string, task: () => Value): Value | Promise<Awaited<Value>> {
    this.#endTurnLater();
    if (this.#waiting === 0 && this.#usedMs < TURN_MS) return this.#timed(task);
    let lane = this.#lanes.get(key);
    if (!lane) {
      lane = { tasks: [], creditMs: 0 };
      this.#lanes.set(key, lane);
    }
    if (lane.tasks.length >= MAX_WAITING - this.#waiting) {
      if (lane.tasks.length === 0) this.#lanes.delete(key);
      throw new QueueFullError();
    }
    const { tasks } = lane;
    this.#waiting += 1;
    return new Promise((resolve) => {
      tasks.push(() => resolve(settled(task)));
    });
  }

  /** Counts work that was done for a key outside of the queue. */
  charge(key: string, ms: number): void {
    this.#usedMs += ms;
    const lane = this.#lanes.get(key);
    if (lane) lane.creditMs -= ms;
  }

  #timed<Value>(task: () => Value): Value {
    const startMs = performance.now();
    try {
      return task();
    } finally {
      this.#usedMs += performance.now() - startMs;
    }
  }

  #endTurnLater(): void {
    if (this.#turnHasEnd) return;
    this.#turnHasEnd = true;
    setImmediate(this.#endTurn);
  }

  readonly #endTurn = (): void => {
    this.#turnHasEnd = false;
    this.#usedMs = 0;
    if (this.#waiting === 0) return;
    this.#endTurnLater();
    this.#serve();
  };

  #serve(): void {
    for (const [key, lane] of this.#lanes) {
      lane.creditMs += QUANTUM_MS;
      while (lane.creditMs > 0 && lane.tasks.length > 0 && this.#usedMs < TURN_MS) {
        const before = this.#usedMs;
        this.#waiting -= 1;
        this.#timed(lane.tasks.shift()!);
        lane.creditMs -= this.#usedMs - before;
      }
      // Visited again by this very loop, after the others.
      this.#lanes.delete(key);
      if (lane.tasks.length > 0) this.#lanes.set(key, lane);
      if (this.#usedMs >= TURN_MS) return;
    }
  }
}

/** What it throws as a rejection. */
const settled = async <Value>(task: () => Value): Promise<Awaited<Value>> => await task();
