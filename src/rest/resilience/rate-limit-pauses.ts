/**
 * Rate limits: a key that the backend asked to wait (429 with `Retry-After`) is paused; other keys go on. So do callers
 * of the same key with other forwarded headers: the limit may be of whom these name.
 *
 * Calls wait where their deadline allows it, and are refused at once where it does not. Without the pause
 * the backend would have to refuse every call of a limited key.
 */
import { LRUCache } from 'lru-cache';
import type { Call, Flight, Settled } from '../call/call.ts';
import { endOfWait, RestPausedError, type RestError } from '../call/errors.ts';
import type { UpstreamSettings } from '../call/options.ts';
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

export function rateLimitPauses({ clock, observer, pauses: others }: UpstreamSettings) {
  /** By sharing key: when it may call again. */
  const untils = new LRUCache<string, number>({ max: MAX_KEYS });
  let waiting = 0;

  const leftOf = (sharingKey: string): number => {
    const until = untils.get(sharingKey);
    const own = until === undefined ? 0 : until - clock.now();
    return others ? Math.max(own, others.leftOf(sharingKey)) : own;
  };

  return {
    isPaused: ({ sharingKey }: Call): boolean => leftOf(sharingKey) > 0,

    /** Waits for the end of the pause. @returns an error when the call cannot wait for it. */
    async wait({ call, cancel, deadlineMs }: Flight): Promise<RestError | undefined> {
      const { sharingKey, route, journal, origin } = call;
      // Again, because the pause may have become longer meanwhile.
      for (let left = leftOf(sharingKey); left > 0; left = leftOf(sharingKey)) {
        const inTime = clock.now() + left + SPREAD_MS < deadlineMs;
        if (!inTime || waiting >= MAX_WAITING) {
          journal.note(route, origin, 'unsent');
          const retryAfterMs = Math.ceil(left);
          return new RestPausedError('Backend limits the calls of this key', route, {
            retryAfterMs,
          });
        }
        waiting += 1;
        const slept = await sleep(clock, Math.ceil(left) + Math.random() * SPREAD_MS, cancel);
        waiting -= 1;
        if (!slept) return endOfWait('cancelled', route);
      }
      return undefined;
    },

    /** Begins a pause where an answer asks for one. */
    note({ sharingKey, route }: Call, settled: Settled): void {
      if (settled instanceof Error || settled.status !== 429) return;
      const afterMs = retryAfterOf(settled.headers);
      if (afterMs === undefined) return;
      const pauseMs = Math.min(afterMs, MAX_PAUSE_MS);
      untils.set(sharingKey, clock.now() + pauseMs);
      others?.tell(sharingKey, pauseMs);
      observer.onPause?.(route);
    },
  };
}
