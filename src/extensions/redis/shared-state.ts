/**
 * What replicas share through Redis or Valkey. Loaded only where REDIS_URL is set.
 */
import { createConnection, type ConnectionObserver } from './connection.ts';
import { storeOn, type Store } from './store.ts';
import { Pauses } from './pauses.ts';
import { SharedReads } from './shared-reads.ts';

interface SharedStateOptions {
  /** `redis://`, `rediss://` or `unix://`. */
  readonly url: string;
  /** What names cannot be worked out without: the same in all replicas. */
  readonly secret: string;
  /** The backend: replicas before different ones share nothing. */
  readonly backend: string;
  readonly observer?: ConnectionObserver;
}

export interface SharedState {
  /** Whether Redis answers. */
  readonly isAvailable: boolean;
  /** Keys that the backend has limited. */
  readonly pauses: Pauses;
  /** Answers of the backend that are used again. */
  readonly reads: SharedReads;
  /** For limits of keys. */
  readonly store: Store;
  /** Gives back what this process holds. */
  close(): Promise<void>;
}

/** Resolves once Redis has been reached or was tried once; without it, each process goes on alone. */
export async function openSharedState(options: SharedStateOptions): Promise<SharedState> {
  const { url, secret, backend, observer } = options;
  const connection = createConnection(url, observer);
  const storeOf = (about: string): Store => storeOn(connection, secret, about);
  const store = storeOf(backend);
  const pauses = new Pauses(store);
  // Names of their own: those of reads are many, and must not displace those of keys.
  const reads = new SharedReads(storeOf(backend));
  await connection.open();
  await pauses.open();
  return {
    get isAvailable() {
      return connection.isAvailable;
    },
    pauses,
    reads,
    store,
    close: () => connection.close(),
  };
}
