/**
 * The attempts in the limiter's queue or on their way.
 */
import type { CallPolicy, RestCall } from '../rest-call.ts';

/** Each knows its place. Not a Set, whose tables stay until all memory is collected. */
export class UnderWay implements CallPolicy {
  readonly #calls: RestCall[] = [];

  get calls(): readonly RestCall[] {
    return this.#calls;
  }

  before(call: RestCall): undefined {
    call.index = this.#calls.length;
    this.#calls.push(call);
  }

  after(call: RestCall): void {
    const last = this.#calls.pop()!;
    if (last !== call) {
      this.#calls[call.index] = last;
      last.index = call.index;
    }
    call.index = -1;
  }
}
