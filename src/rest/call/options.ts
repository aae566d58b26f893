/**
 * Options of an upstream.
 */
import type { Dispatcher } from 'undici';
import type { Clock } from '../../lib/clock.ts';
import type { RouteSet } from '../../v0/routes.ts';
import type { Call, DecodedResponse, Flight, RestResponse, Settled } from './call.ts';
import type { UpstreamObserver } from './observer.ts';

export interface UpstreamOptions {
  /** Closed with the upstream. */
  readonly dispatcher: BackendConnections;
  /** The path before `/v0`: empty, or `/prefix`. */
  readonly pathPrefix: string;
  /** `auto` discovers which extended routes the backend has. */
  readonly routeSet: RouteSet | 'auto';
  /** One attempt from its queue to its last byte, in milliseconds. */
  readonly timeoutMs: number;
  /** Maximum size of a response, in bytes. @default 5_000_000 */
  readonly maxResponseBytes?: number;
  /** Maximum calls in flight of all keys; the dispatcher needs as many connections. @default 128 */
  readonly connections?: number;
  /** Maximum queued calls of all keys. @default 4_096 */
  readonly maxQueue?: number;
  readonly breaker?: BreakerOptions;
  /** Clock of waits and timeouts. @default the system's */
  readonly clock?: Clock;
  /** Response headers for callers, in lower case. @default none */
  readonly exposeHeaders?: readonly string[];
  /** Response cache. @default none */
  readonly cache?: ReadCache | undefined;
  readonly observer?: UpstreamObserver;
}

/** Options with defaults. */
export type UpstreamSettings = Required<UpstreamOptions>;

/** Sends requests to one origin. */
export interface BackendConnections {
  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean;
  /** Closes after the calls in flight. */
  close(): Promise<void>;
}

interface BreakerOptions {
  /** Minimum number of attempts in the window, or of consecutive failures, to open a circuit. */
  readonly volume?: number;
  /** Time until an open circuit allows a probe, in milliseconds. */
  readonly openMs?: number;
  /** Minimum time without a connection to open the host's circuit, in milliseconds; longer than a restart. */
  readonly outageMs?: number;
}

/** A cache in front of the backend. */
export interface ReadCache {
  /** @returns a function that returns a cached or fetched response. */
  layer(backend: AskedBackend): (flight: Flight) => Promise<DecodedResponse>;
}

export interface AskedBackend {
  /** Calls the backend, with retries. */
  answerTo(flight: Flight): Promise<Settled>;
  /** Like `decode`, with the same errors. */
  decode(call: Call, answer: RestResponse): DecodedResponse;
}

/** Storage of reads shared by replicas. */
export interface SharedReads {
  /** Resolves when the listener is subscribed. */
  open(listener: MoveListener): Promise<void>;
  hash(apiKey: string): string;
  find(apiKey: string, id: string, known: string): Promise<FoundRead | undefined>;
  keep(apiKey: string, id: string, found: FoundRead, freshUntilMs: number, text: string): void;
  /** @returns the epoch that a write begins; undefined if it could not be published. */
  move(apiKey: string, known: string): Promise<string | undefined>;
}

/** A shared read as found in storage. */
export interface FoundRead {
  readonly epoch: string;
  /** Times by the storage's clock, and by `performance.now()` before and after. */
  readonly at: { readonly serverMs: number; readonly sentMs: number; readonly answeredMs: number };
  /** Undefined without a usable response. */
  readonly kept: { readonly text: string; readonly freshUntilMs: number } | undefined;
}

export interface MoveListener {
  /** @param key hash of the key. */
  onMove(key: string, epoch: string): void;
  /** Moves may have been missed, for example after a reconnect. */
  onGap(): void;
}
