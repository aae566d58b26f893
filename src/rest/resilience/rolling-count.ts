/**
 * A rolling count: the events of the current time span and of the one before it.
 *
 * Two numbers instead of a list of times, since there are thousands of these and every call adds to some.
 */
export class RollingCount {
  readonly #spanMs: number;
  /** The number of the span that runs, since the clock began. */
  #span = 0;
  #count = 0;
  #before = 0;

  constructor(spanMs: number) {
    this.#spanMs = spanMs;
  }

  /** @param nowMs on any clock that never goes back. */
  add(nowMs: number): void {
    this.#moveTo(nowMs);
    this.#count += 1;
  }

  at(nowMs: number): number {
    this.#moveTo(nowMs);
    return this.#count + this.#before;
  }

  /** How many a millisecond; 0 for too short a time to judge by. */
  perMs(nowMs: number): number {
    const count = this.at(nowMs);
    const coveredMs = nowMs - (this.#span - (this.#before > 0 ? 1 : 0)) * this.#spanMs;
    return coveredMs < this.#spanMs / 10 ? 0 : count / coveredMs;
  }

  reset(): void {
    this.#count = this.#before = 0;
  }

  #moveTo(nowMs: number): void {
    const span = Math.floor(nowMs / this.#spanMs);
    if (span === this.#span) return;
    this.#before = span === this.#span + 1 ? this.#count : 0;
    this.#count = 0;
    this.#span = span;
  }
}
