/**
 * One line of the log and one count in the metrics for every GraphQL request.
 *
 * Never the query, its variables, a header or an address.
 */
import type { SubscriptionObserver } from '../operation/operation-handler.ts';
import type { RequestRecord } from '../operation/request-record.ts';
import type { Logger } from './logger.ts';
import type { Metrics, Outcome } from './metrics.ts';

export interface Reported {
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly record: RequestRecord;
  readonly status: number;
}

export function report({ logger, metrics, record, status }: Reported): void {
  const durationMs = performance.now() - record.startedAt;
  const outcome = outcomeOf(record, status);
  metrics.request(record, outcome, durationMs);
  const { requestId, operationName, operationType, reply } = record;
  // What a request cost takes longer to find out than to decide that nobody writes it down.
  if (logger.isLevelEnabled('info')) {
    const journal = record.rest?.journal;
    const errorCodes = reply?.errorCodes ?? [];
    logger.info(
      {
        requestId,
        operationName,
        operationType,
        durationMs: Math.round(durationMs * 10) / 10,
        calls: journal?.calls ?? 0,
        rounds: journal?.rounds ?? 0,
        ...(errorCodes.length > 0 && { errorCodes }),
        status,
        outcome,
      },
      'GraphQL request',
    );
  }
  for (const cause of reply?.causes ?? []) {
    logger.error({ requestId, operationName, err: cause }, 'Unexpected error, masked');
  }
}

function outcomeOf({ leaving, reply }: RequestRecord, status: number): Outcome {
  if (leaving.cancelled) return 'abandoned';
  if (status >= 500) return 'failed';
  if (status < 400 && (reply?.errorCodes.length ?? 0) === 0) return 'ok';
  return reply && 'data' in reply.body ? 'partial' : 'refused';
}

/** As `report`, for what happens after a subscription was begun. */
export const liveObserver = (logger: Logger, metrics: Metrics): SubscriptionObserver => ({
  ...metrics.live,
  onReply: (kind, reply, record) => {
    metrics.live.onReply?.(kind, reply, record);
    if (kind === 'heartbeat') return;
    const { requestId, operationName } = record;
    for (const cause of reply.causes) {
      logger.error({ requestId, operationName, err: cause }, 'Unexpected error, masked');
    }
  },
  onEnd: (cause, record) => {
    metrics.live.onEnd?.(cause, record);
    const { requestId, operationName, startedAt } = record;
    const durationMs = Math.round(performance.now() - startedAt);
    logger.info({ requestId, operationName, durationMs, cause }, 'Subscription ended');
  },
});
