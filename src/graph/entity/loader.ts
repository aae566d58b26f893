/**
 * Per-request loaders: DataLoader, with calls that look-ahead begins.
 *
 * REST has no batch route, so a batch makes one call for each distinct key; each arrives and fails alone.
 * A call that look-ahead started may turn out to be unnecessary: it is given up unless a resolver has
 * asked for it.
 */
import DataLoader from 'dataloader';
import { Cancel } from '../../lib/cancel.ts';
import type { CallOptions } from '../../rest/client/client.ts';

/** Gives up a call that was started ahead; does nothing once a resolver has asked for its answer. */
export type Abandon = () => void;

/** For a start that made no call of its own. */
const nothingToAbandon: Abandon = () => {};

/** How a loader takes what other calls brought. */
interface Primes<Key> {
  /** Grows while the request runs; the loader empties it. */
  readonly brought: (readonly unknown[])[];
  /** The key of something brought; undefined for what is none of the loader's values. */
  readonly keyOf: (brought: unknown) => Key | undefined;
  /** Called for each load that is answered by it. */
  readonly onHit: (origin: unknown) => void;
}

interface Request<Key> {
  readonly key: Key;
  readonly call: CallOptions;
}

/** A call that only look-ahead wants so far. */
interface Ahead {
  readonly cancel: Cancel;
  /** How many starts have not been abandoned. */
  starts: number;
}

export class Loader<Key, Value> {
  /** Batches only: what was asked for is known here, since a call may be given up. */
  readonly #dataLoader: DataLoader<Request<Key>, Value>;
  /** Typed as a method, so that loaders of different keys have one type: callers take keys from the entity. */
  readonly #idOf: { of(key: Key): string }['of'];
  readonly #answers = new Map<string, Promise<Value>>();
  readonly #ahead = new Map<string, Ahead>();
  readonly #primed = new Map<string, Value>();
  readonly #primes: Primes<Key> | undefined;

  /**
   * @param idOf equal keys give equal texts.
   * @param load one call for one key.
   * @param primes absent where nothing is brought by other calls.
   */
  constructor(
    idOf: (key: Key) => string,
    load: (key: Key, call: CallOptions) => Promise<Value>,
    primes?: Primes<Key>,
  ) {
    this.#idOf = idOf;
    this.#primes = primes;
    this.#dataLoader = new DataLoader<Request<Key>, Value>(
      // DataLoader resolves each key with what stands in its place. A promise there is followed, so
      // that no key waits for the slowest one: its types know of values only.
      (requests) => Promise.resolve(requests.map(({ key, call }) => load(key, call)) as Value[]),
      { cache: false },
    );
  }

  /** The value of a key: one call a key and request, however often it is loaded. */
  load(key: Key, origin?: unknown): Promise<Value> {
    const id = this.#idOf(key);
    this.#takeBrought();
    this.#ahead.delete(id);
    if (this.#primed.has(id)) this.#primes?.onHit(origin);
    return this.#answer(id, key, { origin });
  }

  /** Starts a call that a resolver will probably ask for, which then reports its failure. */
  start(key: Key, origin?: unknown): Abandon {
    const id = this.#idOf(key);
    this.#takeBrought();
    let ahead = this.#ahead.get(id);
    if (!ahead) {
      if (this.#isKnown(id)) return nothingToAbandon;
      ahead = { cancel: new Cancel(), starts: 0 };
      this.#ahead.set(id, ahead);
      this.#answer(id, key, { origin, cancel: ahead.cancel }).catch(() => {});
    }
    ahead.starts += 1;
    const begun = ahead;
    return () => {
      begun.starts -= 1;
      if (begun.starts > 0 || this.#ahead.get(id) !== begun) return;
      this.#ahead.delete(id);
      this.#answers.delete(id);
      begun.cancel.cancel();
    };
  }

  /**
   * As `load`, for a loader whose own calls use this one: a call started ahead there is started ahead here,
   * and given up with it.
   */
  loadFor(key: Key, { origin, cancel }: CallOptions): Promise<Value> {
    if (!cancel) return this.load(key, origin);
    cancel.listen({ giveUp: this.start(key, origin) });
    return this.#answer(this.#idOf(key), key, { origin });
  }

  #answer(id: string, key: Key, call: CallOptions): Promise<Value> {
    let answer = this.#answers.get(id);
    if (!answer) {
      const primed = this.#primed.get(id);
      answer =
        primed === undefined ? this.#dataLoader.load({ key, call }) : Promise.resolve(primed);
      this.#answers.set(id, answer);
    }
    return answer;
  }

  #isKnown(id: string): boolean {
    return this.#answers.has(id) || this.#primed.has(id);
  }

  /** Primes what other calls have brought since the last load; a value already there stays. */
  #takeBrought(): void {
    if (!this.#primes || this.#primes.brought.length === 0) return;
    for (const value of this.#primes.brought.splice(0).flat()) {
      const key = this.#primes.keyOf(value);
      const id = key && this.#idOf(key);
      // `keyOf` answers a key for the loader's values only.
      if (id !== undefined && !this.#isKnown(id)) this.#primed.set(id, value as Value);
    }
  }
}
