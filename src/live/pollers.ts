/** Pollers by object, key and forwarded headers, shared by watchers, since the backend has no notifications. */
import { Repeater, SlidingBuffer } from '@repeaterjs/repeater';
import { sharingKeyOf, type Identity } from '../rest/call/keys.ts';
import { Poller, type LiveObject, type PollerOptions, type Snapshot } from './poller.ts';

/** Maximum number of buffered snapshots of a slow reader; above it, the oldest are dropped. */
export const MAX_WAITING = 16;

export class Pollers {
  readonly #options: PollerOptions;
  /** By sharing key and object id. An id belongs to one source, and so to one type of state. */
  readonly #pollers = new Map<string, Poller<never, never>>();

  constructor(options: PollerOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#pollers.size;
  }

  get watchers(): number {
    let count = 0;
    for (const poller of this.#pollers.values()) count += poller.watchers;
    return count;
  }

  /**
   * Watches an object from the first `next()` on: yields its current state and each change, and ends after a final
   * state. The latest state is never dropped for a slow reader.
   */
  watch<Key, State extends object>(
    identity: Identity,
    object: LiveObject<Key, State>,
  ): Repeater<Snapshot<State>> {
    return new Repeater<Snapshot<State>>(async (push, stop) => {
      let poller = this.find(identity, object);
      if (!poller) {
        const id = idOf(identity, object);
        poller = new Poller(identity, object, this.#options, () => this.#pollers.delete(id));
        this.#pollers.set(id, poller as object as Poller<never, never>);
      }
      const watcher = { push, stop };
      poller.add(watcher);
      await stop;
      poller.remove(watcher);
    }, new SlidingBuffer(MAX_WAITING));
  }

  /** Finds the poller of an object that is watched with this key. */
  find<Key, State extends object>(
    identity: Identity,
    object: LiveObject<Key, State>,
  ): Poller<Key, State> | undefined {
    return this.#pollers.get(idOf(identity, object)) as Poller<Key, State> | undefined;
  }
}

/** Unambiguous, since ids have no line breaks. */
const idOf = (identity: Identity, { id }: { readonly id: string }): string =>
  `${id}\n${sharingKeyOf(identity)}`;
