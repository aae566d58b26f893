/**
 * Circuit breaker of Redis: opens after three consecutive timeouts, until a probe succeeds.
 *
 * Otherwise a frozen server would cost every request the whole timeout.
 */

/** Consecutive timeouts that open the circuit. */
export const MAX_TIMEOUTS = 3;

/** Interval of probes, in milliseconds. */
export const PROBE_MS = 1_000;

interface RedisBreakerOptions {
  /** Resolves to whether Redis answers. */
  readonly probe: () => Promise<boolean>;
  readonly onChange: (isClosed: boolean) => void;
}

export class RedisBreaker {
  readonly #options: RedisBreakerOptions;
  #timeouts = 0;
  /** Time of the last counted timeout; commands sent before it do not count again. */
  #countedMs = -Infinity;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = true;
  #isEnded = false;

  constructor(options: RedisBreakerOptions) {
    this.#options = options;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  answered(): void {
    this.#timeouts = 0;
  }

  /** @param sentMs time at which the command was sent, on `performance.now()`'s clock. */
  timedOut(sentMs: number): void {
    // A long turn of the event loop times out all commands in flight at once.
    if (!this.#isClosed || sentMs < this.#countedMs) return;
    this.#countedMs = performance.now();
    this.#timeouts += 1;
    if (this.#timeouts < MAX_TIMEOUTS) return;
    this.#isClosed = false;
    this.#options.onChange(false);
    this.#probeLater();
  }

  end(): void {
    this.#isEnded = true;
    clearTimeout(this.#timer);
  }

  #probeLater(): void {
    this.#timer = setTimeout(() => void this.#probe(), PROBE_MS);
    this.#timer.unref();
  }

  async #probe(): Promise<void> {
    const isAnswered = await this.#options.probe();
    if (this.#isEnded) return;
    if (!isAnswered) {
      this.#probeLater();
      return;
    }
    this.#timeouts = 0;
    this.#isClosed = true;
    this.#options.onChange(true);
  }
}
