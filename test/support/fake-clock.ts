/** Clocks that move only when a test moves them. */
import { onTestFinished, vi } from 'vitest';
import type { Clock, Timer } from '../../src/lib/clock.ts';
import type { Behaviour } from './faults.ts';

/** Stages `performance.now()` for the present test; turns of the event loop stay real. */
export function fakeTime(): { nowMs: number } {
  const time = { nowMs: 0 };
  vi.spyOn(performance, 'now').mockImplementation(() => time.nowMs);
  onTestFinished(() => {
    vi.restoreAllMocks();
  });
  return time;
}

interface StagedTimer extends Timer {
  readonly dueMs: number;
  readonly run: () => void;
}

/**
 * For code that takes a clock. Begins at the system's time, so that deadlines made by that one hold; in whole milliseconds,
 * so that sums and differences are exact.
 */
export class FakeClock implements Clock {
  #nowMs = Math.ceil(performance.now());
  readonly #timers = new Set<StagedTimer>();

  now(): number {
    return this.#nowMs;
  }

  setTimeout(run: () => void, ms: number): Timer {
    const timer: StagedTimer = { dueMs: this.#nowMs + ms, run, unref: () => timer };
    this.#timers.add(timer);
    return timer;
  }

  clearTimeout(timer: Timer | undefined): void {
    this.#timers.delete(timer as StagedTimer);
  }

  /** When its timers are due from now on, in milliseconds, the next one first. */
  get waits(): readonly number[] {
    return this.#ordered.map(({ dueMs }) => dueMs - this.#nowMs);
  }

  /** Moves on by so many milliseconds, and runs the timers that are due, each at its time. */
  pass(ms: number): void {
    const endMs = this.#nowMs + ms;
    for (let next = this.#ordered[0]; next && next.dueMs <= endMs; next = this.#ordered[0]) {
      this.#timers.delete(next);
      this.#nowMs = Math.max(this.#nowMs, next.dueMs);
      next.run();
    }
    this.#nowMs = endMs;
  }

  /**
   * Moves on by so many milliseconds in each five of the system's, until the test ends: never ahead of a busy
   * machine.
   */
  tick(ms = 5): void {
    const ticks = setInterval(() => this.pass(ms), 5);
    onTestFinished(() => clearInterval(ticks));
  }

  get #ordered(): readonly StagedTimer[] {
    return [...this.#timers].sort((one, other) => one.dueMs - other.dueMs);
  }
}

/** Delays a behaviour by the time of a clock. */
export const afterOn =
  (clock: Clock, ms: number, behaviour: Behaviour): Behaviour =>
  async (...args) => {
    await new Promise<void>((resolve) => clock.setTimeout(resolve, ms));
    await behaviour(...args);
  };

/** Sets the time zone of the process for this test. */
export function inTimeZone(zone: string): void {
  const before = process.env['TZ'];
  process.env['TZ'] = zone;
  onTestFinished(() => {
    if (before === undefined) delete process.env['TZ'];
    else process.env['TZ'] = before;
  });
}
