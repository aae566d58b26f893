/** Watched objects: reading, comparison and snapshots. */
import type { RestClient } from '../rest/client/client.ts';

export class Snapshot<State> {
  /** Latest state; null if the object does not exist or was not read yet. */
  readonly state: State | null;
  /** Error of the latest poll; undefined if it succeeded. */
  readonly error: Error | undefined;
  /** Number of polls so far, for all watchers. */
  readonly polls: number;

  constructor(polls: number, state: State | null, error?: Error) {
    this.polls = polls;
    this.state = state;
    this.error = error;
  }
}

export interface LiveSource<Key, State> {
  readonly read: (rest: RestClient, key: Key) => Promise<State | null>;
  /** Rank of a state; responses with a lower rank are stale. */
  readonly rankOf: (state: State) => number;
  readonly isFinal: (state: State) => boolean;
  /** Maximum number of calls per read. @default 1 */
  readonly maxCalls?: number;
  /** Time of the change at the backend, on the wall clock; undefined if unknown. */
  readonly changedAt: (state: State) => number | undefined;
}

export interface LiveObject<Key, State> {
  readonly source: LiveSource<Key, State>;
  readonly key: Key;
  /** Unique across objects of all sources. */
  readonly id: string;
}

/** Events of pollers, for metrics. Every method must return quickly and not throw. */
export interface LiveObserver {
  onPoll(outcome: 'ok' | 'failed'): void;
  /** @param lagMs time from the backend's change to its detection, in milliseconds. */
  onChange(lagMs: number | undefined): void;
}
