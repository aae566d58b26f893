/**
 * Single-flight (request coalescing): identical reads of one key, and of equal forwarded headers, that are in flight
 * together are one call.
 *
 * What a write may change is not documented (a publish may add links, an archive may log), and two
 * keys may belong to one customer. So no read joins another across any write, of any key: sharing is
 * never stale, at the price of some calls more in the milliseconds around a write.
 *
 * Not undici's `interceptors.deduplicate()`: docs/decisions/exchange-on-dispatch.md says why.
 */
import { Cancel, type EndOfWait, type Waiter } from '../../lib/cancel.ts';
import {
  isRead,
  type Call,
  type DecodedResponse,
  type Flight,
  type Settled,
} from '../call/call.ts';
import { endOfWait, failureOf, isNotFound, RestError } from '../call/errors.ts';
import type { ExposedHeader, JournalEntry } from '../call/journal.ts';
import type { SpanRef } from '../call/trace.ts';
import { freeze } from '../decode/freeze.ts';

/** @param fetch lands the flight. */
export function singleFlight(fetch: Fetch): (call: Call) => Promise<unknown> {
  const joinable: Joinable = new Map();

  return (call) => {
    if (!isRead(call)) return write(call, fetch, joinable);
    const known = joinable.get(call.sharingKey)?.get(idOf(call));
    return known ? known.join(call) : new Read(call, joinable).begin(fetch);
  };
}

type Fetch = (flight: Flight) => void;

/** Reads in flight by sharing key, then by what they read. */
type Joinable = Map<string, Map<string, Read>>;

/** What must be newer than a write joins no read that may have begun before it, here or in another process. */
const idOf = ({ path, newerThan }: Call): string =>
  newerThan === undefined ? path : `${path} ${newerThan}`;

function write(call: Call, fetch: Fetch, joinable: Joinable): Promise<unknown> {
  joinable.clear();
  return new Promise((resolve, reject) => {
    const land = (settled: Settled<DecodedResponse>): void => {
      // Reads that began while it was under way may have seen either state.
      joinable.clear();
      if (settled instanceof Error) reject(settled);
      else resolve(settled.value);
    };
    const { deadlineMs } = call.deadline;
    fetch({ call, cancel: new Cancel(), deadlineMs, land });
  });
}

/** One read, and all who wait for it. */
class Read implements Flight {
  readonly call: Call;
  readonly cancel = new Cancel();
  deadlineMs: number;
  span?: SpanRef;
  exposed?: readonly ExposedHeader[];
  validators?: readonly string[];
  readonly #joinable: Joinable;
  #callers: Caller[] | undefined;
  #waiting = 0;

  constructor(call: Call, joinable: Joinable) {
    this.call = call;
    this.deadlineMs = call.deadline.deadlineMs;
    this.#joinable = joinable;
    let ofKey = joinable.get(call.sharingKey);
    if (!ofKey) joinable.set(call.sharingKey, (ofKey = new Map<string, Read>()));
    ofKey.set(idOf(call), this);
  }

  begin(fetch: Fetch): Promise<unknown> {
    const answer = this.#wait(this.call, undefined);
    if (!this.cancel.cancelled) fetch(this);
    return answer;
  }

  join(call: Call): Promise<unknown> {
    const { route, journal, origin, deadline } = call;
    this.deadlineMs = Math.max(this.deadlineMs, deadline.deadlineMs);
    return this.#wait(call, journal.begin(route, origin, 'shared', 1));
  }

  land(settled: Settled<DecodedResponse>): void {
    this.#forget();
    const callers = this.#callers ?? [];
    // Frozen only when it is shared: freezing takes a quarter of the time of parsing.
    if (callers.length > 1 && !(settled instanceof Error)) freeze(settled.value as object);
    for (const caller of callers) caller.settle(settled);
  }

  leave(): void {
    this.#waiting -= 1;
    if (this.#waiting > 0) return;
    this.#forget();
    this.cancel.cancel();
  }

  #forget(): void {
    const { sharingKey } = this.call;
    const ofKey = this.#joinable.get(sharingKey);
    const id = idOf(this.call);
    if (ofKey?.get(id) !== this) return;
    ofKey.delete(id);
    if (ofKey.size === 0) this.#joinable.delete(sharingKey);
  }

  #wait(call: Call, entry: JournalEntry | undefined): Promise<unknown> {
    this.#waiting += 1;
    return new Promise((resolve, reject) => {
      const caller = new Caller({ flight: this, call, entry, resolve, reject });
      // Most have one: an empty array would make room for seventeen.
      if (this.#callers) this.#callers.push(caller);
      else this.#callers = [caller];
    });
  }
}

interface Wait {
  readonly flight: Read;
  readonly call: Call;
  /** The entry of a caller that joined; the first caller's attempts have their own. */
  readonly entry: JournalEntry | undefined;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** One caller of a read: waits for the answer, its request's deadline, or its own cancel. */
class Caller implements Waiter {
  readonly #wait: Wait;
  #ended = false;

  constructor(wait: Wait) {
    this.#wait = wait;
    const { deadline, cancel } = wait.call;
    deadline.add(this);
    if (cancel?.cancelled) this.onEnd('cancelled');
    else cancel?.listen(this);
  }

  /** Ends the wait; whatever comes later changes nothing. */
  settle(settled: Settled<DecodedResponse>): void {
    if (this.#ended) return;
    this.#ended = true;
    const { call, entry, flight, resolve, reject } = this.#wait;
    call.deadline.delete(this);
    call.cancel?.listen(undefined);
    const failed = settled instanceof Error;
    if (entry) {
      const status = failed && !(settled instanceof RestError) ? undefined : settled.status;
      call.journal.end(entry, status, failed ? failureOf(settled) : undefined);
      entry.span = flight.span;
      if (flight.exposed) call.journal.expose(flight.exposed);
    }
    if (!failed) resolve(settled.value);
    else if (call.isOptional && isNotFound(settled)) resolve(null);
    else reject(settled);
  }

  onEnd(why: EndOfWait): void {
    const { call, flight } = this.#wait;
    this.settle(endOfWait(why, call.route));
    flight.leave();
  }
}
