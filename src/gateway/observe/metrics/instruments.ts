/** Counters, gauges and histograms in a registry of prom-client, which may be written in OpenMetrics. */
import { Counter, Gauge, Registry, type Metric, type OpenMetricsContentType } from 'prom-client';
import type { SpanRef } from '../../../rest/call/call-log.ts';

export class Instruments {
  readonly registry = new Registry();

  /** @param batches added to the counter when metrics are read. */
  counter<Label extends string = never>(
    name: string,
    help: string,
    labelNames: Label[] = [],
    ...batches: readonly { moveTo(counter: Counter<Label>): void }[]
  ): Counter<Label> {
    const counter: Counter<Label> = new Counter({
      name,
      help,
      labelNames,
      registers: [this.registry],
      collect: () => {
        for (const batch of batches) batch.moveTo(counter);
      },
    });
    return counter;
  }

  batch<Label extends string, Row, Column>(
    name: string,
    help: string,
    labelNames: Label[],
    labelsOf: (row: Row, column: Column) => Record<Label, string | number>,
  ): CounterBatch<Row, Column, Label> {
    const batch = new CounterBatch(labelsOf);
    this.counter(name, help, labelNames, batch);
    return batch;
  }

  /** @param read called when metrics are read. */
  gauge(name: string, help: string, read: () => number): void {
    const gauge: Gauge = new Gauge({
      name,
      help,
      registers: [this.registry],
      collect: () => gauge.set(read()),
    });
  }

  gauges<Label extends string, Value extends string>(
    name: string,
    help: string,
    label: Label,
    values: readonly Value[],
    read: (value: Value) => number,
  ): void {
    const gauge: Gauge<Label> = new Gauge({
      name,
      help,
      labelNames: [label],
      registers: [this.registry],
      collect: () => {
        for (const value of values) gauge.labels(value).set(read(value));
      },
    });
  }

  /** A histogram of seconds; each bucket has the last trace as its exemplar. */
  durations<Row>(
    name: string,
    help: string,
    labelsOf: (row: Row) => Readonly<Record<string, string>>,
  ): Durations<Row> {
    const durations = new Durations(name, help, labelsOf);
    // prom-client calls `get` only; its types require the class.
    this.registry.registerMetric(durations as unknown as Metric);
    return durations;
  }
}

/**
 * Increments of a counter until metrics are read: building labels costs more than counting.
 *
 * @typeParam Row first key of events, `Column` the second; both are compared by identity.
 */
export class CounterBatch<Row, Column, Label extends string> {
  readonly #counts = new Map<Row, Map<Column, number>>();
  readonly #labelsOf: (row: Row, column: Column) => Record<Label, string | number>;

  constructor(labelsOf: (row: Row, column: Column) => Record<Label, string | number>) {
    this.#labelsOf = labelsOf;
  }

  add(row: Row, column: Column, more = 1): void {
    let counts = this.#counts.get(row);
    if (!counts) this.#counts.set(row, (counts = new Map<Column, number>()));
    counts.set(column, (counts.get(column) ?? 0) + more);
  }

  moveTo(counter: Counter<Label>): void {
    for (const [row, counts] of this.#counts) {
      for (const [column, count] of counts) counter.inc(this.#labelsOf(row, column), count);
      counts.clear();
    }
  }
}

/** Upper bounds of the buckets from a cached response to the deadline, in seconds. */
export const BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

interface Exemplar {
  readonly labelSet: Readonly<Record<string, string>>;
  readonly value: number;
  /** In seconds since 1970. */
  readonly timestamp: number;
}

interface Series {
  sum: number;
  /** By bucket, not cumulative; the last one has no bound. */
  readonly counts: number[];
  readonly exemplars: (Exemplar | undefined)[];
}

/**
 * A histogram of durations. With that of prom-client, which hashes labels at each observation, metrics take ten times
 * the CPU time.
 *
 * @typeParam Row source of the labels, compared by identity.
 */
export class Durations<Row> {
  readonly type = 'histogram';
  readonly aggregator = 'sum';
  readonly name: string;
  readonly help: string;
  readonly #labelsOf: (row: Row) => Readonly<Record<string, string>>;
  readonly #series = new Map<Row, Series>();

  constructor(
    name: string,
    help: string,
    labelsOf: (row: Row) => Readonly<Record<string, string>>,
  ) {
    this.name = name;
    this.help = help;
    this.#labelsOf = labelsOf;
  }

  /** @param span trace to name as the exemplar of its bucket. */
  observe(row: Row, seconds: number, span?: SpanRef): void {
    let series = this.#series.get(row);
    if (!series) {
      series = { sum: 0, counts: new Array<number>(BOUNDS.length + 1).fill(0), exemplars: [] };
      this.#series.set(row, series);
    }
    let bucket = 0;
    while (bucket < BOUNDS.length && seconds > BOUNDS[bucket]!) bucket += 1;
    series.counts[bucket]! += 1;
    series.sum += seconds;
    if (!span) return;
    series.exemplars[bucket] = {
      labelSet: { trace_id: span.traceId, span_id: span.spanId },
      value: seconds,
      timestamp: Date.now() / 1_000,
    };
  }

  /** Returns the samples in the form of prom-client's `Metric.get`. */
  async get() {
    const { name, help, type, aggregator } = this;
    const values = [...this.#series].flatMap(([row, { sum, counts, exemplars }]) => {
      const labels = this.#labelsOf(row);
      let count = 0;
      const buckets = counts.map((more, bucket) => {
        count += more;
        const le = BOUNDS[bucket] ?? '+Inf';
        const exemplar = exemplars[bucket] ?? null;
        return { labels: { le, ...labels }, value: count, metricName: `${name}_bucket`, exemplar };
      });
      return [
        ...buckets,
        { labels, value: sum, metricName: `${name}_sum` },
        { labels, value: count, metricName: `${name}_count` },
      ];
    });
    return { name, help, type, aggregator, values };
  }
}

/** Content type of OpenMetrics, the format with exemplars. */
export const OPEN_METRICS = Registry.OPENMETRICS_CONTENT_TYPE;

/** Writes copies, since a registry of prom-client has one format, and OpenMetrics renames counters. */
export function openMetrics(registry: Registry): Promise<string> {
  const copies = new Registry<OpenMetricsContentType>();
  copies.setContentType(OPEN_METRICS);
  // prom-client reads these properties only; its types require the class, and lack `get` and `type`.
  for (const metric of registry.getMetricsAsArray() as unknown as Known[]) {
    const { name, help, type } = metric;
    // In OpenMetrics the suffix is not part of a counter's name.
    const shown = type === 'counter' ? name.replace(/_total$/, '') : name;
    const get = async () => ({ ...(await metric.get()), name: shown });
    copies.registerMetric({ name: shown, help, type, get } as unknown as Metric);
  }
  return copies.metrics();
}

interface Known {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  get(): Promise<object>;
}
