/**
 * Per-request loaders: DataLoader, with calls that begin before anybody asks.
 *
 * REST has no batch route, so a batch is its distinct keys side by side, each failing alone. What
 * look-ahead starts may turn out unwanted: such a call is abandoned unless somebody asked meanwhile.
 */
import DataLoader from 'dataloader';
import { Cancel } from '../rest/cancel.ts';
import type { CallOptions } from '../rest/client.ts';

/** Gives up a call that was started ahead; does nothing once somebody has asked for its answer. */
export type Abandon = () => void;

/** For a start that made no call of its own. */
export const nothingToAbandon: Abandon = () => {};

interface Ask<Key> {
  readonly id: string;
  readonly key: Key;
  readonly call: CallOptions;
}

export class Loader<Key, Value> {
  readonly #dataLoader: DataLoader<Ask<Key>, Value, string>;
  readonly #idOf: (key: Key) => string;
  readonly #known = new Set<string>();
  readonly #ahead = new Map<string, Cancel>();
  readonly #primed = new Set<string>();
  readonly #onPrimed: ((origin: unknown) => void) | undefined;

  /**
   * @param idOf equal keys give equal texts.
   * @param load one call for one key.
   * @param onPrimed hears who is answered by what another call brought.
   */
  constructor(
    idOf: (key: Key) => string,
    load: (key: Key, call: CallOptions) => Promise<Value>,
    onPrimed?: (origin: unknown) => void,
  ) {
    this.#idOf = idOf;
    this.#onPrimed = onPrimed;
    this.#dataLoader = new DataLoader<Ask<Key>, Value, string>(
      async (asks) => {
        const outcomes = await Promise.allSettled(asks.map(({ key, call }) => load(key, call)));
        return outcomes.map((outcome) =>
          outcome.status === 'fulfilled' ? outcome.value : (outcome.reason as Error),
        );
      },
      { cacheKeyFn: ({ id }) => id },
    );
  }

  /** The value of a key: one call a key and request, whoever asks and however often. */
  load(key: Key, origin?: unknown): Promise<Value> {
    const id = this.#idOf(key);
    this.#ahead.delete(id);
    this.#known.add(id);
    if (this.#onPrimed && this.#primed.has(id)) this.#onPrimed(origin);
    return this.#dataLoader.load({ id, key, call: { origin } });
  }

  /** Begins a call that somebody will probably ask for. Its failure is theirs to see. */
  start(key: Key, origin?: unknown): Abandon {
    const id = this.#idOf(key);
    if (this.#known.has(id)) return nothingToAbandon;
    this.#known.add(id);
    const cancel = new Cancel();
    this.#ahead.set(id, cancel);
    this.#dataLoader.load({ id, key, call: { origin, cancel } }).catch(() => {});
    return () => {
      if (!this.#ahead.delete(id)) return;
      this.#known.delete(id);
      this.#dataLoader.clear({ id, key, call: {} });
      cancel.cancel();
    };
  }

  /** Remembers a value that another call brought; a value already there stays. */
  prime(key: Key, value: Value): void {
    const id = this.#idOf(key);
    if (this.#known.has(id)) return;
    this.#known.add(id);
    this.#primed.add(id);
    this.#dataLoader.prime({ id, key, call: {} }, value);
  }
}
