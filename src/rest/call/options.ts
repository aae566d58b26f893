/** Options of an upstream. */
import type { Dispatcher } from 'undici';
import type { Clock } from '../../lib/clock.ts';
import type { RouteSet } from '../../v0/routes.ts';
import type { CachedFlight, DecodedResponse } from './call.ts';
import type { CircuitBounds } from './circuit.ts';
import type { UpstreamObserver } from './observer.ts';

export interface UpstreamOptions {
  /** Closed with the upstream. */
  readonly dispatcher: BackendConnections;
  /** The path before `/v0`: empty, or `/prefix`. */
  readonly pathPrefix: string;
  /** `auto` detects which optional routes the backend has. */
  readonly routeSet: RouteSet | 'auto';
  /** One attempt from its queue to its last byte, in milliseconds. */
  readonly timeoutMs: number;
  /** `User-Agent` of calls, unless that of callers is forwarded. @default `USER_AGENT` */
  readonly userAgent?: string;
  /** Maximum size of a response, in bytes. @default 5_000_000 */
  readonly maxResponseBytes?: number;
  /** Maximum calls in flight of all keys; the dispatcher needs as many connections. @default 128 */
  readonly connections?: number;
  /** Maximum queued calls of all keys. @default 4_096 */
  readonly maxQueue?: number;
  readonly breaker?: Partial<CircuitBounds>;
  readonly clock?: Clock;
  /** Response headers for callers, in lower case. @default none */
  readonly exposeHeaders?: readonly string[];
  readonly cache?: ReadCache | undefined;
  readonly observer?: UpstreamObserver;
}

export type UpstreamSettings = Required<UpstreamOptions>;

export interface BackendConnections {
  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean;
  close(): Promise<void>;
}

/** A cache in front of the backend, which reads and writes pass. */
export interface ReadCache {
  read(flight: CachedFlight): Promise<DecodedResponse>;
}
