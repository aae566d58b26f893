/**
 * The options of an upstream, which its layers read parts of.
 */
import type { RouteSet } from '../../v0/routes.ts';
import type { UpstreamObserver } from '../call/observer.ts';
import type { BreakerOptions } from '../resilience/circuit-breaker.ts';
import type { PausesOfOthers } from '../resilience/rate-limit-pause.ts';
import type { BackendDispatcher } from '../transport/dispatcher.ts';

export interface UpstreamOptions {
  /** Sends requests; the origin is its own. Closed with the upstream. */
  readonly dispatcher: Pick<BackendDispatcher, 'dispatch' | 'close'>;
  /** The path before `/v0`: empty, or `/prefix`. */
  readonly pathPrefix: string;
  /** `auto` finds out which of the extended routes there are. */
  readonly routeSet: RouteSet | 'auto';
  /** One attempt from its queue to its last byte, in milliseconds. */
  readonly timeoutMs: number;
  /** The largest answer that is read, in bytes; 5,000,000 when absent. */
  readonly maxResponseBytes?: number;
  /** Calls under way at once, of all keys; 128 when absent. The dispatcher needs as many. */
  readonly connections?: number;
  /** Calls that may wait, of all keys; 4,096 when absent. */
  readonly maxQueue?: number;
  readonly breaker?: BreakerOptions;
  /** The circuit breaker's clock, in milliseconds; `performance.now()` when absent. */
  readonly now?: () => number;
  /** Names of headers of answers that go on to callers, in lower case; none when absent. */
  readonly exposeHeaders?: readonly string[];
  readonly observer?: UpstreamObserver;
  /** Told of keys that the backend has limited, and asked for them. @default nobody */
  readonly pauses?: PausesOfOthers | undefined;
}
