/**
 * The replies to a subscription, one an event, with the last one repeated while nothing happens.
 *
 * The repetition is what clients see of a living stream: comments and pings are hidden from them by
 * their libraries. Written by hand, so that `return()` is heard while an event is awaited.
 */
import type { Reply } from './reply.ts';

/**
 * Why a stream has ended. `complete`: nothing follows. `left`: its reader has gone. `stalled`: its
 * reader has read nothing for long. `drained`: this process stops, and its reader is to come again.
 */
export type EndCause = 'complete' | 'left' | 'stalled' | 'drained';

/** `event`: something happened. `heartbeat`: nothing did. */
export type ReplyKind = 'event' | 'heartbeat';

interface ReplyStreamOptions {
  /** Its `next` never rejects. */
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

export class ReplyStream implements AsyncIterableIterator<Reply, undefined> {
  /** Of the response that carries it. */
  readonly status = 200;
  readonly #options: ReplyStreamOptions;
  /** Whether an event is awaited: its promise is heard once, however many heartbeats pass. */
  #isAsked = false;
  #arrived: IteratorResult<unknown, unknown> | undefined;
  /** Ends the wait of `next`. */
  #wake: (() => void) | undefined;
  #last: Reply | undefined;
  #cause: EndCause | undefined;
  /** Set while the process stops: what has happened is still answered, and nothing is awaited. */
  #isDraining = false;

  constructor(options: ReplyStreamOptions) {
    this.#options = options;
  }

  /** Undefined while it goes on. */
  get cause(): EndCause | undefined {
    return this.#cause;
  }

  async next(): Promise<Result> {
    const { heartbeatMs, onReply } = this.#options;
    while (!this.#cause) {
      this.#ask();
      const isSilent = !(await this.#heard(this.#isDraining ? 0 : heartbeatMs));
      const reply = await this.#replyTo(this.#arrived);
      // Its reader may have gone meanwhile.
      if (this.#cause) break;
      if (reply) {
        this.#last = reply;
        onReply('event', reply);
        return { done: false, value: reply };
      }
      if (this.#isDraining) this.close('drained');
      else if (isSilent && this.#last) {
        onReply('heartbeat', this.#last);
        return { done: false, value: this.#last };
      }
    }
    return DONE;
  }

  /** Its reader wants no more. */
  return(): Promise<Result> {
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

  /** Ends it once what has happened until now is answered. */
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
    void this.#options.events.next().then((result) => {
      this.#arrived = result;
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

  async #replyTo(
    arrived: IteratorResult<unknown, unknown> | undefined,
  ): Promise<Reply | undefined> {
    if (!arrived || this.#cause) return undefined;
    this.#arrived = undefined;
    this.#isAsked = false;
    if (!arrived.done) return this.#options.answer(arrived.value);
    this.close('complete');
    return undefined;
  }
}
