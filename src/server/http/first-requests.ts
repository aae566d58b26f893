/**
 * The first requests of connections: they begin once no further connection waits to be accepted.
 *
 * Node accepts one connection a turn of the event loop. While turns were spent on requests of those before
 * it, a probe of orchestrators, which opens a connection of its own, waited for all of them.
 */
import { AcceptFirst, countAccepted, noteBegun } from '../../lib/turns/accept-first.ts';

/** As many begin in a turn as keep turns shorter than this, in milliseconds. */
const TURN_MS = 0.5;

/** No more begin in a turn, even where requests cost next to nothing. */
const MAX_A_TURN = 16;

export class FirstRequests {
  readonly #acceptFirst = new AcceptFirst(countAccepted);
  readonly #waiting: (() => void)[] = [];
  /** How many begin in the next turn. */
  #count = 1;
  /** When the turn before this one began; undefined where none began in it. */
  #beganMs: number | undefined;

  /** Begins a request soon, after those that came before it. */
  add(begin: () => void): void {
    this.#waiting.push(begin);
    if (this.#waiting.length === 1) setImmediate(this.#takeTurn);
  }

  readonly #takeTurn = (): void => {
    const nowMs = performance.now();
    if (this.#beganMs !== undefined) {
      const isShort = nowMs - this.#beganMs < TURN_MS;
      this.#count = isShort ? Math.min(this.#count + 1, MAX_A_TURN) : Math.ceil(this.#count / 2);
      this.#beganMs = undefined;
    }
    if (!this.#acceptFirst.leaves(nowMs)) {
      noteBegun();
      for (const begin of this.#waiting.splice(0, this.#count)) begin();
      if (this.#waiting.length > 0) this.#beganMs = nowMs;
    }
    if (this.#waiting.length > 0) setImmediate(this.#takeTurn);
  };
}
