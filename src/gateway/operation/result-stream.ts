/**
 * Results of a subscription, one per event; the last one is repeated as a heartbeat.
 *
 * Results are repeated because client libraries hide comments and pings. Not a generator, whose `return()` has no
 * effect while an event is awaited.
 */
import type { ExecutionResult } from 'graphql';
import type { Clock } from '../../lib/clock.ts';

/**
 * Why a stream has ended.
 * - `complete`: there are no more events.
 * - `left`: its reader has disconnected.
 * - `stalled`: its reader has stopped reading.
 * - `drained`: the process stops, and its reader should reconnect.
 */
export type EndCause = 'complete' | 'left' | 'stalled' | 'drained';

/** `event`: a new result. `heartbeat`: a repeated one. */
export type ResultKind = 'event' | 'heartbeat';

interface ResultStreamOptions {
  /** Its `next` never rejects. */
  readonly events: AsyncIterator<unknown>;
  /** Executes an event; never rejects. */
  readonly resultOf: (event: unknown) => Promise<ExecutionResult>;
  readonly clock: Clock;
  /** Time without an event until the last result is repeated, in milliseconds. */
  readonly heartbeatMs: number;
  readonly onResult: (kind: ResultKind, result: ExecutionResult) => void;
  readonly onEnd: (cause: EndCause) => void;
}

type Next = IteratorResult<ExecutionResult, undefined>;

const DONE = { done: true, value: undefined } as const;

export class ResultStream implements AsyncIterableIterator<ExecutionResult, undefined> {
  readonly #options: ResultStreamOptions;
  /** Whether an event is awaited; its promise has one handler for any number of heartbeats. */
  #isRequested = false;
  #arrived: IteratorResult<unknown, unknown> | undefined;
  #wake: (() => void) | undefined;
  #last: ExecutionResult | undefined;
  #cause: EndCause | undefined;
  /** Whether the process stops: pending events are still executed, and no others are awaited. */
  #isDraining = false;

  constructor(options: ResultStreamOptions) {
    this.#options = options;
  }

  get cause(): EndCause | undefined {
    return this.#cause;
  }

  async next(): Promise<Next> {
    const { heartbeatMs, onResult } = this.#options;
    while (!this.#cause) {
      this.#requestEvent();
      const isSilent = !(await this.#waitForEvent(this.#isDraining ? 0 : heartbeatMs));
      const result = await this.#resultOf(this.#arrived);
      // The reader may have disconnected in the meantime.
      if (this.#cause) break;
      if (result) {
        this.#last = result;
        onResult('event', result);
        return { done: false, value: result };
      }
      if (this.#isDraining) this.close('drained');
      else if (isSilent && this.#last) {
        onResult('heartbeat', this.#last);
        return { done: false, value: this.#last };
      }
    }
    return DONE;
  }

  /** Called by a reader that disconnects. */
  return(): Promise<Next> {
    this.close('left');
    return Promise.resolve(DONE);
  }

  /** Ends the stream immediately. */
  close(cause: EndCause): void {
    if (this.#cause) return;
    this.#cause = cause;
    void this.#options.events.return?.();
    this.#wake?.();
    this.#options.onEnd(cause);
  }

  /** Ends the stream after its pending events. */
  drain(): void {
    this.#isDraining = true;
    this.#wake?.();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #requestEvent(): void {
    if (this.#isRequested) return;
    this.#isRequested = true;
    void this.#options.events.next().then((arrived) => {
      this.#arrived = arrived;
      this.#wake?.();
    });
  }

  /** Waits for an event or an end; resolves to false at the timeout. */
  #waitForEvent(waitMs: number): Promise<boolean> {
    const { clock } = this.#options;
    return new Promise((resolve) => {
      const end = (heard: boolean): void => {
        clock.clearTimeout(timer);
        this.#wake = undefined;
        resolve(heard);
      };
      const timer = clock.setTimeout(() => end(false), waitMs);
      // Named, so that V8 does not allocate it in its old generation.
      const wake = (): void => end(true);
      this.#wake = wake;
      if (this.#arrived) end(true);
    });
  }

  async #resultOf(
    arrived: IteratorResult<unknown, unknown> | undefined,
  ): Promise<ExecutionResult | undefined> {
    if (!arrived || this.#cause) return undefined;
    this.#arrived = undefined;
    this.#isRequested = false;
    if (!arrived.done) return this.#options.resultOf(arrived.value);
    this.close('complete');
    return undefined;
  }
}
