/**
 * Turns of the event loop for large pieces of work, between which other requests have theirs.
 *
 * All of them together have one slice of a turn. The work that has used the least time goes first (least
 * attained service), so that a large answer delays itself and no other. Times are compared by powers of
 * two, and the first to come goes first among equals: of many alike few are half done, and held in memory.
 * Source: L. Kleinrock, "Queueing Systems, Volume II", chapter 4, 1976.
 */
import { AcceptFirst } from './accept-first.ts';
import { afterPromises, endTurn } from './end-of-turn.ts';

/** How long large pieces of work may take of one turn, in milliseconds. */
const SLICE_MS = 3;

/** Looks at the time that make a piece of work large. */
const LARGE = 8;

/** Pieces of work with waiting tasks. */
const waiting = new Set<Turns>();
/** When the present slice ends; undefined while nothing large is under way. */
let endsAtMs: number | undefined;
let isOver = false;
let count = 0;
const acceptFirst = new AcceptFirst();

/** The turns of one piece of work. */
export class Turns {
  readonly #charge: (ms: number) => void;
  #tasks: (() => void)[] = [];
  /** How many tasks were run; removing each from a long list would take long. */
  #run = 0;
  #usedMs = 0;
  #looks = 0;
  /** Grows by one each time that the used time doubles. */
  #level = 0;
  readonly #number = ++count;

  /** @param charge called with how long each of its tasks took, in milliseconds. */
  constructor(charge: (ms: number) => void = () => {}) {
    this.#charge = charge;
  }

  /** Whether what it has made is too much to write in one turn. */
  get isLarge(): boolean {
    return this.#looks >= LARGE;
  }

  /** Whether what could go on has to wait for the next turn. */
  get isOver(): boolean {
    return isOver;
  }

  /** Called now and then with the time; ends the slice when that is over. */
  look(nowMs: number): void {
    this.#looks += 1;
    if (endsAtMs === undefined) {
      endsAtMs = nowMs + SLICE_MS;
      setImmediate(beginSlice);
    } else if (nowMs > endsAtMs) isOver = true;
  }

  /** Runs tasks in their order: as many as one turn has time for, the others in those after it. */
  whenNextBegins(task: () => void): void {
    this.#tasks.push(task);
    waiting.add(this);
  }

  /** Runs a task: at once where the slice has time left and nothing waits, else when its turn comes. */
  run<Value>(task: () => Value): Value | Promise<Value> {
    this.look(performance.now());
    if (!isOver && waiting.size === 0) return task();
    return new Promise((resolve) => {
      // What it throws is a rejection.
      this.whenNextBegins(() => resolve(new Promise<Value>((done) => done(task()))));
    });
  }

  /** Runs tasks until the slice is over or another one's turn has come. */
  static serve(nowMs: number): void {
    let startMs = nowMs;
    while (waiting.size > 0 && !isOver) {
      const turns = leastServed();
      turns.#runNext();
      const endMs = performance.now();
      turns.#usedMs += endMs - startMs;
      turns.#level = Math.floor(Math.log2(1 + turns.#usedMs));
      turns.#charge(endMs - startMs);
      startMs = endMs;
      if (endMs > endsAtMs!) isOver = true;
    }
  }

  #runNext(): void {
    const task = this.#tasks[this.#run++]!;
    if (this.#run === this.#tasks.length) {
      this.#tasks = [];
      this.#run = 0;
      waiting.delete(this);
    }
    task();
  }

  static compare(one: Turns, other: Turns): number {
    return one.#level - other.#level || one.#number - other.#number;
  }
}

function leastServed(): Turns {
  let least: Turns | undefined;
  for (const turns of waiting) if (!least || Turns.compare(turns, least) < 0) least = turns;
  return least!;
}

function beginSlice(): void {
  isOver = false;
  if (waiting.size === 0) {
    endsAtMs = undefined;
    return;
  }
  if (acceptFirst.leaves(performance.now())) {
    isOver = true;
    setImmediate(beginSlice);
    return;
  }
  // Answers and calls are sent first.
  endTurn();
  afterPromises(() => {
    const nowMs = performance.now();
    endsAtMs = nowMs + SLICE_MS;
    Turns.serve(nowMs);
    setImmediate(beginSlice);
  });
}
