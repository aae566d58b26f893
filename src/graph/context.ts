/**
 * The context of resolvers of one request.
 */
import { memoizeIn } from '../lib/memoize.ts';
import type { Identity } from '../rest/call/forwarded-headers.ts';
import type { RestClient } from '../rest/client/client.ts';
import { Writes } from './writes.ts';
import type { Pollers } from '../live/pollers.ts';

export interface Context {
  /** REST client with this caller's key. */
  readonly rest: RestClient;
  /** Separates shared pollers by caller. Never shown or logged. */
  readonly identity: Identity;
  /** Pollers of objects, for subscriptions and waiting mutations; undefined without them. */
  readonly pollers: Pollers | undefined;
  /** False disables look-ahead, for measurements. @default true */
  readonly looksAhead?: boolean;
  /** Writes of a mutation; undefined for other operations. */
  readonly writes: Writes | undefined;
  /** Values of `perRequest` by accessor; replaced by `forgetReads`. */
  reads: Map<unknown, unknown>;
}

interface ContextOptions extends Partial<Pick<Context, 'looksAhead'>> {
  /** Key of the caller, if there is one. */
  readonly apiKey?: string | undefined;
}

export const createContext = (
  rest: RestClient,
  { apiKey = '', looksAhead = true }: ContextOptions,
): Context => ({
  rest,
  identity: { apiKey, forwarded: [] },
  pollers: undefined,
  looksAhead,
  writes: new Writes(),
  reads: new Map(),
});

/**
 * Creates an accessor of a value per request, created at first use: `const topicLoader = perRequest((context) => …)`.
 *
 * Modules import accessors, so there is no registry of loaders.
 */
export const perRequest = <Value>(
  make: (context: Context) => Value,
): ((context: Context) => Value) => memoizeIn(({ reads }) => reads, make);

/** Discards all reads. Called after a write, since later fields must not use earlier reads. */
export function forgetReads(context: Context): void {
  context.reads = new Map();
}
