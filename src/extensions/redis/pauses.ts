/**
 * Shares pauses of rate-limited keys (429 with `Retry-After`) with all replicas, which would otherwise each cause a
 * 429.
 */
import { LRUCache } from 'lru-cache';
import { PREFIX } from './connection.ts';
import type { Store } from './store.ts';

const CHANNEL = `${PREFIX}pauses`;

/** Maximum number of paused keys. */
const MAX_KEYS = 10_000;

/** Maximum pause, in milliseconds. */
const MAX_PAUSE_MS = 60_000;

export class Pauses {
  readonly #store: Store;
  /** End of the pause by hash of the key, on `performance.now()`'s clock. */
  readonly #untilMs = new LRUCache<string, number>({ max: MAX_KEYS });

  constructor(store: Store) {
    this.#store = store;
  }

  /** Resolves when subscribed. A lost message costs one 429. */
  open(): Promise<void> {
    return this.#store.connection.subscribe(CHANNEL, {
      onMessage: (text) => this.#hear(text),
      onGap: () => {},
    });
  }

  /** Publishes the pause of a key. */
  tell(apiKey: string, pauseMs: number): void {
    const { connection, hash } = this.#store;
    connection.publish(CHANNEL, `${hash(apiKey)} ${Math.ceil(pauseMs)}`);
  }

  /** Returns the rest of a key's pause, in milliseconds; 0 or less without one. */
  leftOf(apiKey: string): number {
    if (this.#untilMs.size === 0) return 0;
    const hash = this.#store.hash(apiKey);
    const leftMs = (this.#untilMs.get(hash) ?? 0) - performance.now();
    if (leftMs <= 0) this.#untilMs.delete(hash);
    return leftMs;
  }

  #hear(text: string): void {
    const [hash = '', pause] = text.split(' ');
    const pauseMs = Number(pause);
    if (pauseMs > 0) this.#untilMs.set(hash, performance.now() + Math.min(pauseMs, MAX_PAUSE_MS));
  }
}
