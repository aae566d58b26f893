/** Types of REST calls and their responses. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Cancel } from '../../lib/cancel.ts';
import type { Route } from '../../v0/routes.ts';
import type { CallLog, CallTrace, ExposedHeader } from './call-log.ts';
import type { ReceiveRefusal } from './errors.ts';
import type { ApiKey } from './keys.ts';
import type { RequestDeadline } from './deadlines.ts';

export interface Requester {
  readonly apiKey: string;
  readonly key: ApiKey;
  /** Equal for requests that may share responses: the key and the forwarded headers. */
  readonly sharingKey: string;
  /** Name, value, name, value; one list for all reads. Mutable only for undici's types. */
  readonly headers: string[];
  readonly deadline: RequestDeadline;
  readonly callLog: CallLog;
  readonly trace: CallTrace | undefined;
  /** Turn of its calls in the limiter's queue, and how many were queued. */
  turn: number;
  queuedCalls: number;
  /** Counts bytes of a response, and returns why they may not be received. */
  receive(bytes: number): ReceiveRefusal | undefined;
}

/**
 * `deferred` calls wait behind the `normal` ones of their key. `speculative` reads are sent immediately or rejected, leave
 * half of the connections to others, probe no circuit, are not retried, and share nothing with other reads.
 */
export type Priority = 'normal' | 'deferred' | 'speculative';

export interface Call {
  readonly from: Requester;
  readonly route: Route;
  /** Encoded path and query, as sent. */
  readonly path: string;
  readonly body: string | null;
  /** Cause of the call, for the call log. */
  readonly origin: unknown;
  /** Whether a 404 is null. */
  readonly isOptional: boolean;
  readonly priority: Priority;
  /** Bound on cached responses: `NOW` for none, undefined for any, or one that only the cache understands. */
  readonly newerThan: string | undefined;
  /** Ends the wait of this caller only. */
  readonly cancel: Cancel | undefined;
}

/** A call in flight, as the response cache sees it. */
export interface CachedFlight {
  readonly call: Call;
  /** Headers of its response for callers. */
  exposed: readonly ExposedHeader[] | undefined;
  /** Headers that make it conditional on a cached response: name, value, name, value. */
  validators: readonly string[] | undefined;
  fetch(): Promise<Settled>;
  decode(response: RestResponse): DecodedResponse;
}

/** Reads may be shared, cancelled and retried; writes never. */
export const isRead = ({ route }: Pick<Call, 'route'>): boolean => route.method === 'GET';

/** Newer than any cached response: the backend must be called. */
export const NOW = 'now';

export interface RestResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface DecodedResponse {
  readonly value: unknown;
  readonly status: number;
  /** Names of fields with values that were replaced by errors, `[]` for items of lists. */
  readonly wrong: ReadonlySet<string>;
}

export type Settled<Result = RestResponse> = Result | Error;
