/**
 * Turns of the event loop for one large execution, between which other requests have theirs.
 *
 * What many promises wait for may be there at once, and all that follows them would run before the
 * next socket is read.
 */

/** How long one turn lasts before what is settled waits for the next, in milliseconds. */
const TURN_MS = 10;

export class Turns {
  #endsAtMs: number | undefined;
  /** Whether what is settled now has to wait. */
  isOver = false;
  readonly #waiting: (() => void)[] = [];

  /** Call it with the time now and then; the first call begins a turn. */
  look(nowMs: number): void {
    if (this.#endsAtMs === undefined) {
      this.#endsAtMs = nowMs + TURN_MS;
      setImmediate(() => {
        this.#begin();
      });
    } else if (nowMs > this.#endsAtMs) this.isOver = true;
  }

  /** Runs tasks in their order: as many as one turn has time for, the others in those after it. */
  whenNextBegins(task: () => void): void {
    this.#waiting.push(task);
  }

  #begin(): void {
    this.#endsAtMs = undefined;
    this.isOver = false;
    let done = 0;
    while (done < this.#waiting.length && !this.isOver) this.#waiting[done++]!();
    this.#waiting.splice(0, done);
  }
}
