/**
 * `RATE_LIMIT`: limits REST calls per API key. An operation is charged its least planned cost (at least 1) before it
 * starts, and the rest of its actual cost at its end. Operations rejected by their document, key or cost do not count.
 *
 * GCRA (generic cell rate algorithm) by the clock of Redis, or of this process without Redis. A process leases calls in
 * blocks, so most requests need no command to Redis. Blocks grow while a key uses them up, and expire if unused.
 */
import type { ExecutionResult, GraphQLError } from 'graphql';
import { LRUCache } from 'lru-cache';
import type { MaybePromise } from '../../execution/core/resolved-value.ts';
import { certainCalls } from '../../plan/cost.ts';
import type { Extension } from '../../gateway/extension.ts';
import { clientError } from '../../gateway/operation/client-error.ts';
import { StateKey, type ReadyOperation } from '../../gateway/operation/operation.ts';
import type { Next, Policy } from '../../gateway/policy.ts';
import { WEIGHED } from '../../gateway/policies/admission.ts';
import { PREFIX, type LuaScript, type Store } from './connection.ts';

export interface RateLimit {
  readonly calls: number;
  readonly windowMs: number;
}

/** REST calls charged in advance. */
const CALLS_TAKEN = new StateKey<number>();

/** The policy of a limit, and its headers. */
export function limiting(limits: LeasedRateLimits): Extension {
  /** Executes an operation, or returns an error at the limit. */
  const limited = <Result>(
    operation: ReadyOperation,
    next: Next<Result>,
  ): MaybePromise<Result | ExecutionResult> => {
    const { record, definition, contextValue } = operation;
    const { apiKey } = record;
    // Operations without a key make no calls.
    if (apiKey === undefined) return next(operation);
    const { least } = definition.document;
    const known = WEIGHED.get(record)?.calls ?? certainCalls(operation, least, contextValue);
    const calls = Math.max(1, known);
    const goOn = (waitMs: number): MaybePromise<Result | ExecutionResult> => {
      if (waitMs > 0) return { errors: [limitedError(limits, waitMs)] };
      CALLS_TAKEN.set(record, calls);
      return next(operation);
    };
    const waitMs = limits.take(apiKey, calls);
    return typeof waitMs === 'number' ? goOn(waitMs) : waitMs.then(goOn);
  };

  const rateLimit: Policy = {
    onExecute: limited,
    onSubscribe: limited,
    onAnswered(operation) {
      const { apiKey, rest } = operation;
      const callsTaken = CALLS_TAKEN.get(operation);
      if (callsTaken === undefined || apiKey === undefined) return;
      const made = rest?.callLog.calls ?? 0;
      if (made > callsTaken) limits.owe(apiKey, made - callsTaken);
    },
  };
  return {
    headers: {
      readable: ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset', 'ratelimit-policy'],
    },
    policies: { rateLimit },
  };
}

function limitedError({ limit, burst }: LeasedRateLimits, waitMs: number): GraphQLError {
  const { calls, windowMs } = limit;
  const seconds = Math.ceil(waitMs / 1_000);
  const error = clientError(
    429,
    'RATE_LIMITED',
    `Rate limit exceeded: ${calls} REST calls per API key in ${windowMs / 1_000} s, in bursts of up to ${burst}. Retry in ${seconds} s.`,
    {
      'retry-after': String(seconds),
      'ratelimit-limit': String(calls),
      'ratelimit-remaining': '0',
      'ratelimit-reset': String(seconds),
      'ratelimit-policy': `${calls};w=${windowMs / 1_000};burst=${burst}`,
    },
  );
  error.extensions['retryAfterMs'] = waitMs;
  return error;
}

/** Share of a window's calls allowed as a burst, and share of the burst that a process leases. */
const AT_ONCE = 0.1;
const OF_A_BLOCK = 0.1;

const MAX_KEYS = 10_000;

/**
 * KEYS the time of the next call. ARGV ms between two calls, calls at once, calls that are needed, calls to lease.
 * Returns the granted calls, and the time to wait if there are none, in milliseconds. More calls than the burst are
 * granted if none was made before, and delay later ones.
 */
