/**
 * The words between the layers that a call passes on its way out, and its outcome on the way back.
 *
 * A layer is put around another, or is a `Stage` that looks at a try as it begins and ends:
 * `sharing(decoding(retrying(inStages([pauses, tries, breaker, gate], exchanging))))`.
 * Each knows its one idea and nothing of the others. They are tied together once, and not by a
 * promise a layer and call: those cost more than all that the layers do, and a request that waits
 * for a hundred calls holds on to all of them.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import type { Route } from '../../v0/routes.ts';
import type { Cancel } from './cancel.ts';
import type { Journal, JournalEntry } from './journal.ts';
import type { RequestDeadline } from './request-deadline.ts';

/** One call, as the layers hand it on. */
export interface Outgoing {
  readonly route: Route & { readonly method: Dispatcher.HttpMethod };
  readonly apiKey: string;
  /** Encoded path and query, as sent. */
  readonly path: string;
  /** Name, value, name, value. One list for all reads of a request. */
  readonly headers: string[];
  readonly body: string | null;
  /** Whether a 404 is an answer to whoever asked: null. */
  readonly isOptional: boolean;

  // Who asked.

  readonly deadline: RequestDeadline;
  /** Ends this one's wait; the call goes on while others wait. */
  readonly ownCancel: Cancel | undefined;
  readonly journal: Journal;
  /** Who causes the call, for the journal. */
  readonly origin: unknown;

  // Who waits, those who joined included.

  /** When the last who waits gives up, on `performance.now()`'s clock. Grows as others join. */
  deadlineMs: number;
  /** Cancelled when nobody waits any more. Writes are never cancelled. */
  readonly cancel: Cancel;
  /** Who is told how it ended. Set before it is sent. */
  landing: Landing | undefined;

  // The try under way. A call has one at a time, so each layer sets its own here instead of
  // copying a dozen fields. Times are on `performance.now()`'s clock.

  /** 1 for the first try, 2 for its first retry. */
  attempt: number;
  /** How many stages it has passed. */
  passed: number;
  /** What the journal says of it. */
  entry: JournalEntry | undefined;
  /** When the try began: before any queue. */
  startMs: number;
  /** When it left the queue; 0 while it waits there. */
  sentMs: number;
  endMs: number;
  /** When the try is given up. */
  untilMs: number;
  /** Gives it up. */
  timer: NodeJS.Timeout | undefined;
  /** True when the request's deadline leaves the try less than its own time. */
  cut: boolean;
  /** True when it is to find out whether the backend is back. */
  probe: boolean;
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

/** How a call ended. */
export type Outcome<Result = Answer> = Result | Error;

export interface Landing {
  land(outcome: Outcome<Decoded>): void;
}

/** Sends a call. Whoever tied the layers together is told how it ended: once, and by nothing thrown. */
export type Send = (outgoing: Outgoing) => void;

export type Settle<Result = Answer> = (outgoing: Outgoing, outcome: Outcome<Result>) => void;

/** A way to send calls, for whoever says where their outcomes go. */
export type Layer<Result = Answer> = (settle: Settle<Result>) => Send;

/** Reads may be shared, cancelled and tried again; writes never are. */
export const isRead = ({ route }: Pick<Outgoing, 'route'>): boolean => route.method === 'GET';
