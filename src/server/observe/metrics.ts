/**
 * What `/metrics` says, in a registry of its own: no keys, no ids, no names that callers choose.
 */
import {
  collectDefaultMetrics,
  Counter,
  Gauge,
  Histogram,
  Registry,
  type Aggregator,
} from 'prom-client';
import type { LiveObserver, Pollers } from '../../graph/live/pollers.ts';
import type { RouteLabel } from '../../rest/call/errors.ts';
import { BREAKER_SCOPES, type UpstreamObserver } from '../../rest/call/observer.ts';
import type { Breaker } from '../../rest/resilience/circuit-breaker.ts';
import type { SubscriptionObserver } from '../policies/subscriptions.plugin.ts';
import type { RequestRecord } from '../operation/request-record.ts';
import type { Subscriptions } from '../operation/subscriptions.ts';
import { BOUNDS, DurationHistogram, type Labels } from './duration-histogram.ts';
import type { Outcome } from './outcome.ts';

/** The state of a circuit as a number that can be plotted. */
const BREAKER_LEVEL = { closed: 0, 'half-open': 1, open: 2 } as const;

interface GaugeOptions<Label extends string> {
  readonly labelNames?: Label[];
  /** How the values of several workers become one. @default sum */
  readonly aggregator?: Aggregator;
  /** Sets the value when metrics are read. */
  readonly collect?: () => void;
}

/** What gauges read. */
interface Watched {
  readonly requests: { readonly underWay: number };
  readonly breaker: Breaker;
  readonly pollers: Pollers;
  readonly subscriptions: Subscriptions;
}

