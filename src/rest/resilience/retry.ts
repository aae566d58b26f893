/**
 * Failed reads are attempted again: at most twice, a moment later, within the deadline and a budget.
 *
 * Not undici's `interceptors.retry`: it retries DELETE, knows neither jitter nor a budget, and
 * resumes a broken body with a Range request. Writes are sent once and never come here again.
 */
import type { Route } from '../../v0/routes.ts';
import { sleep } from '../../lib/cancel.ts';
import { Attempt, isRead, type Layer, type Outcome } from '../client/call.ts';
import {
  endOfWait,
  RestTimeoutError,
  RestTruncatedError,
  RestUnreachableError,
} from '../client/errors.ts';
import type { UpstreamObserver } from '../client/observer.ts';
import { retryAfterOf } from '../decode/retry-after.ts';

/** Retries of a call that reached the backend. */
const MAX_RETRIES = 2;

/** Retries of a call that did not: together they outlast a restart of 500 ms. */
const MAX_RECONNECTS = 7;

/** Exponential backoff: the longest first wait, in milliseconds, and the longest of all. */
const BASE_MS = 25;
const CAP_MS = 250;

/** Answers that another attempt may better. 500 is the application's own answer, and will be again. */
const RETRIED_STATUSES: readonly number[] = [429, 502, 503, 504];

export interface RetryOptions {
  /** One attempt, in milliseconds. */
  readonly timeoutMs: number;
  readonly observer: UpstreamObserver;
  /** A read has found no connection, however often it was attempted. */
  readonly onUnreachable: (attempt: Attempt) => void;
}

/** When to attempt a call again, and what that takes. */
interface Retry {
  readonly afterMs: number;
  /** Time the next attempt needs to be of any use, in milliseconds. */
  readonly needsMs: number;
  readonly most: number;
  /** True when it costs the backend nothing. */
  readonly isFree: boolean;
}

export const retry =
  ({ timeoutMs, observer, onUnreachable }: RetryOptions): Layer =>
  (inner) =>
  (settle) => {
    const budget = new RetryBudget();
    const send = inner((attempt, outcome) => {
      if (isRead(attempt.call) && isFailure(outcome)) retryOrSettle(attempt, outcome);
      else settle(attempt, outcome);
    });
    return (attempt) => {
      if (isRead(attempt.call)) budget.earn(attempt.call.route);
      send(attempt);
    };

    function retryOrSettle(attempt: Attempt, outcome: Outcome): void {
      const { flight, number } = attempt;
      const { route } = attempt.call;
      const next = retryOf(outcome, number, timeoutMs);
      if (!next || number > next.most || !isInTime(next, flight.deadlineMs)) {
        if (next?.isFree) onUnreachable(attempt);
        settle(attempt, outcome);
      } else if (!next.isFree && !budget.spend(route)) {
        observer.onRetryBudgetExhausted?.(route);
        settle(attempt, outcome);
      } else {
        void sleep(next.afterMs, flight.cancel).then((slept) => {
          if (slept) send(new Attempt(flight, number + 1));
          else settle(attempt, endOfWait('cancelled', route));
        });
      }
    }
  };

const isFailure = (outcome: Outcome): boolean => outcome instanceof Error || outcome.status >= 400;

const isInTime = ({ afterMs, needsMs }: Retry, deadlineMs: number): boolean =>
  performance.now() + afterMs + needsMs < deadlineMs;

function retryOf(outcome: Outcome, number: number, timeoutMs: number): Retry | undefined {
  const paid = { afterMs: fullJitter(number), needsMs: 0, most: MAX_RETRIES, isFree: false };
  if (!(outcome instanceof Error)) {
    if (!RETRIED_STATUSES.includes(outcome.status)) return undefined;
    const afterMs = retryAfterOf(outcome.headers);
    // A limit without a time is not met any sooner by asking again.
    if (outcome.status === 429 && afterMs === undefined) return undefined;
    return { ...paid, afterMs: Math.ceil(afterMs ?? 0) + paid.afterMs };
  }
  if (outcome instanceof RestTimeoutError) return { ...paid, needsMs: timeoutMs };
  if (outcome instanceof RestTruncatedError) return paid;
  if (!(outcome instanceof RestUnreachableError) || outcome.retry === 'hopeless') return undefined;
  if (outcome.retry === 'load') return paid;
  return { afterMs: equalJitter(number), needsMs: 0, most: MAX_RECONNECTS, isFree: true };
}

// Source of both: M. Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015.

/** Calls that failed together do not come back together. */
const fullJitter = (number: number): number => Math.random() * backoff(number);

/** Half of it fixed: waiting for a connection must really take up time. */
const equalJitter = (number: number): number => backoff(number) * (0.5 + Math.random() / 2);

const backoff = (number: number): number => Math.min(CAP_MS, BASE_MS * 2 ** (number - 1));

/** Retries that one call earns its route. */
const EARNED = 0.1;

/** The most that a route saves up. */
const MAX_SAVED = 5;

/** Retries that all routes share: a gateway that makes few calls can still retry. */
const SHARED = 10;

/**
 * How many retries the backend may be given: a tenth of the calls, and a few more.
 *
 * Retries help when little fails; when everything does they are load on a backend that has too much
 * already. Routes save for themselves, so that one which always fails leaves the others theirs. What a
 * route cannot save fills up the shared ones.
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
