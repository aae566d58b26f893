/**
 * One who watches an object: an async iterator over its states, the newest of which is never lost.
 *
 * Written by hand: an async generator that waits for a state does not hear `return()` before that
 * state comes, and would keep its poller alive after its caller has left.
 */

/** What is known of an object at one moment. */
export class Snapshot<State> {
  /** The last state that was read; null when there is no such object, or none was read yet. */
  readonly state: State | null;
  /** Why no newer state could be read; undefined when the state is the newest. */
  readonly error: Error | undefined;
  /** How often the backend had been asked by then, for all who watch. */
  readonly polls: number;

  constructor(polls: number, state: State | null, error?: Error) {
    this.polls = polls;
    this.state = state;
    this.error = error;
  }
}

/** Snapshots that wait for a slow reader; past it, the oldest are left out. */
const MAX_WAITING = 16;

type Result<State> = IteratorResult<Snapshot<State>, undefined>;

export class Watcher<State> implements AsyncIterableIterator<Snapshot<State>, undefined> {
  readonly #leave: () => void;
  readonly #snapshots: Snapshot<State>[] = [];
  readonly #readers: ((result: Result<State>) => void)[] = [];
  #isOver = false;

  /** @param leave called once, when its reader has left. */
  constructor(leave: () => void) {
    this.#leave = leave;
  }

  push(snapshot: Snapshot<State>): void {
    if (this.#isOver) return;
    const reader = this.#readers.shift();
    if (reader) {
      reader({ done: false, value: snapshot });
      return;
    }
    if (this.#snapshots.length === MAX_WAITING) this.#snapshots.shift();
    this.#snapshots.push(snapshot);
  }

  /** Nothing more will come; what waits is still read. */
  finish(): void {
    this.#isOver = true;
    for (const reader of this.#readers.splice(0)) reader(DONE);
  }

  next(): Promise<Result<State>> {
    const snapshot = this.#snapshots.shift();
    if (snapshot) return Promise.resolve({ done: false, value: snapshot });
    if (this.#isOver) return Promise.resolve(DONE);
    return new Promise((resolve) => this.#readers.push(resolve));
  }

  return(): Promise<Result<State>> {
    this.#snapshots.length = 0;
    if (!this.#isOver) this.#leave();
    this.finish();
    return Promise.resolve(DONE);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}

const DONE = { done: true, value: undefined } as const;
