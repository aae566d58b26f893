/**
 * One poller for each object and key, and the headers that are forwarded, for all its watchers: the backend does not
 * report changes.
 */
import { Repeater, SlidingBuffer } from '@repeaterjs/repeater';
import { sharingKeyOf, type Identity } from '../rest/call/forwarded-headers.ts';
import type { Snapshot, LiveObject } from './live-object.ts';
import { Poller, type PollerOptions } from './poller.ts';

/** Snapshots that wait for a slow reader; past it, the oldest are left out. */
const MAX_WAITING = 16;

export class Pollers {
  readonly #options: PollerOptions;
  /** By sharing key and object. An id belongs to one source, and so to one type of states. */
  readonly #pollers = new Map<string, Poller<never, never>>();

  constructor(options: PollerOptions) {
    this.#options = options;
  }

  /** Pollers that live. */
  get size(): number {
    return this.#pollers.size;
  }

  /** Watchers of all objects. */
  get watchers(): number {
    let count = 0;
    for (const poller of this.#pollers.values()) count += poller.watchers;
    return count;
  }

  /**
   * Watches an object from the first `next()` on: its state then, and each change; ends by itself after a
   * final state. Of those that wait for a slow reader the newest are never lost.
   */
  watch<Key, State extends object>(
    identity: Identity,
    object: LiveObject<Key, State>,
  ): Repeater<Snapshot<State>> {
    return new Repeater<Snapshot<State>>(async (push, stop) => {
      const poller = this.#find(identity, object) ?? this.#open(identity, object);
      const watcher = { push, stop };
      poller.add(watcher);
      await stop;
      poller.remove(watcher);
    }, new SlidingBuffer(MAX_WAITING));
  }

  /** A write of this key has left an object in a state: its watchers see it at once. */
  report<Key, State extends object>(
    identity: Identity,
    object: LiveObject<Key, State>,
    state: State,
  ): void {
    this.#find(identity, object)?.report(state);
  }

  /** A write of this key may have changed an object: it is read soon. */
  hurry<Key, State extends object>(identity: Identity, object: LiveObject<Key, State>): void {
    this.#find(identity, object)?.hurry();
  }

  #open<Key, State extends object>(
    identity: Identity,
    object: LiveObject<Key, State>,
  ): Poller<Key, State> {
    const id = idOf(identity, object);
    const end = () => void this.#pollers.delete(id);
    const poller = new Poller<Key, State>({ identity, object, onEnd: end }, this.#options);
    this.#pollers.set(id, poller as object as Poller<never, never>);
    return poller;
  }

  #find<Key, State extends object>(
    identity: Identity,
    object: LiveObject<Key, State>,
  ): Poller<Key, State> | undefined {
    return this.#pollers.get(idOf(identity, object)) as Poller<Key, State> | undefined;
  }
}

/** An id has no line break. */
const idOf = (identity: Identity, { id }: { readonly id: string }): string =>
  `${id}\n${sharingKeyOf(identity)}`;
