/**
 * GraphQL requests: counted while they are under way, and reported when they are answered, with one
 * line of the log and one count in the metrics.
 *
 * Never the query, its variables, a header or an address.
 */
import type { SubscriptionObserver } from '../operation/operation-runner.ts';
import type { RequestRecord } from '../operation/request-record.ts';
import { withoutRedaction, type Logger } from './logger.ts';
import type { Metrics, Outcome } from './metrics.ts';

export class Requests {
  readonly #logger: Logger;
  /** For the line of each request. */
  readonly #lines: Logger;
  readonly #metrics: Metrics;
  readonly #whenIdle: (() => void)[] = [];
  // A number, not a set: a set that lives long keeps what it held from being freed young.
  #underWay = 0;

  constructor(logger: Logger, metrics: Metrics) {
    this.#logger = logger;
    this.#lines = withoutRedaction(logger);
    this.#metrics = metrics;
  }

  /** How many are being answered. */
  get underWay(): number {
    return this.#underWay;
  }

  /** Answers a request, and reports it: at once, or after the last part of an answer in parts. */
  async run<Answer extends { readonly status: number }>(
    record: RequestRecord,
    answer: () => Promise<Answer>,
  ): Promise<Answer> {
    this.#underWay += 1;
    let status = 500;
    try {
      const answered = await answer();
      ({ status } = answered);
      return answered;
    } finally {
      const parts = record.reply?.parts;
      if (parts) void parts.finished.then(() => this.#end(record, status));
      else this.#end(record, status);
    }
  }

  /** Resolves when none is under way. */
  idle(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#underWay === 0) resolve();
      else this.#whenIdle.push(resolve);
    });
  }

  #end(record: RequestRecord, status: number): void {
    this.#report(record, status);
    // The connection of a slow reader keeps the record. Parts may still have to be sent.
    if (!record.reply?.parts) record.reply = undefined;
    record.rest = undefined;
    this.#underWay -= 1;
    if (this.#underWay === 0) for (const resolve of this.#whenIdle.splice(0)) resolve();
  }

  #report(record: RequestRecord, status: number): void {
    const durationMs = performance.now() - record.startedAt;
    const outcome = outcomeOf(record, status);
    this.#metrics.request(record, outcome, durationMs);
    const { requestId, operationName, operationType, reply } = record;
    // Reading the journal costs more than this check.
    if (this.#lines.isLevelEnabled('info')) {
      const journal = record.rest?.journal;
      const errorCodes = reply?.errorCodes ?? [];
      this.#lines.info(
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
    if (reply) logCauses(this.#logger, record, reply.causes);
  }
}

function outcomeOf({ leaving, reply }: RequestRecord, status: number): Outcome {
  if (leaving.cancelled) return 'abandoned';
  if (status >= 500) return 'failed';
  if (status < 400 && (reply?.errorCodes.length ?? 0) === 0) return 'ok';
  return reply && 'data' in reply.body ? 'partial' : 'refused';
}

function logCauses(
  logger: Logger,
  { requestId, operationName }: RequestRecord,
  causes: readonly unknown[],
): void {
  for (const err of causes) {
    logger.error({ requestId, operationName, err }, 'Unexpected error, masked');
  }
}

/** Reports what happens after a subscription has begun. */
export const liveObserver = (logger: Logger, metrics: Metrics): SubscriptionObserver => ({
  ...metrics.live,
  onReply: (kind, reply, record) => {
    metrics.live.onReply?.(kind, reply, record);
    if (kind !== 'heartbeat') logCauses(logger, record, reply.causes);
  },
  onEnd: (cause, record) => {
    metrics.live.onEnd?.(cause, record);
    const { requestId, operationName, startedAt } = record;
    const durationMs = Math.round(performance.now() - startedAt);
    logger.info({ requestId, operationName, durationMs, cause }, 'Subscription ended');
  },
});
