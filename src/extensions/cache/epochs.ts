/**
 * Epochs of API keys. Each write starts a new epoch, and responses requested in an earlier one are not used.
 *
 * A shared Redis stores the epochs; this process knows the highest one received. A write's consistency token is the
 * epoch that started after it, or without Redis a name unknown to other processes, which then call the backend.
 */
import { randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { RedisReads } from '../redis/shared-reads.ts';

/** Maximum number of keys. Cached responses of an evicted key are not used again. */
const MAX_KEYS = 10_000;

/** Unique in this process, over all keys. */
export type Epoch = number;

interface KeyEpoch {
  epoch: Epoch;
  /** Highest known epoch of Redis; empty for none. */
  shared: string;
  /** Number of the gapless period in which Redis has last responded. */
  era: number;
  /** Begun moves, and the latest one confirmed by Redis, which confirms all before it. */
  moves: number;
  confirmed: number;
}

export class Epochs {
  readonly #shared: RedisReads | undefined;
  readonly #keys = new LRUCache<string, KeyEpoch>({
    max: MAX_KEYS,
    memoMethod: () => {
      const moves = this.#firstMoves;
      return { epoch: (this.#last += 1), shared: '', era: 0, moves, confirmed: 0 };
    },
    dispose: ({ moves, confirmed }) => {
      if (moves > confirmed) this.#firstMoves = 1;
    },
  });
  /** Initial moves of a key: 1 after the eviction of a key with unconfirmed writes. */
  #firstMoves = 0;
  readonly #process = randomUUID().slice(0, 8);
  #last = 0;
  #era = 0;

  constructor(shared: RedisReads | undefined) {
    this.#shared = shared;
  }

  /** Resolves when this process is subscribed to writes of others. */
  async open(): Promise<void> {
    await this.#shared?.open({
      onMove: (hash, epoch) => {
        const key = this.#keys.get(hash);
        if (key && isOfRedis(epoch)) this.#learn(key, epoch);
      },
      // Redis may have been replaced by one whose clock is behind, so epochs are looked up again.
      onGap: () => void (this.#era += 1),
    });
  }

  of(apiKey: string): KeyEpoch {
    return this.#keys.memo(this.#shared?.hash(apiKey) ?? apiKey);
  }

  /** Whether the current epoch began after the write of a token. */
  isAfter(apiKey: string, token: string): boolean {
    if (!this.#shared) return token.startsWith(`${this.#process}.`);
    const { shared, era } = this.of(apiKey);
    return isOfRedis(token) && era === this.#era && token <= shared;
  }

  learn(apiKey: string, epoch: string): void {
    const key = this.of(apiKey);
    this.#learn(key, epoch);
    if (key.shared === epoch) key.era = this.#era;
  }

  /** Whether Redis knows all writes of this process; publishes missing ones. */
  async isSettled(apiKey: string): Promise<boolean> {
    const key = this.of(apiKey);
    return key.confirmed === key.moves || (await this.#tell(apiKey, key)) !== undefined;
  }

  /** Begins a new epoch before or after a write. @returns the epoch of Redis, if it has confirmed. */
  async move(apiKey: string): Promise<string | undefined> {
    const key = this.of(apiKey);
    key.epoch = this.#last += 1;
    key.moves += 1;
    return this.#tell(apiKey, key);
  }

  /** A token unknown to other processes. */
  ownToken(): string {
    return `${this.#process}.${this.#last}`;
  }

  async #tell(apiKey: string, key: KeyEpoch): Promise<string | undefined> {
    const { moves } = key;
    const epoch = await this.#shared?.move(apiKey, key.shared);
    if (epoch === undefined) return undefined;
    this.learn(apiKey, epoch);
    key.confirmed = Math.max(key.confirmed, moves);
    return epoch;
  }

  #learn(key: KeyEpoch, epoch: string): void {
    if (epoch <= key.shared) return;
    key.shared = epoch;
    key.epoch = this.#last += 1;
  }
}

/** Below 9e15: exact numbers in Lua, including the next epoch. */
const isOfRedis = (text: string): boolean => /^[0-8]\d{15}$/.test(text);
