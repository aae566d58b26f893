/**
 * Whether something comes again often enough to look for it.
 *
 * What never comes again must not pay for being compared: after 64 times in vain only one in 16 is
 * looked at, until one of them is a repetition.
 */
const PATIENCE = 64;
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
    this.#inVain = isRepetition ? 0 : this.#inVain + 1;
  }
}
