/**
 * Pauses of keys that the backend has rate-limited (429 with `Retry-After`).
 *
 * Calls wait for the end of the pause if their deadline allows it, and are rejected at once otherwise.
 */
import { LRUCache } from 'lru-cache';
import type { Settled } from '../call/call.ts';
import { endOfWait, RestError } from '../call/errors.ts';
import type { UpstreamSettings } from '../call/options.ts';
import { retryAfterOf } from '../decode/retry-after.ts';
import { HELD, type Attempt, type AttemptPolicy } from '../attempt.ts';

/** Maximum pause, in milliseconds, against a mistaken `Retry-After`. */
export const MAX_PAUSE_MS = 60_000;
/** Maximum number of calls that wait for a pause; further ones are rejected. */
const MAX_WAITING = 1_000;

/** Jitter of starts after a pause, in milliseconds. */
const SPREAD_MS = 50;
/** Maximum number of stored pauses. */
const MAX_KEYS = 10_000;

export class RateLimitPauses implements AttemptPolicy {
  readonly #settings: UpstreamSettings;
  /** End of the pause by sharing key. */
  readonly #untils = new LRUCache<string, number>({ max: MAX_KEYS });
  /** Latest end of all pauses. */
  #latestMs = 0;
  #waiting = 0;

  constructor(settings: UpstreamSettings) {
    this.#settings = settings;
  }

  /** Runs before the timeout of the attempt begins. */
  before(attempt: Attempt): Error | typeof HELD | undefined {
    if (attempt.startedMs >= this.#latestMs) return undefined;
    const { call, from } = attempt;
    const { sharingKey, callLog } = from;
    const { clock } = this.#settings;
    const leftMs = this.#leftOf(sharingKey);
    if (leftMs <= 0) return undefined;
    if (call.priority === 'speculative') return endOfWait('cancelled', call.route);
    const inTime = clock.now() + leftMs + SPREAD_MS < call.deadlineMs;
    if (!inTime || this.#waiting >= MAX_WAITING) {
      callLog.note(call.route, call.origin, 'unsent');
      const retryAfterMs = Math.ceil(leftMs);
      const what = 'Backend limits the calls of this key';
      return new RestError('rate_limited', what, call.route, { retryAfterMs });
    }
    this.#waiting += 1;
    const waitMs = Math.ceil(leftMs) + Math.random() * SPREAD_MS;
    attempt.timer = clock.setTimeout(() => this.#resume(attempt), waitMs);
    return HELD;
  }

  release({ route, timer }: Attempt): Error {
    this.#waiting -= 1;
    this.#settings.clock.clearTimeout(timer);
    return endOfWait('cancelled', route);
  }

  /** Begins a pause after a 429 with `Retry-After`, but not to a speculative read: no query is refused because of it. */
  after({ call, from, route }: Attempt, settled: Settled): void {
    if (call.priority === 'speculative') return;
    if (settled instanceof Error || settled.status !== 429) return;
    const afterMs = retryAfterOf(settled.headers);
    if (afterMs === undefined) return;
    const { clock, observer } = this.#settings;
    const pauseMs = Math.min(afterMs, MAX_PAUSE_MS);
    // Of two pauses the one that ends later counts.
    const untilMs = Math.max(clock.now() + pauseMs, this.#untils.get(from.sharingKey) ?? 0);
    this.#untils.set(from.sharingKey, untilMs);
    this.#latestMs = Math.max(this.#latestMs, untilMs);
    observer.onPause?.(route);
  }

  #leftOf(sharingKey: string): number {
    const until = this.#untils.get(sharingKey);
    return until === undefined ? 0 : until - this.#settings.clock.now();
  }

  #resume(attempt: Attempt): void {
    this.#waiting -= 1;
    attempt.startedMs = this.#settings.clock.now();
    // The pause may have been extended meanwhile.
    const verdict = this.before(attempt);
    if (verdict !== HELD) attempt.proceed(verdict);
  }
}
