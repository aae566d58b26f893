/** The context of resolvers of one request. */
import type { Identity } from '../rest/call/keys.ts';
import type { RestClient } from '../rest/client/client.ts';
import type { Pollers } from '../live/pollers.ts';

export interface Context {
  /** REST client with this caller's key. */
  readonly rest: RestClient;
  /** Separates shared pollers by caller. Never shown or logged. */
  readonly identity: Identity;
  /** Pollers of objects, for subscriptions and waiting mutations; undefined without them. */
  readonly pollers: Pollers | undefined;
  /** False disables prefetching, for measurements. @default true */
  readonly prefetches?: boolean;
  /** Writes of a mutation; undefined for other operations. */
  readonly writes: Writes | undefined;
  /** Values of `perRequest` by accessor; replaced by `forgetReads`. */
  reads: Map<unknown, unknown>;
}

export const createContext = (
  rest: RestClient,
  { apiKey = '', prefetches = true }: { readonly apiKey?: string; readonly prefetches?: boolean },
): Context => ({
  rest,
  identity: { apiKey, forwarded: [] },
  pollers: undefined,
  prefetches,
  writes: new Map(),
  reads: new Map(),
});

/**
 * Creates an accessor of a value per request, created at first use: `const topicLoader = perRequest((context) => …)`.
 *
 * Modules import accessors, so there is no registry of loaders.
 */
export function perRequest<Value>(make: (context: Context) => Value): (context: Context) => Value {
  const accessor = (context: Context): Value => {
    const { reads } = context;
    let value = reads.get(accessor) as Value | undefined;
    if (value === undefined) reads.set(accessor, (value = make(context)));
    return value;
  };
  return accessor;
}

/** Discards all reads. Called after a write, since later fields must not use earlier reads. */
export function forgetReads(context: Context): void {
  context.reads = new Map();
}

interface Write {
  /** Response key of the mutation's field. */
  readonly field: string;
  /** Null while it is in flight, and if its outcome is unknown. */
  readonly carriedOut: true | null;
  /** Global id of the written object, if it is known. */
  readonly id?: string | undefined;
}

/**
 * Writes of a mutation that were executed, or may have been, by field. Its errors report them, or callers take a failed
 * response for a rejection.
 */
export type Writes = Map<string, Write>;
