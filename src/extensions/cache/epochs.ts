/**
 * The epochs of each key: a write ends one and begins another, and what was asked for in one is not used in the next.
 * So an answer that was asked for before a write is never used after it, however late it comes.
 *
 * Where replicas share a Redis, it knows the epoch of all of them, and this process the highest that it has heard
 * of. A write's consistency token is the epoch that began when the write had ended; where Redis did not answer, and
 * where there is none, a name that other processes know nothing of: they ask the backend then.
 */
import { randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { SharedReads } from '../../rest/call/options.ts';

/** Keys that are remembered. Answers that were kept for a forgotten key are not used again. */
const MAX_KEYS = 10_000;

/** Unique in this process, over all keys. */
export type Epoch = number;

interface Key {
  epoch: Epoch;
  /** The highest of Redis that is known; empty for none. */
  shared: string;
  /** Since when no message can have been missed, as of the last answer of Redis. */
  era: number;
  /** Moves that were begun, and the last of them that Redis has confirmed: it has confirmed all before, too. */
  moves: number;
  confirmed: number;
}

export class Epochs {
  readonly #shared: SharedReads | undefined;
  readonly #keys = new LRUCache<string, Key>({
    max: MAX_KEYS,
    dispose: ({ moves, confirmed }) => {
      if (moves > confirmed) this.#firstMoves = 1;
    },
  });
  /** Moves that a key begins with: 1 once one was forgotten of whose writes Redis does not know. */
  #firstMoves = 0;
  readonly #process = randomUUID().slice(0, 8);
  #last = 0;
  #era = 0;

  /** @param shared where replicas share them. */
  constructor(shared: SharedReads | undefined) {
    this.#shared = shared;
  }

  /** Resolves once this process hears of what others write. */
  async open(): Promise<void> {
    await this.#shared?.open({
      onMove: (hash, epoch) => {
        const key = this.#keys.get(hash);
        if (key && isOfRedis(epoch)) this.#learn(key, epoch);
      },
      // Redis may be another one now, whose clock may be behind: what was known is looked up again.
      onGap: () => void (this.#era += 1),
    });
  }

  of(apiKey: string): Epoch {
    return this.#keyOf(apiKey).epoch;
  }

  /** How often writes of this process have moved it. */
  movesOf(apiKey: string): number {
    return this.#keyOf(apiKey).moves;
  }

  /** The highest of Redis that is known; empty for none. */
  sharedOf(apiKey: string): string {
    return this.#keyOf(apiKey).shared;
  }

  /** Whether the present epoch began after the write that a token came with. */
  isAfter(apiKey: string, token: string): boolean {
    if (!this.#shared) return token.startsWith(`${this.#process}.`);
    const { shared, era } = this.#keyOf(apiKey);
    return isOfRedis(token) && era === this.#era && token <= shared;
  }

  /** Redis has said which one is the present one. */
  learn(apiKey: string, epoch: string): void {
    const key = this.#keyOf(apiKey);
    this.#learn(key, epoch);
    if (key.shared === epoch) key.era = this.#era;
  }

  /** Whether Redis knows of all writes of this process; tells it where it does not. */
  async isSettled(apiKey: string): Promise<boolean> {
    const key = this.#keyOf(apiKey);
    return key.confirmed === key.moves || (await this.#tell(apiKey, key)) !== undefined;
  }

  /** A write is about to be sent, or has ended. @returns what Redis has confirmed, if it has. */
  async move(apiKey: string): Promise<string | undefined> {
    const key = this.#keyOf(apiKey);
    key.epoch = this.#last += 1;
    key.moves += 1;
    return this.#tell(apiKey, key);
  }

  /** A token that no other process knows. */
  ownToken(): string {
    return `${this.#process}.${this.#last}`;
  }

  async #tell(apiKey: string, key: Key): Promise<string | undefined> {
    const { moves } = key;
    const epoch = await this.#shared?.move(apiKey, key.shared);
    if (epoch === undefined) return undefined;
    this.learn(apiKey, epoch);
    key.confirmed = Math.max(key.confirmed, moves);
    return epoch;
  }

  #learn(key: Key, epoch: string): void {
    if (epoch <= key.shared) return;
    key.shared = epoch;
    key.epoch = this.#last += 1;
  }

  #keyOf(apiKey: string): Key {
    const id = this.#shared?.hash(apiKey) ?? apiKey;
    let key = this.#keys.get(id);
    if (!key) {
      const moves = this.#firstMoves;
      key = { epoch: (this.#last += 1), shared: '', era: 0, moves, confirmed: 0 };
      this.#keys.set(id, key);
    }
    return key;
  }
}

/** Below 9e15: a number of Lua's is exact up to there, and so is the next epoch. */
const isOfRedis = (text: string): boolean => /^[0-8]\d{15}$/.test(text);
