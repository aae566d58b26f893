/**
 * How many REST calls each key may make: GCRA, the generic cell rate algorithm, by the clock of Redis, or by this
 * process' own where there is no Redis.
 *
 * A process leases calls in blocks, so that most requests ask Redis for nothing. A block grows while a key uses it up,
 * and is given up when it is not used in time.
 */
import { LRUCache } from 'lru-cache';
import type { RateLimit } from '../../gateway/policies/rate-limit.ts';
import type { Script } from './connection.ts';
import { PREFIX, type Store } from './store.ts';

/** The part of a window's calls that may come at once, and the part of those that one process leases. */
const AT_ONCE = 0.1;
const OF_A_BLOCK = 0.1;

/** Keys that are remembered. */
const MAX_KEYS = 10_000;

/**
 * KEYS the time of the next call. ARGV ms between two calls, calls at once, calls that are needed, calls to lease.
 * Answers the calls that are granted, and how long to wait where none are, in milliseconds. More calls than may come
 * at once are granted where none has been made before, and are waited for afterwards.
 */
const LEASE: Script = {
  name: 'gatewayLease',
  lua: `
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local between, most = tonumber(ARGV[1]), tonumber(ARGV[2])
local next = math.max(now, tonumber(redis.call('GET', KEYS[1]) or now))
local function wait(calls) return next - now - math.max(0, (most - calls) * between) end
for _, calls in ipairs({tonumber(ARGV[4]), tonumber(ARGV[3])}) do
  if wait(calls) <= 0 then
    next = next + calls * between
    redis.call('SET', KEYS[1], string.format('%.3f', next), 'PX', math.ceil(next - now) + 1)
    return {calls, 0}
  end
end
return {0, math.ceil(wait(tonumber(ARGV[3])))}
`,
};

interface Key {
  /** Calls that are leased and not made. */
  left: number;
  untilMs: number;
  /** Calls to lease the next time. */
  block: number;
  /** Calls that were made beyond what was taken. */
  owed: number;
  /** Until when so many calls are refused. */
  refused: { readonly calls: number; readonly untilMs: number };
  leasing: Promise<boolean> | undefined;
  /** When the next call may be made, for a process alone. */
  nextMs: number;
}

export class RateLimits {
  readonly limit: RateLimit;
  /** Calls that may come at once. */
  readonly #most: number;
  readonly #betweenMs: number;
  readonly #maxBlock: number;
  readonly #store: Store | undefined;
  readonly #keys = new LRUCache<string, Key>({
    max: MAX_KEYS,
    memoMethod: () => {
      const refused = { calls: 0, untilMs: 0 };
      return { left: 0, untilMs: 0, block: 1, owed: 0, refused, leasing: undefined, nextMs: 0 };
    },
  });

  /** @param store what replicas share; undefined where this process counts alone. */
  constructor(limit: RateLimit, store: Store | undefined) {
    this.limit = limit;
    this.#store = store;
    this.#most = Math.max(1, Math.floor(limit.calls * AT_ONCE));
    this.#betweenMs = limit.windowMs / limit.calls;
    this.#maxBlock = Math.max(1, Math.floor(this.#most * OF_A_BLOCK));
  }

  /** @returns how long to wait in milliseconds; 0 where the calls may be made, and are counted. */
  take(apiKey: string, calls: number): number | Promise<number> {
    const key = this.#keys.memo(apiKey);
    if (!this.#store?.connection.isAvailable) return this.#takeAlone(key, calls);
    return this.#takeLeased(key, calls) ?? this.#lease(this.#store, apiKey, key, calls);
  }

  /** A request has made more calls than were taken for it: the next ones pay for them. */
  owe(apiKey: string, calls: number): void {
    this.#keys.memo(apiKey).owed += calls;
  }

  /** Undefined where Redis has to be asked. */
  #takeLeased(key: Key, calls: number): number | undefined {
    const nowMs = performance.now();
    const needed = calls + key.owed;
    if (nowMs < key.untilMs && needed <= key.left) {
      key.left -= needed;
      key.owed = 0;
      return 0;
    }
    const { refused } = key;
    // A caller that comes back before its wait is over is refused without a command to Redis.
    return nowMs < refused.untilMs && needed >= refused.calls
      ? Math.ceil(refused.untilMs - nowMs)
      : undefined;
  }

  async #lease(store: Store, apiKey: string, key: Key, calls: number): Promise<number> {
    for (;;) {
      key.leasing ??= this.#ask(store, apiKey, key, calls).finally(() => {
        key.leasing = undefined;
      });
      if (!(await key.leasing)) return this.#takeAlone(key, calls);
      const waitMs = this.#takeLeased(key, calls);
      if (waitMs !== undefined) return waitMs;
    }
  }

  /** @returns whether Redis has answered. */
  async #ask(store: Store, apiKey: string, key: Key, calls: number): Promise<boolean> {
    const nowMs = performance.now();
    const isCurrent = nowMs < key.untilMs;
    const left = isCurrent ? key.left : 0;
    key.block = isCurrent ? Math.min(this.#maxBlock, key.block * 2) : 1;
    const needed = Math.max(1, calls + key.owed - left);
    const answer = (await store.connection.run(
      LEASE,
      [`${PREFIX}limit:${store.hash(apiKey)}`],
      [this.#betweenMs, this.#most, needed, Math.max(needed, key.block)],
    )) as readonly [granted: number, waitMs: number] | undefined; // as the script answers
    if (!answer) return false;
    const [granted, waitMs] = answer;
    if (granted > 0) {
      key.left = (performance.now() < key.untilMs ? key.left : 0) + granted;
      key.untilMs = performance.now() + this.#most * this.#betweenMs;
    } else {
      key.refused = { calls: calls + key.owed, untilMs: performance.now() + waitMs };
    }
    return true;
  }

  /** The same algorithm by this process' clock. */
  #takeAlone(key: Key, calls: number): number {
    const nowMs = performance.now();
    const needed = calls + key.owed;
    const nextMs = Math.max(nowMs, key.nextMs);
    const waitMs = nextMs - nowMs - Math.max(0, (this.#most - needed) * this.#betweenMs);
    if (waitMs > 0) return Math.ceil(waitMs);
    key.nextMs = nextMs + needed * this.#betweenMs;
    key.owed = 0;
    return 0;
  }
}
