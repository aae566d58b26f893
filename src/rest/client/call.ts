/**
 * A REST call, and each attempt to make it: what the layers of the pipeline hand each other.
 *
 * The layers are tied together once, by functions. A promise for each layer and call would cost more
 * than all that the layers do, and a request with a hundred calls would hold on to all of them.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { type Cancel } from '../../lib/cancel.ts';
import type { Route } from '../../v0/routes.ts';
import type { Journal, JournalEntry } from './journal.ts';
import type { RequestDeadline } from './request-deadline.ts';

/** One call as its caller made it. It never changes. */
export interface Call {
  readonly route: Route;
  readonly apiKey: string;
  /** Encoded path and query, as sent. */
  readonly path: string;
  /** Name, value, name, value: one list for all reads of a request. Mutable only in undici's types. */
  readonly headers: string[];
  readonly body: string | null;
  /** Whether a 404 is an answer to the caller: null. */
  readonly isOptional: boolean;
  readonly deadline: RequestDeadline;
  /** Ends the wait of this caller alone. */
  readonly cancel: Cancel | undefined;
  readonly journal: Journal;
  /** Who causes the call, for the journal. */
  readonly origin: unknown;
}

/** Reads may be shared, cancelled and attempted again; writes never are. */
export const isRead = ({ route }: Pick<Call, 'route'>): boolean => route.method === 'GET';

/** A call under way for everybody who waits for it. */
export interface Flight {
  readonly call: Call;
  /** Cancelled when nobody waits any more. Writes are never cancelled. */
  readonly cancel: Cancel;
  /** When the last who waits gives up, on `performance.now()`'s clock. Grows as others join. */
  readonly deadlineMs: number;
  /** Told once how the call ended. */
  land(outcome: Outcome<Decoded>): void;
}

/** One attempt. Each field is written by the layer it stands under and by no other. */
export class Attempt {
  readonly flight: Flight;
  readonly call: Call;
  /** 1 for the first attempt, 2 for its first retry. */
  readonly number: number;

  // The attempt's timeout. Times are on `performance.now()`'s clock.
  /** When it began: before any queue. */
  startMs = 0;
  /** When it is given up. */
  untilMs = 0;
  /** True when the request's deadline leaves a write less than an attempt's own time. */
  isCutShort = false;
  timer: NodeJS.Timeout | undefined;
  entry: JournalEntry | undefined;

  // The circuit breaker.
  /** True when it finds out whether what has failed is well again. */
  isProbe = false;

  // The concurrency limiter.
  /** When it left the queue; 0 while it waits there. */
  sentMs = 0;
  /** What the limiter wants back; nobody else knows what it is. */
  slot: object | undefined;

  // The exchange.
  /** Whether a connection was there: from then on the backend may have seen it. */
  isConnected = false;
  /** 0 when it was refused before. */
  endMs = 0;

  constructor(flight: Flight, number = 1) {
    this.flight = flight;
    this.call = flight.call;
    this.number = number;
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
  /** False when errors stand in places of it. */
  readonly sound: boolean;
}

/** How an attempt ended. */
export type Outcome<Result = Answer> = Result | Error;

/** Makes an attempt. */
export type Send = (attempt: Attempt) => void;

/** Hears how an attempt ended: once, and without anything being thrown. */
export type Settle<Result = Answer> = (attempt: Attempt, outcome: Outcome<Result>) => void;

/** A way to make attempts, for whoever says where their outcomes go. */
export type Sender<Result = Answer> = (settle: Settle<Result>) => Send;

/** Stands around a way to make attempts: sees each on its way out and its outcome on the way back. */
export type Layer<Result = Answer> = (inner: Sender) => Sender<Result>;
