/**
 * Events of the REST client, for metrics and logs; nothing is controlled by them.
 *
 * Routes are templates and failures come from a closed list, so that events leak nothing and metrics
 * have few labels.
 */
import type { Route } from '../../v0/routes.ts';
import type { DecodedResponse, RestResponse } from './call.ts';
import type { FailureKind, RouteLabel } from './errors.ts';
import type { SpanRef } from './trace.ts';

export interface ObservedCall {
  readonly route: RouteLabel;
  /** 1 for the first attempt, 2 for its first retry. */
  readonly attempt: number;
  /** False for one that was refused or given up before it left. */
  readonly isSent: boolean;
  /** HTTP status; undefined when no whole answer arrived. */
  readonly status: number | undefined;
  /** How it failed; undefined when an answer arrived. */
  readonly failure: FailureKind | undefined;
  /** The attempt from its queue to its last byte, in milliseconds. */
  readonly durationMs: number;
  /** Where its trace is recorded. */
  readonly span: SpanRef | undefined;
}

/** What a circuit is for: a route of one key, or everything. */
export const BREAKER_SCOPES = ['route_key', 'host'] as const;
export type BreakerScope = (typeof BREAKER_SCOPES)[number];

export type BreakerState = 'closed' | 'half-open' | 'open';

/** Circuits of one scope, and of one route where they have one, and the worst state among them. */
export interface BreakerChange {
  readonly scope: BreakerScope;
  readonly route: RouteLabel | undefined;
  readonly state: BreakerState;
}

/** Every method must return quickly and not throw. */
export interface UpstreamObserver {
  /** An attempt ended, whether or not anything was sent. Calls of a paused key make none. */
  onCall?(call: ObservedCall): void;
  /**
   * A whole answer has been read.
   *
   * @param decoded undefined for one that could not be used, as those of errors.
   */
  onAnswer?(route: Route, answer: RestResponse, decoded: DecodedResponse | undefined): void;
  /** A retry was due and the budget empty. */
  onRetryBudgetExhausted?(route: RouteLabel): void;
  /** A call was refused because too many wait. */
  onShed?(route: RouteLabel): void;
  /** The backend limited a key (429 with `Retry-After`). */
  onPause?(route: RouteLabel): void;
  onBreaker?(change: BreakerChange): void;
  /** An extended route was found to be missing (`UPSTREAM_ROUTES=auto`): once a route and process. */
  onMissingRoute?(route: RouteLabel): void;
  /** Whether the backend has a route cannot be told by what was asked so far; called once for a route. */
  onUndecidedRoute?(route: RouteLabel): void;
}
