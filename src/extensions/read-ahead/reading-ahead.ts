/** The policy of reading ahead: a run for each query, and what its last run has read. */
import type { ExecutionResult } from 'graphql';
import type { Extension } from '../../gateway/extension.ts';
import type { Metrics } from '../../gateway/observe/metrics/metrics.ts';
import type { Operation } from '../../gateway/operation/operation.ts';
import { StateKey } from '../../gateway/operation/state.ts';
import type { Clock } from '../../lib/clock.ts';
import { guessesOf } from './guesses.ts';
import { RememberedReads, screenIdOf } from './remembered-reads.ts';
import { Run } from './run.ts';

interface ReadingAheadOptions {
  readonly metrics: Metrics;
  readonly clock: Pick<Clock, 'now'>;
}

const RUN = new StateKey<Run | undefined>();

export function readingAhead({ metrics, clock }: ReadingAheadOptions): Extension {
  const remembered = new RememberedReads();
  /** Runs of queries, for the writes of their keys. */
  const runs = new Set<Run>();
  const reads = metrics.instruments.counter(
    'gateway_reads_ahead_total',
    'Calls that began before a field asked them, by whether one did.',
    ['used'],
  );

  /** What began before a write is not handed to fields that ask after it. */
  const forgetBehind = ({ apiKey }: Operation): void => {
    for (const run of runs) if (run.apiKey === apiKey) run.forget();
  };

  const begin = (operation: Operation): void => {
    const rest = operation.rest!; // set in the context phase
    const guesses = guessesOf(operation.definition!);
    const run: Run = new Run(operation.apiKey, rest, () =>
      guesses.hasLaterRounds && !guesses.isPaused(clock.now())
        ? remembered.find(screenIdOf(guesses.id, operation.variables, run.sharingKey!))
        : undefined,
    );
    rest.aroundRead = (asked, next) => run.read(asked, next);
    RUN.set(operation, run);
    runs.add(run);
  };

  const end = (operation: Operation, run: Run, result: ExecutionResult): void => {
    runs.delete(run);
    RUN.set(operation, undefined);
    run.end();
    const { definition, variables, cancel } = operation;
    const guesses = guessesOf(definition!);
    const { used, unused } = run.counts;
    if (used + unused > 0) {
      reads.inc({ used: 'true' }, used);
      reads.inc({ used: 'false' }, unused);
      guesses.add({ begun: used + unused, unused }, clock.now());
    }
    const { sharingKey, later } = run;
    // A run that was cut short has read too little.
    if (sharingKey === undefined || cancel.cancelled || !result.data) return;
    if (later.size > 0) guesses.hasLaterRounds = true;
    if (!guesses.hasLaterRounds) return;
    remembered.remember(screenIdOf(guesses.id, variables, sharingKey), later);
  };

  return {
    policies: {
      readAhead: {
        onExecute(operation, next) {
          if (operation.operationType === 'mutation') forgetBehind(operation);
          else if (isReadAhead(operation) && !RUN.get(operation)) begin(operation);
          return next(operation);
        },
        onExecuteDone(operation, result) {
          if (operation.operationType === 'mutation') forgetBehind(operation);
          const run = RUN.get(operation);
          if (run) end(operation, run, result);
          return undefined;
        },
      },
    },
  };
}

/**
 * Whether an operation may be read ahead. Parts of a response (`@defer`) are sent in the order in which their calls
 * end, which reading ahead would change.
 */
const isReadAhead = ({ operationType, document }: Operation): boolean => {
  const { asksSchema, isIncremental } = document!.facts;
  return operationType === 'query' && !asksSchema && !isIncremental;
};
