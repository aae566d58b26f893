/**
 * Failed reads are tried again: at most twice, a moment later, within the deadline and a budget.
 *
 * Not undici's `interceptors.retry`: it retries DELETE, knows neither jitter nor a budget, and
 * resumes a broken body with a Range request. Writes are sent once and never come here again.
 */
import type { RetryBudget } from './retry-budget.ts';
import { sleep } from '../client/cancel.ts';
import {
  RestTimeoutError,
  RestTruncatedError,
  RestUnreachableError,
  type RouteLabel,
} from '../client/errors.ts';
import { retryAfterOf } from '../decode/retry-after.ts';
import { isRead, type Layer, type Outcome, type Outgoing } from '../client/send.ts';

/** Retries of a call that reached the backend. */
const MAX_RETRIES = 2;

/** Retries of a call that did not: together they outlast a restart of 500 ms. */
const MAX_RECONNECTS = 7;

/** The longest first wait, in milliseconds; every next one is twice as long. */
const BASE_MS = 25;
const CAP_MS = 250;

export interface RetryOptions {
  readonly budget: RetryBudget;
  /** One try, in milliseconds. */
  readonly timeoutMs: number;
  /** A retry was due and the budget empty. */
  readonly onExhausted: (route: RouteLabel) => void;
  /** A read has found no connection, however often it tried. */
  readonly onUnreachable: () => void;
}

/** When to try again, and what for. */
interface Again {
  readonly afterMs: number;
  /** Time the next try needs to be of any use, in milliseconds. */
  readonly needsMs: number;
  readonly most: number;
  readonly free: boolean;
}

export function retrying(layer: Layer, options: RetryOptions): Layer {
  const { budget, timeoutMs, onExhausted, onUnreachable } = options;
  return (settle) => {
    const send = layer((outgoing, outcome) => {
      if (isRead(outgoing) && isFailure(outcome)) retry(outgoing, outcome);
      else settle(outgoing, outcome);
    });
    return (outgoing) => {
      if (isRead(outgoing)) budget.earn();
      send(outgoing);
    };

    function retry(outgoing: Outgoing, outcome: Outcome): void {
      const { attempt, route, cancel } = outgoing;
      const again = whenAgain(outcome, attempt, timeoutMs);
      if (!again || attempt > again.most || !fits(outgoing, again)) {
        if (again?.free) onUnreachable();
        settle(outgoing, outcome);
      } else if (!again.free && !budget.spend()) {
        onExhausted(route);
        settle(outgoing, outcome);
      } else {
        sleep(again.afterMs, cancel, route).then(
          () => {
            outgoing.attempt = attempt + 1;
            send(outgoing);
          },
          (aborted: Error) => settle(outgoing, aborted),
        );
      }
    }
  };
}

const isFailure = (outcome: Outcome): boolean => outcome instanceof Error || outcome.status >= 400;

const fits = ({ deadlineMs }: Outgoing, { afterMs, needsMs }: Again): boolean =>
  performance.now() + afterMs + needsMs < deadlineMs;

function whenAgain(outcome: Outcome, attempt: number, timeoutMs: number): Again | undefined {
  const paid = { afterMs: jitter(attempt), needsMs: 0, most: MAX_RETRIES, free: false };
  if (!(outcome instanceof Error)) {
    const afterMs = retryAfterOf(outcome.headers);
    // A limit without a time is not met any sooner by asking again.
    if (outcome.status === 429 && afterMs === undefined) return undefined;
    // 500 is the application's own answer, and will be again.
    if (![429, 502, 503, 504].includes(outcome.status)) return undefined;
    return { ...paid, afterMs: Math.ceil(afterMs ?? 0) + paid.afterMs };
  }
  if (outcome instanceof RestTimeoutError) return { ...paid, needsMs: timeoutMs };
  if (outcome instanceof RestTruncatedError) return paid;
  if (!(outcome instanceof RestUnreachableError) || outcome.retry === 'hopeless') return undefined;
  if (outcome.retry === 'load') return paid;
  return { afterMs: steadyJitter(attempt), needsMs: 0, most: MAX_RECONNECTS, free: true };
}

/** Full jitter: many who failed together do not come back together. */
const jitter = (attempt: number): number => Math.random() * ceiling(attempt);

/** Half of it fixed: waiting for a connection must really take up time. */
const steadyJitter = (attempt: number): number => ceiling(attempt) * (0.5 + Math.random() / 2);

const ceiling = (attempt: number): number => Math.min(CAP_MS, BASE_MS * 2 ** (attempt - 1));
