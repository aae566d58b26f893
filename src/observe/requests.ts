/** GraphQL requests under way, and what happens when one of them is answered. */
import type { GatewayPlugin, ServerContext } from '../operation/gateway-plugin.ts';
import { outcomeOf } from '../operation/result/outcome.ts';

export class Requests {
  readonly #plugins: readonly GatewayPlugin[];
  readonly #whenIdle: (() => void)[] = [];
  #underWay = 0;

  /** @param plugins hear of each request once. */
  constructor(plugins: readonly GatewayPlugin[]) {
    this.#plugins = plugins.filter(({ onAnswered }) => onAnswered);
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
    const { record } = context;
    const outcome = outcomeOf(record, status);
    const answered = { status, outcome, durationMs: performance.now() - record.startedAt };
    for (const plugin of this.#plugins) plugin.onAnswered?.(answered, context);
    if (!record.isSending) record.place?.leave();
    // The connection of a slow reader keeps the record.
    record.rest = undefined;
    record.errors = undefined;
    this.#underWay -= 1;
    if (this.#underWay === 0) for (const resolve of this.#whenIdle.splice(0)) resolve();
  }
}
