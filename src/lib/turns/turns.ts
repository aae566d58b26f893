/**
 * Turns of the event loop for large pieces of work, between which other requests have theirs.
 *
 * All of them together have one slice of a turn, which keys share evenly. Of one key's pieces the one that
 * has used the least time goes first (least attained service), so that a large answer delays itself and no
 * other; times are compared by powers of two. But only the oldest that have begun go on: of three hundred
 * alike all would be half done at once, and held in memory.
 * Source: L. Kleinrock, "Queueing Systems, Volume II", chapter 4, 1976.
 */
import { afterPromises, endTurn } from './end-of-turn.ts';

/** How long large pieces of work may take of one turn, in milliseconds. */
const SLICE_MS = 3;

/** After so much of a turn small work, too, goes on in a later one, in milliseconds. */
const TURN_MS = 8;

/** Work that has used less goes before what has begun, in milliseconds. */
const FRESH_MS = 0.25;

/** Looks at the time that make a piece of work large. */
const LARGE = 8;

/** Pieces of one key's work that may be half done at a time, beside those that wait for the backend. */
const MAX_BEGUN = 4;

/** The work of one key. */
interface Flow {
  /** Pieces with waiting tasks. */
  readonly waiting: Set<Turns>;
  /** What its tasks took; when it begins to wait, what they took of the flow that used least. */
  usedMs: number;
}

/** Those with waiting tasks, by their keys. */
const flows = new Map<string, Flow>();
/** When the present turn began, or its slice; undefined while nothing is under way. */
let beganMs: number | undefined;
let isOver = false;
let count = 0;

/** The turns of one piece of work. */
export class Turns {
  readonly #charge: (ms: number) => void;
  readonly #flow: string;
  #tasks: (() => void)[] = [];
  /** How many tasks were run; removing each from a long list would take long. */
  #run = 0;
  #usedMs = 0;
  #looks = 0;
  /** Grows by one each time that the used time doubles. */
  #level = 0;
  readonly #number = ++count;

  /**
   * @param charge called with how long each of its tasks took, in milliseconds.
   * @param flow whose work it is.
   */
  constructor(charge: (ms: number) => void = () => {}, flow = '') {
    this.#charge = charge;
    this.#flow = flow;
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
    if (elapsedMs(nowMs) > SLICE_MS) isOver = true;
  }

  /** Whether even what is small has to wait for a later turn: a call's answer may let hundreds go on. */
  static get isTurnOver(): boolean {
    return elapsedMs(performance.now()) > TURN_MS;
  }

  /** Runs tasks in their order: as many as one turn has time for, the others in those after it. */
  whenNextBegins(task: () => void): void {
    this.#tasks.push(task);
    let flow = flows.get(this.#flow);
    if (!flow) {
      flow = { waiting: new Set(), usedMs: leastUsed()?.usedMs ?? 0 };
      flows.set(this.#flow, flow);
    }
    flow.waiting.add(this);
  }

  /** Runs a task: at once where the slice has time left and nothing waits, else when its turn comes. */
  run<Value>(task: () => Value): Value | Promise<Value> {
    this.look(performance.now());
    if (!isOver && flows.size === 0) return task();
    return new Promise((resolve) => {
      // What it throws is a rejection.
      this.whenNextBegins(() => resolve(new Promise<Value>((done) => done(task()))));
    });
  }

  /** Runs tasks until the slice is over, or one piece has no more: what follows from it counts as well. */
  static serve(nowMs: number): void {
    let startMs = nowMs;
    for (let hasMore = true; hasMore && !isOver;) {
      const flow = leastUsed();
      if (!flow) return;
      const turns = Turns.#nextOf(flow);
      hasMore = turns.#runNext(flow);
      const endMs = performance.now();
      const tookMs = endMs - startMs;
      flow.usedMs += tookMs;
      turns.#usedMs += tookMs;
      turns.#level = Math.floor(Math.log2(1 + turns.#usedMs / FRESH_MS));
      turns.#charge(tookMs);
      startMs = endMs;
      if (elapsedMs(endMs) > SLICE_MS) isOver = true;
    }
  }

  /** @returns whether it had more tasks. */
  #runNext(flow: Flow): boolean {
    const task = this.#tasks[this.#run++]!;
    const hasMore = this.#run < this.#tasks.length;
    if (!hasMore) {
      this.#tasks = [];
      this.#run = 0;
      flow.waiting.delete(this);
      if (flow.waiting.size === 0) flows.delete(this.#flow);
    }
    task();
    return hasMore;
  }

  static #nextOf({ waiting }: Flow): Turns {
    const begun: Turns[] = [];
    let next: Turns | undefined;
    for (const turns of waiting) {
      if (turns.#level > 0) begun.push(turns);
      else if (!next || turns.#number < next.#number) next = turns;
    }
    if (next) return next;
    if (begun.length > MAX_BEGUN) begun.sort((one, other) => one.#number - other.#number);
    for (const turns of begun.slice(0, MAX_BEGUN)) {
      if (!next || Turns.#compare(turns, next) < 0) next = turns;
    }
    return next!;
  }

  static #compare(one: Turns, other: Turns): number {
    return one.#level - other.#level || one.#number - other.#number;
  }
}

/** The flow that has used least; of two, the one that came last. */
function leastUsed(): Flow | undefined {
  let least: Flow | undefined;
  for (const flow of flows.values()) if (!least || flow.usedMs <= least.usedMs) least = flow;
  return least;
}

/** What has passed of the present turn, which begins with the first call. */
function elapsedMs(nowMs: number): number {
  if (beganMs === undefined) {
    beganMs = nowMs;
    setImmediate(beginSlice);
  }
  return nowMs - beganMs;
}

function beginSlice(): void {
  isOver = false;
  if (flows.size === 0) {
    beganMs = undefined;
    return;
  }
  // Answers and calls are sent first.
  endTurn();
  afterPromises(() => {
    beganMs = performance.now();
    goOn();
  });
}

function goOn(): void {
  const nowMs = performance.now();
  if (elapsedMs(nowMs) > SLICE_MS) isOver = true;
  else Turns.serve(nowMs);
  if (isOver || flows.size === 0) setImmediate(beginSlice);
  else afterPromises(goOn);
}
