/**
 * Whether something comes again often enough to look for it.
 *
 * What seldom comes again must not pay for being compared: where fewer than one in three are repetitions,
 * only one in 16 is looked at.
 */

/** Looks in vain after which most are left out. */
const PATIENCE = 64;

/** Looks in vain that one repetition makes up for. */
const WORTH = 2;

const SAMPLE = 16;

export class Habit {
  #inVain = 0;
  #skipped = 0;

  isLookedAt(): boolean {
    if (this.#inVain < PATIENCE) return true;
    this.#skipped = (this.#skipped + 1) % SAMPLE;
    return this.#skipped === 0;
  }

  noteRepetition(isRepetition: boolean): void {
    const inVain = this.#inVain + (isRepetition ? -WORTH : 1);
    this.#inVain = Math.min(PATIENCE, Math.max(0, inVain));
  }
}
