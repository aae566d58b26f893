/** Options of an upstream, and its events. */
import type { Dispatcher } from 'undici';
import type { Clock } from '../../lib/clock.ts';
import type { RouteSet } from '../../v0/routes.ts';
import type { CachedFlight, DecodedResponse } from './call.ts';
import type { CallLogEntry } from './call-log.ts';
import type { BreakerState, CircuitBounds } from './circuit.ts';
import type { RouteLabel } from './errors.ts';

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

export interface ObservedCall extends Pick<
  CallLogEntry,
  'route' | 'attempt' | 'status' | 'failure' | 'span'
> {
  /** False if it was rejected or cancelled before it was sent. */
  readonly isSent: boolean;
  /** From its queue to its last byte, in milliseconds. */
  readonly durationMs: number;
}

/** Scope of a circuit: a route of one key, or the host. */
export const BREAKER_SCOPES = ['route_key', 'host'] as const;

/** Worst state among the circuits of a scope, or of a route. */
export interface BreakerChange {
  readonly scope: (typeof BREAKER_SCOPES)[number];
  readonly route: RouteLabel | undefined;
  readonly state: BreakerState;
}

/**
 * Events for metrics and logs only. Every method must return quickly and not throw. Routes are templates and failures a
 * fixed set, which prevents leaks and bounds labels.
 */
export interface UpstreamObserver {
  /** An attempt ended, sent or not. A call that is delayed by its key's backoff has none yet. */
  onCall?(call: ObservedCall): void;
  /**
   * A response violates the contract. Once per response and field.
   *
   * @param field its documented name, `[]` for items of lists, the path of a missing id; empty for the whole response.
   */
  onViolation?(route: RouteLabel, field: string): void;
  /** A retry was not made because the budget is spent. */
  onRetryBudgetExhausted?(route: RouteLabel): void;
  /** A call was rejected because the queue is full. */
  onShed?(route: RouteLabel): void;
  /** The backend limited a key (429 with `Retry-After`). */
  onPause?(route: RouteLabel): void;
  onBreaker?(change: BreakerChange): void;
  /** An optional route is missing (`UPSTREAM_ROUTES=auto`). Again if it was found meanwhile. */
  onMissingRoute?(route: RouteLabel): void;
  /** A missing optional route is available. */
  onFoundRoute?(route: RouteLabel): void;
  /** The calls so far do not show whether the backend has a route. Once per route. */
  onUndecidedRoute?(route: RouteLabel): void;
}
