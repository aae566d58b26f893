/**
 * Retries of failed reads: at most two, after a backoff, within the deadline and a retry budget.
 *
 * Not undici's `interceptors.retry`, which has no budget and retries DELETE. Writes are never retried.
 */
import type { Route } from '../../v0/routes.ts';
import type { Attempt } from '../attempt.ts';
import { isRead, type Settled } from '../call/call.ts';
import { RestError } from '../call/errors.ts';
import type { RouteLoad } from '../call/keys.ts';
import type { UpstreamSettings } from '../call/options.ts';
import { retryAfterOf } from '../decode/http-date.ts';

/** Maximum retries of a call that reached the backend. */
export const MAX_RETRIES = 2;

/** Maximum retries of a call that did not reach it; together they outlast a restart of 500 ms. */
export const MAX_RECONNECTS = 7;

/** Exponential backoff: upper bounds of the first wait and of all waits, in milliseconds. */
export const BASE_MS = 25;
export const CAP_MS = 250;

/**
 * Retried statuses; not 500, which is usually deterministic. 520 to 524 are those of Cloudflare for 502 and 504.
 */
const RETRIED_STATUSES: readonly number[] = [429, 502, 503, 504, 520, 521, 522, 523, 524];

interface Retry {
  readonly afterMs: number;
  /** Minimum time for the next attempt, in milliseconds. */
  readonly needsMs: number;
  /** Whether it costs the backend nothing. */
  readonly isFree: boolean;
  /** Whether to use a new connection, since an idle one may be closing. */
  readonly isFresh: boolean;
}

/** Tokens earned per read; a retry costs one. */
export const EARNED = 0.1;

const MAX_SAVED = 5;

/** Initial shared tokens, with which a gateway with few calls can retry. */
export const SHARED = 10;

/**
 * Retries failed reads within the retry budget: a tenth of the calls, and a few more.
 *
 * Retries help if few calls fail; if most do, they add load to an overloaded backend. Each route has its own tokens, so
 * a failing route cannot use up those of others; tokens above its maximum go to the shared ones. Reads are counted
 * lazily, when a retry is wanted. Source: token bucket; B. Beyer et al., "Site Reliability Engineering", chapter 21 (10
 * % of the calls).
 */
export class Retries {
  readonly #settings: UpstreamSettings;
  readonly #routes: ReadonlyMap<Route, RouteLoad>;
  #shared = SHARED;

  /** @param routes routes whose reads earn the budget. */
  constructor(settings: UpstreamSettings, routes: ReadonlyMap<Route, RouteLoad>) {
    this.#settings = settings;
    this.#routes = routes;
  }

  /** Returns when to retry a failed read, and takes a token; undefined for never. */
  after(attempt: Attempt, settled: Settled): Retry | undefined {
    if (!(settled instanceof Error) && settled.status < 400) return undefined;
    const { call, flight, attempt: number } = attempt;
    if (!isRead(call) || call.priority === 'speculative') return undefined;
    const { timeoutMs, observer, clock } = this.#settings;
    const next = wantedAfter(settled, number, timeoutMs);
    if (!next) return undefined;
    const leftMs = flight.deadlineMs - clock.now();
    const most = next.isFree ? MAX_RECONNECTS : MAX_RETRIES;
    if (number > most || next.afterMs + next.needsMs >= leftMs) return undefined;
    if (next.isFree || this.#spend(call.route)) return next;
    observer.onRetryBudgetExhausted?.(call.route);
    return undefined;
  }

  /** Whether a retry may be made; takes its token if so. */
  #spend(route: Route): boolean {
    for (const load of this.#routes.values()) this.#earn(load);
    const load = this.#routes.get(route);
    if (load && load.saved >= 1) load.saved -= 1;
    else if (this.#shared >= 1) this.#shared -= 1;
    else return false;
    return true;
  }

  #earn(load: RouteLoad): void {
    const earned = load.reads * EARNED;
    const saved = Math.min(earned, Math.max(0, MAX_SAVED - load.saved));
    load.reads = 0;
    load.saved += saved;
    this.#shared = Math.min(SHARED, this.#shared + (earned - saved));
  }
}

function wantedAfter(settled: Settled, number: number, timeoutMs: number): Retry | undefined {
  const paid = { afterMs: fullJitter(number), needsMs: 0, isFree: false, isFresh: false };
  if (!(settled instanceof Error)) {
    // Sent by servers that close an idle connection, just as a request arrives on it. Source: RFC 9110, 15.5.9.
    if (settled.status === 408) return number === 1 ? { ...paid, isFresh: true } : undefined;
    if (!RETRIED_STATUSES.includes(settled.status)) return undefined;
    const afterMs = retryAfterOf(settled.headers);
    // A rate limit without `Retry-After` is not retried.
    if (settled.status === 429 && afterMs === undefined) return undefined;
    return { ...paid, afterMs: Math.ceil(afterMs ?? 0) + paid.afterMs };
  }
  if (!(settled instanceof RestError)) return undefined;
  const { kind, retry } = settled;
  if (kind === 'timeout') return { ...paid, needsMs: timeoutMs };
  if (kind === 'truncated' || retry === 'load') return paid;
  return retry === 'nothing'
    ? { afterMs: equalJitter(number), needsMs: 0, isFree: true, isFresh: true }
    : undefined;
}

// Source of both: M. Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015.

/** Spreads the retries of calls that failed together. */
const fullJitter = (number: number): number => Math.random() * backoff(number);

/** Half of it is fixed, since reconnects have to outlast a restart. */
const equalJitter = (number: number): number => backoff(number) * (0.5 + Math.random() / 2);

const backoff = (number: number): number => Math.min(CAP_MS, BASE_MS * 2 ** (number - 1));
