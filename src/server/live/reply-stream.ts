/**
 * The replies to a subscription, one an event, with the last one repeated while nothing happens.
 *
 * The repetition is what clients see of a living stream: comments and pings are hidden from them by
 * their libraries. Written by hand, so that `return()` is heard while an event is awaited.
 */
import type { Reply } from '../operation/reply.ts';

/**
 * Why a stream has ended. `complete`: nothing follows. `left`: its reader has gone. `stalled`: its
 * reader has read nothing for long. `drained`: this process stops, and its reader is to come again.
 */
export type EndCause = 'complete' | 'left' | 'stalled' | 'drained';

/** `event`: something happened. `heartbeat`: nothing did. */
export type ReplyKind = 'event' | 'heartbeat';

export interface ReplyStreamOptions {
  readonly events: AsyncIterator<unknown>;
  /** Answers an event; never rejects. */
  readonly answer: (event: unknown) => Promise<Reply>;
  /** After how long without an event the last reply is repeated, in milliseconds. */
  readonly heartbeatMs: number;
  readonly onReply: (kind: ReplyKind, reply: Reply) => void;
  /** Called once. */
  readonly onEnd: (cause: EndCause) => void;
}

type Result = IteratorResult<Reply, undefined>;

const DONE = { done: true, value: undefined } as const;

const SILENCE = Symbol('silence');

export class ReplyStream implements AsyncIterableIterator<Reply, undefined> {
  readonly #options: ReplyStreamOptions;
  /** The event that is awaited, across heartbeats. */
  #awaited: Promise<IteratorResult<unknown, unknown>> | undefined;
  #last: Reply | undefined;
  #cause: EndCause | undefined;
  /** Set while the process stops: what has happened is still answered, and nothing is awaited. */
  #isDraining = false;
  /** Ends the wait for an event. */
  #wake: (() => void) | undefined;

  constructor(options: ReplyStreamOptions) {
    this.#options = options;
  }

  /** Undefined while it goes on. */
  get cause(): EndCause | undefined {
    return this.#cause;
  }

  async next(): Promise<Result> {
    const { events, answer, onReply } = this.#options;
    while (!this.#cause) {
      this.#awaited ??= events.next();
      const result = await this.#nextOf(this.#awaited);
      if (this.#cause) break;
      if (result === SILENCE) {
        if (this.#isDraining) this.close('drained');
        if (this.#isDraining || !this.#last) continue;
        onReply('heartbeat', this.#last);
        return { done: false, value: this.#last };
      }
      this.#awaited = undefined;
      if (result.done) {
        this.close('complete');
        break;
      }
      const reply = await answer(result.value);
      // Its reader may have gone meanwhile.
      if (this.#cause) break;
      this.#last = reply;
      onReply('event', reply);
      return { done: false, value: reply };
    }
    return DONE;
  }

  /** Its reader wants no more. */
  return(): Promise<Result> {
    this.close('left');
    return Promise.resolve(DONE);
  }

  throw(error: unknown): Promise<Result> {
    this.close('left');
    return Promise.reject(error);
  }

  /** Ends it at once. */
  close(cause: EndCause): void {
    if (this.#cause) return;
    this.#cause = cause;
    void this.#options.events.return?.();
    this.#wake?.();
    this.#options.onEnd(cause);
  }

  /** Ends it once what has happened until now is answered. */
  drain(): void {
    this.#isDraining = true;
    this.#wake?.();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** What is awaited, or that it does not come in time. */
  #nextOf<Value>(awaited: Promise<Value>): Promise<Value | typeof SILENCE> {
    const waitMs = this.#isDraining ? 0 : this.#options.heartbeatMs;
    return new Promise((resolve, reject) => {
      const end = (): void => {
        clearTimeout(timer);
        this.#wake = undefined;
      };
      const wake = (): void => {
        end();
        resolve(SILENCE);
      };
      const timer = setTimeout(wake, waitMs);
      this.#wake = wake;
      awaited.then(
        (value) => {
          end();
          resolve(value);
        },
        (error: unknown) => {
          end();
          reject(error);
        },
      );
    });
  }
}
