/**
 * The context that every resolver of one request receives.
 */
import { memoizeIn } from '../lib/memoize.ts';
import type { ForwardedHeaders, Identity } from '../rest/call/forwarded-headers.ts';
import type { RestClient } from '../rest/client/client.ts';
import type { Pollers } from '../live/pollers.ts';

export interface Context {
  /** The backend, with this caller's key. */
  readonly rest: RestClient;
  /** Keeps what subscriptions share apart from other callers'; never shown, never logged. */
  readonly identity: Identity;
  /**
   * Watches objects for subscriptions and for mutations that wait; undefined where there are none.
   */
  readonly pollers: Pollers | undefined;
  /** False to ask for every object when its turn comes: for measuring what look-ahead saves. */
  readonly looksAhead: boolean;
  /** What this request has read so far, by accessor; exchanged for a new one by `forgetReads`. */
  reads: Map<unknown, unknown>;
}

interface ContextOptions extends Partial<Pick<Context, 'pollers' | 'looksAhead'>> {
  /** The caller's; absent when there is none. */
  readonly apiKey?: string | undefined;
  /** @default none */
  readonly forwarded?: ForwardedHeaders | undefined;
}

export const createContext = (
  rest: RestClient,
  { apiKey = '', forwarded = [], pollers, looksAhead = true }: ContextOptions,
): Context => ({
  rest,
  identity: { apiKey, forwarded },
  pollers,
  looksAhead,
  reads: new Map(),
});

/**
 * One value a request, made at its first use: `const topicLoader = perRequest((context) => …)`.
 *
 * Modules import the accessor they need, so there is no registry of loaders.
 */
export const perRequest = <Value>(
  make: (context: Context) => Value,
): ((context: Context) => Value) => memoizeIn(({ reads }) => reads, make);

/** After a write: reads from before it must not answer later fields. */
export function forgetReads(context: Context): void {
  context.reads = new Map();
}
