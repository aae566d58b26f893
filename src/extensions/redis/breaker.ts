/**
 * Whether Redis is asked: after three timeouts in a row it is not, until it answers a probe.
 *
 * A frozen server would otherwise cost every request the whole timeout.
 */

/** Timeouts that follow each other before nothing is asked any more. */
const MAX_TIMEOUTS = 3;

/** Between two probes, in milliseconds. */
const PROBE_MS = 1_000;

interface BreakerOptions {
  /** Resolves to whether it answers. */
  readonly probe: () => Promise<boolean>;
  readonly onChange: (isClosed: boolean) => void;
}

export class Breaker {
  readonly #options: BreakerOptions;
  #timeouts = 0;
  /** When the last timeout was counted: those of commands that were sent before are the same one. */
  #countedMs = -Infinity;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = true;
  #isEnded = false;

  constructor(options: BreakerOptions) {
    this.#options = options;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  answered(): void {
    this.#timeouts = 0;
  }

  /** @param sentMs when the command was sent that was not answered in time, on `performance.now()`'s clock. */
  timedOut(sentMs: number): void {
    // A turn of the event loop that takes long lets all commands under way time out at once.
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
