/**
 * The metrics of `/metrics`. Labels never contain keys, ids, or names chosen by callers.
 */
import { performance } from 'node:perf_hooks';
import { collectDefaultMetrics, Gauge, Histogram, type Counter, type Registry } from 'prom-client';
import type { LiveObserver, Pollers } from '../../../live/pollers.ts';
import { BREAKER_SCOPES, type UpstreamObserver } from '../../../rest/call/options.ts';
import type { RouteState } from '../../../rest/client/route-discovery.ts';
import type { CircuitStates } from '../../../rest/policies/circuit-breaker.ts';
import type { SubscriptionObserver, Subscriptions } from '../../operation/subscriptions.ts';
import type { Readiness } from '../readiness.ts';
import { BOUNDS, Instruments, OPEN_METRICS, openMetrics } from './instruments.ts';
import { operationMetrics } from './operation-metrics.ts';
import { upstreamMetrics } from './upstream-metrics.ts';

const BREAKER_LEVEL = { closed: 0, 'half-open': 1, open: 2 } as const;

interface Watched {
  readonly requests: { readonly inFlight: number };
  readonly breaker: CircuitStates;
  /** States of the optional routes by method and path. */
  readonly routes: () => Readonly<Record<string, RouteState>>;
  readonly readiness: Pick<Readiness, 'report'>;
  readonly pollers: Pollers;
  readonly subscriptions: Subscriptions;
}

const textOf = async (registry: Registry, isOpen: boolean) =>
  isOpen
    ? { contentType: OPEN_METRICS, text: await openMetrics(registry) }
    : { contentType: registry.contentType, text: await registry.metrics() };

export class Metrics {
  readonly instruments = new Instruments();
  readonly registry: Registry = this.instruments.registry;
  /** Observer for `createUpstream`, which counts calls. */
  readonly observer: UpstreamObserver;
  readonly live: LiveObserver & SubscriptionObserver;
  readonly addOperation: ReturnType<typeof operationMetrics>;
  /** Responses being written (single-flight), by whether they are OpenMetrics. */
  readonly #texts = new Map<boolean, ReturnType<typeof textOf>>();
  readonly #rejections: Counter;

  /** @param options.ofProcess adds memory, CPU, event loop and GC of the process; use once per process. */
  constructor({ ofProcess = false } = {}) {
    const upstream = upstreamMetrics(this.instruments);
    this.observer = upstream;
    this.addOperation = operationMetrics(this.instruments, upstream);
    this.#rejections = this.instruments.counter(
      'gateway_unhandled_rejections_total',
      'Unhandled promise rejections, which are bugs.',
    );
    this.live = this.#observeLive();
    if (ofProcess) this.#observeProcess();
  }

  /** Returns the content of `/metrics`; concurrent readers share it. @param isOpen in OpenMetrics with exemplars. */
  read(isOpen: boolean): ReturnType<typeof textOf> {
    let text = this.#texts.get(isOpen);
    if (!text) {
      text = textOf(this.registry, isOpen).finally(() => this.#texts.delete(isOpen));
      this.#texts.set(isOpen, text);
    }
    return text;
  }

  unhandledRejection(): void {
    this.#rejections.inc();
  }

  /** @param build labels of the build, such as the version. */
  build(build: Readonly<Record<string, string>>): void {
    const info = new Gauge({
      name: 'gateway_build_info',
      help: 'Version of the gateway and of Node; always 1.',
      labelNames: Object.keys(build),
      registers: [this.registry],
    });
    info.set(build, 1);
  }

  watch({ requests, breaker, routes, readiness, pollers, subscriptions }: Watched): void {
    const { instruments } = this;
    const gauges: Record<string, readonly [help: string, read: () => number]> = {
      gateway_ready: [
        'Whether requests are accepted: 1 until the process stops.',
        () => Number(readiness.report().ready),
      ],
      gateway_degraded: [
        'Whether a circuit is open, the last REST call failed, or a file of trusted documents is bad.',
        () => Number(readiness.report().degraded),
      ],
      gateway_requests_in_flight: ['GraphQL requests in flight.', () => requests.inFlight],
      gateway_subscriptions_open: ['Open subscriptions.', () => subscriptions.size],
      gateway_live_watchers: [
        'Subscriptions and waiting mutations that watch an object.',
        () => pollers.watchers,
      ],
      gateway_live_pollers: ['Polled objects, each polled once per API key.', () => pollers.size],
    };
    for (const [name, [help, read]] of Object.entries(gauges)) instruments.gauge(name, help, read);
    instruments.gauges(
      'gateway_breaker_state',
      'The worst circuit of a scope: 0 closed, 1 half-open, 2 open.',
      'scope',
      BREAKER_SCOPES,
      (scope) => BREAKER_LEVEL[breaker.stateOf(scope)],
    );
    instruments.gauges(
      'gateway_breakers_open',
      'Circuits of a scope that are not closed.',
      'scope',
      BREAKER_SCOPES,
      (scope) =>
        breaker.tripped
          .filter((one) => one.scope === scope)
          .reduce((sum, { count }) => sum + count, 0),
    );
    instruments.gauges(
      'gateway_route_missing',
      'Whether the backend lacks an optional route: 1 if it does.',
      'route',
      Object.keys(routes()),
      (route) => Number(routes()[route] === 'missing'),
    );
  }

  #observeLive(): LiveObserver & SubscriptionObserver {
    const polls = this.instruments.counter('gateway_live_polls_total', 'Polls by outcome.', [
      'outcome',
    ]);
    const events = this.instruments.counter(
      'gateway_subscription_events_total',
      'Events sent to subscribers; heartbeats repeat the last one.',
      ['kind'],
    );
    const ends = this.instruments.counter(
      'gateway_subscription_ends_total',
      'Ended subscriptions by cause.',
      ['cause'],
    );
    const lag = new Histogram({
      name: 'gateway_live_lag_seconds',
      help: "Time from a change of a watched object, by the backend's clock, to its detection.",
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

  #observeProcess(): void {
    collectDefaultMetrics({ register: this.registry });
    let last = performance.eventLoopUtilization();
    this.instruments.gauge(
      'nodejs_eventloop_utilization',
      'Share of the time since the last scrape in which the event loop was busy, 0 to 1.',
      () => {
        const now = performance.eventLoopUtilization();
        const { utilization } = performance.eventLoopUtilization(now, last);
        last = now;
        return utilization;
      },
    );
  }
}
