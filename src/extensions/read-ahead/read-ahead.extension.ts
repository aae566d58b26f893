/** Speculative prefetch: starts the calls of a query's later rounds with its first, if its key has run it before. */
import type { ExecutionResult } from 'graphql';
import type { Extension, Open } from '../../gateway/extension.ts';
import type { Metrics } from '../../gateway/observe/metrics/metrics.ts';
import {
  StateKey,
  type Operation,
  type ReadyOperation,
} from '../../gateway/operation/operation.ts';
import { systemClock, type Clock } from '../../lib/clock.ts';
import { predictionsOf, RememberedReads, Run, type Runs } from './run.ts';

export const open: Open<object> = (_settings, { metrics }) => prefetching(metrics);

const RUN = new StateKey<Run>();

export function prefetching(metrics: Metrics, clock: Pick<Clock, 'now'> = systemClock): Extension {
  const now = (): number => clock.now();
  const runs: Runs = { remembered: new RememberedReads(), begun: new Set(), now };
  const reads = metrics.instruments.counter(
    'gateway_reads_ahead_total',
    'Prefetched calls, by whether a field used them.',
    ['used'],
  );

  /** Cancels prefetches of other operations of the key: a write may change their responses. */
  const cancelPrefetches = ({ apiKey }: Operation): void => {
    for (const begun of runs.begun) if (begun.apiKey === apiKey) begun.cancel();
  };

  const begin = ({ record, definition, contextValue, variableValues }: ReadyOperation): void => {
    // A plugin may execute an operation twice.
    if (RUN.get(record)) return;
    const { rest } = contextValue;
    const run = new Run(runs, record.apiKey, rest, predictionsOf(definition), variableValues);
    rest.makeCall = run.makeCall;
    RUN.set(record, run);
  };

  const end = (run: Run, { cancel }: Operation, result: ExecutionResult): void => {
    run.end();
    const { used, unused } = run.counts;
    if (used + unused > 0) {
      reads.inc({ used: 'true' }, used);
      reads.inc({ used: 'false' }, unused);
      run.predictions.add({ begun: used + unused, unused }, now());
    }
    // A run that was cut short has read too little.
    if (!cancel.cancelled && result.data) run.remember();
  };

  return {
    policies: {
      readAhead: {
        onExecute(operation, next) {
          const { record } = operation;
          if (record.operationType === 'mutation') cancelPrefetches(record);
          else if (isPrefetchable(operation)) begin(operation); // a query: subscriptions are not executed here
          return next(operation);
        },
        onExecuteDone({ record }, result) {
          if (record.operationType === 'mutation') cancelPrefetches(record);
          const run = RUN.get(record);
          if (run && !run.isOver) end(run, record, result);
          return undefined;
        },
      },
    },
  };
}

/** Parts of an incremental response are sent in the order in which their calls end, which prefetching would change. */
const isPrefetchable = ({ definition }: ReadyOperation): boolean => {
  const { asksSchema, isIncremental } = definition.document.facts;
  return !asksSchema && !isIncremental;
};
