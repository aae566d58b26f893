/**
 * Whether the end of a try speaks against the backend.
 */
import {
  RestCircuitOpenError,
  RestOutcomeUnknownError,
  RestTimeoutError,
  RestUnreachableError,
} from '../client/errors.ts';
import { isRead, type Outcome, type Outgoing } from '../client/send.ts';
import { isRefused } from '../transport/transport-fault.ts';

/** What takes longer to find no connection is not a moment's restart, in milliseconds. */
const MOMENT_MS = 250;

/** The part of a try's time that the backend must have had, for its end to speak against it. */
const ITS_TIME = 0.9;

export function isBackendFailure(outcome: Outcome, outgoing: Outgoing): boolean {
  if (!(outcome instanceof Error)) return outcome.status >= 500;
  const cause = outcome instanceof RestOutcomeUnknownError ? outcome.cause : outcome;
  if (cause instanceof RestTimeoutError) return !outgoing.cut && hadItsTime(outgoing);
  if (isReconnecting(cause, outgoing)) return false;
  return cause instanceof RestUnreachableError && !(cause instanceof RestCircuitOpenError);
}

/** What has waited long for its turn runs out of time whatever the backend does. */
const hadItsTime = ({ startMs, sentMs, endMs, untilMs }: Outgoing): boolean =>
  endMs - sentMs >= ITS_TIME * (untilMs - startMs);

/** A read that is refused a connection tries again at once: `gaveUp` counts it, if it comes to that. */
const isReconnecting = (cause: unknown, outgoing: Outgoing): boolean =>
  cause instanceof RestUnreachableError &&
  cause.retry === 'nothing' &&
  isRead(outgoing) &&
  !outgoing.probe &&
  // A machine says at once that nobody listens: it was we who were late to hear it.
  (isRefused(cause.cause) || outgoing.endMs - outgoing.sentMs < MOMENT_MS);
