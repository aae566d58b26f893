/**
 * One line of the log for each operation, and one for each error that was masked.
 *
 * Never the query, its variables, a header or an address.
 */
import type { GraphQLError } from 'graphql';
import { maskedCauseOf } from '../policies/errors.ts';
import type { GatewayPlugin } from '../operation/gateway-plugin.ts';
import type { RequestRecord } from '../operation/request-record.ts';
import type { SubscriptionObserver } from '../policies/subscriptions.plugin.ts';
import { withoutRedaction, type Logger } from './logger.ts';
import { outcomeOf } from './outcome.ts';

export function useLog(logger: Logger): GatewayPlugin {
  const lines = withoutRedaction(logger);
  return {
    onAnswered({ status }, { record }) {
      // Reading the journal costs more than this check.
      if (lines.isLevelEnabled('info')) {
        const { requestId, operationName, operationType, rest, errors = [] } = record;
        const codes = new Set(errors.map(({ extensions }) => extensions['code']));
        lines.info(
          {
            requestId,
            operationName,
            operationType,
            durationMs: Math.round((performance.now() - record.startedAt) * 10) / 10,
            calls: rest?.journal.calls ?? 0,
            rounds: rest?.journal.rounds ?? 0,
            ...(codes.size > 0 && { errorCodes: [...codes] }),
            status,
            outcome: outcomeOf(record, status),
          },
          'GraphQL request',
        );
      }
      logCauses(logger, record, record.errors ?? []);
    },
  };
}

function logCauses(
  logger: Logger,
  { requestId, operationName }: RequestRecord,
  errors: readonly GraphQLError[],
): void {
  for (const error of errors) {
    const err = maskedCauseOf(error);
    if (err !== undefined) {
      logger.error({ requestId, operationName, err }, 'Unexpected error, masked');
    }
  }
}

/** Logs what happens after a subscription has begun. */
export const subscriptionLog = (logger: Logger): Required<SubscriptionObserver> => ({
  onResult: (kind, { errors = [] }, record) => {
    if (kind !== 'heartbeat') logCauses(logger, record, errors);
  },
  onEnd: (cause, { requestId, operationName, startedAt }) => {
    const durationMs = Math.round(performance.now() - startedAt);
    logger.info({ requestId, operationName, durationMs, cause }, 'Subscription ended');
  },
});
