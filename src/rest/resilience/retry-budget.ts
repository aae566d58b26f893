/**
 * How many retries an upstream may be given: a tenth of the calls, and a few more.
 *
 * Retries help when little fails; when everything does they are load on a backend that has too
 * much already. Over any 200 calls these numbers allow at most 240 tries.
 */

/** Retries earned by one call. */
const SHARE = 0.1;

/** Tokens at the start, so that a quiet gateway can retry at all. */
const FLOOR = 10;

/** The most that good times may save up for bad ones. */
const CEILING = 20;

export class RetryBudget {
  #tokens = FLOOR;

  /** A call is made. */
  earn(): void {
    this.#tokens = Math.min(CEILING, this.#tokens + SHARE);
  }

  /** Whether a retry may be made; takes its token if so. */
  spend(): boolean {
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }
}
