/**
 * Retries of failed reads: at most two, after a backoff, within the deadline and a retry budget.
 *
 * Not undici's `interceptors.retry`: it knows no budget and retries DELETE. Writes are never retried.
 */
import type { Route } from '../../v0/routes.ts';
import { isRead, type Ask, type Flight, type Settled, type Try } from '../call/call.ts';
import {
  endOfWait,
  RestTimeoutError,
  RestTruncatedError,
  RestUnreachableError,
} from '../call/errors.ts';
import type { UpstreamSettings } from '../call/options.ts';
import { retryAfterOf } from '../decode/retry-after.ts';
import { sleep } from './sleep.ts';

/** Retries of a call that reached the backend. */
const MAX_RETRIES = 2;

/** Retries of a call that did not reach it: together they outlast a restart of 500 ms. */
const MAX_RECONNECTS = 7;

/** Exponential backoff: the longest first wait, in milliseconds, and the longest of all. */
const BASE_MS = 25;
const CAP_MS = 250;

/** Statuses that are retried. 500 comes from the application itself and would come again. */
const RETRIED_STATUSES: readonly number[] = [429, 502, 503, 504];

/** When and on what conditions a call is attempted again. */
interface Retry {
  readonly afterMs: number;
  /** Time the next attempt needs to be of any use, in milliseconds. */
  readonly needsMs: number;
  /** True when it costs the backend nothing. */
  readonly isFree: boolean;
}

export function retry(attempt: Try, { timeoutMs, observer, clock }: UpstreamSettings): Ask {
  const budget = new RetryBudget();

  return (flight, onSettled) => {
    if (!isRead(flight.call)) return attempt(flight, 1, false, onSettled);
    budget.earn(flight.call.route);
    begin(flight, 1, false, onSettled);
  };

  function begin(
    flight: Flight,
    number: number,
    isFresh: boolean,
    onSettled: (settled: Settled) => void,
  ): void {
    attempt(flight, number, isFresh, (settled) => {
      const { route } = flight.call;
      const next = retryOf(settled, number, timeoutMs);
      const leftMs = flight.deadlineMs - clock.now();
      const most = next?.isFree ? MAX_RECONNECTS : MAX_RETRIES;
      if (!next || number > most || next.afterMs + next.needsMs >= leftMs) {
        return onSettled(settled);
      }
      if (!next.isFree && !budget.spend(route)) {
        observer.onRetryBudgetExhausted?.(route);
        return onSettled(settled);
      }
      void sleep(clock, next.afterMs, flight.cancel).then((slept) => {
        if (slept) begin(flight, number + 1, next.isFree, onSettled);
        else onSettled(endOfWait('cancelled', route));
      });
    });
  }
}

function retryOf(settled: Settled, number: number, timeoutMs: number): Retry | undefined {
  const paid = { afterMs: fullJitter(number), needsMs: 0, isFree: false };
  if (!(settled instanceof Error)) {
    if (!RETRIED_STATUSES.includes(settled.status)) return undefined;
    const afterMs = retryAfterOf(settled.headers);
    // Asking again does not end a rate limit without `Retry-After` any sooner.
    if (settled.status === 429 && afterMs === undefined) return undefined;
    return { ...paid, afterMs: Math.ceil(afterMs ?? 0) + paid.afterMs };
  }
  if (settled instanceof RestTimeoutError) return { ...paid, needsMs: timeoutMs };
  if (settled instanceof RestTruncatedError) return paid;
  if (!(settled instanceof RestUnreachableError) || settled.retry === 'hopeless') return undefined;
  if (settled.retry === 'load') return paid;
  return { afterMs: equalJitter(number), needsMs: 0, isFree: true };
}

// Source of both: M. Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015.

/** Spreads the retries of calls that failed together. */
const fullJitter = (number: number): number => Math.random() * backoff(number);

/** Half of it is fixed, since reconnects have to outlast a restart. */
const equalJitter = (number: number): number => backoff(number) * (0.5 + Math.random() / 2);

const backoff = (number: number): number => Math.min(CAP_MS, BASE_MS * 2 ** (number - 1));

/** Tokens that one call earns its route: a retry costs one. */
const EARNED = 0.1;

/** The most tokens of a route. */
const MAX_SAVED = 5;

/** Tokens that all routes share, so that a gateway with few calls can retry too. */
const SHARED = 10;

/**
 * The retry budget: a tenth of the calls, and a few more.
 *
 * Retries help when few calls fail; when most do, they add load to a backend that is overloaded already.
 * Each route has tokens of its own, so that one which always fails does not use up the others'. What
 * exceeds a route's most goes to the shared tokens.
 * Source: token bucket; B. Beyer et al., "Site Reliability Engineering", chapter 21 (10 % of the calls).
 */
class RetryBudget {
  readonly #saved = new Map<Route, number>();
  #shared = SHARED;

  earn(route: Route): void {
    const saved = (this.#saved.get(route) ?? 0) + EARNED;
    if (saved > MAX_SAVED) this.#shared = Math.min(SHARED, this.#shared + EARNED);
    else this.#saved.set(route, saved);
  }

  /** Whether a retry may be made; takes its token if so. */
  spend(route: Route): boolean {
    const saved = this.#saved.get(route) ?? 0;
    if (saved >= 1) this.#saved.set(route, saved - 1);
    else if (this.#shared >= 1) this.#shared -= 1;
    else return false;
    return true;
  }
}
