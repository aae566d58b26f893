/**
 * A list of timeouts ordered by end, with a single timer.
 *
 * Most have the same duration, so insertion at the end is O(1), as is removal.
 */
import type { Clock, Timer } from '../../lib/clock.ts';

export interface Timed {
  /** End on the clock's time. */
  readonly untilMs: number;
  earlier: Timed | undefined;
  later: Timed | undefined;
  /** Called at the end, after its removal. */
  onTime(): void;
}

export class Timeouts {
  readonly #clock: Clock;
  #first: Timed | undefined;
  #last: Timed | undefined;
  #timer: Timer | undefined;
  #timerMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(one: Timed, nowMs: number): void {
    let earlier = this.#last;
    while (earlier && earlier.untilMs > one.untilMs) earlier = earlier.earlier;
    const later = earlier ? earlier.later : this.#first;
    one.earlier = earlier;
    one.later = later;
    if (earlier) earlier.later = one;
    else this.#first = one;
    if (later) later.earlier = one;
    else this.#last = one;
    if (!this.#timer || one.untilMs < this.#timerMs) this.#start(one.untilMs, nowMs);
  }

  /** Removes an element, if present. An empty list has no timer. */
  delete(one: Timed): void {
    const { earlier, later } = one;
    if (!earlier && this.#first !== one) return;
    if (earlier) earlier.later = later;
    else this.#first = later;
    if (later) later.earlier = earlier;
    else this.#last = earlier;
    one.earlier = one.later = undefined;
    if (this.#first) return;
    this.#clock.clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #start(untilMs: number, nowMs: number): void {
    this.#clock.clearTimeout(this.#timer);
    this.#timerMs = untilMs;
    const leftMs = Math.max(0, Math.ceil(untilMs - nowMs));
    this.#timer = this.#clock.setTimeout(() => this.#onTimer(), leftMs);
  }

  #onTimer(): void {
    this.#timer = undefined;
    const nowMs = this.#clock.now();
    for (let first = this.#first; first && first.untilMs <= nowMs; first = this.#first) {
      this.delete(first);
      first.onTime();
    }
    // Elements may have been added meanwhile, and Node's timers may be early by a fraction of a millisecond.
    if (this.#first && !this.#timer) this.#start(this.#first.untilMs, this.#clock.now());
  }
}
