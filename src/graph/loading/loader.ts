/**
 * Loader of one request: DataLoader with calls that prefetching can start and abandon.
 *
 * Lists and writes prime its cache. REST has no batch routes, so a batch makes one call per key, which succeed and fail
 * independently. This class adds cancellation of loads and the origin of calls to DataLoader.
 */
import DataLoader from 'dataloader';
import { Cancel } from '../../lib/cancel.ts';
import type { CallOptions } from '../../rest/client/client.ts';
import { mapKeyOf } from '../types/key.ts';

/** Abandons a started call; has no effect after a resolver has loaded the key. */
export type Abandon = () => void;

const nothingToAbandon: Abandon = () => {};

/** A prefetched call that no resolver has requested yet. */
interface Prefetch {
  readonly cancel: Cancel;
  starts: number;
}

interface LoaderOptions<Key> {
  /** Returns equal strings for equal keys. @default all values of the key */
  readonly idOf?: (key: Key) => string;
  /** Called for each load of a primed key. */
  readonly onPrimed?: (origin: unknown) => void;
}

interface Load<Key> {
  readonly id: string;
  readonly key: Key;
  readonly call: CallOptions;
}

export class Loader<Key extends object, Value> {
  readonly #cache = new Map<string, Promise<Value>>();
  readonly #batches: DataLoader<Load<Key>, Value, string>;
  readonly #prefetches = new Map<string, Prefetch>();
  /** Without promises, since most are not loaded. */
  readonly #primed = new Map<string, Value>();
  readonly #idOf: (key: Key) => string;
  readonly #onPrimed: ((origin: unknown) => void) | undefined;

  constructor(
    read: (key: Key, call: CallOptions) => Promise<Value>,
    { idOf = mapKeyOf, onPrimed }: LoaderOptions<Key> = {},
  ) {
    this.#batches = new DataLoader(
      // A load resolves with its promise, despite DataLoader's types, so no key waits for the slowest one.
      async (loads) => loads.map(({ key, call }) => read(key, call) as Value),
      { cacheKeyFn: ({ id }) => id, cacheMap: this.#cache },
    );
    this.#idOf = idOf;
    this.#onPrimed = onPrimed;
  }

  /**
   * Loads the value of a key, in one call per key and request.
   *
   * @param origin path of the field.
   * @throws the error that replaces an invalid part of the key.
   */
  load(key: Key, origin?: unknown): Promise<Value> {
    const id = this.#idOf(key);
    this.#prefetches.delete(id);
    if (this.#primed.has(id)) this.#onPrimed?.(origin);
    return this.#load(id, key, { origin });
  }

  /** Keeps a value that is known without a call, unless its key was loaded. */
  prime(key: Key, value: Value): void {
    const id = this.#idOf(key);
    if (!this.#cache.has(id) && !this.#primed.has(id)) this.#primed.set(id, value);
  }

  /** Starts a call that a resolver will probably need; the resolver reports its failure. */
  start(key: Key, origin?: unknown): Abandon {
    const id = this.#idOf(key);
    let prefetch = this.#prefetches.get(id);
    if (!prefetch) {
      if (this.#cache.has(id) || this.#primed.has(id)) return nothingToAbandon;
      prefetch = { cancel: new Cancel(), starts: 0 };
      this.#prefetches.set(id, prefetch);
      this.#load(id, key, { origin, cancel: prefetch.cancel }).catch(() => {});
    }
    prefetch.starts += 1;
    const started = prefetch;
    return () => {
      started.starts -= 1;
      if (started.starts > 0 || this.#prefetches.get(id) !== started) return;
      this.#prefetches.delete(id);
      this.#cache.delete(id);
      started.cancel.cancel();
    };
  }

  /** Like `load`, for a loader whose calls use this one: prefetches and their cancellation are passed on. */
  loadFor(key: Key, { origin, cancel }: CallOptions): Promise<Value> {
    if (!cancel) return this.load(key, origin);
    cancel.listen({ onEnd: this.start(key, origin) });
    return this.#load(this.#idOf(key), key, { origin });
  }

  #load(id: string, key: Key, call: CallOptions): Promise<Value> {
    // Avoids DataLoader's batch and promise for a cached value.
    let loaded = this.#cache.get(id);
    if (!loaded && this.#primed.has(id)) {
      loaded = Promise.resolve(this.#primed.get(id) as Value);
      this.#cache.set(id, loaded);
    }
    return loaded ?? this.#batches.load({ id, key, call });
  }
}
