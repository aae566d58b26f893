/**
 * Whether a failure is the backend's, or one key's own.
 *
 * What one tenant asks for may make the backend fail each time. That is no reason to keep everybody
 * else from it, so a failure counts only where other keys, if there are any, mostly fail as well.
 */

/** Keys of the last one or two of these are known, in milliseconds. */
const SPAN_MS = 1_000;

/** The weight of the newest outcome: two failures in a row make a key a failing one. */
const NEWEST = 0.3;

/** Keys that are known at once; more say nothing new. */
const MAX_KEYS = 10_000;

export class KeyHealth {
  /** The share of failures by key, lately. */
  #shares = new Map<string, number>();
  #sharesBefore = new Map<string, number>();
  #beganMs = 0;
  #failing = 0;

  /** Notes how a call of a key ended. */
  note(apiKey: string, failed: boolean, nowMs: number): void {
    if (nowMs - this.#beganMs > SPAN_MS) this.#moveOn(nowMs);
    const known = this.#shares.get(apiKey);
    if (known === 0 && !failed) return; // as it mostly is
    const before = known ?? this.#sharesBefore.get(apiKey) ?? 0;
    const after = before + NEWEST * (Number(failed) - before);
    if (known === undefined) {
      if (this.#shares.size >= MAX_KEYS) return;
      this.#failing += Number(isFailing(before));
    }
    this.#shares.set(apiKey, after);
    this.#failing += Number(isFailing(after)) - Number(isFailing(before));
  }

  /** Whether other keys have calls that end, and most of these keys are well. */
  othersAreWell(apiKey: string): boolean {
    const own = this.#shares.get(apiKey);
    const others = this.#shares.size - Number(own !== undefined);
    const failing = this.#failing - Number(own !== undefined && isFailing(own));
    return others > 0 && 2 * failing < others;
  }

  #moveOn(nowMs: number): void {
    this.#sharesBefore = this.#shares;
    this.#shares = new Map();
    this.#beganMs = nowMs;
    this.#failing = 0;
  }
}

const isFailing = (share: number): boolean => share > 0.5;
