/**
 * A call that waits for its turn: until it may start, its time is over or nobody wants it.
 */
import type { End, Waiter } from '../client/cancel.ts';
import type { Outgoing } from '../client/send.ts';
import type { Proceed } from '../client/stage.ts';

/** The calls of one key. */
export interface Lane {
  active: number;
  readonly waiting: Set<QueuedCall>;
  /** Milliseconds of one exchange, lately; undefined before the first. */
  paceMs: number | undefined;
  /** When a call last began after none or ended, on `performance.now()`'s clock. */
  movedMs: number;
}

export class QueuedCall implements Waiter {
  readonly outgoing: Outgoing;
  readonly lane: Lane;
  readonly #leave: (call: QueuedCall) => void;
  readonly #proceed: Proceed;

  /** @param leave told when it waits no more, before it proceeds. */
  constructor(outgoing: Outgoing, lane: Lane, leave: (call: QueuedCall) => void, proceed: Proceed) {
    this.outgoing = outgoing;
    this.lane = lane;
    this.#leave = leave;
    this.#proceed = proceed;
    outgoing.cancel.listen(this);
  }

  start(): void {
    this.#end();
    this.#proceed(this.outgoing);
  }

  giveUp(end: End): void {
    this.#end();
    this.#proceed(this.outgoing, end(this.outgoing.route));
  }

  #end(): void {
    this.outgoing.cancel.listen(undefined);
    this.#leave(this);
  }
}
