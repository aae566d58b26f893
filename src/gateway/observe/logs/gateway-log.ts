/**
 * Log lines of operations, masked errors, subscriptions and rejected origins.
 *
 * Queries, variables, headers and addresses are never logged.
 */
import type { GraphQLError } from 'graphql';
import { toTenths } from '../../../plan/explain.ts';
import type { CallLog, CallLogEntry } from '../../../rest/call/call-log.ts';
import { maskedCauseOf } from '../../operation/error-translation.ts';
import type { Answered, Operation } from '../../operation/operation.ts';
import { parentOf } from '../../operation/trace-context.ts';
import type { SubscriptionObserver } from '../../operation/subscriptions.ts';
import type { OnForeignOrigin } from '../../policies/cors.ts';
import type { Policy } from '../../policy.ts';
import { withoutRedaction, type Logger } from './logger.ts';

export const MAX_CALLS = 100;

/** Status of operations whose client closed the connection before the response, as nginx logs it. */
const CLIENT_CLOSED_REQUEST = 499;

/**
 * Failed operations are logged at `warn`.
 *
 * @param slowMs operations that take longer are logged at `warn`, with their calls.
 */
export function operationLog(logger: Logger, slowMs = Infinity): Policy {
  const lines = withoutRedaction(logger);
  return {
    onAnswered(operation, answered) {
      // The level may change at runtime.
      if (lines.level !== logger.level) lines.level = logger.level;
      const isSlow = answered.durationMs > slowMs;
      // Reading the call log costs more than this check.
      const level = isSlow || answered.outcome === 'failed' ? 'warn' : 'info';
      if (lines.isLevelEnabled(level)) {
        const { callLog } = operation.rest ?? {};
        const line = {
          ...lineOf(operation, answered),
          ...(callLog && (isSlow || lines.isLevelEnabled('debug')) && callsOf(callLog)),
        };
        lines[level](line, isSlow ? 'Slow GraphQL request' : 'GraphQL request');
      }
      logCauses(logger, operation, operation.errors);
    },
  };
}

function lineOf(operation: Operation, { status, outcome, durationMs }: Answered): object {
  const { rest, errors, bytes } = operation;
  const codes = new Set(errors.map(({ extensions }) => extensions['code']));
  const slowest = rest && slowestOf(rest.callLog);
  return {
    ...identityOf(operation),
    durationMs: toTenths(durationMs),
    calls: rest?.callLog.calls ?? 0,
    rounds: rest?.callLog.rounds ?? 0,
    ...(slowest && { slowestCall: nameOf(slowest), slowestMs: toTenths(msOf(slowest)) }),
    bytes,
    ...(codes.size > 0 && { errorCodes: [...codes] }),
    status: outcome === 'abandoned' ? CLIENT_CLOSED_REQUEST : status,
    outcome,
  };
}

function identityOf(operation: Operation): object {
  const { requestId, operationName, operationType, document, app, trace } = operation;
  // Without a recorded trace, only the caller's part is known.
  const parent = trace ? undefined : parentOf(operation.header('traceparent'));
  return {
    requestId,
    trace_id: (trace?.span ?? parent)?.traceId,
    span_id: trace?.span.spanId,
    operationName,
    operationType,
    document: document?.hash,
    ...(app && { app: app.app, appVersion: app.version }),
  };
}

const nameOf = ({ route }: CallLogEntry): string => `${route.method} ${route.path}`;

/** 0 for a call that is still in flight. */
const msOf = ({ startMs, endMs = startMs }: CallLogEntry): number => endMs - startMs;

/** The slowest call that was sent, by this request or by the one that it joined. */
function slowestOf({ entries }: CallLog): CallLogEntry | undefined {
  let slowest: CallLogEntry | undefined;
  for (const entry of entries) {
    const { source, ahead } = entry;
    if ((source !== 'sent' && source !== 'shared') || ahead === 'unused') continue;
    if (msOf(entry) >= (slowest ? msOf(slowest) : 0)) slowest = entry;
  }
  return slowest;
}

function callsOf({ entries }: CallLog): object {
  const journal = entries.slice(0, MAX_CALLS).map((entry) => {
    const { source, attempt, ahead, startMs, endMs, status, failure } = entry;
    return {
      call: nameOf(entry),
      source,
      ...(attempt > 1 && { attempt }),
      ahead,
      startMs: toTenths(startMs),
      ...(endMs !== undefined && { endMs: toTenths(endMs) }),
      status,
      failure,
    };
  });
  return {
    journal,
    ...(entries.length > MAX_CALLS && { callsOmitted: entries.length - MAX_CALLS }),
  };
}

function logCauses(
  logger: Logger,
  { requestId, operationName }: Operation,
  errors: readonly GraphQLError[],
): void {
  for (const error of errors) {
    const masked = maskedCauseOf(error);
    if (!masked) continue;
    logger.error({ requestId, operationName, err: masked.cause }, 'Unexpected error, masked');
  }
}

const LOST: ReadonlySet<string> = new Set(['left', 'stalled']);

export const subscriptionLog = (logger: Logger): SubscriptionObserver => ({
  onResult: (kind, { errors = [] }, operation) => {
    if (kind !== 'heartbeat') logCauses(logger, operation, errors);
  },
  onEnd: (cause, operation, { calls, rounds }) => {
    const line = {
      ...identityOf(operation),
      durationMs: Math.round(performance.now() - operation.arrival.startedMs),
      calls,
      rounds,
      status: 200,
      outcome: LOST.has(cause) ? 'abandoned' : 'ok',
      cause,
    };
    logger.info(line, 'Subscription ended');
  },
});

/** Maximum number of rejected origins in the log, and of characters of each. */
const MAX_ORIGINS = 100;

/** Logs each rejected origin once, since its pages see no more than a failed request. */
export function originLog(logger: Logger): OnForeignOrigin {
  const logged = new Set<string>();
  return (given) => {
    const origin = given.slice(0, MAX_ORIGINS);
    if (logged.has(origin) || logged.size >= MAX_ORIGINS) return;
    logged.add(origin);
    logger.warn(
      { origin },
      'Cross-origin request rejected. Add the origin to CORS_ORIGINS to allow its pages.',
    );
  };
}
