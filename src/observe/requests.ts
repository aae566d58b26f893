/** GraphQL requests under way, and what happens when one of them is answered. */
import type { ServerContext } from '../operation/gateway-plugin.ts';

/** Called once for each request. @param status of HTTP; 200 over a WebSocket. */
type OnAnswered = (status: number, context: ServerContext) => void;

export class Requests {
  readonly #onAnswered: OnAnswered;
  readonly #whenIdle: (() => void)[] = [];
  #underWay = 0;

  constructor(onAnswered: OnAnswered) {
    this.#onAnswered = onAnswered;
  }

  /** How many are being answered. */
  get underWay(): number {
    return this.#underWay;
  }

  /** Answers a request, and reports it: at once, or after the last part of an answer in parts. */
  async run<Answer extends { readonly status: number }>(
    context: ServerContext,
    answer: () => Promise<Answer>,
  ): Promise<Answer> {
    this.#underWay += 1;
    let status = 500;
    try {
      const answered = await answer();
      ({ status } = answered);
      return answered;
    } finally {
      // Yoga's context is another object than this one; the record is the same.
      const { partsAnswered } = context.record;
      if (partsAnswered) void partsAnswered.then(() => this.#end(context, status));
      else this.#end(context, status);
    }
  }

  /** Resolves when none is under way. */
  idle(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#underWay === 0) resolve();
      else this.#whenIdle.push(resolve);
    });
  }

  #end(context: ServerContext, status: number): void {
    this.#onAnswered(status, context);
    // The connection of a slow reader keeps the record.
    context.record.rest = undefined;
    context.record.errors = undefined;
    this.#underWay -= 1;
    if (this.#underWay === 0) for (const resolve of this.#whenIdle.splice(0)) resolve();
  }
}
