/**
 * State shared by replicas in Redis or Valkey. Loaded only if REDIS_URL is set.
 */
import { createConnection, type ConnectionObserver } from './connection.ts';
import { storeOn, type Store } from './store.ts';
import { RedisReads } from './shared-reads.ts';

interface SharedStateOptions {
  /** `redis://`, `rediss://` or `unix://`. */
  readonly url: string;
  /** Secret of the hashed names; the same in all replicas. */
  readonly secret: string;
  /** URL of the backend; replicas with different backends share nothing. */
  readonly backend: string;
  readonly observer?: ConnectionObserver;
}

export interface SharedState {
  /** Whether Redis answers. */
  readonly isAvailable: boolean;
  /** Shared responses. */
  readonly reads: RedisReads;
  /** Storage of rate limits. */
  readonly store: Store;
  /** Closes the connections. */
  close(): Promise<void>;
}

/** Resolves after the first attempt to connect. Without Redis, each process proceeds alone. */
export async function openSharedState(options: SharedStateOptions): Promise<SharedState> {
  const { url, secret, backend, observer } = options;
  const connection = createConnection(url, observer);
  const storeOf = (about: string): Store => storeOn(connection, secret, about);
  const store = storeOf(backend);
  // A separate cache of hashes, since those of reads would displace those of keys.
  const reads = new RedisReads(storeOf(backend));
  await connection.open();
  return {
    get isAvailable() {
      return connection.isAvailable;
    },
    reads,
    store,
    close: () => connection.close(),
  };
}
