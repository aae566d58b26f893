/**
 * Identical reads of one key that are in flight at the same moment are one exchange.
 *
 * What a write may change is not documented (a publish may add links, an archive may log), and two
 * keys may belong to one customer. So a write moves the generation of everything: reads under way
 * still answer those who wait, and nobody who comes later joins them. The price is a call that is
 * not shared during the milliseconds around a write; the gain is that sharing is never stale.
 *
 * Why not undici's `interceptors.deduplicate()`: in 7.30 an aborted leader fails its followers, an
 * aborted follower never settles, every header is part of its key (so a request id switches it
 * off, and leaving headers out would cross API keys), and it shares bytes where this shares the
 * parsed answer. It knows nothing of writes.
 */
import { abortedError, type Cancel } from './cancel.ts';
import type { RestError, RouteName } from './errors.ts';
import type { Patience } from './patience.ts';
import { isRead, type Outgoing, type Send } from './send.ts';

/** One who waits for a call. */
export interface Waiter {
  readonly patience: Patience;
  /** Ends this one's wait; the call goes on while others wait. */
  readonly cancel: Cancel | undefined;
  /** Told when another's call is joined; what it answers is told of the end. */
  readonly onJoin: () => (outcome: unknown) => void;
}

interface Flight<Result> {
  readonly id: string;
  readonly outgoing: Outgoing;
  result: Promise<Result>;
  waiting: number;
  joined: boolean;
}

export type Share<Result> = (outgoing: Outgoing, waiter: Waiter) => Promise<Result>;

/** @param onShared told of every read that is joined to another. */
export function sharing<Result extends object>(
  send: Send<Result>,
  onShared: (route: RouteName) => void,
): Share<Result> {
  // A generation is the map's present content: moving it is forgetting what can be joined.
  const flights = new Map<string, Flight<Result>>();

  return async (outgoing, waiter) => {
    if (!isRead(outgoing)) return write(outgoing);
    const id = JSON.stringify([outgoing.apiKey, outgoing.path]);
    const known = flights.get(id);
    if (!known) return wait(begin(id, outgoing), waiter);
    known.joined = true;
    onShared(outgoing.route);
    known.outgoing.deadlineMs = Math.max(known.outgoing.deadlineMs, outgoing.deadlineMs);
    return joined(wait(known, waiter), waiter);
  };

  async function write(outgoing: Outgoing): Promise<Result> {
    flights.clear();
    try {
      return await send(outgoing);
    } finally {
      // Reads that began while it was under way may have seen either state.
      flights.clear();
    }
  }

  function begin(id: string, outgoing: Outgoing): Flight<Result> {
    const flight = { id, outgoing, waiting: 0, joined: false } as Flight<Result>;
    flight.result = send(outgoing).then(
      (result) => {
        forget(flight);
        // What one request has for itself needs no lock; deep freezing is a quarter of parsing.
        return flight.joined ? freeze(result) : result;
      },
      (error: unknown) => {
        forget(flight);
        throw error;
      },
    );
    flights.set(id, flight);
    return flight;
  }

  function forget(flight: Flight<Result>): void {
    if (flights.get(flight.id) === flight) flights.delete(flight.id);
  }

  function wait(flight: Flight<Result>, { patience, cancel: wish }: Waiter): Promise<Result> {
    const { route, cancel } = flight.outgoing;
    flight.waiting += 1;
    return new Promise((resolve, reject) => {
      const leave = (end: (route: RouteName) => RestError): void => {
        release();
        reject(end(route));
        flight.waiting -= 1;
        if (flight.waiting > 0) return;
        forget(flight);
        cancel.cancel();
      };
      const stopWaiting = patience.whenOver(leave);
      const release = (): void => {
        stopWaiting();
        wish?.listen(undefined);
      };
      flight.result.then(
        (result) => {
          release();
          resolve(result);
        },
        (error: RestError) => {
          release();
          reject(error);
        },
      );
      if (wish?.cancelled) leave(abortedError);
      else wish?.listen(() => leave(abortedError));
    });
  }
}

async function joined<Result>(result: Promise<Result>, waiter: Waiter): Promise<Result> {
  const ended = waiter.onJoin();
  try {
    const outcome = await result;
    ended(outcome);
    return outcome;
  } catch (error) {
    ended(error);
    throw error;
  }
}

/** Makes a value immutable all the way down. A loop, since an answer may nest deeper than a stack. */
function freeze<Value extends object>(root: Value): Value {
  const open: object[] = [root];
  for (let value = open.pop(); value; value = open.pop()) {
    if (value instanceof Error || Object.isFrozen(value)) continue;
    Object.freeze(value);
    for (const inner of Object.values(value)) {
      if (typeof inner === 'object' && inner !== null) open.push(inner as object);
    }
  }
  return root;
}
