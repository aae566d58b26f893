/**
 * A request's loader: DataLoader, whose calls look-ahead may begin and give up.
 *
 * Its cache is what the request knows by key; lists and writes prime it. REST has no batch route, so a
 * batch makes one call for each key; each arrives and fails alone. DataLoader cannot take back a load,
 * nor tell a call what asked for it: that is what this class adds.
 */
import DataLoader from 'dataloader';
import { Cancel } from '../../lib/cancel.ts';
import type { CallOptions } from '../../rest/client/client.ts';
import { textOf } from '../types/key.ts';

/** Gives up a call that was started ahead; does nothing once a resolver has asked for its answer. */
export type Abandon = () => void;

/** For a start that made no call of its own. */
const nothingToAbandon: Abandon = () => {};

/** A call that only look-ahead wants so far. */
interface EarlyLoad {
  readonly cancel: Cancel;
  /** How many starts have not been abandoned. */
  starts: number;
}

interface LoaderOptions<Key> {
  /** Equal keys give equal texts. @default all values of the key */
  readonly idOf?: (key: Key) => string;
  /** Called for each load of a primed key, which makes no call. */
  readonly onPrimed?: (origin: unknown) => void;
}

export class Loader<Key extends object, Value> extends DataLoader<Key, Value, string> {
  readonly #cache: Map<string, Promise<Value>>;
  /** Of the keys of the next batch, in their order. */
  readonly #calls: CallOptions[];
  readonly #ahead = new Map<string, EarlyLoad>();
  readonly #primed = new Set<string>();
  /** Typed as a method, so that loaders of different keys have one type: callers take keys from the entity. */
  readonly #idOf: { of(key: Key): string }['of'];
  readonly #onPrimed: ((origin: unknown) => void) | undefined;

  /** @param read one call for one key. */
  constructor(
    read: (key: Key, call: CallOptions) => Promise<Value>,
    { idOf = textOf, onPrimed }: LoaderOptions<Key> = {},
  ) {
    const cache = new Map<string, Promise<Value>>();
    const calls: CallOptions[] = [];
    super(
      (keys) => {
        const begun = calls.splice(0);
        // DataLoader resolves each key with what stands in its place. A promise there is followed, so
        // that no key waits for the slowest one: its types know of values only.
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
   * The value of a key: one call a key and request, however often it is loaded.
   *
   * @param origin the path of the field that asks.
   * @throws the error that stands where the backend broke a part of the key.
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

  /** Starts a call that a resolver will probably ask for, which then reports its failure. */
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

  /**
   * As `load`, for a loader whose own calls use this one: a call started ahead there is started ahead here,
   * and given up with it.
   */
  loadFor(key: Key, { origin, cancel }: CallOptions): Promise<Value> {
    if (!cancel) return this.load(key, origin);
    cancel.listen({ onEnd: this.start(key, origin) });
    return this.#load(this.#idOf(key), key, { origin });
  }

  #load(id: string, key: Key, call: CallOptions): Promise<Value> {
    // DataLoader begins a batch for what it has, too, and makes another promise of it.
    const known = this.#cache.get(id);
    if (known) return known;
    this.#calls.push(call);
    return super.load(key);
  }
}
