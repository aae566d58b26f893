/**
 * A REST call and its attempts, which the layers of the pipeline pass on to each other.
 *
 * The layers call back instead of answering promises: while hundreds of calls wait, each promise of each of them is kept
 * alive, and copied by the garbage collector.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { type Cancel } from '../../lib/cancel.ts';
import type { Route } from '../../v0/routes.ts';
import type { ExposedHeader, Journal, JournalEntry } from './journal.ts';
import type { RequestDeadline } from './request-deadline.ts';
import type { CallTrace, SpanRef } from './trace.ts';

/** One call as its caller made it; immutable. */
export interface Call {
  readonly route: Route;
  readonly apiKey: string;
  /** Equal for callers who may share what the backend has said: the key, and the headers that are forwarded. */
  readonly sharingKey: string;
  /** Encoded path and query, as sent. */
  readonly path: string;
  /** Name, value, name, value: one list for all reads of a request. Mutable only in undici's types. */
  readonly headers: string[];
  readonly body: string | null;
  /** Whether a 404 is an answer to the caller: null. */
  readonly isOptional: boolean;
  /** Whether its answer is wanted later: it waits behind the other calls of its key. */
  readonly isDeferred: boolean;
  /**
   * What a kept answer must be newer than: `NOW` for none at all, or the consistency token of a write. Undefined where
   * every one will do, and where none are kept.
   */
  readonly newerThan: string | undefined;
  readonly deadline: RequestDeadline;
  /** Ends this caller's wait; other callers of the same read go on waiting. */
  readonly cancel: Cancel | undefined;
  readonly journal: Journal;
  /** The trace it belongs to. */
  readonly trace: CallTrace | undefined;
  /** The cause of the call, for the journal. */
  readonly origin: unknown;
}

/** Reads may be shared, cancelled and attempted again; writes never are. */
export const isRead = ({ route }: Pick<Call, 'route'>): boolean => route.method === 'GET';

/** Newer than any answer that is kept: the backend has to be asked. */
export const NOW = 'now';

/** A call in flight, for all callers that wait for it. */
export interface Flight {
  readonly call: Call;
  /** Cancelled when its last caller stops waiting. Writes are never cancelled. */
  readonly cancel: Cancel;
  /** The latest deadline of its callers, by the upstream's clock. Grows as others join. */
  readonly deadlineMs: number;
  /** Of its last attempt that was sent, where a trace is recorded. */
  span?: SpanRef;
  /** Headers of its answer that go on to callers, where any do. */
  exposed?: readonly ExposedHeader[];
  /** Headers that make it conditional, where an answer to it is kept: name, value, name, value. */
  validators?: readonly string[];
  /** Ends the wait of all callers. What comes after the first time changes nothing. */
  land(settled: Settled<DecodedResponse>): void;
}

/** One attempt. Times are by the upstream's clock. */
export interface Attempt {
  readonly flight: Flight;
  readonly call: Call;
  /** 1 for the first attempt, 2 for its first retry. */
  readonly number: number;
  /** Whether it needs a connection that was not used before: the last one may have been closing as it was sent. */
  readonly isFresh: boolean;
  /** Its line in the journal: `unsent` until the exchange begins. */
  readonly entry: JournalEntry;
  /** When it began, before any queue. */
  readonly startMs: number;
  /** When it times out. */
  readonly untilMs: number;
  /** True when the request's deadline leaves a write less than an attempt's own time. */
  readonly isCutShort: boolean;
}

/** What became of an attempt on the wire. */
export interface Exchange {
  readonly beganMs: number;
  /** 0 while it goes on. */
  readonly endedMs: number;
  /** Whether a connection was found: from then on the backend may have seen the request. */
  readonly isConnected: boolean;
}

export interface RestResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A checked body and the status it came with. */
export interface DecodedResponse {
  readonly value: unknown;
  readonly status: number;
  /** False when errors stand in place of some of its values. */
  readonly sound: boolean;
}

export type Settled<Result = RestResponse> = Result | Error;

/** How an attempt ended. */
export interface Outcome {
  readonly settled: Settled;
  /** Absent when the attempt was refused before it. */
  readonly exchange?: Exchange;
}

/** Sends an attempt that has its time, and tells once how that ended. */
export type Send = (attempt: Attempt, onEnd: (outcome: Outcome) => void) => void;

/** Attempts a call, and tells once how that ended: `number` and `isFresh` as of an `Attempt`. */
export type Try = (
  flight: Flight,
  number: number,
  isFresh: boolean,
  onSettled: (settled: Settled) => void,
) => void;

/** Has a call answered, with its retries, and tells once how that ended. */
export type Ask = (flight: Flight, onSettled: (settled: Settled) => void) => void;
