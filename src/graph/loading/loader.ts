/**
 * Loader of one request: a DataLoader whose calls look-ahead can start and abandon.
 *
 * Lists and writes prime its cache. REST has no batch routes, so a batch makes one call per key, which succeed and fail
 * independently. This class adds cancellation of loads and the origin of calls to DataLoader.
 */
import DataLoader from 'dataloader';
import { Cancel } from '../../lib/cancel.ts';
import type { CallOptions } from '../../rest/client/client.ts';
import { textOf } from '../types/key.ts';

/** Abandons a started call; has no effect after a resolver has loaded the key. */
export type Abandon = () => void;

/** For starts that made no call. */
const nothingToAbandon: Abandon = () => {};

/** A call that only look-ahead has requested so far. */
interface EarlyLoad {
  readonly cancel: Cancel;
  /** Number of starts that are not abandoned. */
  starts: number;
}

interface LoaderOptions<Key> {
  /** Returns equal texts for equal keys. @default all values of the key */
  readonly idOf?: (key: Key) => string;
  /** Called for each load of a primed key. */
  readonly onPrimed?: (origin: unknown) => void;
}

export class Loader<Key extends object, Value> extends DataLoader<Key, Value, string> {
  readonly #cache: Map<string, Promise<Value>>;
  /** Options of the keys of the next batch, in order. */
  readonly #calls: CallOptions[];
  readonly #ahead = new Map<string, EarlyLoad>();
  readonly #primed = new Set<string>();
  /**
   * Typed as a method (bivariant), which gives loaders of different keys one type; callers get keys from the entity.
   */
  readonly #idOf: { of(key: Key): string }['of'];
  readonly #onPrimed: ((origin: unknown) => void) | undefined;

  /** @param read makes the call of a key. */
  constructor(
    read: (key: Key, call: CallOptions) => Promise<Value>,
    { idOf = textOf, onPrimed }: LoaderOptions<Key> = {},
  ) {
    const cache = new Map<string, Promise<Value>>();
    const calls: CallOptions[] = [];
    super(
      (keys) => {
        const begun = calls.splice(0);
        // DataLoader resolves each key with its value, which may be a promise despite its types, so no key waits for
        // the slowest one.
        return Promise.resolve(keys.map((key, i) => read(key, begun[i]!)) as Value[]);
      },
      { cacheKeyFn: idOf, cacheMap: cache },
    );
    this.#cache = cache;
    this.#calls = calls;
    this.#idOf = idOf;
    this.#onPrimed = onPrimed;
  }

  /**
   * Loads the value of a key, in one call per key and request.
   *
   * @param origin path of the field.
   * @throws the error in place of an invalid part of the key.
   */
  override load(key: Key, origin?: unknown): Promise<Value> {
    const id = this.#idOf(key);
    this.#ahead.delete(id);
    if (this.#primed.has(id)) this.#onPrimed?.(origin);
    return this.#load(id, key, { origin });
  }

  override prime(key: Key, value: Value): this {
    const id = this.#idOf(key);
    if (!this.#cache.has(id)) this.#primed.add(id);
    return super.prime(key, value);
  }

  /** Starts a call that a resolver will probably need; the resolver reports its failure. */
  start(key: Key, origin?: unknown): Abandon {
    const id = this.#idOf(key);
    let ahead = this.#ahead.get(id);
    if (!ahead) {
      if (this.#cache.has(id)) return nothingToAbandon;
      ahead = { cancel: new Cancel(), starts: 0 };
      this.#ahead.set(id, ahead);
      this.#load(id, key, { origin, cancel: ahead.cancel }).catch(() => {});
    }
    ahead.starts += 1;
    const begun = ahead;
    return () => {
      begun.starts -= 1;
      if (begun.starts > 0 || this.#ahead.get(id) !== begun) return;
      this.#ahead.delete(id);
      this.clear(key);
      begun.cancel.cancel();
    };
  }

  /** Like `load`, for a loader whose calls use this one: starts and cancellations of look-ahead are passed on. */
  loadFor(key: Key, { origin, cancel }: CallOptions): Promise<Value> {
    if (!cancel) return this.load(key, origin);
    cancel.listen({ onEnd: this.start(key, origin) });
    return this.#load(this.#idOf(key), key, { origin });
  }

  #load(id: string, key: Key, call: CallOptions): Promise<Value> {
    // Avoids DataLoader's batch and promise for a cached value.
    const known = this.#cache.get(id);
    if (known) return known;
    this.#calls.push(call);
    return super.load(key);
  }
}
