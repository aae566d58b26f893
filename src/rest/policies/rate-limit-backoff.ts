/**
 * Backoff of keys that the backend has rate-limited (429 with `Retry-After`).
 *
 * Calls wait for the end of the backoff if their deadline allows it, and are rejected immediately otherwise.
 */
import { LRUCache } from 'lru-cache';
import type { Call, Settled } from '../call/call.ts';
import { endOfWait, RestError } from '../call/errors.ts';
import type { UpstreamSettings } from '../call/options.ts';
import { retryAfterOf } from '../decode/http-date.ts';

/** Maximum backoff, in milliseconds, against an erroneous `Retry-After`. */
export const MAX_BACKOFF_MS = 60_000;
/** Maximum number of waiting calls; further ones are rejected. */
const MAX_WAITING = 1_000;
/** Jitter of starts after a backoff, in milliseconds. */
const SPREAD_MS = 50;
/** Maximum number of keys. */
const MAX_KEYS = 10_000;

export class RateLimitBackoff {
  endMs = 0;
  readonly #settings: UpstreamSettings;
  /** End of the backoff by sharing key. */
  readonly #ends = new LRUCache<string, number>({ max: MAX_KEYS });
  #waiting = 0;

  constructor(settings: UpstreamSettings) {
    this.#settings = settings;
  }

  /** Delays a call whose key backs off, before the timeout of its attempt begins. @returns what cancels the wait. */
  delay(call: Call, deadlineMs: number, next: () => void): (() => void) | Error | undefined {
    const { route, from, origin } = call;
    const { clock } = this.#settings;
    const leftMs = (this.#ends.get(from.sharingKey) ?? 0) - clock.now();
    if (leftMs <= 0) return undefined;
    const isInTime = clock.now() + leftMs + SPREAD_MS < deadlineMs;
    const isSpeculative = call.priority === 'speculative';
    if (isSpeculative || !isInTime || this.#waiting >= MAX_WAITING) {
      from.callLog.note(route, origin, 'unsent');
      if (isSpeculative) return endOfWait('cancelled', route);
      return new RestError('rate_limited', 'Backend rate-limits this API key', route, {
        retryAfterMs: Math.ceil(leftMs),
      });
    }
    this.#waiting += 1;
    const waitMs = Math.ceil(leftMs) + Math.random() * SPREAD_MS;
    const timer = clock.setTimeout(() => {
      this.#waiting -= 1;
      next();
    }, waitMs);
    return () => {
      this.#waiting -= 1;
      clock.clearTimeout(timer);
    };
  }

  /** Begins a backoff after a 429 with `Retry-After`, but not to a speculative read: no query is rejected because of it. */
  end({ priority, from, route }: Call, settled: Settled): void {
    if (settled instanceof Error || settled.status !== 429 || priority === 'speculative') return;
    const afterMs = retryAfterOf(settled.headers);
    if (afterMs === undefined) return;
    const { clock, observer } = this.#settings;
    const endMs = clock.now() + Math.min(afterMs, MAX_BACKOFF_MS);
    this.#ends.set(from.sharingKey, Math.max(endMs, this.#ends.get(from.sharingKey) ?? 0));
    this.endMs = Math.max(this.endMs, endMs);
    observer.onPause?.(route);
  }
}
