/**
 * Logs that the backend answers again, once per absence. An absence is noticed by failed calls, an open circuit, or the
 * probe at the start.
 */
import type { ObservedCall } from '../../../rest/call/observer.ts';
import type { Logger } from './logger.ts';

/** Consecutive responses of 500 and above that count as absence; one attempt without a response does too. */
const ABSENCE = 2;

export class Presence {
  readonly #logger: Logger;
  #failures = 0;
  #sinceMs = 0;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  get isAbsent(): boolean {
    return this.#failures >= ABSENCE;
  }

  noticeAbsence(failures = ABSENCE): void {
    if (this.#failures === 0) this.#sinceMs = performance.now();
    this.#failures += failures;
  }

  noticeAnswer(): void {
    if (this.isAbsent) {
      const unavailableMs = Math.round(performance.now() - this.#sinceMs);
      this.#logger.info({ unavailableMs }, 'Backend available again');
    }
    this.#failures = 0;
  }

  /**
   * @param isLogged whether the log tells of the failure; only then does it tell of the end.
   */
  noticeCall({ isSent, status, failure }: ObservedCall, isLogged: boolean): void {
    // Unsent and cancelled calls say nothing about the backend.
    if (!isSent || failure === 'cancelled') return;
    if (status !== undefined && status < 500) this.noticeAnswer();
    else if (status !== undefined) this.noticeAbsence(1);
    else if (isLogged) this.noticeAbsence();
  }
}
