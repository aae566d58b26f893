/** Time as an argument, which tests control. */

export interface Timer {
  /** Lets the process exit before the timer fires. */
  unref(): unknown;
}

export interface Clock {
  /** Monotonic time in milliseconds. */
  now(): number;
  setTimeout(run: () => void, ms: number): Timer;
  clearTimeout(timer: Timer | undefined): void;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  setTimeout: (run, ms) => setTimeout(run, ms),
  clearTimeout: (timer) => clearTimeout(timer as NodeJS.Timeout | undefined), // created by the line above
};
