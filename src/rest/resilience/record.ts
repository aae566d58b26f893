/**
 * The lines of attempts in the journal of their request, and what metrics and logs hear of them.
 */
import type { Settled } from '../call/call.ts';
import { failureOf } from '../call/errors.ts';
import type { UpstreamSettings } from '../call/options.ts';
import type { CallPolicy, RestCall } from '../rest-call.ts';

export class Record implements CallPolicy {
  readonly #settings: UpstreamSettings;

  constructor(settings: UpstreamSettings) {
    this.#settings = settings;
  }

  before(call: RestCall): undefined {
    const { journal } = call.from;
    call.startMs = call.startedMs - journal.beganMs;
    call.endMs = undefined;
    journal.add(call);
  }

  after(call: RestCall, settled: Settled): void {
    const { clock, observer } = this.#settings;
    if (call.endedMs === 0) call.endedMs = clock.now();
    call.endMs = call.endedMs - call.from.journal.beganMs;
    const failed = settled instanceof Error;
    call.status = failed ? undefined : settled.status;
    call.failure = failed ? failureOf(settled) : undefined;
    observer.onCall?.({
      route: call.route,
      attempt: call.attempt,
      isSent: call.source === 'sent',
      status: call.status,
      failure: call.failure,
      durationMs: call.endedMs - call.startedMs,
      span: call.span,
    });
  }
}
