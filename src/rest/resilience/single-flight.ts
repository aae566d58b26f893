/**
 * Identical reads of one key that are in flight at the same moment are one exchange.
 *
 * What a write may change is not documented (a publish may add links, an archive may log), and two
 * keys may belong to one customer. So a write moves the generation of everything: reads under way
 * still answer those who wait, and nobody who comes later joins them. The price is a call that is
 * not shared during the milliseconds around a write; the gain is that sharing is never stale.
 *
 * Why not undici's `interceptors.deduplicate()`: in 7.30 an aborted leader fails its callers, an
 * aborted follower never settles, every header is part of its key (so a request id switches it
 * off, and leaving headers out would cross API keys), and it shares bytes where this shares the
 * parsed answer. It knows nothing of writes.
 */
import { abortedError, type End, type Waiter } from '../client/cancel.ts';
import { isNotFound, RestError, type RouteLabel } from '../client/errors.ts';
import { freeze } from '../../lib/freeze.ts';
import type { JournalEntry } from '../client/journal.ts';
import {
  isRead,
  type Decoded,
  type Landing,
  type Layer,
  type Outcome,
  type Outgoing,
  type Send,
} from '../client/send.ts';

/** @param onShared told of every read that is joined to another. */
export function sharing(
  layer: Layer<Decoded>,
  onShared: (route: RouteLabel) => void,
): (outgoing: Outgoing) => Promise<unknown> {
  // A generation is the map's present content: moving it is forgetting what can be joined.
  const flights: Flights = new Map();
  const send = layer((outgoing, outcome) => outgoing.landing!.land(outcome)); // set by both below

  return (outgoing) => {
    if (!isRead(outgoing)) return write(outgoing);
    const known = flights.get(outgoing.apiKey)?.get(outgoing.path)?.flight;
    if (known) {
      onShared(outgoing.route);
      return known.join(outgoing);
    }
    return new Flight(outgoing, flights).begin(send);
  };

  function write(outgoing: Outgoing): Promise<unknown> {
    flights.clear();
    return new Promise((resolve, reject) => {
      const land = (outcome: Outcome<Decoded>): void => {
        // Reads that began while it was under way may have seen either state.
        flights.clear();
        if (outcome instanceof Error) reject(outcome);
        else resolve(outcome.value);
      };
      outgoing.landing = { land };
      send(outgoing);
    });
  }
}

/**
 * A flight among those that can be joined, and nothing once it has landed: a busy map leaves its
 * outgrown tables to the old generation, and what they still hold would not be freed young.
 */
interface Entry {
  flight: Flight | undefined;
}

/** By key, and by path: a text of both would have to be put together and hashed for every call. */
type Flights = Map<string, Map<string, Entry>>;

/** One exchange, and all who wait for it. */
class Flight implements Landing {
  readonly outgoing: Outgoing;
  readonly #flights: Flights;
  readonly #entry: Entry = { flight: this };
  #callers: Caller[] | undefined;
  #waiting = 0;

  constructor(outgoing: Outgoing, flights: Flights) {
    this.outgoing = outgoing;
    this.#flights = flights;
    outgoing.landing = this;
    const { apiKey, path } = outgoing;
    let ofKey = flights.get(apiKey);
    if (!ofKey) {
      ofKey = new Map();
      flights.set(apiKey, ofKey);
    }
    ofKey.set(path, this.#entry);
  }

  begin(send: Send): Promise<unknown> {
    const answer = this.#wait(this.outgoing, undefined);
    if (!this.outgoing.cancel.cancelled) send(this.outgoing);
    return answer;
  }

  land(outcome: Outcome<Decoded>): void {
    this.#forget();
    const callers = this.#callers!; // its own at least
    if (outcome instanceof Error) {
      for (const one of callers) one.fail(outcome);
      return;
    }
    const { value, status } = outcome;
    // What one request has for itself needs no lock; deep freezing is a quarter of parsing.
    if (callers.length > 1) freeze(value as object);
    for (const one of callers) one.answer(value, status);
  }

  join(follower: Outgoing): Promise<unknown> {
    const { route, journal, origin, deadlineMs } = follower;
    this.outgoing.deadlineMs = Math.max(this.outgoing.deadlineMs, deadlineMs);
    return this.#wait(follower, journal.begin(route, origin, 'shared', 1));
  }

  /** Somebody waits no more. */
  leave(): void {
    this.#waiting -= 1;
    if (this.#waiting > 0) return;
    this.#forget();
    this.outgoing.cancel.cancel();
  }

  #forget(): void {
    this.#entry.flight = undefined;
    const { apiKey, path } = this.outgoing;
    const ofKey = this.#flights.get(apiKey);
    if (ofKey?.get(path) !== this.#entry) return;
    ofKey.delete(path);
    if (ofKey.size === 0) this.#flights.delete(apiKey);
  }

  #wait(outgoing: Outgoing, entry: JournalEntry | undefined): Promise<unknown> {
    this.#waiting += 1;
    return new Promise((resolve, reject) => {
      const one = new Caller(this, outgoing, entry, resolve, reject);
      if (this.#callers) this.#callers.push(one);
      else this.#callers = [one]; // mostly all there are; pushing makes room for seventeen
    });
  }
}

/** One caller waiting for a flight: until the answer, its request's deadline, or its own cancel. */
class Caller implements Waiter {
  readonly #flight: Flight;
  readonly #outgoing: Outgoing;
  readonly #entry: JournalEntry | undefined;
  readonly #resolve: (value: unknown) => void;
  readonly #reject: (error: Error) => void;
  #left = false;

  constructor(
    flight: Flight,
    outgoing: Outgoing,
    entry: JournalEntry | undefined,
    resolve: (value: unknown) => void,
    reject: (error: Error) => void,
  ) {
    this.#flight = flight;
    this.#outgoing = outgoing;
    this.#entry = entry;
    this.#resolve = resolve;
    this.#reject = reject;
    const { deadline, ownCancel } = outgoing;
    deadline.add(this);
    if (ownCancel?.cancelled) this.giveUp(abortedError);
    else ownCancel?.listen(this);
  }

  answer(value: unknown, status: number): void {
    if (this.#release(status)) this.#resolve(value);
  }

  fail(error: Error): void {
    const status = error instanceof RestError ? error.status : undefined;
    if (!this.#release(status)) return;
    if (this.#outgoing.isOptional && isNotFound(error)) this.#resolve(null);
    else this.#reject(error);
  }

  giveUp(end: End): void {
    this.fail(end(this.#outgoing.route));
    this.#flight.leave();
  }

  #release(status: number | undefined): boolean {
    if (this.#left) return false;
    this.#left = true;
    this.#outgoing.deadline.delete(this);
    this.#outgoing.ownCancel?.listen(undefined);
    if (this.#entry) this.#outgoing.journal.end(this.#entry, status);
    return true;
  }
}
