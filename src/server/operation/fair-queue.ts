/**
 * Fair queueing of work that cannot be interrupted: parsing, validating, planning, and execution up to
 * its first wait.
 *
 * Once a turn of the event loop has worked for its share of time, tasks wait here for a later turn.
 * Waiting tasks are served by deficit round robin in milliseconds (Shreedhar and Varghese, 1995), with a
 * flow for each key: senders of expensive documents wait for them.
 */

/** How long a turn works before the event loop goes on, in milliseconds. */
const TURN_MS = 5;

/** What a flow may use each time it is visited, in milliseconds. */
const QUANTUM_MS = 1;

/**
 * Tasks that may wait. A flow may have as many as are free, so that none fills more than half of
 * the queue.
 */
const MAX_WAITING = 1_024;

/** Too many tasks wait. */
export class QueueFullError extends Error {
  override readonly name = 'QueueFullError';
}

interface Flow {
  readonly tasks: (() => void)[];
  creditMs: number;
}

export class FairQueue {
  /** Of keys with waiting tasks; the first is next. */
  readonly #flows = new Map<string, Flow>();
  #waiting = 0;
  /** In this turn of the event loop. */
  #usedMs = 0;
  #turnHasEnd = false;

  /**
   * Runs a task: at once where none waits and the turn has time left.
   *
   * @throws {QueueFullError} when too many of its flow wait.
   */
  run<Value>(key: string, task: () => Value): Value | Promise<Awaited<Value>> {
    this.#endTurnLater();
    if (this.#waiting === 0 && this.#usedMs < TURN_MS) return this.#timed(task);
    let flow = this.#flows.get(key);
    if (!flow) {
      flow = { tasks: [], creditMs: 0 };
      this.#flows.set(key, flow);
    }
    if (flow.tasks.length >= MAX_WAITING - this.#waiting) {
      if (flow.tasks.length === 0) this.#flows.delete(key);
      throw new QueueFullError();
    }
    const { tasks } = flow;
    this.#waiting += 1;
    return new Promise((resolve) => {
      tasks.push(() => resolve(settled(task)));
    });
  }

  /** Counts work that was done for a key outside of the queue. */
  charge(key: string, ms: number): void {
    this.#usedMs += ms;
    const flow = this.#flows.get(key);
    if (flow) flow.creditMs -= ms;
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
    for (const [key, flow] of this.#flows) {
      flow.creditMs += QUANTUM_MS;
      while (flow.creditMs > 0 && flow.tasks.length > 0 && this.#usedMs < TURN_MS) {
        const before = this.#usedMs;
        this.#waiting -= 1;
        this.#timed(flow.tasks.shift()!);
        flow.creditMs -= this.#usedMs - before;
      }
      // Visited again by this very loop, after the others.
      this.#flows.delete(key);
      if (flow.tasks.length > 0) this.#flows.set(key, flow);
      if (this.#usedMs >= TURN_MS) return;
    }
  }
}

/** What it throws as a rejection. */
const settled = async <Value>(task: () => Value): Promise<Awaited<Value>> => await task();
