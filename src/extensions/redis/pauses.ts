/**
 * Pauses of keys that the backend has limited (429 with `Retry-After`), told to all replicas: each of them would
 * learn it by a refusal of its own otherwise.
 */
import { LRUCache } from 'lru-cache';
import { PREFIX, type Store } from './store.ts';

const CHANNEL = `${PREFIX}pauses`;

/** Paused keys that are remembered. */
const MAX_KEYS = 10_000;

/** The longest pause that is believed, in milliseconds. */
const MAX_PAUSE_MS = 60_000;

export class Pauses {
  readonly #store: Store;
  /** By the hash of a key: until when it pauses, on `performance.now()`'s clock. */
  readonly #untilMs = new LRUCache<string, number>({ max: MAX_KEYS });

  constructor(store: Store) {
    this.#store = store;
  }

  /** Resolves once pauses are heard of. A message that is lost costs one refusal. */
  open(): Promise<void> {
    return this.#store.connection.subscribe(CHANNEL, {
      onMessage: (text) => this.#hear(text),
      onGap: () => {},
    });
  }

  /** The backend has limited a key for so many milliseconds. */
  tell(apiKey: string, pauseMs: number): void {
    const { connection, hash } = this.#store;
    connection.publish(CHANNEL, `${hash(apiKey)} ${Math.ceil(pauseMs)}`);
  }

  /** How long a key has to wait, in milliseconds; 0 or less where it does not. */
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
