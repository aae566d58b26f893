/**
 * The results of a subscription, one an event, with the last one repeated while nothing happens.
 *
 * The repetition is what clients see of a living stream: comments and pings are hidden from them by
 * their libraries. Written by hand, so that `return()` is heard while an event is awaited.
 */
import type { ExecutionResult } from 'graphql';

/**
 * Why a stream has ended. `complete`: nothing follows. `left`: its reader has gone. `stalled`: its
 * reader has read nothing for long. `drained`: this process stops, and its reader is to come again.
 */
export type EndCause = 'complete' | 'left' | 'stalled' | 'drained';

/** `event`: something happened. `heartbeat`: nothing did. */
export type ResultKind = 'event' | 'heartbeat';

interface ResultStreamOptions {
  /** Its `next` never rejects. */
  readonly events: AsyncIterator<unknown>;
  /** The result of an event; never rejects. */
  readonly resultOf: (event: unknown) => Promise<ExecutionResult>;
  /** After how long without an event the last result is repeated, in milliseconds. */
  readonly heartbeatMs: number;
  readonly onResult: (kind: ResultKind, result: ExecutionResult) => void;
  /** Called once. */
  readonly onEnd: (cause: EndCause) => void;
}

type Next = IteratorResult<ExecutionResult, undefined>;

const DONE = { done: true, value: undefined } as const;

export class ResultStream implements AsyncIterableIterator<ExecutionResult, undefined> {
  readonly #options: ResultStreamOptions;
  /** Whether an event is awaited: its promise is heard once, however many heartbeats pass. */
  #isAsked = false;
  #arrived: IteratorResult<unknown, unknown> | undefined;
  /** Ends the wait of `next`. */
  #wake: (() => void) | undefined;
  #last: ExecutionResult | undefined;
  #cause: EndCause | undefined;
  /** Set while the process stops: events that are there still have results, and no other is awaited. */
  #isDraining = false;

  constructor(options: ResultStreamOptions) {
    this.#options = options;
  }

  /** Undefined while it goes on. */
  get cause(): EndCause | undefined {
    return this.#cause;
  }

  async next(): Promise<Next> {
    const { heartbeatMs, onResult } = this.#options;
    while (!this.#cause) {
      this.#ask();
      const isSilent = !(await this.#heard(this.#isDraining ? 0 : heartbeatMs));
      const result = await this.#resultOf(this.#arrived);
      // Its reader may have gone meanwhile.
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

  /** Its reader wants no more. */
  return(): Promise<Next> {
    this.close('left');
    return Promise.resolve(DONE);
  }

  /** Ends it at once. */
  close(cause: EndCause): void {
    if (this.#cause) return;
    this.#cause = cause;
    void this.#options.events.return?.();
    this.#wake?.();
    this.#options.onEnd(cause);
  }

  /** Ends it after the results of events that are there. */
  drain(): void {
    this.#isDraining = true;
    this.#wake?.();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #ask(): void {
    if (this.#isAsked) return;
    this.#isAsked = true;
    void this.#options.events.next().then((arrived) => {
      this.#arrived = arrived;
      this.#wake?.();
    });
  }

  /** Waits for whatever is next; false when nothing was in time. */
  #heard(waitMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const end = (heard: boolean): void => {
        clearTimeout(timer);
        this.#wake = undefined;
        resolve(heard);
      };
      const timer = setTimeout(end, waitMs, false);
      this.#wake = () => end(true);
      if (this.#arrived) end(true);
    });
  }

  async #resultOf(
    arrived: IteratorResult<unknown, unknown> | undefined,
  ): Promise<ExecutionResult | undefined> {
    if (!arrived || this.#cause) return undefined;
    this.#arrived = undefined;
    this.#isAsked = false;
    if (!arrived.done) return this.#options.resultOf(arrived.value);
    this.close('complete');
    return undefined;
  }
}
