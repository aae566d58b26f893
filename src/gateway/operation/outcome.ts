/** The outcome of an operation, for the log and the metrics. */
import type { Operation } from './operation.ts';

export interface Answered {
  /** HTTP status, or its equivalent for other transports. */
  readonly status: number;
  readonly outcome: Outcome;
  /** Time from arrival to response, in milliseconds. */
  readonly durationMs: number;
}

/**
 * - `ok`: data without errors.
 * - `partial`: data with errors.
 * - `refused`: no data; the caller's fault.
 * - `failed`: no data; the fault of the gateway or the backend.
 * - `abandoned`: cancelled by the caller.
 */
export type Outcome = 'ok' | 'partial' | 'refused' | 'failed' | 'abandoned';

/** Codes of server faults, in addition to those that begin with `UPSTREAM_`. */
const OURS: ReadonlySet<unknown> = new Set([
  'INTERNAL_SERVER_ERROR',
  'OUTCOME_UNKNOWN',
  'RATE_LIMITED',
  'REQUEST_TIMEOUT',
]);

/** Codes that begin with `UPSTREAM_` but are client errors. */
const OF_CALLERS: ReadonlySet<unknown> = new Set([
  'UPSTREAM_BUDGET_EXCEEDED',
  'UPSTREAM_UNSUPPORTED',
]);

/** @param sent the sent status, used if there is no result. */
export function outcomeOf(
  { cancel, errors, hasData, strictStatus }: Operation,
  sent: number,
): Outcome {
  if (cancel.cancelled) return 'abandoned';
  const status = strictStatus ?? sent;
  if (status >= 500) return 'failed';
  // The gateway's own limit; an error about the backend's has status 200.
  if (status === 429) return 'refused';
  if (status < 400 && errors.length === 0) return 'ok';
  if (hasData) return 'partial';
  // An outage of the backend has status 200, with an error for each root field.
  return errors.some(({ extensions }) => isOurs(extensions['code'])) ? 'failed' : 'refused';
}

const isOurs = (code: unknown): boolean =>
  OURS.has(code) ||
  (typeof code === 'string' && code.startsWith('UPSTREAM_') && !OF_CALLERS.has(code));