const LEASE: LuaScript = {
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

interface KeyLease {
  /** Leased calls not made yet. */
  left: number;
  untilMs: number;
  block: number;
  /** Calls made beyond those taken. */
  owed: number;
  /** Latest rejection: number of calls, and its end. */
  refused: { readonly calls: number; readonly untilMs: number };
  leasing: Promise<boolean> | undefined;
  /** Time of the next call, without Redis. */
  nextMs: number;
}

export class LeasedRateLimits {
  readonly limit: RateLimit;
  readonly burst: number;
  readonly #betweenMs: number;
  readonly #maxBlock: number;
  readonly #store: Store | undefined;
  readonly #keys = new LRUCache<string, KeyLease>({
    max: MAX_KEYS,
    memoMethod: () => {
      const refused = { calls: 0, untilMs: 0 };
      return { left: 0, untilMs: 0, block: 1, owed: 0, refused, leasing: undefined, nextMs: 0 };
    },
  });

  /** @param store shared by replicas; undefined for a single process. */
  constructor(limit: RateLimit, store: Store | undefined) {
    this.limit = limit;
    this.#store = store;
    this.burst = Math.max(1, Math.floor(limit.calls * AT_ONCE));
    this.#betweenMs = limit.windowMs / limit.calls;
    this.#maxBlock = Math.max(1, Math.floor(this.burst * OF_A_BLOCK));
  }

  /** @returns time to wait, in milliseconds; 0 if the calls may be made, which counts them. */
  take(apiKey: string, calls: number): number | Promise<number> {
    const key = this.#keys.memo(apiKey);
    if (!this.#store?.connection.isAvailable) return this.#takeAlone(key, calls);
    return this.#takeLeased(key, calls) ?? this.#lease(this.#store, apiKey, key, calls);
  }

  /** Charges calls beyond those taken to later requests. */
  owe(apiKey: string, calls: number): void {
    this.#keys.memo(apiKey).owed += calls;
  }

  /** Returns undefined if Redis is required. */
  #takeLeased(key: KeyLease, calls: number): number | undefined {
    const nowMs = performance.now();
    const needed = calls + key.owed;
    if (nowMs < key.untilMs && needed <= key.left) {
      key.left -= needed;
      key.owed = 0;
      return 0;
    }
    const { refused } = key;
    // Early retries are rejected without a command to Redis.
    return nowMs < refused.untilMs && needed >= refused.calls
      ? Math.ceil(refused.untilMs - nowMs)
      : undefined;
  }

  async #lease(store: Store, apiKey: string, key: KeyLease, calls: number): Promise<number> {
    for (;;) {
      key.leasing ??= this.#ask(store, apiKey, key, calls).finally(() => {
        key.leasing = undefined;
      });
      if (!(await key.leasing)) return this.#takeAlone(key, calls);
      const waitMs = this.#takeLeased(key, calls);
      if (waitMs !== undefined) return waitMs;
    }
  }

  /** @returns whether Redis responded. */
  async #ask(store: Store, apiKey: string, key: KeyLease, calls: number): Promise<boolean> {
    const nowMs = performance.now();
    const isCurrent = nowMs < key.untilMs;
    const left = isCurrent ? key.left : 0;
    key.block = isCurrent ? Math.min(this.#maxBlock, key.block * 2) : 1;
    const needed = Math.max(1, calls + key.owed - left);
    const answer = (await store.connection.run(
      LEASE,
      [`${PREFIX}limit:${store.hash(apiKey)}`],
      [this.#betweenMs, this.burst, needed, Math.max(needed, key.block)],
    )) as readonly [granted: number, waitMs: number] | undefined; // result of the script
    if (!answer) return false;
    const [granted, waitMs] = answer;
    if (granted > 0) {
      key.left = (performance.now() < key.untilMs ? key.left : 0) + granted;
      key.untilMs = performance.now() + this.burst * this.#betweenMs;
    } else {
      key.refused = { calls: calls + key.owed, untilMs: performance.now() + waitMs };
    }
    return true;
  }

  /** The same algorithm with the clock of this process. */
  #takeAlone(key: KeyLease, calls: number): number {
    const nowMs = performance.now();
    const needed = calls + key.owed;
    const nextMs = Math.max(nowMs, key.nextMs);
    const waitMs = nextMs - nowMs - Math.max(0, (this.burst - needed) * this.#betweenMs);
    if (waitMs > 0) return Math.ceil(waitMs);
    key.nextMs = nextMs + needed * this.#betweenMs;
    key.owed = 0;
    return 0;
  }
}
