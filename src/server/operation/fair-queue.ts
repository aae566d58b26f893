/**
 * Fair queueing of work that cannot be interrupted: parsing, validating, planning, and execution up to
 * its first wait.
 *
 * Once a turn of the event loop has worked for its share of time, tasks wait here for a later turn.
 * Waiting tasks are served by deficit round robin in milliseconds (Shreedhar and Varghese, 1995), with a
 * flow for each key: senders of expensive documents wait for them. What a flow has used is remembered,
 * so that a flow with few requests comes before one that always has some. While there are others, those
 * that owe much have a part of a turn together, and then wait for twice as long as their tasks overran it.
 */
import { AcceptFirst, countAccepted } from '../../lib/turns/accept-first.ts';
import { afterPromises, endTurn } from '../../lib/turns/end-of-turn.ts';

/** How long a turn works before the event loop goes on, in milliseconds. */
const TURN_MS = 5;

/** How long a turn works for flows that owe much while there are others, in milliseconds. */
const OWING_MS = 1;

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
  /** Until when flows that owe much wait, since a task of theirs has overrun. */
  #restsUntilMs = -Infinity;
  #rested: NodeJS.Timeout | undefined;
  readonly #acceptFirst = new AcceptFirst(countAccepted);

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
    const mustWait = owesMuch(flow) && !this.#isAlone(nowMs);
    const mayRun = this.#usedMs < TURN_MS && !this.#acceptFirst.isAccepting;
    if (this.#waiting === 0 && mayRun && !mustWait) {
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
    const isLeft = this.#acceptFirst.leaves(performance.now());
    if (this.#waiting === 0) {
      this.#turnHasEnd = false;
      this.#usedMs = 0;
      if (this.#flows.size > MAX_IDLE) this.#forget(performance.now());
      return;
    }
    if (isLeft) {
      setImmediate(this.#endTurn);
      return;
    }
    // Answers and calls of this turn are sent before, and what the tasks begin is sent after them.
    endTurn();
    afterPromises(() => {
      this.#usedMs = 0;
      const restMs = this.#serve();
      afterPromises(() => {
        endTurn();
        this.#turnHasEnd = false;
        if (restMs < 1) this.#endTurnLater();
        else if (!this.#rested) this.#rested = setTimeout(this.#endRest, restMs);
      });
    });
  };

  readonly #endRest = (): void => {
    this.#rested = undefined;
    this.#endTurnLater();
  };

  #isAlone(nowMs: number): boolean {
    return nowMs - this.#changedMs >= ALONE_AFTER_MS;
  }

  /** Forgets flows without tasks and debts. */
  #forget(nowMs: number): void {
    for (const [key, flow] of this.#flows) {
      payOff(flow, nowMs);
      if (flow.tasks.length === 0 && flow.creditMs >= 0) this.#flows.delete(key);
    }
  }

  /** @returns for how long no task may run that waits now, in milliseconds. */
  #serve(): number {
    const nowMs = performance.now();
    for (const flow of this.#flows.values()) payOff(flow, nowMs);
    this.#takeTurns();
    if (this.#usedMs >= TURN_MS || this.#waiting === 0) return 0;
    if (this.#isAlone(nowMs)) {
      this.#serveOwing(TURN_MS);
      return 0;
    }
    if (nowMs >= this.#restsUntilMs) {
      const untilMs = this.#usedMs + OWING_MS;
      this.#serveOwing(untilMs);
      const overrunMs = this.#usedMs - untilMs;
      this.#restsUntilMs = performance.now() + 2 * overrunMs;
    }
    return this.#restsUntilMs - performance.now();
  }

  /** Serves flows that do not owe much. */
  #takeTurns(): void {
    for (const [key, flow] of this.#flows) {
      if (flow.tasks.length === 0 || owesMuch(flow)) continue;
      flow.creditMs = Math.min(flow.creditMs + QUANTUM_MS, QUANTUM_MS);
      while (flow.creditMs > 0 && flow.tasks.length > 0 && this.#usedMs < TURN_MS) {
        this.#runNext(flow);
      }
      // Visited again by this very loop, after the others.
      this.#flows.delete(key);
      this.#flows.set(key, flow);
      if (this.#usedMs >= TURN_MS || this.#waiting === 0) return;
    }
  }

  /** Serves the flow that owes least, then the next, until the turn has worked for so long. */
  #serveOwing(untilMs: number): void {
    while (this.#waiting > 0 && this.#usedMs < untilMs) {
      let least: [string, Flow] | undefined;
      for (const entry of this.#flows) {
        if (entry[1].tasks.length > 0 && !(least && least[1].creditMs >= entry[1].creditMs)) {
          least = entry;
        }
      }
      const [key, flow] = least!;
      this.#runNext(flow);
      // Of those that owe as much, another is next.
      this.#flows.delete(key);
      this.#flows.set(key, flow);
    }
  }

  #runNext(flow: Flow): void {
    this.#waiting -= 1;
    this.#timed(flow, flow.tasks.shift()!);
  }
}

const owesMuch = ({ creditMs }: Flow): boolean => creditMs < -TOLERATED_MS;

/** Time alone pays debts: turns would have to be made for it. */
function payOff(flow: Flow, nowMs: number): void {
  if (flow.creditMs < 0) flow.creditMs = Math.min(0, flow.creditMs + PAID * (nowMs - flow.atMs));
  flow.atMs = nowMs;
}

/** What it throws as a rejection. */
const settled = async <Value>(task: () => Value): Promise<Awaited<Value>> => await task();
