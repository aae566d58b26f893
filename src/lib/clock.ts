/**
 * Time as an argument, so that a test moves it on instead of waiting.
 */

/** A wait that has begun. */
export interface Timer {
  /** Lets the process end before it does. */
  unref(): unknown;
}

export interface Clock {
  /** In milliseconds; never set back. */
  now(): number;
  setTimeout(run: () => void, ms: number): Timer;
  clearTimeout(timer: Timer | undefined): void;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  setTimeout: (run, ms) => setTimeout(run, ms),
  clearTimeout: (timer) => clearTimeout(timer as NodeJS.Timeout | undefined), // made by the line above
};
