/**
 * The silence of a backend: many calls of a flow wait for it, and for long none has been answered.
 *
 * It counts moments, some time apart, at which calls begin. Between two of them this process has read what
 * had arrived, so a stall of its own, which is one moment, is not taken for silence.
 */

/** Fewer calls under way are no silence. */
export const SILENT_CALLS = 20;

/** Moments of a silence, at least. */
const MOMENTS = 10;

/** The share of an attempt's time that a silence lasts, at least. */
const SHARE = 1 / 2;

/** How many times as long as a usual answer it lasts, at least. */
const TIMES_USUAL = 4;

export class Silence {
  readonly #leastMs: number;
  #moments = 0;
  /** The last moment, on `performance.now()`'s clock. */
  #lastMs = 0;

  /** @param timeoutMs an attempt's time. */
  constructor(timeoutMs: number) {
    this.#leastMs = SHARE * timeoutMs;
  }

  /**
   * Notes that a call begins while `SILENT_CALLS` are under way: whether the silence has lasted long.
   *
   * @param usualMs how long an answer usually takes.
   */
  lastsAt(nowMs: number, usualMs: number): boolean {
    const apartMs = this.#leastMs / MOMENTS;
    if (nowMs - this.#lastMs >= apartMs) {
      this.#moments += 1;
      this.#lastMs = nowMs;
    }
    return (this.#moments - 1) * apartMs >= Math.max(this.#leastMs, TIMES_USUAL * usualMs);
  }

  /** Notes that a call has ended. One that is given up late does not break the silence. */
  noteEnd(isAnswered: boolean, tookMs: number): void {
    if (isAnswered || tookMs < this.#leastMs) this.reset();
  }

  reset(): void {
    this.#moments = 0;
  }
}
