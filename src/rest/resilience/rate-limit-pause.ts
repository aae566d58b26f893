/**
 * A key that the backend asked to wait, waits; other keys go on.
 *
 * Calls that can wait within their deadline do; the others are told at once. Without this, every
 * call of a limited key would cost the backend one more refusal.
 */
import { sleep } from '../client/cancel.ts';
import { RestPausedError, type RouteLabel } from '../client/errors.ts';
import { retryAfterOf } from '../decode/retry-after.ts';
import type { Outgoing } from '../client/send.ts';
import type { Stage } from '../client/stage.ts';

/** The longest pause, in milliseconds: a mistaken `Retry-After` heals by itself. */
const MAX_PAUSE_MS = 60_000;

/** Paused calls of one process; more are told at once. */
const MAX_WAITING = 1_000;

/** Over how many milliseconds the calls of a pause are let go. */
const SPREAD_MS = 50;

/** Paused keys that are remembered; reaching it drops those whose pause is over. */
const MAX_KEYS = 1_000;

export function pausing(onPause: (route: RouteLabel) => void): Stage {
  /** By key: when it may call again, on `performance.now()`'s clock. */
  const pauses = new Map<string, number>();
  let waiting = 0;

  return {
    begin(outgoing, proceed) {
      if (leftOf(outgoing.apiKey) <= 0) return true;
      wait(outgoing).then(
        () => proceed(outgoing),
        (refusal: Error) => proceed(outgoing, refusal),
      );
      return false;
    },

    end({ apiKey, route }, outcome) {
      if (outcome instanceof Error || outcome.status !== 429) return;
      const afterMs = retryAfterOf(outcome.headers);
      if (afterMs === undefined) return;
      pause(apiKey, afterMs);
      onPause(route);
    },
  };

  async function wait(outgoing: Outgoing): Promise<void> {
    const { apiKey, route, cancel, journal, origin } = outgoing;
    for (let left = leftOf(apiKey); left > 0; left = leftOf(apiKey)) {
      const inTime = performance.now() + left + SPREAD_MS < outgoing.deadlineMs;
      if (!inTime || waiting >= MAX_WAITING) {
        journal.note(route, origin, 'unsent');
        throw new RestPausedError('Backend limits the calls of this key', route, {
          retryAfterMs: Math.ceil(left),
        });
      }
      waiting += 1;
      try {
        await sleep(Math.ceil(left) + Math.random() * SPREAD_MS, cancel, route);
      } finally {
        waiting -= 1;
      }
    }
  }

  function leftOf(apiKey: string): number {
    const until = pauses.get(apiKey);
    if (until === undefined) return 0;
    const left = until - performance.now();
    if (left <= 0) pauses.delete(apiKey);
    return left;
  }

  function pause(apiKey: string, ms: number): void {
    const now = performance.now();
    if (pauses.size >= MAX_KEYS) {
      for (const [key, until] of pauses) if (until <= now) pauses.delete(key);
    }
    pauses.set(apiKey, now + Math.min(ms, MAX_PAUSE_MS));
  }
}
