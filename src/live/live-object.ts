/**
 * An object that is watched: how it is read and compared, and what is known of it.
 */
import type { RestClient } from '../rest/client/client.ts';

/** What is known of an object at one moment. */
export class Snapshot<State> {
  /** The last state that was read; null when there is no such object, or none was read yet. */
  readonly state: State | null;
  /** Why no newer state could be read; undefined when the state is the newest. */
  readonly error: Error | undefined;
  /** How often the backend had been asked by then, for all who watch. */
  readonly polls: number;

  constructor(polls: number, state: State | null, error?: Error) {
    this.polls = polls;
    this.state = state;
    this.error = error;
  }
}

/** How objects of a type are read and compared. */
export interface LiveSource<Key, State> {
  /** Null when there is no such object. */
  readonly read: (rest: RestClient, key: Key) => Promise<State | null>;
  /** The place of a state in the order of states: an answer with a lower one is out of date. */
  readonly rankOf: (state: State) => number;
  /** Whether nothing follows the state. */
  readonly isFinal: (state: State) => boolean;
  /** The most calls that one reading takes. @default 1 */
  readonly maxCalls?: number;
  /** When the backend came to this state, on the wall clock; undefined where it does not say. */
  readonly changedAt: (state: State) => number | undefined;
}

/** An object to watch. */
export interface LiveObject<Key, State> {
  readonly source: LiveSource<Key, State>;
  readonly key: Key;
  /** Equal for equal objects, and different for objects of different sources. */
  readonly id: string;
}

/** Events of pollers, for metrics. Every method must return quickly and not throw. */
export interface LiveObserver {
  onPoll(outcome: 'ok' | 'failed'): void;
  /** @param lagMs from the backend's change to this process seeing it. */
  onChange(lagMs: number | undefined): void;
}
