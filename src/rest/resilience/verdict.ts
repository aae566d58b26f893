/**
 * What an attempt says about the health of the backend.
 */
import type { Attempt, Outcome } from '../call/call.ts';
import {
  RestOutcomeUnknownError,
  RestTimeoutError,
  RestTruncatedError,
  RestUnreachableError,
} from '../call/errors.ts';

/** Whether the host, and whether the route, failed; undefined where nothing is known. */
export interface Verdict {
  readonly host: boolean | undefined;
  readonly route: boolean | undefined;
}

const HEALTHY: Verdict = { host: false, route: false };
const FAILED: Verdict = { host: false, route: true };
const UNREACHABLE: Verdict = { host: true, route: undefined };
const NOTHING: Verdict = { host: undefined, route: undefined };

/** The share of an attempt's time that the backend must have had for a timeout to count as its failure. */
const ITS_TIME = 0.9;

export function verdictOf(
  { isCutShort, startMs, untilMs }: Attempt,
  { settled, exchange }: Outcome,
): Verdict {
  // Any answer in time is a sign of health, a 404 as well.
  if (!(settled instanceof Error)) return settled.status >= 500 ? FAILED : HEALTHY;
  if (!exchange) return NOTHING;
  const cause = settled instanceof RestOutcomeUnknownError ? settled.cause : settled;
  if (cause instanceof RestTimeoutError) {
    // An attempt that waited long in our queue times out whatever the backend does.
    const hadMs = exchange.endedMs - exchange.beganMs;
    if (isCutShort || hadMs < ITS_TIME * (untilMs - startMs)) return NOTHING;
  } else if (!(cause instanceof RestTruncatedError || cause instanceof RestUnreachableError)) {
    return NOTHING;
  }
  if (!exchange.isConnected) return UNREACHABLE;
  // The backend has not seen what was sent on a connection that it was closing.
  return cause instanceof RestUnreachableError && cause.retry === 'nothing' ? NOTHING : FAILED;
}
