/**
 * Fair queueing of work that cannot be interrupted: parsing, validating, planning, and execution up to
 * its first wait.
 *
 * Once a turn of the event loop has worked for its share of time, tasks wait here for a later turn.
 * Waiting tasks are served by deficit round robin in milliseconds (Shreedhar and Varghese, 1995), with a
 * flow for each key: senders of expensive documents wait for them. What a flow has used is remembered
 * for some turns, so that a flow with few requests comes before one that always has some.
 */

/** How long a turn works before the event loop goes on, in milliseconds. */
const TURN_MS = 5;

/** What a flow may use each time it is visited, in milliseconds. */
const QUANTUM_MS = 1;

/** By how much a flow may have used more than others before it waits for them, in milliseconds. */
const TOLERATED_MS = 5;

/** The share of time for which a flow may work without owing anything. */
const PAID = 0.2;

/** Flows above which those without tasks and debts are forgotten. */
const MAX_IDLE = 256;

/** After so long without a task of another key, a key does not wait for others, in milliseconds. */
const ALONE_AFTER_MS = 1_000;

/** The most that is remembered of what a flow has used, in milliseconds. */
const MAX_DEBT_MS = 100;

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
  /** What it may use before others; below zero, what it has used and they have not. */
  creditMs: number;
  /** When its debt was last worked out, on `performance.now()`'s clock. */
  atMs: number;
}

export class FairQueue {
  /** Of keys with waiting tasks or debts; the first is next. */
  readonly #flows = new Map<string, Flow>();
  #waiting = 0;
  /** In this turn of the event loop. */
  #usedMs = 0;
  #turnHasEnd = false;
  #lastKey: string | undefined;
  /** When two tasks of different keys last came one after the other. */
  #changedMs = -Infinity;

  /**
   * Runs a task: at once where none waits and the turn has time left, unless its flow has used much more
   * than others of late.
   *
   * @throws {QueueFullError} when too many of its flow wait.
   */
  run<Value>(key: string, task: () => Value): Value | Promise<Awaited<Value>> {
    this.#endTurnLater();
    const nowMs = performance.now();
    const flow = this.#flowOf(key, nowMs);
    if (key !== this.#lastKey) {
      this.#lastKey = key;
      this.#changedMs = nowMs;
    }
    const isBehind = flow.creditMs < -TOLERATED_MS && nowMs - this.#changedMs < ALONE_AFTER_MS;
    if (this.#waiting === 0 && this.#usedMs < TURN_MS && !isBehind) {
      return this.#timed(flow, task, nowMs);
    }
    if (flow.tasks.length >= MAX_WAITING - this.#waiting) throw new QueueFullError();
    return this.#enqueue(flow, task);
  }

  /** Runs a task of a flow that has worked already: when its turn comes again. */
  later<Value>(key: string, task: () => Value): Promise<Awaited<Value>> {
    this.#endTurnLater();
    return this.#enqueue(this.#flowOf(key, performance.now()), task);
  }

  /** Counts work that was done for a key outside of the queue. */
  charge(key: string, ms: number): void {
    this.#count(this.#flowOf(key, performance.now()), ms);
  }

  #enqueue<Value>({ tasks }: Flow, task: () => Value): Promise<Awaited<Value>> {
    this.#waiting += 1;
    return new Promise((resolve) => {
      tasks.push(() => resolve(settled(task)));
    });
  }

  #flowOf(key: string, nowMs: number): Flow {
    let flow = this.#flows.get(key);
    if (!flow) {
      flow = { tasks: [], creditMs: 0, atMs: nowMs };
      this.#flows.set(key, flow);
    }
    payOff(flow, nowMs);
    return flow;
  }

  #timed<Value>(flow: Flow, task: () => Value, startMs = performance.now()): Value {
    try {
      return task();
    } finally {
      this.#count(flow, performance.now() - startMs);
    }
  }

  #count(flow: Flow, ms: number): void {
    this.#usedMs += ms;
    flow.creditMs = Math.max(flow.creditMs - ms, -MAX_DEBT_MS);
  }

  #endTurnLater(): void {
    if (this.#turnHasEnd) return;
    this.#turnHasEnd = true;
    setImmediate(this.#endTurn);
  }

  readonly #endTurn = (): void => {
    this.#turnHasEnd = false;
    this.#usedMs = 0;
    if (this.#waiting > 0) this.#serve();
    if (this.#flows.size > MAX_IDLE) this.#forget(performance.now());
    if (this.#waiting > 0) this.#endTurnLater();
  };

  /** Forgets flows without tasks and debts. */
  #forget(nowMs: number): void {
    for (const [key, flow] of this.#flows) {
      payOff(flow, nowMs);
      if (flow.tasks.length === 0 && flow.creditMs >= 0) this.#flows.delete(key);
    }
  }

  #serve(): void {
    for (const [key, flow] of this.#flows) {
      if (flow.tasks.length === 0) continue;
      flow.creditMs = Math.min(flow.creditMs + QUANTUM_MS, QUANTUM_MS);
      while (flow.creditMs > 0 && flow.tasks.length > 0 && this.#usedMs < TURN_MS) {
        this.#waiting -= 1;
        this.#timed(flow, flow.tasks.shift()!);
      }
      // Visited again by this very loop, after the others.
      this.#flows.delete(key);
      this.#flows.set(key, flow);
      if (this.#usedMs >= TURN_MS || this.#waiting === 0) return;
    }
  }
}

/** Time alone pays debts: turns would have to be made for it. */
function payOff(flow: Flow, nowMs: number): void {
  if (flow.creditMs < 0) flow.creditMs = Math.min(0, flow.creditMs + PAID * (nowMs - flow.atMs));
  flow.atMs = nowMs;
}

/** What it throws as a rejection. */
const settled = async <Value>(task: () => Value): Promise<Awaited<Value>> => await task();
