/**
 * Rate limits: a key that the backend asked to wait (429 with `Retry-After`) is paused; other keys go on. So do callers
 * of the same key with other forwarded headers: the limit may be of whom these name.
 *
 * Calls wait where their deadline allows it, and are refused at once where it does not. Without the pause
 * the backend would have to refuse every call of a limited key.
 */
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../lib/clock.ts';
import type { Call, Flight, Settled } from '../call/call.ts';
import { endOfWait, RestPausedError, type RestError } from '../call/errors.ts';
import type { UpstreamObserver } from '../call/observer.ts';
import { retryAfterOf } from '../decode/retry-after.ts';
import { sleep } from './sleep.ts';

/** The longest pause, in milliseconds, should the backend send a mistaken `Retry-After`. */
const MAX_PAUSE_MS = 60_000;
/** Calls of one process that wait for the end of a pause; more are refused at once. */
const MAX_WAITING = 1_000;

/** After a pause calls start again spread over this time, in milliseconds. */
const SPREAD_MS = 50;
/** Pauses that are remembered. */
const MAX_KEYS = 10_000;

/** Other processes that call the backend with the same keys. */
export interface PausesOfOthers {
  /** The backend has limited a key for so many milliseconds. */
  tell(sharingKey: string, pauseMs: number): void;
  /** How long a key has to wait by what others have told, in milliseconds; 0 or less where it does not. */
  leftOf(sharingKey: string): number;
}

export class RateLimitPauses {
  readonly #clock: Clock;
  readonly #observer: UpstreamObserver;
  readonly #others: PausesOfOthers | undefined;
  /** By sharing key: when it may call again. */
  readonly #pauses = new LRUCache<string, number>({ max: MAX_KEYS });
  #waiting = 0;

  constructor(clock: Clock, observer: UpstreamObserver, others: PausesOfOthers | undefined) {
    this.#clock = clock;
    this.#observer = observer;
    this.#others = others;
  }

  isPaused({ sharingKey }: Call): boolean {
    return this.#leftOf(sharingKey) > 0;
  }

  /** Waits for the end of the pause. @returns an error when the call cannot wait for it. */
  async wait({ call, cancel, deadlineMs }: Flight): Promise<RestError | undefined> {
    const { sharingKey, route, journal, origin } = call;
    // Again, because the pause may have become longer meanwhile.
    for (let left = this.#leftOf(sharingKey); left > 0; left = this.#leftOf(sharingKey)) {
      const inTime = this.#clock.now() + left + SPREAD_MS < deadlineMs;
      if (!inTime || this.#waiting >= MAX_WAITING) {
        journal.note(route, origin, 'unsent');
        return new RestPausedError('Backend limits the calls of this key', route, {
          retryAfterMs: Math.ceil(left),
        });
      }
      this.#waiting += 1;
      const slept = await sleep(this.#clock, Math.ceil(left) + Math.random() * SPREAD_MS, cancel);
      this.#waiting -= 1;
      if (!slept) return endOfWait('cancelled', route);
    }
    return undefined;
  }

  /** Begins a pause where an answer asks for one. */
  note({ sharingKey, route }: Call, settled: Settled): void {
    if (settled instanceof Error || settled.status !== 429) return;
    const afterMs = retryAfterOf(settled.headers);
    if (afterMs === undefined) return;
    const pauseMs = Math.min(afterMs, MAX_PAUSE_MS);
    this.#pauses.set(sharingKey, this.#clock.now() + pauseMs);
    this.#others?.tell(sharingKey, pauseMs);
    this.#observer.onPause?.(route);
  }

  #leftOf(sharingKey: string): number {
    const own = this.#ownLeftOf(sharingKey);
    return this.#others ? Math.max(own, this.#others.leftOf(sharingKey)) : own;
  }

  #ownLeftOf(sharingKey: string): number {
    const until = this.#pauses.get(sharingKey);
    if (until === undefined) return 0;
    const left = until - this.#clock.now();
    if (left <= 0) this.#pauses.delete(sharingKey);
    return left;
  }
}
