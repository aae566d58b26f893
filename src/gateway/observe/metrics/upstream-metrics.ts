/**
 * Metrics of REST calls and of circuits.
 *
 * Attempts of operations and pollers are counted when they end. Reads without a call are counted from the call logs of
 * operations.
 */
import type { FailureKind, RouteLabel } from '../../../rest/call/errors.ts';
import type { CallLogEntry } from '../../../rest/call/call-log.ts';
import type { UpstreamObserver } from '../../../rest/call/options.ts';
import { CounterBatch, type Instruments } from './instruments.ts';

type ReadSource = CallLogEntry['source'];
type Ending = number | FailureKind | 'none';

export interface UpstreamMetrics extends UpstreamObserver {
  withoutCall(entry: CallLogEntry): void;
}

export function upstreamMetrics(instruments: Instruments): UpstreamMetrics {
  const ofSource = (source: ReadSource) =>
    new CounterBatch(({ method, path: route }: RouteLabel, status: Ending) => ({
      method,
      route,
      source,
      status,
    }));
  const calls = {
    sent: ofSource('sent'),
    shared: ofSource('shared'),
    primed: ofSource('primed'),
    cached: ofSource('cached'),
    unsent: ofSource('unsent'),
  };
  instruments.counter(
    'gateway_upstream_calls_total',
    'REST calls by route, source and status. Sent and unsent ones are attempts; without a response, the status is the kind of failure.',
    ['method', 'route', 'source', 'status'],
    ...Object.values(calls),
  );
  const durations = instruments.durations(
    'gateway_upstream_call_duration_seconds',
    'Duration of sent attempts of REST calls, from the queue to the complete response.',
    ({ method, path: route }: RouteLabel) => ({ method, route }),
  );
  const retries = instruments.counter(
    'gateway_upstream_retries_total',
    'Attempts after the first.',
  );
  const shed = instruments.counter(
    'gateway_upstream_shed_total',
    'Calls rejected because too many were waiting.',
  );
  const pauses = instruments.counter(
    'gateway_upstream_pauses_total',
    'Times the backend rate limited an API key.',
  );
  const violations = instruments.counter(
    'gateway_contract_violations_total',
    'Responses with a field that violates the API spec, by route and field.',
    ['method', 'route', 'field'],
  );
  const exhausted = instruments.counter(
    'gateway_retry_budget_exhausted_total',
    'Retries skipped because the retry budget was exhausted.',
  );
  const opened = instruments.counter(
    'gateway_breaker_opened_total',
    'Times that circuits opened, by scope and route.',
    ['scope', 'method', 'route'],
  );
  return {
    onCall: ({ route, attempt, isSent, status, failure, durationMs, span }) => {
      calls[isSent ? 'sent' : 'unsent'].add(route, status ?? failure ?? 'none');
      if (isSent) durations.observe(route, durationMs / 1_000, span);
      if (attempt > 1) retries.inc();
    },
    withoutCall: ({ route, source, status }) => calls[source].add(route, status ?? 'none'),
    onShed: () => shed.inc(),
    onPause: () => pauses.inc(),
    onViolation: ({ method, path: route }, field) => violations.inc({ method, route, field }),
    onRetryBudgetExhausted: () => exhausted.inc(),
    onBreaker: ({ scope, route, state }) => {
      if (state === 'open') {
        opened.inc({ scope, method: route?.method ?? '', route: route?.path ?? '' });
      }
    },
  };
}
