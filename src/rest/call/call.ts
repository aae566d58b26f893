/**
 * A REST call and its attempts, which the layers of the pipeline pass on to each other.
 *
 * The layers are composed once, from callbacks. A promise for each layer and call would cost more than
 * the layers' own work, and a request with a hundred calls would keep all of them alive.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { type Cancel } from '../../lib/cancel.ts';
import type { Linked } from '../../lib/linked-list.ts';
import type { Route } from '../../v0/routes.ts';
import type { Journal, JournalEntry } from './journal.ts';
import type { RequestDeadline } from './request-deadline.ts';

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
  readonly deadline: RequestDeadline;
  /** Ends this caller's wait; other callers of the same read go on waiting. */
  readonly cancel: Cancel | undefined;
  readonly journal: Journal;
  /** The cause of the call, for the journal. */
  readonly origin: unknown;
}

/** Reads may be shared, cancelled and attempted again; writes never are. */
export const isRead = ({ route }: Pick<Call, 'route'>): boolean => route.method === 'GET';

/** A call in flight, for all callers that wait for it. */
export interface Flight {
  readonly call: Call;
  /** Cancelled when its last caller stops waiting. Writes are never cancelled. */
  readonly cancel: Cancel;
  /** The latest deadline of its callers, on `performance.now()`'s clock. Grows as others join. */
  readonly deadlineMs: number;
  /** Ends the wait of all callers. What comes after the first outcome changes nothing. */
  land(outcome: Outcome<Decoded>): void;
}

/** One attempt. Each group of fields is written by the layer it is named after, and by no other. */
export class Attempt implements Linked<Attempt> {
  readonly flight: Flight;
  readonly call: Call;
  /** 1 for the first attempt, 2 for its first retry. */
  readonly number: number;
  /** Whether it needs a connection that was not used before: the last one may have been closing as it was sent. */
  readonly isFresh: boolean;

  // The attempt's timeout. Times are on `performance.now()`'s clock.
  /** When it began, before any queue. */
  startMs = 0;
  /** When it is given up. */
  untilMs = 0;
  /** True when the request's deadline leaves a write less than an attempt's own time. */
  isCutShort = false;
  timer: NodeJS.Timeout | undefined;
  entry: JournalEntry | undefined;

  // The circuit breaker.
  /** Whether it probes a half-open circuit. */
  isProbe = false;
  previous: Attempt | undefined;
  next: Attempt | undefined;

  // The concurrency limiter.
  /** When it left the limiter's queue; 0 while it waits there. */
  sentMs = 0;
  /** The key that it counts for while it is under way. */
  slot: string | undefined;

  // The exchange.
  /** Whether a connection was found: from then on the backend may have seen the request. */
  isConnected = false;
  /** When the exchange ended; 0 when the attempt was refused before it. */
  endMs = 0;

  constructor(flight: Flight, number = 1, isFresh = false) {
    this.flight = flight;
    this.call = flight.call;
    this.number = number;
    this.isFresh = isFresh;
  }
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A checked body and the status it came with. */
export interface Decoded {
  readonly value: unknown;
  readonly status: number;
  /** False when errors stand in place of some of its values. */
  readonly sound: boolean;
}

export type Outcome<Result = Answer> = Result | Error;

export type Send = (attempt: Attempt) => void;

/** Takes an attempt's outcome: called once, and never throws. */
export type Settle<Result = Answer> = (attempt: Attempt, outcome: Outcome<Result>) => void;

/** Makes a `Send` whose outcomes go to `settle`. */
export type Sender<Result = Answer> = (settle: Settle<Result>) => Send;

/** Wraps a sender: handles each attempt on its way out, and its outcome on the way back. */
export type Layer<Result = Answer> = (inner: Sender) => Sender<Result>;