export class Metrics {
  readonly registry = new Registry();
  /** What `/metrics` answers; several workers put their sum in its place. */
  gather = (): Promise<string> => this.registry.metrics();
  /** To be handed to `createUpstream`: counts its calls. */
  readonly observer: UpstreamObserver;
  /** Counts what subscriptions and their pollers do. */
  readonly live: LiveObserver & SubscriptionObserver;
  readonly #requests = new CounterBatch((operation: string, outcome: Outcome) => ({
    operation,
    outcome,
  }));
  readonly #durations: DurationHistogram<string>;
  readonly #rejections: Counter;
  #gathering: Promise<string> | undefined;

  /** @param options.ofProcess also memory, CPU, event loop and GC of the process: once a process. */
  constructor({ ofProcess = false } = {}) {
    this.#counter(
      'gateway_requests_total',
      'GraphQL requests by operation type and outcome.',
      ['operation', 'outcome'],
      this.#requests,
    );
    this.#durations = this.#histogram(
      'gateway_request_duration_seconds',
      'GraphQL requests, arrival to answer.',
      (operation) => ({ operation }),
    );
    this.#rejections = this.#counter(
      'gateway_unhandled_rejections_total',
      'Unhandled promise rejections, which are bugs.',
    );
    this.observer = this.#observe();
    this.live = this.#observeLive();
    if (ofProcess) collectDefaultMetrics({ register: this.registry });
  }

  /** As `gather`, once for all requests at the same time. */
  text(): Promise<string> {
    this.#gathering ??= this.gather().finally(() => {
      this.#gathering = undefined;
    });
    return this.#gathering;
  }

  request(record: RequestRecord, outcome: Outcome, durationMs: number): void {
    const operation = record.operationType ?? 'none';
    this.#requests.add(operation, outcome);
    this.#durations.observe(operation, durationMs / 1_000);
  }

  unhandledRejection(): void {
    this.#rejections.inc();
  }

  /** Reads the state of these from now on, when metrics are gathered. */
  watch({ requests, breaker, pollers, subscriptions }: Watched): void {
    const inFlight = this.#gauge('gateway_requests_in_flight', 'GraphQL requests being answered.', {
      collect: () => inFlight.set(requests.underWay),
    });
    const state = this.#gauge(
      'gateway_breaker_state',
      'The worst circuit of a scope: 0 closed, 1 half-open, 2 open; of several workers, the worst.',
      {
        labelNames: ['scope'],
        aggregator: 'max',
        collect: () => {
          for (const scope of BREAKER_SCOPES) {
            state.set({ scope }, BREAKER_LEVEL[breaker.stateOf(scope)]);
          }
        },
      },
    );
    const tripped = this.#gauge(
      'gateway_breakers_open',
      'Circuits of a scope that are not closed.',
      {
        labelNames: ['scope'],
        collect: () => {
          for (const scope of BREAKER_SCOPES) tripped.set({ scope }, 0);
          for (const { scope, count } of breaker.tripped) tripped.inc({ scope }, count);
        },
      },
    );
    const open = this.#gauge('gateway_subscriptions_open', 'Subscriptions that are open.', {
      collect: () => open.set(subscriptions.size),
    });
    const watchers = this.#gauge(
      'gateway_live_watchers',
      'Subscriptions and waiting mutations that watch an object.',
      { collect: () => watchers.set(pollers.watchers) },
    );
    const polling = this.#gauge(
      'gateway_live_pollers',
      'Objects that are polled, each once for all who watch it with the same key.',
      { collect: () => polling.set(pollers.size) },
    );
  }

  #observeLive(): LiveObserver & SubscriptionObserver {
    const polls = this.#counter('gateway_live_polls_total', 'Polls by outcome.', ['outcome']);
    const events = this.#counter(
      'gateway_subscription_events_total',
      'Events sent to subscribers; heartbeats repeat the last one.',
      ['kind'],
    );
    const ends = this.#counter(
      'gateway_subscription_ends_total',
      'Subscriptions ended, by cause.',
      ['cause'],
    );
    const lag = new Histogram({
      name: 'gateway_live_lag_seconds',
      help: "From the backend's change of a watched object, by its own clock, to its being seen here.",
      buckets: BOUNDS,
      registers: [this.registry],
    });
    return {
      onPoll: (outcome) => polls.inc({ outcome }),
      onChange: (lagMs) => {
        if (lagMs !== undefined) lag.observe(lagMs / 1_000);
      },
      onResult: (kind) => events.inc({ kind }),
      onEnd: (cause) => ends.inc({ cause }),
    };
  }

  #observe(): UpstreamObserver {
    const calls = new CounterBatch(
      ({ method, path: route }: RouteLabel, status: string | number) => ({
        method,
        route,
        status,
      }),
    );
    this.#counter(
      'gateway_upstream_calls_total',
      'Attempts of REST calls by route and status; without an answer, the kind of failure.',
      ['method', 'route', 'status'],
      calls,
    );
    const durations = this.#histogram(
      'gateway_upstream_call_duration_seconds',
      'Attempts of REST calls, from the queue to the whole answer.',
      ({ method, path: route }: RouteLabel) => ({ method, route }),
    );
    const retries = this.#counter('gateway_upstream_retries_total', 'Attempts after the first.');
    const shared = this.#counter(
      'gateway_upstream_shared_total',
      'Reads that joined one in flight.',
    );
    const shed = this.#counter(
      'gateway_upstream_shed_total',
      'Calls refused: too many were waiting.',
    );
    const pauses = this.#counter(
      'gateway_upstream_pauses_total',
      'Times the backend limited a key.',
    );
    const exhausted = this.#counter(
      'gateway_retry_budget_exhausted_total',
      'Retries not made: too many already were.',
    );
    return {
      onCall: ({ route, attempt, status, failure, durationMs }) => {
        calls.add(route, status ?? failure ?? 'none');
        durations.observe(route, durationMs / 1_000);
        if (attempt > 1) retries.inc();
      },
      onShared: () => shared.inc(),
      onShed: () => shed.inc(),
      onPause: () => pauses.inc(),
      onRetryBudgetExhausted: () => exhausted.inc(),
    };
  }

  /** @param batch counts for it. */
  #counter<Label extends string = never>(
    name: string,
    help: string,
    labelNames: Label[] = [],
    batch?: { moveTo(counter: Counter<Label>): void },
  ): Counter<Label> {
    const counter: Counter<Label> = new Counter({
      name,
      help,
      labelNames,
      registers: [this.registry],
      collect: () => batch?.moveTo(counter),
    });
    return counter;
  }

  #gauge<Label extends string = never>(
    name: string,
    help: string,
    options: GaugeOptions<Label>,
  ): Gauge<Label> {
    return new Gauge({ name, help, aggregator: 'sum', registers: [this.registry], ...options });
  }

  #histogram<Row>(name: string, help: string, labelsOf: (row: Row) => Labels) {
    const histogram = new DurationHistogram(name, help, labelsOf);
    this.registry.registerMetric(histogram.metric);
    return histogram;
  }
}

/** Counts events for a counter until metrics are read: building labels costs more than counting. */
class CounterBatch<Row, Column, Label extends string> {
  readonly #counts = new Map<Row, Map<Column, number>>();
  readonly #labelsOf: (row: Row, column: Column) => Record<Label, string | number>;

  constructor(labelsOf: (row: Row, column: Column) => Record<Label, string | number>) {
    this.#labelsOf = labelsOf;
  }

  /** Counts one more. */
  add(row: Row, column: Column): void {
    let counts = this.#counts.get(row);
    if (!counts) {
      counts = new Map();
      this.#counts.set(row, counts);
    }
    counts.set(column, (counts.get(column) ?? 0) + 1);
  }

  /** Hands over what was counted since the last time. */
  moveTo(counter: Counter<Label>): void {
    for (const [row, counts] of this.#counts) {
      for (const [column, count] of counts) counter.inc(this.#labelsOf(row, column), count);
      counts.clear();
    }
  }
}
