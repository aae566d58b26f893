/**
 * The messages of one WebSocket: taken one after the other, each when the turn of its sender comes.
 *
 * Only reading a message shows what it asks for, and reading costs as much as it is long. So a socket that
 * sends faster than its turns come is not read from meanwhile, and what it sends costs others nothing.
 */
import type { MaybePromise } from '../../execution/execution.ts';

interface InboxOptions {
  /** Takes a message; may hold the next one back. Does not throw. */
  readonly take: (message: Buffer) => void;
  /** Runs a task when the sender's turn comes. May throw, and reject, when too many wait. */
  readonly takeTurn: (task: () => void) => MaybePromise<void>;
  /** Called when messages no longer wait, or the next one does. */
  readonly onChange: () => void;
  readonly onFull: () => void;
}

export class Inbox {
  readonly #options: InboxOptions;
  /** What had arrived with the one that is taken. */
  readonly #waiting: Buffer[] = [];
  /** Messages that wait for their turn, and operations of those that were taken. */
  #held = 0;
  #isClosed = false;

  constructor(options: InboxOptions) {
    this.#options = options;
  }

  /** Whether the next message has to wait. */
  get isBusy(): boolean {
    return this.#held > 0;
  }

  add(message: Buffer): void {
    if (this.#isClosed) return;
    this.#waiting.push(message);
    if (!this.isBusy) this.#takeNext();
  }

  /** The sender has gone: what waits is not taken. Nothing would end the subscriptions that it began. */
  close(): void {
    this.#isClosed = true;
    this.#waiting.length = 0;
  }

  /** Holds the next message back. @returns what lets it go; more than once does nothing. */
  hold(): () => void {
    this.#held += 1;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#held -= 1;
      // Not now: what has let it go is under way.
      if (!this.isBusy) queueMicrotask(() => this.#goOn());
    };
  }

  #goOn(): void {
    if (!this.isBusy) this.#takeNext();
    this.#options.onChange();
  }

  #takeNext(): void {
    const { take, takeTurn, onFull } = this.#options;
    const message = this.#waiting.shift();
    if (!message) return;
    const release = this.hold();
    try {
      const taken = takeTurn(() => {
        if (!this.#isClosed) take(message);
        release();
      });
      if (taken instanceof Promise) taken.catch(onFull);
    } catch {
      onFull();
    }
  }
}
