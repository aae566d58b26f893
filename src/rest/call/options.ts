/**
 * What an upstream is made of: how it calls, what it may do at once, who hears of it.
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
  /** By which calls wait and time out; the system's when absent. */
  readonly clock?: Clock;
  /** Names of headers of answers that go on to callers, in lower case; none when absent. */
  readonly exposeHeaders?: readonly string[];
  /** Shares pauses of limited keys with other processes. @default none are shared */
  readonly pauses?: PausesOfOthers | undefined;
  /** Keeps answers to reads, for as long as they may be used. @default none are kept */
  readonly cache?: ReadCache | undefined;
  /** Whether neither retries nor calls of limited keys wait, as in a replay at once. @default false */
  readonly isHurried?: boolean;
  readonly observer?: UpstreamObserver;
}

/** All of them, with what was absent filled in. */
export type UpstreamSettings = Required<UpstreamOptions>;

/** Sends requests; the origin is its own. */
export interface BackendConnections {
  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean;
  /** Ends when the calls under way have. */
  close(): Promise<void>;
}

interface BreakerOptions {
  /** Fewer attempts in the window never open a circuit, nor fewer failures in a row. */
  readonly volume?: number;
  /** How long a circuit stays open before one call may probe. */
  readonly openMs?: number;
  /** How long no connection must have been found for the host's circuit to open: a restart is shorter. */
  readonly outageMs?: number;
}

/** Other processes that call the backend with the same keys. */
export interface PausesOfOthers {
  /** The backend has limited a key for so many milliseconds. */
  tell(sharingKey: string, pauseMs: number): void;
  /** How long a key has to wait by what others have told, in milliseconds; 0 or less where it does not. */
  leftOf(sharingKey: string): number;
}

/** Answers reads itself where it can, and asks the backend where it cannot. */
export interface ReadCache {
  /** @returns what answers a call, and rejects with what failed. */
  layer(backend: AskedBackend): (flight: Flight) => Promise<DecodedResponse>;
}

export interface AskedBackend {
  /** Answers a call, with its retries. */
  answerTo(flight: Flight): Promise<Settled>;
  /** As `decode`, errors too. */
  decode(call: Call, answer: RestResponse): DecodedResponse;
}

/** What replicas share of reads. */
export interface SharedReads {
  /** Resolves once moves are heard of. */
  open(listener: MoveListener): Promise<void>;
  hash(apiKey: string): string;
  find(apiKey: string, id: string, known: string): Promise<FoundRead | undefined>;
  keep(apiKey: string, id: string, found: FoundRead, freshUntilMs: number, text: string): void;
  /** @returns the epoch that a write begins; undefined where nobody was told of it. */
  move(apiKey: string, known: string): Promise<string | undefined>;
}

/** What is known of a read that replicas share. */
export interface FoundRead {
  readonly epoch: string;
  /** When, by its own clock and by `performance.now()`: sent before, answered after. */
  readonly at: { readonly serverMs: number; readonly sentMs: number; readonly answeredMs: number };
  /** Undefined where none is kept that may be used. */
  readonly kept: { readonly text: string; readonly freshUntilMs: number } | undefined;
}

export interface MoveListener {
  /** @param key its hash. */
  onMove(key: string, epoch: string): void;
  /** Moves may have been missed. */
  onGap(): void;
}
